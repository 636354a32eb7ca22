"""How long training takes by default, and what it has learnt by then.

``python -m sdv_tabdar.benchmark.stopping --data DATA --results FILE`` trains on whole tables and on
small parts of them, with the length of training left to the held-out loss (``now``) and with the
length that the size of the table gave before (``before``: so many epochs, of all rows, annealed by
a cosine). Rows of the test part tell the likelihood. Each training is a line of FILE; what is there
already is not trained again.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import torch
from sklearn.neighbors import NearestNeighbors

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.inference.complete import complete
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.runtime.allocator import kept_memory
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable
from sdv_tabdar.core.training.defaults import default_epochs, rows_of_step
from sdv_tabdar.core.training.likelihood import make_questions, row_loss
from sdv_tabdar.core.training.loop import fit_network

BEFORE, NOW = 'before', 'now'
_TEST_ROWS = 1000
_HIDDEN_SETS = 2  # pairs of them for each row, for a likelihood
_CPU = torch.device('cpu')


def load(
    folder: Path, rows: int, seed: int
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, ColumnKind]]:
    """Training rows, test rows in an order of their own, and the kinds of the columns.

    Args:
        folder: With ``train.csv.gz``, ``test.csv.gz`` and ``info.json``.
        rows: Training rows to draw; 0 for all.
        seed: Of that draw.
    """
    sdtypes = json.loads((folder / 'info.json').read_text())['columns']
    train, test = (pd.read_csv(folder / f'{part}.csv.gz') for part in ('train', 'test'))
    kinds = {
        name: ColumnKind.NUMERICAL if sdtypes[name] == 'numerical' else ColumnKind.CATEGORICAL
        for name in train.columns
    }
    if 0 < rows < len(train):
        train = train.sample(rows, random_state=seed)
    test = test.sample(frac=1.0, random_state=0)
    return train.reset_index(drop=True), test.reset_index(drop=True), kinds


def known_rows(
    train: pd.DataFrame, test: pd.DataFrame, kinds: dict[str, ColumnKind]
) -> pd.DataFrame:
    """Test rows without levels that training did not see; numbers within the range that it saw."""
    known = pd.Series(True, index=test.index)
    test = test.copy()
    for name, kind in kinds.items():
        if kind is ColumnKind.NUMERICAL:
            test[name] = test[name].clip(train[name].min(), train[name].max())
            known &= test[name].notna() | train[name].isna().any()
        else:
            known &= test[name].isin(train[name])
    return test[known].head(_TEST_ROWS)


def any_order_loss(network: TabDARNetwork, rows: EncodedTable) -> float:
    """Negative log-likelihood of a row in codes and residuals, in nats; a mean over orders."""
    generator = torch.Generator().manual_seed(0)
    fixed = network.fixed_order
    questions = make_questions(rows, _HIDDEN_SETS, fixed_order=fixed, generator=generator)
    return row_loss(network, questions).total


def near_training_share(train: pd.DataFrame, test: pd.DataFrame, drawn: pd.DataFrame) -> float:
    """Share of drawn rows that are nearer to a training row than to one of as many test rows.

    Numbers are divided by their standard deviation; categories differ by 1, as a standard
    deviation does.
    """
    size = min(len(train), len(test))
    whole = pd.concat([train.sample(size, random_state=0), test.head(size), drawn])
    parts = []
    for name in whole.columns:
        if pd.api.types.is_numeric_dtype(train[name]):
            given = whole[name].to_numpy(float)
            numbers = np.where(np.isnan(given), np.nanmean(given), given)
            parts.append((numbers / (numbers[:size].std() or 1.0))[:, None])
        else:
            parts.append(pd.get_dummies(whole[name].astype(str)).to_numpy(float) / 2)
    points = np.concatenate(parts, axis=1)
    near, far = (
        NearestNeighbors(n_neighbors=1, metric='manhattan').fit(some).kneighbors(points[2 * size :])
        for some in (points[:size], points[size : 2 * size])
    )
    return float(np.mean(near[0] < far[0]) + np.mean(near[0] == far[0]) / 2)


def measure(
    folder: Path, rows: int, variant: str, seed: int, limit: float | None = None
) -> dict[str, Any]:
    """Train once; with a ``limit`` in seconds both lengths are that long, if they need it."""
    train, test, kinds = load(folder, rows, seed)
    config = TrainingConfig(max_training_time=limit)
    if variant == BEFORE:
        size = rows_of_step(config, len(train), _CPU)
        epochs = default_epochs(len(train), len(train.columns), size)
        config = TrainingConfig(epochs=epochs, max_training_time=limit, weight_decay=1e-6)
    model = ModelConfig()
    encoder = TableEncoder.fit(train, kinds, model)
    encoded = _encoded(encoder, train)
    generator = torch.Generator().manual_seed(seed)
    start = time.process_time()
    with kept_memory():
        network, history = fit_network(encoded, encoder.schema, model, config, generator=generator)
    seconds = time.process_time() - start
    hidden = encoded.rows(slice(_TEST_ROWS))
    hidden = EncodedTable(hidden.codes, hidden.residuals, torch.zeros_like(hidden.observed))
    drawn = complete(network, hidden, config=SamplingConfig(), generator=generator).table
    return {
        'table': folder.name,
        'rows': len(train),
        'asked': rows,
        'variant': variant,
        'seed': seed,
        'seconds': seconds,
        'epochs': len(history.losses),
        'test': any_order_loss(network, _encoded(encoder, known_rows(train, test, kinds))),
        'train': any_order_loss(network, encoded.rows(slice(_TEST_ROWS))),
        'near': near_training_share(train, test, encoder.decode(drawn, generator=generator)),
        'reason': history.reason,
    }


def _encoded(encoder: TableEncoder, frame: pd.DataFrame) -> EncodedTable:
    return encoder.encode(frame, np.ones(frame.shape, dtype=bool))


def print_table(results: Sequence[dict[str, Any]]) -> None:
    """One line for each table, size and variant: means over the seeds."""
    print('| table | rows | length | seeds | Fit, s | Epochs | Test, nats | Train, nats | Near |')
    print('| --- | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: |')
    keys = sorted({(entry['table'], entry['rows'], entry['variant']) for entry in results})
    for key in keys:
        own = [e for e in results if (e['table'], e['rows'], e['variant']) == key]
        means = [
            statistics.fmean(entry[name] for entry in own)
            for name in ('seconds', 'epochs', 'test', 'train', 'near')
        ]
        spread = statistics.pstdev(entry['test'] for entry in own)
        seconds, epochs, test, trained, near = means
        print(
            f'| {key[0]} | {key[1]:,} | {key[2]} | {len(own)} | {seconds:.0f} | {epochs:.0f} | '
            f'{test:.3f} ± {spread:.3f} | {trained:.3f} | {near:.3f} |'
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Train what is asked for, and print what is known."""
    parser = argparse.ArgumentParser(description='The length of training: now and before.')
    parser.add_argument('--data', type=Path, required=True, help='folder of tables')
    parser.add_argument('--results', type=Path, required=True, help='file that is added to')
    parser.add_argument('--tables', nargs='+', default=['adult', 'default', 'news'])
    parser.add_argument('--rows', nargs='+', type=int, default=[300, 1000, 3000], help='0 for all')
    parser.add_argument('--seeds', nargs='+', type=int, default=[0, 1, 2])
    parser.add_argument('--limit', type=float, help='seconds that training may take')
    parser.add_argument('--lengths', nargs='+', choices=[BEFORE, NOW], default=[BEFORE, NOW])
    options = parser.parse_args(arguments)
    results: list[dict[str, Any]] = []
    if options.results.exists():
        results = [json.loads(line) for line in options.results.read_text().splitlines()]
    done = {(e['table'], e['asked'], e['variant'], e['seed']) for e in results}
    for seed in options.seeds:
        for table in options.tables:
            for rows in options.rows:
                for variant in options.lengths:
                    if (table, rows, variant, seed) in done:
                        continue
                    found = measure(options.data / table, rows, variant, seed, options.limit)
                    results.append(found)
                    with options.results.open('a') as file:
                        file.write(json.dumps(found) + '\n')
                    print(json.dumps(found), file=sys.stderr, flush=True)
    print_table(results)


if __name__ == '__main__':
    main()

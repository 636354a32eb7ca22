"""Training speed: the plain implementation is the same network, and the arithmetic of the table."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sdv_tabdar.benchmark import plain, training_speed, training_steps
from sdv_tabdar.benchmark.__main__ import build_parser
from sdv_tabdar.benchmark.datasets import load_dataset
from sdv_tabdar.benchmark.jobs import Job
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig, TrainingConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.transformer import Block
from sdv_tabdar.core.training import loop as training

SMALL = {'width': 8, 'num_heads': 2, 'denoiser_width': 8, 'head_width': 8, 'batch_size': 16}


def parsed(*arguments: object) -> argparse.Namespace:
    return build_parser().parse_args(['training-speed', *map(str, arguments)])


def test_the_plain_network_is_the_same_network(prepared: Path) -> None:
    frame, kinds = training_steps.core_table(load_dataset(prepared, 'one'))
    model = ModelConfig(width=16, precision='float32')
    encoder = TableEncoder.fit(frame, kinds, model)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    with torch.random.fork_rng(devices=[]):
        fast = TabDARNetwork(encoder.schema, model)
        with plain.plain_implementation():
            slow = TabDARNetwork(encoder.schema, model)
        again = TabDARNetwork(encoder.schema, model)
    assert all(isinstance(block, plain.PlainBlock) for block in slow.blocks)
    assert all(type(block) is Block for block in (*fast.blocks, *again.blocks))
    slow.load_state_dict(fast.state_dict())
    table.observed[::2, 0] = False
    table.observed[1::2, 1:] = False
    assert torch.allclose(fast.contexts(table), slow.contexts(table), atol=1e-5)


def test_the_plain_loss_is_the_same_in_expectation(prepared: Path) -> None:
    frame, kinds = training_steps.core_table(load_dataset(prepared, 'one'))
    model = ModelConfig(width=16, precision='float32', numerical_head='bins')
    encoder = TableEncoder.fit(frame, kinds, model)
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    table = table.rows(torch.arange(4000) % len(table))
    with torch.random.fork_rng(devices=[]):
        network = TabDARNetwork(encoder.schema, model)
    network.requires_grad_(False)
    fast, slow = (
        float(loss(network, table, TrainingConfig(), generator=torch.Generator().manual_seed(0)))
        for loss in (training.batch_loss, plain.plain_loss)
    )
    assert fast == pytest.approx(slow, rel=0.05)


@pytest.mark.parametrize('what', [training_steps.FAST, training_steps.PLAIN])
def test_steps_are_counted(prepared: Path, what: str) -> None:
    job = Job(str(prepared), 'one', 'tabdar', 'tabdar')
    question = {'what': what, 'job': job.to_dict(), 'settings': SMALL}
    found = training_steps.measure({**question, 'warm_up': 0.05, 'seconds': 0.2})
    assert found['batch_size'] == 16
    assert found['steps'] >= 1
    assert found['rows_per_second'] >= found['steps'] * 16 / 0.5
    assert found['rows_per_cpu_second'] > 0
    # Twice the weights, for forwards, and at least as much again for backwards.
    assert found['flops_per_row'] > 4 * 4 * SMALL['width'] ** 2
    json.dumps(found)


def test_too_little_time_is_refused(prepared: Path) -> None:
    job = Job(str(prepared), 'one', 'tabdar', 'tabdar')
    question = {'what': training_steps.FAST, 'job': job.to_dict(), 'settings': SMALL}
    with pytest.raises(ValueError, match='are not enough for two training steps'):
        training_steps.measure({**question, 'warm_up': 0.0, 'seconds': 1e-9})


def test_matrix_products_have_a_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(training_steps, 'MATRIX_SIZES', (64,))
    found = training_steps.measure({'what': training_steps.PEAK, 'seconds': 0.003})
    assert set(found) == {'float32', 'bfloat16'}
    assert all(speed > 1e6 for speed in found.values())


def test_only_numbers_and_categories_are_trained_on(tmp_path: Path, prepared: Path) -> None:
    info = prepared / 'one' / 'info.json'
    content = json.loads(info.read_text())
    content['columns'] = {**content['columns'], 'age': 'id', 'code': 'datetime'}
    info.write_text(json.dumps(content))
    _, kinds = training_steps.core_table(load_dataset(prepared, 'one'))
    assert list(kinds) == ['wage', 'kind']
    content['columns'] = dict.fromkeys(content['columns'], 'datetime')
    info.write_text(json.dumps(content))
    with pytest.raises(ValueError, match="'one' has no column of numbers or categories"):
        training_steps.core_table(load_dataset(prepared, 'one'))


def test_the_command_takes_turns_and_prints_medians(
    prepared: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked: list[tuple[str, int | None]] = []
    speeds = {'plain': [100.0, 200.0, 100.0], 'fast': [300.0, 500.0, 500.0]}

    def answered(
        module: str, question: Mapping[str, Any], *, threads: int | None = None
    ) -> dict[str, Any]:
        assert module == 'sdv_tabdar.benchmark.training_steps'
        what = question['what']
        asked.append((what, threads))
        if what == 'peak':
            return {'float32': 2e9, 'bfloat16': 4e9}
        assert question['settings'] == {'width': 8}
        return {
            'rows_per_second': speeds[what].pop(0),
            'rows_per_cpu_second': 50.0,
            'flops_per_row': 2e6,
            'batch_size': 128,
        }

    out = tmp_path / 'out'
    options = parsed(
        *('--data', prepared, '--tables', 'one', '--out', out, '--repeats', 3),
        *('--settings', 'width=8', '--threads', 2),
    )
    training_speed.main(options, ask_for=answered)
    assert asked == [('plain', 2), ('fast', 2), ('peak', 2)] * 3
    text = capsys.readouterr().out
    assert '| this package | 500 [300, 500] | 50 [50, 50] | 1.0 [0.6, 1.0] | 50.0 | 25.0 |' in text
    assert '| ratio | 3.00 [2.50, 5.00] | 1.00 [1.00, 1.00] |' in text
    assert '| matrix products, bfloat16 |  |  | 4.0 [4.0, 4.0] |' in text
    assert 'Steps of 128 rows; 2.0 million operations a row in the plain' in text
    kept = json.loads((out / 'training_speed.json').read_text())
    assert len(kept['measured'][0]['turns']) == 3
    assert (out / 'training_speed.html').is_file()


def test_senseless_numbers_are_refused(prepared: Path) -> None:
    with pytest.raises(ValueError, match='--repeats must be at least 1, but it is 0'):
        training_speed.main(parsed('--data', prepared, '--repeats', 0))
    with pytest.raises(ValueError, match=r'--seconds must be above 0 .*, but they are 0 and 3'):
        training_speed.main(parsed('--data', prepared, '--seconds', 0))

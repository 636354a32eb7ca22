"""Fit a real table of mixed columns on the CPU, look at the rows and the scores, save a report.

Run it with ``make demo``, or with ``python examples/demo.py`` where the package is installed.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import pandas as pd
from sdv.metadata import Metadata
from sdv.single_table import GaussianCopulaSynthesizer

from sdv_tabdar import TabDARSynthesizer
from sdv_tabdar.evaluation import evaluate, score

DATA = Path(__file__).parent / 'data' / 'adult_10k.csv.gz'
NUMERICAL = (
    'age',
    'fnlwgt',
    'education.num',
    'capital.gain',
    'capital.loss',
    'hours.per.week',
)
SHOWN = [
    'age',
    'education',
    'marital.status',
    'occupation',
    'capital.gain',
    'hours.per.week',
    'income',
]
METRICS = ('shape', 'trend', 'xgb_c2st', 'dcr')

# What is printed for each score: its name, a word on how to read it.
SCORES = {
    'shape_error': ('shape error', 'single columns; 0 is perfect'),
    'trend_error': ('trend error', 'pairs of columns; 0 is perfect'),
    'xgb_c2st': ('XGB-C2ST', 'can boosted trees tell them from real rows? 1 is "no", 0 "yes"'),
    'dcr_share': ('DCR share', 'rows nearer to training than to held-out rows; .5 is no copying'),
    'dcr_share_columns': ('columns alone', 'that of training rows with each column shuffled'),
}


def load_adult(num_rows: int) -> tuple[pd.DataFrame, pd.DataFrame, Metadata]:
    """The bundled table: rows to train on, a quarter of that held out, what the columns are."""
    table = pd.read_csv(DATA)
    train, holdout = table.iloc[:num_rows], table.iloc[-num_rows // 4 :]
    columns = {
        name: {'sdtype': 'numerical' if name in NUMERICAL else 'categorical'} for name in table
    }
    metadata = Metadata.load_from_dict({'tables': {'adult': {'columns': columns}}})
    return train, holdout, metadata


def main(
    output: Path = Path('demo_output'),
    max_training_time: float = 60.0,
    num_rows: int = 8_000,
) -> pd.DataFrame:
    """Run the demo.

    Args:
        output: Folder for the CSV file and the report; made if it does not exist.
        max_training_time: Seconds of training.
        num_rows: Rows to train on, at most 8,000, and synthetic rows to draw.

    Returns:
        The printed scores, one row per score and one column per synthesizer.
    """
    # SDV reminds its users to save the metadata; here they are made by a few lines of code.
    warnings.filterwarnings('ignore', message='.*saving the metadata', category=UserWarning)
    output.mkdir(parents=True, exist_ok=True)
    train, holdout, metadata = load_adult(num_rows)
    print(
        f'\nThe table: {len(train):,} rows of the US census of 1994, {train.shape[1]} columns '
        f'({len(holdout):,} more rows are held out).\n'
        f'Training TabDAR for {max_training_time:.0f} seconds ...'
    )
    start = time.perf_counter()
    tabdar = TabDARSynthesizer(
        metadata, max_training_time=max_training_time, random_state=0, verbose=True
    )
    tabdar.fit(train)
    trained = time.perf_counter()
    synthetic = tabdar.sample(num_rows)
    sampled = time.perf_counter()
    print(
        f'Trained in {trained - start:.0f} s, drew {num_rows:,} rows in {sampled - trained:.0f} s. '
        'The first of them, none of which is a real person:\n'
    )
    print(synthetic[SHOWN].head().to_string(index=False))

    print('\nScoring, beside the GaussianCopula that SDV starts people with ...\n')
    copula = GaussianCopulaSynthesizer(metadata)
    copula.fit({'adult': train})
    others = copula.sample(num_rows)['adult']
    scores = pd.DataFrame(
        {
            name: score(train, rows, metadata, holdout, metrics=METRICS)
            for name, rows in (('TabDAR', synthetic), ('GaussianCopula', others))
        }
    ).loc[list(SCORES)]
    print(f'{"":14}{"TabDAR":>10}{"GaussianCopula":>16}')
    for key, (title, meaning) in SCORES.items():
        ours, theirs = scores.loc[key]
        print(f'{title:14}{ours:10.3f}{theirs:16.3f}   {meaning}')

    csv, html = output / 'adult_synthetic.csv', output / 'adult_report.html'
    synthetic.to_csv(csv, index=False)
    title = 'A synthetic copy of the Adult census table'
    evaluate(train, synthetic, metadata, holdout, target='income', title=title).to_html(html)
    print(
        f'\nYours to keep:\n'
        f'  {csv}   {num_rows:,} synthetic rows\n'
        f'  {html}   the report: open it in a browser, it needs no network\n'
        '\nNext: your own table. README.md has the ten lines it takes,'
        '\nexamples/ has conditions, gaps, dates and constraints.\n'
    )
    return scores


if __name__ == '__main__':
    main()

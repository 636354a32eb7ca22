"""Rules that every synthetic row must keep: SDV's constraints, used as with any synthesizer.

Rented bicycles: none comes back before it left, and each model comes in its own sizes only.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdv.cag import FixedCombinations, Inequality
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer

MODELS = {'city': ['M', 'L'], 'mountain': ['S', 'M', 'L'], 'child': ['XS']}


def make_rentals(num_rows: int = 1_500, seed: int = 0) -> pd.DataFrame:
    """A year of rentals."""
    random = np.random.default_rng(seed)
    model = random.choice(list(MODELS), num_rows, p=[0.6, 0.3, 0.1])
    size = [random.choice(MODELS[name]) for name in model]
    left = pd.Timestamp('2025-01-01') + pd.to_timedelta(random.integers(0, 365, num_rows), unit='D')
    nights = random.geometric(0.3, num_rows) - 1
    back = left + pd.to_timedelta(nights, unit='D')
    price = np.round((1 + nights) * np.where(model == 'mountain', 24.5, 15.0), 2)
    return pd.DataFrame(
        {
            'model': model,
            'size': size,
            'left': left.strftime('%Y-%m-%d'),
            'back': back.strftime('%Y-%m-%d'),
            'price': price,
        }
    )


def make_metadata() -> Metadata:
    """What the columns of the rentals are."""
    columns = {
        'model': {'sdtype': 'categorical'},
        'size': {'sdtype': 'categorical'},
        'left': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
        'back': {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'},
        'price': {'sdtype': 'numerical'},
    }
    return Metadata.load_from_dict({'tables': {'rentals': {'columns': columns}}})


def main(max_training_time: float = 30.0, num_rows: int = 1_000) -> pd.DataFrame:
    """Fit with two constraints and check that they hold.

    Args:
        max_training_time: Seconds of training.
        num_rows: Synthetic rentals to draw.

    Returns:
        The synthetic rentals.
    """
    rentals = make_rentals()
    synthesizer = TabDARSynthesizer(make_metadata(), max_training_time=max_training_time)
    constraints = [
        Inequality(low_column_name='left', high_column_name='back'),
        FixedCombinations(column_names=['model', 'size']),
    ]
    synthesizer.add_constraints(constraints)
    synthesizer.fit(rentals)
    synthetic = synthesizer.sample(num_rows)

    print(synthetic.head().to_string(index=False), '\n')
    print('Back before they left:', int((synthetic['back'] < synthetic['left']).sum()))
    print('Models and their sizes:')
    print(synthetic.groupby('model')['size'].unique().map(sorted).to_string())
    return synthetic


if __name__ == '__main__':
    main()

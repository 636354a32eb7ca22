"""Rows that contain given values: the trained model is asked, not a filter.

A shop wants to see more of the orders it has few of, and to complete orders of which it knows
only the beginning.
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdv.metadata import Metadata
from sdv.sampling import Condition

from sdv_tabdar import TabDARSynthesizer


def make_orders(num_rows: int = 2_000, seed: int = 0) -> pd.DataFrame:
    """Orders of a shop; the bulk orders of the far north are rare and different."""
    random = np.random.default_rng(seed)
    region = random.choice(['south', 'west', 'north'], num_rows, p=[0.6, 0.35, 0.05])
    channel = np.where(
        random.random(num_rows) < np.where(region == 'north', 0.9, 0.3), 'web', 'shop'
    )
    items = 1 + random.poisson(np.where(region == 'north', 8, 2))
    price = np.round(items * random.lognormal(2.5, 0.4, num_rows), 2)
    express = random.random(num_rows) < np.where(price > 60, 0.5, 0.1)
    return pd.DataFrame(
        {
            'region': region,
            'channel': channel,
            'items': items,
            'price': price,
            'express': express,
        }
    )


def make_metadata() -> Metadata:
    """What the columns of the orders are."""
    sdtypes = {
        'region': 'categorical',
        'channel': 'categorical',
        'items': 'numerical',
        'price': 'numerical',
        'express': 'boolean',
    }
    columns = {name: {'sdtype': sdtype} for name, sdtype in sdtypes.items()}
    return Metadata.load_from_dict({'tables': {'orders': {'columns': columns}}})


def main(max_training_time: float = 30.0) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Train once, then ask twice.

    Args:
        max_training_time: Seconds of training.

    Returns:
        The rows that meet the two conditions, and the completed orders.
    """
    orders = make_orders()
    synthesizer = TabDARSynthesizer(make_metadata(), max_training_time=max_training_time)
    synthesizer.fit(orders)

    conditions = [
        Condition(num_rows=100, column_values={'region': 'north', 'channel': 'web'}),
        Condition(num_rows=100, column_values={'region': 'north', 'channel': 'shop'}),
    ]
    rare = synthesizer.sample_from_conditions(conditions)
    print('A hundred orders from the north by web, a hundred by shop; mean of the rest:')
    print(rare.groupby('channel')[['items', 'price', 'express']].mean().round(2), '\n')

    # Every row knows its region and its own price, to the cent.
    known = pd.DataFrame(
        {
            'region': ['south'] * 3 + ['north'] * 3,
            'price': [9.99, 49.5, 120.0] * 2,
        }
    )
    completed = synthesizer.sample_remaining_columns(known)
    print('Known: region and price. Filled in: the rest.')
    print(completed.to_string(index=False))
    return rare, completed


if __name__ == '__main__':
    main()

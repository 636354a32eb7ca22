"""Fill the gaps of a table, a different set of cells in each row, with the model of the table."""

from __future__ import annotations

import numpy as np
import pandas as pd
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer

NUMERICAL = ['area', 'rooms', 'rent']


def make_flats(num_rows: int = 2_000, seed: int = 0) -> pd.DataFrame:
    """Flats to let: rent follows from area and district, rooms from area."""
    random = np.random.default_rng(seed)
    district = random.choice(['old town', 'harbour', 'hills'], num_rows, p=[0.5, 0.3, 0.2])
    area = np.round(random.lognormal(4.2, 0.35, num_rows), 1)
    rooms = np.clip(np.round(area / 24 + random.normal(0, 0.4, num_rows)), 1, 8)
    per_metre = pd.Series(district).map({'old town': 14.0, 'harbour': 18.0, 'hills': 11.0})
    rent = np.round(area * per_metre * random.normal(1, 0.05, num_rows), 0)
    return pd.DataFrame({'district': district, 'area': area, 'rooms': rooms, 'rent': rent})


def make_metadata() -> Metadata:
    """What the columns of the flats are."""
    columns = {name: {'sdtype': 'numerical'} for name in NUMERICAL}
    columns['district'] = {'sdtype': 'categorical'}
    return Metadata.load_from_dict({'tables': {'flats': {'columns': columns}}})


def main(max_training_time: float = 30.0) -> pd.DataFrame:
    """Hide a quarter of the cells of new flats and fill them.

    Args:
        max_training_time: Seconds of training.

    Returns:
        Mean absolute error in each numerical column, of the model and of the column's mean.
    """
    flats = make_flats()
    train, new = flats.iloc[:1_600], flats.iloc[1_600:].reset_index(drop=True)
    synthesizer = TabDARSynthesizer(make_metadata(), max_training_time=max_training_time)
    synthesizer.fit(train)

    hidden = pd.DataFrame(
        np.random.default_rng(1).random(new.shape) < 0.25, index=new.index, columns=new.columns
    )
    gaps = new.mask(hidden)
    filled = synthesizer.impute(gaps)
    print('With gaps:')
    print(gaps.head(4).to_string(), '\n')
    print('Filled:')
    print(filled.head(4).to_string(), '\n')

    errors = {}
    for column in NUMERICAL:
        truth = new.loc[hidden[column], column]
        errors[column] = {
            'model': (filled.loc[hidden[column], column] - truth).abs().mean(),
            'mean of the column': (train[column].mean() - truth).abs().mean(),
        }
    result = pd.DataFrame(errors).T
    print('Mean absolute error of the filled cells:')
    print(result.round(2).to_string())
    return result


if __name__ == '__main__':
    main()

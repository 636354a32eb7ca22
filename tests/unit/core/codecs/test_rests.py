"""Sums whose total is what their parts are made of: which part becomes the rest."""

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.codecs.rests import Rest, find_rests
from sdv_tabdar.core.codecs.sums import Sum
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.schema import ColumnKind

N = 800
RATES = {'DE': 0.19, 'CH': 0.081, 'FR': 0.2}


def fitted(frame: pd.DataFrame) -> TableEncoder:
    kinds = {
        name: ColumnKind.CATEGORICAL if frame[name].dtype == object else ColumnKind.NUMERICAL
        for name in frame
    }
    return TableEncoder.fit(frame, kinds, ModelConfig())


def made(encoder: TableEncoder) -> set[str]:
    """The columns that others make."""
    names, relations = encoder.schema.names, encoder.relations
    found = [one.total for one in relations.sums if one.total is not None]
    found += [one.result for one in (*relations.multiplied, *relations.aggregates)]
    assert len(found) == len({*found})
    return {names[at] for at in found}


def taxes() -> pd.DataFrame:
    random = np.random.default_rng(0)
    country, net = random.choice([*RATES], N).astype(object), random.gamma(3, 20, N).round(2)
    tax = (net * np.array([RATES[name] for name in country])).round(2)
    return pd.DataFrame({'country': country, 'net': net, 'tax': tax})


def profits() -> pd.DataFrame:
    random = np.random.default_rng(0)
    frame = pd.DataFrame({'quantity': random.integers(1, 90, N).astype(float)})
    frame['price'] = random.gamma(3, 8, N).round(2)
    frame['revenue'] = (frame['quantity'] * frame['price']).round(2)
    frame['cost'] = (frame['revenue'] * random.uniform(0.3, 0.8, N)).round(2)
    return frame.assign(profit=(frame['revenue'] - frame['cost']).round(2))


def test_what_is_left_of_a_price_is_a_rest() -> None:
    frame = taxes()
    assert made(fitted(frame.assign(left=(frame['net'] - frame['tax']).round(2)))) == {
        'tax',
        'left',
    }
    gross = frame.assign(gross=(frame['net'] + frame['tax']).round(2))
    encoder = fitted(gross)
    assert made(encoder) == {'tax', 'gross'}
    assert len(encoder.sums) == 1


def test_a_total_that_is_a_product_stays_one() -> None:
    encoder = fitted(profits())
    assert made(encoder) == {'revenue', 'profit'}
    (one,) = encoder.aggregates
    assert one.weights == (1.0, -1.0)


def test_years_of_dates_are_what_an_age_is_made_of() -> None:
    random = np.random.default_rng(0)
    born = random.integers(1950, 1990, N)
    hired = pd.to_datetime(born + random.integers(18, 45, N), format='%Y') + pd.to_timedelta(
        random.integers(0, 360, N), 'D'
    )
    frame = pd.DataFrame(
        {'hired': hired.astype('datetime64[ns]').astype('int64'), 'year': hired.year, 'born': born}
    ).astype(float)
    encoder = fitted(frame.assign(age=frame['year'] - frame['born']))
    assert made(encoder) == {'age'}
    assert [encoder.schema.names[one.position] for one in encoder.relations.calendar_parts] == [
        'year'
    ]


@pytest.mark.parametrize(
    ('relations', 'rated', 'own'),
    [
        ({}, {}, None),
        ({1: [0]}, {}, 2),  # a part is made of the total
        ({1: [3], 3: [0]}, {}, 2),  # by way of another column
        ({0: [3, 4]}, {}, 2),  # the total is made of others
        ({0: [1, 3]}, {}, None),  # and of a part
        ({1: [0], 2: [0]}, {}, None),  # there is nothing left
        ({}, {1: [0], 2: [0]}, 2),  # but what is left of a share is a share
        ({0: [3], 3: [2]}, {}, None),  # a rest would follow from itself
    ],
)
def test_a_part_is_the_rest_if_it_may(relations: dict, rated: dict, own: int | None) -> None:
    summed = Sum(0, (1, 2), (2, 2, 2))
    stay, rests = find_rests([summed], relations, rated)
    assert (stay, rests) == (((summed,), ()) if own is None else ((), (Rest(summed, own),)))


def test_of_more_parts_the_total_follows() -> None:
    summed = Sum(0, (1, 2, 3), (2, 2, 2, 2))
    assert find_rests([summed], {1: [0]}, {}) == ((summed,), ())

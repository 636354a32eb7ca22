"""Numbers that are those of another column, in draws, conditions, gaps and likelihoods."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from sdv_tabdar.core.codecs.values import Floats
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.inference.predict import cell_log_densities
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable

from ...conftest import seeded

ROWS = 600
MOST = 300.0  # that is ever paid
SMALL = ModelConfig(
    width=16,
    num_blocks=1,
    num_heads=2,
    head_width=16,
    denoiser_width=8,
    denoiser_blocks=1,
    num_bins=4,
    precision='float32',
)


@pytest.fixture(scope='module')
def bills() -> pd.DataFrame:
    """Half of the bills are paid as they are, unless they are missing or too high for it."""
    generator = np.random.default_rng(0)
    bill = generator.gamma(2, 100, ROWS)
    paid = np.where(generator.random(ROWS) < 0.5, bill, bill * generator.random(ROWS))
    bill[::20] = np.nan
    paid = np.where(paid > MOST, generator.uniform(0, MOST, ROWS), paid)
    kind = np.where(bill == paid, 'full', 'other')
    return pd.DataFrame({'kind': kind, 'bill': bill, 'paid': paid})


@pytest.fixture(scope='module')
def model(bills: pd.DataFrame) -> TabDAR:
    found = TabDAR(
        SMALL,
        TrainingConfig(epochs=15, dropout=0.0),
        SamplingConfig(num_particles=8),
        device='cpu',
        random_state=0,
    )
    kinds = dict.fromkeys(bills, ColumnKind.NUMERICAL) | {'kind': ColumnKind.CATEGORICAL}
    return found.fit(bills, kinds)


def same(frame: pd.DataFrame) -> Floats:
    return (frame['bill'] == frame['paid']).to_numpy()


def completed(model: TabDAR, cells: dict[str, object], rows: int = 400, **ranges: object):
    frame = pd.DataFrame(cells, index=range(rows))
    restrictions = {name: [entry] * rows for name, entry in ranges.items()}
    return model.complete(frame, restrictions=restrictions).rows


def test_drawn_rows_have_the_same_number_as_often(model: TabDAR, bills: pd.DataFrame) -> None:
    assert model.trained.encoder.echoes
    assert same(model.sample(2_000)).mean() == pytest.approx(same(bills).mean(), abs=0.1)


def test_a_known_number_may_be_that_of_its_hidden_source(model: TabDAR) -> None:
    rows = completed(model, {'paid': 123.456})
    assert (rows['paid'] == 123.456).all()
    assert 0.2 < same(rows).mean() < 0.9


def test_a_known_source_is_repeated_to_the_last_digit(model: TabDAR) -> None:
    rows = completed(model, {'bill': 123.456})
    assert (rows['bill'] == 123.456).all()
    assert 0.2 < same(rows).mean() < 0.9


def test_what_is_known_of_both_is_kept(model: TabDAR) -> None:
    rows = completed(model, {'bill': 123.456, 'paid': 123.4})
    assert (rows[['bill', 'paid']] == [123.456, 123.4]).all(axis=None)


@pytest.mark.parametrize('bill', [np.nan, 2 * MOST])
def test_what_cannot_be_repeated_is_not(model: TabDAR, bill: float) -> None:
    rows = completed(model, {'bill': bill})
    assert rows['paid'].between(0, MOST).all()


@pytest.mark.parametrize(
    'limit', [Interval(100, 110), Members((101.5, 107.25)), Interval(250, None), NotMissing()]
)
def test_a_range_holds_for_repeated_numbers(model: TabDAR, limit) -> None:
    rows = completed(model, {}, paid=limit)
    for number in rows['paid']:
        assert not isinstance(limit, Members) or number in limit.values
    low, high = (getattr(limit, end, None) for end in ('low', 'high'))
    assert rows['paid'].between(low or 0, high or MOST).all()
    assert 0.1 < same(rows).mean() < 0.9


def test_a_range_of_a_column_whose_source_is_known(model: TabDAR) -> None:
    within = completed(model, {'bill': 105.0}, paid=Interval(100, 110))
    assert within['paid'].between(100, 110).all()
    assert same(within).any()
    beyond = completed(model, {'bill': 115.0}, paid=Interval(100, 110))
    assert beyond['paid'].between(100, 110).all()
    assert not same(beyond).any()


def test_ranges_of_both_hold(model: TabDAR) -> None:
    rows = completed(model, {}, rows=100, bill=Interval(100, 200), paid=Interval(150, 250))
    assert rows['bill'].between(100, 200).all()
    assert rows['paid'].between(150, 250).all()
    assert same(rows).any()
    apart = completed(model, {}, rows=100, bill=Interval(100, 120), paid=Interval(50, 60))
    assert not same(apart).any()


def test_a_known_number_is_not_that_of_a_source_elsewhere(model: TabDAR) -> None:
    rows = completed(model, {'paid': 50.0}, bill=Interval(100, 120))
    assert rows['bill'].between(100, 120).all()
    assert (rows['paid'] == 50.0).all()


def test_copies_of_a_row_are_read_each_by_itself(model: TabDAR) -> None:
    frame = pd.DataFrame({'paid': np.repeat([50.0, 150.0], 40)})
    rows = model.complete(frame, num_copies=40).rows
    for part in (rows.head(40), rows.tail(40)):
        assert 0 < same(part).mean() < 1


def by_hand(model: TabDAR, frame: pd.DataFrame) -> Floats:
    """Log-likelihoods of paid alone: of its own codes and as the number of the bill."""
    encoder, network = model.trained.encoder, model.trained.network
    (echo,) = encoder.echoes

    def log_density(table: EncodedTable, position: int) -> Floats:
        return cell_log_densities(network, table, position, model.sampling)

    def in_units(name: str) -> Floats:
        return encoder.codec(name).log_volume(frame['paid'])

    own = encoder.encode(frame, np.ones((len(frame), 1), dtype=bool))
    bill = encoder.encode(frame.set_axis(['bill'], axis=1), np.ones((len(frame), 1), dtype=bool))
    bill.codes[:, echo.position] = echo.code
    bill.observed[:, echo.position] = True
    as_own = log_density(own, echo.position) + in_units('paid')
    repeated = log_density(bill, echo.source) + in_units('bill')
    bill.observed[:, echo.source] = False
    return np.logaddexp(as_own, repeated + log_density(bill, echo.position))


def test_a_likelihood_with_a_hidden_source_counts_both_readings(
    model: TabDAR, bills: pd.DataFrame
) -> None:
    frame = bills.loc[bills['paid'] > 1, ['paid']].head(50)
    found, expected = seeded(model).log_likelihood(frame), by_hand(model, frame)
    np.testing.assert_allclose(found, expected, atol=0.6)  # orders differ by so much
    assert np.median(np.abs(found - expected)) < 1e-3
    parts = seeded(model).log_likelihood(frame, by_column=True)
    np.testing.assert_allclose(parts.sum(axis=1), found, rtol=1e-4, atol=1e-4)
    assert not parts[:, :2].any()


def test_the_density_of_a_number_with_a_hidden_source_counts_both_readings(
    model: TabDAR, bills: pd.DataFrame
) -> None:
    frame = bills.loc[bills['paid'] > 1, ['paid']].head(50)
    found = model.log_density(frame, None, 'paid')
    np.testing.assert_allclose(found, by_hand(model, frame), rtol=1e-4, atol=1e-4)


def test_the_density_of_a_source_knows_what_repeats_it(model: TabDAR) -> None:
    bill = np.linspace(1, 600, 3_000)
    frame = pd.DataFrame({'kind': 'full', 'paid': 120.0, 'bill': bill})
    around = np.exp(model.log_density(frame, None, 'bill')).mean() * (bill[-1] - bill[0])
    missing = np.exp(model.log_density(frame.head(1).assign(bill=np.nan), None, 'bill'))[0]
    repeated = np.exp(model.log_density(frame.head(1).assign(bill=120.0), None, 'bill'))[0]
    assert repeated > 0.2
    assert around + missing + repeated == pytest.approx(1, abs=0.05)


def test_the_density_of_an_echo_is_that_of_its_code(model: TabDAR) -> None:
    paid = np.linspace(0, MOST, 3_000)
    frame = pd.DataFrame({'kind': 'full', 'bill': 120.0, 'paid': paid})
    around = np.exp(model.log_density(frame, None, 'paid')).mean() * MOST
    repeated = np.exp(model.log_density(frame.head(1).assign(paid=120.0), None, 'paid'))[0]
    assert around + repeated == pytest.approx(1, abs=0.05)


def test_parts_of_a_likelihood_add_up(model: TabDAR, bills: pd.DataFrame) -> None:
    model.set_random_state(1)
    whole = model.log_likelihood(bills.head(60))
    model.set_random_state(1)
    parts = model.log_likelihood(bills.head(60), by_column=True)
    np.testing.assert_allclose(parts.sum(axis=1), whole, rtol=1e-4)


def test_a_rounded_cell_counts_as_an_echo_too(model: TabDAR) -> None:
    frame = pd.DataFrame({'kind': 'full', 'bill': [120.0], 'paid': [120.0]})
    fine, coarse = (
        model.log_likelihood(frame, by_column=True, steps={'paid': step})[0, 2]
        for step in (1e-6, 1.0)
    )
    assert fine == pytest.approx(coarse, abs=2)


def test_columns_with_the_number_of_one_hidden_source_are_read_together() -> None:
    generator = np.random.default_rng(1)
    low = generator.normal(size=ROWS)
    high = np.where(np.arange(ROWS) % 2 == 0, low, low + generator.gamma(2, 1, ROWS))
    frame = pd.DataFrame({'low': low, 'high': high, 'mean': (low + high) / 2})
    small = {'width': 16, 'num_blocks': 1, 'num_heads': 2, 'num_bins': 4, 'precision': 'float32'}
    model = TabDAR(ModelConfig(**small), TrainingConfig(epochs=15), device='cpu', random_state=0)
    model.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL))
    assert len(model.trained.encoder.echoes) == 2
    known = frame[['high', 'mean']].head(200)
    rows = model.complete(known).rows
    pd.testing.assert_frame_equal(rows[['high', 'mean']], known)
    low_is, mean_is = rows['high'] == rows['low'], rows['high'] == rows['mean']
    assert low_is[~mean_is].mean() < 0.1
    assert low_is[mean_is].mean() > 0.3
    assert np.isfinite(model.log_likelihood(known)).all()


def test_a_known_source_is_a_point_of_the_distribution(model: TabDAR) -> None:
    frame = pd.DataFrame({'bill': [120.0, np.nan, 2 * MOST]})
    shares = np.linspace(0.01, 0.99, 99)
    found = model.predict_quantiles(frame, None, 'paid', shares.tolist()).to_numpy()
    assert (np.diff(found, axis=1) >= 0).all()
    assert 10 < (found[0] == 120.0).sum() < 90
    assert found.max() <= MOST
    drawn = completed(model, {'bill': 120.0}, rows=2_000)
    assert (found[0] == 120.0).mean() == pytest.approx(same(drawn).mean(), abs=0.15)


def test_the_source_of_a_known_number_is_predicted(model: TabDAR) -> None:
    frame = pd.DataFrame({'kind': ['full', 'other'], 'paid': [50.0, 150.0]})
    found = model.predict_quantiles(frame, None, 'bill', [0.1, 0.5, 0.9]).to_numpy()
    assert (np.diff(found, axis=1) >= 0).all()
    assert model.predict_proba(frame, None, 'kind').sum(axis=1).to_numpy() == pytest.approx(1)


def test_the_same_seed_reads_the_same(model: TabDAR) -> None:
    frame = pd.DataFrame({'paid': np.linspace(5, 290, 50)})
    drawn = []
    for _ in range(2):
        with model.seeded(3):
            drawn.append(model.complete(frame).rows)
    pd.testing.assert_frame_equal(*drawn)


def test_training_goes_on_with_echoes(model: TabDAR, bills: pd.DataFrame) -> None:
    kinds = dict.fromkeys(bills, ColumnKind.NUMERICAL) | {'kind': ColumnKind.CATEGORICAL}
    again = TabDAR(model.model, TrainingConfig(epochs=1), device='cpu', random_state=0)
    again.fit(bills.iloc[::-1], kinds, before=model)
    assert again.trained.encoder.echoes[0].position == 2
    assert same(again.sample(500)).mean() > 0.2


TURNED = 10_000.0  # less twice the number is what follows from it


@pytest.fixture(scope='module')
def turned(bills: pd.DataFrame) -> pd.DataFrame:
    """Half of the second numbers follow from the first ones by a falling line."""
    generator = np.random.default_rng(2)
    number = generator.gamma(2, 1_000, ROWS).round(0)
    other = generator.normal(6_000, 2_000, ROWS).round(0)
    rest = np.where(generator.random(ROWS) < 0.5, TURNED - 2 * number, other)
    return pd.DataFrame({'number': number, 'rest': rest})


@pytest.fixture(scope='module')
def turned_model(model: TabDAR, turned: pd.DataFrame) -> TabDAR:
    found = TabDAR(
        model.model, TrainingConfig(epochs=15), model.sampling, device='cpu', random_state=0
    )
    return found.fit(turned, dict.fromkeys(turned, ColumnKind.NUMERICAL))


def follows(frame: pd.DataFrame) -> Floats:
    return (frame['rest'] == TURNED - 2 * frame['number'].round(0)).to_numpy()


def test_a_number_follows_by_a_line_as_often(turned_model: TabDAR, turned: pd.DataFrame) -> None:
    assert [echo.line.slope for echo in turned_model.trained.encoder.echoes] == [-2]
    assert follows(turned_model.sample(2_000)).mean() == pytest.approx(
        follows(turned).mean(), abs=0.1
    )


@pytest.mark.parametrize('cell', [{'number': 1234.0}, {'rest': 7532.0}])
def test_either_end_of_a_line_may_be_known(turned_model: TabDAR, cell) -> None:
    rows = completed(turned_model, cell)
    (name,) = cell
    assert (rows[name] == cell[name]).all()
    assert 0.2 < follows(rows).mean() < 0.95


@pytest.mark.parametrize('limit', [Interval(6000, 7000), Members((7532.0, 6506.0)), NotMissing()])
def test_a_range_of_what_follows_by_a_line(turned_model: TabDAR, limit) -> None:
    rows = completed(turned_model, {}, rest=limit)
    if isinstance(limit, Members):
        assert set(rows['rest']) <= set(limit.values)
    elif isinstance(limit, Interval):
        assert rows['rest'].between(6000, 7000).all()
    assert 0.2 < follows(rows).mean() < 0.95
    known = completed(turned_model, {'number': 1700.0}, rest=limit)
    reached = isinstance(limit, NotMissing) or (isinstance(limit, Interval) and limit.low == 6000)
    assert follows(known).any() == reached


def test_the_density_of_what_follows_by_a_line_adds_up(turned_model: TabDAR) -> None:
    rest = np.arange(-15_000.0, 15_000.0, 3.0)  # of three numbers in a row
    turned_model.set_random_state(0)
    logs = turned_model.log_likelihood(pd.DataFrame({'rest': rest}))
    assert np.exp(logs).sum() * 3 == pytest.approx(1, abs=0.1)


def test_the_source_of_what_follows_by_a_line_is_predicted(turned_model: TabDAR) -> None:
    found = turned_model.predict_quantiles(
        pd.DataFrame({'rest': [TURNED - 2 * 600.0]}), None, 'number', [0.3, 0.5, 0.7]
    )
    assert 600.0 in found.to_numpy()[0].round(9)
    found = turned_model.predict_quantiles(
        pd.DataFrame({'number': [600.0]}), None, 'rest', [0.3, 0.5, 0.7]
    )
    assert TURNED - 2 * 600.0 in found.to_numpy()[0].round(9)


def test_a_line_that_leads_back_is_followed_once() -> None:
    random = np.random.default_rng(0)
    balance = random.normal(0, 100, ROWS).round(2)
    debt = np.where(balance < 0, -balance, random.gamma(2, 40, ROWS).round(2))
    debt[::9] = np.nan  # what cannot follow is drawn anew, and may be missing then
    frame = pd.DataFrame({'balance': balance, 'debt': debt})
    model = TabDAR(SMALL, TrainingConfig(epochs=15), device='cpu', random_state=0)
    rows = model.fit(frame, dict.fromkeys(frame, ColumnKind.NUMERICAL)).sample(2_000)
    follows = (rows['debt'] == -rows['balance'].round(2)).mean()
    assert follows == pytest.approx((debt == -balance).mean(), abs=0.1)
    assert rows['debt'].isna().mean() < 0.2

"""TabDAR on frames: fit, sample, complete, seeds, saving, and what happens when things go wrong."""

from __future__ import annotations

import dataclasses
import io
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core import model as model_module
from sdv_tabdar.core import trained
from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.model import TabDAR
from sdv_tabdar.core.restrictions import Interval, Members, NotMissing
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.trained import Trained

CPU = torch.device('cpu')

Kinds = dict[str, ColumnKind]
NUMBERS = ['smooth', 'spiked', 'rounded', 'holes']


def _numpy_key() -> np.ndarray:
    """State of NumPy's global generator."""
    key: np.ndarray = np.random.get_state(legacy=False)['state']['key'].copy()
    return key


def _seeded(model: TabDAR, seed: int = 0) -> TabDAR:
    model.set_random_state(seed)
    return model


@pytest.fixture
def own(fitted: TabDAR) -> TabDAR:
    """A copy that a test may spoil."""
    copy: TabDAR = pickle.loads(pickle.dumps(fitted))
    return copy


def test_sampled_rows_have_the_columns_dtypes_and_index_promised(fitted: TabDAR) -> None:
    rows = _seeded(fitted).sample(150)
    assert list(rows.columns) == ['smooth', 'colour', 'spiked', 'rounded', 'flag', 'holes']
    assert rows.index.equals(pd.RangeIndex(150))
    assert isinstance(rows.index, pd.RangeIndex)
    dtypes = rows.dtypes.astype(str).to_dict()
    assert {dtypes[name] for name in NUMBERS} == {'float64'}
    assert dtypes['colour'] == dtypes['flag'] == 'object'


def test_sampled_values_were_possible(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    rows = _seeded(fitted).sample(300)
    for name in NUMBERS:
        assert rows[name].min() >= mixed[name].min()
        assert rows[name].max() <= mixed[name].max()
    assert set(rows['rounded']) <= {0.0, 1.0, 2.0, 3.0}
    assert (rows['spiked'] == 0).mean() > 0.2
    assert set(rows['colour']) <= {'red', 'green', 'blue'}
    assert rows['flag'].isna().any()
    assert rows['holes'].isna().any()
    assert not rows[['smooth', 'colour', 'spiked', 'rounded']].isna().any(axis=None)


def test_no_rows(fitted: TabDAR) -> None:
    rows = _seeded(fitted).sample(0)
    assert rows.shape == (0, 6)
    assert rows.dtypes.astype(str)['smooth'] == 'float64'


def test_progress_of_sampling(fitted: TabDAR) -> None:
    sizes: list[int] = []
    _seeded(fitted).sample(200, progress=sizes.append)
    assert sizes == [128, 72]


def test_names_levels_and_limits(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    assert fitted.column_names == tuple(mixed.columns)
    assert fitted.levels('colour') == mixed['colour'].value_counts().index.tolist()
    assert set(fitted.levels('flag')) == {True, False, None}
    assert fitted.limits('holes') == (mixed['holes'].min(), mixed['holes'].max())
    assert fitted.can_be_missing('flag')
    assert fitted.can_be_missing('holes')
    assert not fitted.can_be_missing('smooth')


def test_levels_of_a_number_and_limits_of_a_category_are_errors(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match="'smooth' is numerical and has no levels; see limits"):
        fitted.levels('smooth')
    with pytest.raises(ValueError, match="'colour' is categorical and has no limits; see levels"):
        fitted.limits('colour')
    for ask in (fitted.levels, fitted.limits, fitted.can_be_missing):
        with pytest.raises(ValueError, match="There is no column 'size'"):
            ask('size')


def test_loss_values_are_one_row_an_epoch(fitted: TabDAR) -> None:
    losses = fitted.loss_values
    assert list(losses.columns) == ['Epoch', 'Loss']
    assert losses['Epoch'].tolist() == [0, 1, 2]
    assert np.isfinite(losses['Loss']).all()
    assert fitted.training_history.seconds > 0


@pytest.mark.parametrize(
    'ask',
    [
        lambda model: model.sample(1),
        lambda model: model.complete(pd.DataFrame({'a': [1]})),
        lambda model: model.levels('a'),
        lambda model: model.column_names,
    ],
)
def test_before_fit_everything_says_so(ask: Callable[[TabDAR], object]) -> None:
    with pytest.raises(RuntimeError, match=r'has not been fitted. Call fit\(\) first'):
        ask(TabDAR(device='cpu'))


@pytest.mark.parametrize('error', [NotImplementedError('no kernel'), TypeError('no float64')])
def test_what_mps_lacks_is_done_on_the_cpu(
    mixed: pd.DataFrame,
    kinds: dict[str, ColumnKind],
    tiny: ModelConfig,
    error: Exception,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """There is none here: a generator of the CPU stands for its own."""
    make, fit = model_module.make_generator, Trained.fit
    tried = []

    def fit_on(*args: Any, device: torch.device, **settings: Any) -> Trained:
        tried.append(device.type)
        if device.type == 'mps':
            raise error
        return fit(*args, device=device, **settings)

    monkeypatch.setattr(torch.backends.mps, 'is_available', lambda: True)
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: False)
    monkeypatch.setattr(model_module, 'make_generator', lambda state, _: make(state, CPU))
    monkeypatch.setattr(Trained, 'fit', fit_on)
    training = TrainingConfig(epochs=1, batch_size=64)
    model = TabDAR(tiny, training, random_state=0).fit(mixed, kinds)
    assert tried == ['mps', 'cpu']
    assert f'Training goes on on the CPU, as mps cannot: {error}' in caplog.text
    assert len(model.sample(3)) == 3


def test_a_model_is_truthy_and_has_no_losses_before_fit() -> None:
    model = TabDAR(device='cpu')
    assert bool(model)
    assert model.loss_values.empty


def test_questions_about_no_rows_have_no_answers(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    nothing = mixed.head(0)
    assert fitted.predict_proba(nothing, None, 'colour').shape == (0, 3)
    assert fitted.predict_quantiles(nothing, None, 'smooth', [0.5]).shape == (0, 1)
    assert fitted.log_likelihood(nothing).shape == (0,)


def test_excluded_numbers_are_those_without_likelihood(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    rows = mixed.head(3).assign(smooth=[mixed['smooth'].max() + 1, mixed['smooth'][1], 1e9])
    observed = np.ones(rows.shape, dtype=bool)
    observed[2] = False
    excluded = fitted.excluded(rows, observed)

    assert excluded.sum() == 1
    assert excluded[0, list(rows.columns).index('smooth')]
    by_column = _seeded(fitted).log_likelihood(rows, observed, num_orders=2, by_column=True)
    np.testing.assert_array_equal(np.isneginf(by_column), excluded)
    assert fitted.log_unseen('smooth') < 0


def test_masses_of_rounded_numbers_add_up_to_one() -> None:
    numbers = np.random.default_rng(0).binomial(12, 0.4, 400)
    train = pd.DataFrame({'x': numbers / 2, 'kind': np.where(numbers > 5, 'a', 'b')})
    kinds = {'x': ColumnKind.NUMERICAL, 'kind': ColumnKind.CATEGORICAL}
    for atoms, bins in ((0, 1), (0, 3), (3, 2), (100, 1)):
        model = TabDAR(
            ModelConfig(width=8, num_blocks=1, num_heads=1, max_atoms=atoms, num_bins=bins),
            TrainingConfig(epochs=1),
            random_state=0,
        ).fit(train, kinds)
        grid = np.arange(train['x'].min(), train['x'].max() + 0.5, 0.5)
        every = pd.MultiIndex.from_product([grid, ['a', 'b']], names=['x', 'kind']).to_frame(False)
        logs = model.log_likelihood(every, num_orders=1, steps={'x': 0.5})
        assert np.exp(logs).sum() == pytest.approx(1, abs=0.01)
        parts = model.log_likelihood(every, num_orders=1, steps={'x': 0.5}, by_column=True)
        np.testing.assert_array_less(parts, 1e-3)
    with pytest.raises(ValueError, match='a distance above 0'):
        model.log_likelihood(every, steps={'kind': 1})


def test_a_seed_holds_for_what_is_within_it(fitted: TabDAR) -> None:
    model = _seeded(fitted)
    first, second = model.sample(3), model.sample(3)
    _seeded(fitted)
    pd.testing.assert_frame_equal(model.sample(3), first)
    found = []
    for _ in range(2):
        with model.seeded(5):
            found.append(model.sample(3))
    pd.testing.assert_frame_equal(*found)
    pd.testing.assert_frame_equal(model.sample(3), second)


# complete


def test_known_cells_come_back_bit_equal(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    observed = np.random.default_rng(3).random(mixed.shape) < 0.6
    filled = _seeded(fitted).complete(mixed, observed).rows
    for position, name in enumerate(mixed.columns):
        rows = observed[:, position]
        given, back = mixed[name][rows].reset_index(drop=True), filled[name][rows]
        pd.testing.assert_series_equal(
            given, back.reset_index(drop=True), check_exact=True, check_dtype=name in NUMBERS
        )


def test_complete_does_not_write_into_what_it_was_given(
    fitted: TabDAR, mixed: pd.DataFrame
) -> None:
    frame, observed = mixed.copy(), np.ones(mixed.shape, dtype=bool)
    wanted = {'colour': [Members(('red',))] * len(mixed)}
    _seeded(fitted).complete(frame, observed, restrictions=wanted)
    pd.testing.assert_frame_equal(frame, mixed)
    assert observed.all()


def test_any_order_and_subset_of_columns_with_any_index(
    fitted: TabDAR, mixed: pd.DataFrame
) -> None:
    given = mixed[['flag', 'smooth']].head(9).set_axis(list('aabbccdde'), axis=0)
    filled = _seeded(fitted).complete(given).rows
    assert list(filled.columns) == list(fitted.column_names)
    assert filled.index.equals(pd.RangeIndex(9))
    assert filled['smooth'].tolist() == given['smooth'].tolist()
    assert filled['flag'].tolist() == given['flag'].tolist()


def test_nullable_and_category_dtypes_are_understood(fitted: TabDAR) -> None:
    given = pd.DataFrame(
        {
            'rounded': pd.array([1, 2], dtype='Int64'),
            'holes': pd.array([50.0, None], dtype='Float64'),
            'colour': pd.Categorical(['red', 'blue']),
            'flag': pd.array([True, None], dtype='boolean'),
        }
    )
    filled = _seeded(fitted).complete(given).rows
    assert filled['rounded'].tolist() == [1, 2]
    assert filled['holes'][0] == 50
    assert np.isnan(filled['holes'][1])
    assert filled['colour'].tolist() == ['red', 'blue']
    assert filled['flag'][0] is True
    assert pd.isna(filled['flag'][1])


def test_numbers_outside_the_training_range_come_back_as_given(fitted: TabDAR) -> None:
    given = pd.DataFrame({'smooth': [-1e6, 1e6], 'rounded': [1.5, 77.0]})
    filled = _seeded(fitted).complete(given).rows
    assert filled[['smooth', 'rounded']].equals(given)
    assert filled['spiked'].notna().all()


def test_missing_is_known_to_be_missing_or_filled(fitted: TabDAR) -> None:
    given = pd.DataFrame({'holes': [np.nan] * 400})
    assert _seeded(fitted).complete(given).rows['holes'].isna().all()
    filled = _seeded(fitted).complete(given, np.zeros((400, 1), dtype=bool)).rows
    assert 0 < filled['holes'].isna().mean() < 0.6


def test_a_row_does_not_depend_on_the_values_of_its_mates(
    fitted: TabDAR, mixed: pd.DataFrame
) -> None:
    first = mixed[['smooth', 'colour']].head(50)
    second = first.copy()
    second.iloc[10:] = first.iloc[10:].to_numpy()[::-1]
    one, two = _seeded(fitted).complete(first).rows, _seeded(fitted).complete(second).rows
    pd.testing.assert_frame_equal(one.head(10), two.head(10), rtol=1e-4)


def test_restricted_cells_obey_their_restriction(fitted: TabDAR) -> None:
    size = 200
    wanted: dict[str, list[Any]] = {
        'smooth': [Interval(50.0, 50.5)] * size,
        'spiked': [Interval(0.1, None) if row % 2 else None for row in range(size)],
        'colour': [Members(('green', 'blue'))] * size,
        'rounded': [Members((1, 3))] * size,
        'flag': [NotMissing()] * size,
        'holes': [Members((None, 50))] * size,
    }
    rows = _seeded(fitted).complete(pd.DataFrame(index=range(size)), restrictions=wanted).rows
    assert rows['smooth'].between(50.0, 50.5).all()
    assert (rows['spiked'][1::2] >= 0.1).all()
    assert (rows['spiked'][::2] == 0).any()
    assert set(rows['colour']) <= {'green', 'blue'}
    assert set(rows['rounded']) <= {1.0, 3.0}
    assert rows['flag'].notna().all()
    assert set(rows['holes'].dropna()) <= {50.0}


@pytest.mark.parametrize('width', [1e-3, 1e-9, 0.0])
def test_a_narrow_interval_is_met_exactly(fitted: TabDAR, width: float) -> None:
    low = 47.123456789
    wanted = {'smooth': [Interval(low, low + width)] * 50}
    rows = _seeded(fitted).complete(pd.DataFrame(index=range(50)), restrictions=wanted).rows
    assert rows['smooth'].between(low, low + width).all()


def test_a_restriction_overrules_the_given_value(fitted: TabDAR) -> None:
    given = pd.DataFrame({'colour': ['red', 'red']})
    wanted = {'colour': [Members(('blue',)), None]}
    assert _seeded(fitted).complete(given, restrictions=wanted).rows['colour'].tolist() == [
        'blue',
        'red',
    ]


def test_rare_members_are_met_where_levels_share_a_code(
    tiny: ModelConfig, quick: TrainingConfig
) -> None:
    names = [f'rare {i}' for i in range(40)]
    frame = pd.DataFrame({'name': ['often'] * 200 + names + [None]})
    config = dataclasses.replace(tiny, max_categories=5)
    model = TabDAR(config, quick, device='cpu', random_state=0)
    model.fit(frame, {'name': ColumnKind.CATEGORICAL})
    wanted = {'name': [Members(('rare 3', 'rare 33', None))] * 100}
    rows = model.complete(pd.DataFrame(index=range(100)), restrictions=wanted).rows
    assert set(rows['name'].dropna()) <= {'rare 3', 'rare 33'}
    free = model.complete(
        pd.DataFrame(index=range(100)), restrictions={'name': [NotMissing()] * 100}
    ).rows
    assert free['name'].notna().all()
    assert any(str(name).startswith('rare') for name in free['name'])


def test_dates_as_levels_stay_objects(tiny: ModelConfig, quick: TrainingConfig) -> None:
    frame = pd.DataFrame({'day': pd.to_datetime(['2020-01-01', '2020-01-02'] * 20)})
    model = TabDAR(tiny, quick, device='cpu').fit(frame, {'day': ColumnKind.CATEGORICAL})
    rows = model.sample(20)
    assert rows['day'].dtype == object
    assert set(rows['day']) <= set(frame['day'])


# Errors of complete


def test_observed_of_another_shape_is_an_error(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    with pytest.raises(ValueError, match=r'shape of the frame, \(240, 6\), however: \(2, 2\)'):
        fitted.complete(mixed, np.ones((2, 2), dtype=bool))


def test_restrictions_of_another_length_are_an_error(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match=r"\['colour'\] must have one entry a row \(3\), .*: 1"):
        fitted.complete(pd.DataFrame(index=range(3)), restrictions={'colour': [None]})


def test_unknown_columns_are_errors(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match="There is no column 'size'"):
        fitted.complete(pd.DataFrame({'size': [1]}))
    with pytest.raises(ValueError, match="There is no column 'size'"):
        fitted.complete(pd.DataFrame(index=[0]), restrictions={'size': [NotMissing()]})


def test_an_unseen_category_is_an_error(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match=r"Column 'colour' .* never seen: \['pink'\]"):
        fitted.complete(pd.DataFrame({'colour': ['pink']}))


def test_an_impossible_restriction_is_an_error(fitted: TabDAR) -> None:
    with pytest.raises(ValueError, match="Column 'smooth' cannot be Interval"):
        fitted.complete(pd.DataFrame(index=[0]), restrictions={'smooth': [Interval(1e9, None)]})


# Random states


def test_same_seed_same_model_and_rows(
    mixed: pd.DataFrame, kinds: Kinds, tiny: ModelConfig, fitted: TabDAR
) -> None:
    again = TabDAR(tiny, fitted.training, fitted.sampling, device='cpu', random_state=0)
    again.fit(mixed, kinds)
    assert again.loss_values.equals(fitted.loss_values)
    pd.testing.assert_frame_equal(_seeded(again).sample(50), _seeded(fitted).sample(50))


def test_sampling_after_fit_follows_the_random_state(
    mixed: pd.DataFrame, kinds: Kinds, tiny: ModelConfig, quick: TrainingConfig
) -> None:
    def rows(seed: int | None) -> pd.DataFrame:
        return TabDAR(tiny, quick, device='cpu', random_state=seed).fit(mixed, kinds).sample(20)

    first = rows(5)
    pd.testing.assert_frame_equal(rows(5), first)
    assert not first.equals(rows(6))
    assert not first.equals(rows(None))


def test_draws_go_on_and_start_again(fitted: TabDAR) -> None:
    first, second = _seeded(fitted).sample(20), fitted.sample(20)
    assert not first.equals(second)
    assert _seeded(fitted).sample(20).equals(first)
    assert fitted.sample(20).equals(second)


def test_random_states_of_other_kinds(fitted: TabDAR) -> None:
    expected = _seeded(fitted, 4).sample(10)
    generator = torch.Generator().manual_seed(4)
    fitted.set_random_state((np.random.RandomState(1), generator))
    assert fitted.sample(10).equals(expected)
    with pytest.raises(TypeError, match='A random state must be an integer seed'):
        fitted.set_random_state('4')  # type: ignore[arg-type]


def test_global_states_neither_move_nor_matter(
    mixed: pd.DataFrame, kinds: Kinds, tiny: ModelConfig, quick: TrainingConfig
) -> None:
    torch_state, numpy_state = torch.get_rng_state(), _numpy_key()
    model = TabDAR(tiny, quick, device='cpu', random_state=1).fit(mixed, kinds)
    model.sample(5)
    pickle.loads(pickle.dumps(model))
    assert torch.equal(torch.get_rng_state(), torch_state)
    assert np.array_equal(_numpy_key(), numpy_state)


# Saving


@pytest.mark.parametrize('outside', [torch.no_grad, torch.inference_mode])
def test_fits_where_gradients_are_off(
    mixed: pd.DataFrame,
    kinds: Kinds,
    tiny: ModelConfig,
    quick: TrainingConfig,
    outside: type[torch.no_grad],
) -> None:
    with outside():
        model = TabDAR(tiny, quick, random_state=0).fit(mixed, kinds)
        assert not torch.is_grad_enabled()
    assert len(model.sample(2)) == 2


@pytest.mark.parametrize('library', [pickle, cloudpickle])
def test_a_saved_model_goes_on_where_it_was(fitted: TabDAR, library: Any) -> None:
    _seeded(fitted, 9).sample(3)
    loaded = pickle.loads(library.dumps(fitted))
    assert isinstance(loaded, TabDAR)
    pd.testing.assert_frame_equal(loaded.sample(20), fitted.sample(20))
    assert loaded.loss_values.equals(fitted.loss_values)
    assert loaded.training_history.seconds == fitted.training_history.seconds
    assert (loaded.model, loaded.training, loaded.sampling) == (
        fitted.model,
        fitted.training,
        fitted.sampling,
    )
    assert loaded.column_names == fitted.column_names
    assert loaded.levels('flag') == fitted.levels('flag')


_PLAIN = (str, int, float, bool, type(None), np.ndarray, torch.Tensor)


def _not_plain(value: object, path: str) -> Iterator[str]:
    """Where in nested dicts and lists something else stands than plain values and arrays."""
    if type(value) is dict:
        for key, item in value.items():
            assert type(key) is str
            yield from _not_plain(item, f'{path}.{key}')
    elif type(value) is list:
        for place, item in enumerate(value):
            yield from _not_plain(item, f'{path}[{place}]')
    elif type(value) not in _PLAIN:
        yield f'{path}: {type(value)}'


def test_saved_state_is_plain_and_on_the_cpu(fitted: TabDAR) -> None:
    state = fitted.__getstate__()
    assert state['version'] == 5
    assert not list(_not_plain(state, 'state'))
    assert all(value.device.type == 'cpu' for value in state['weights'].values())


def test_a_saved_model_names_no_class_of_ours_but_its_own(fitted: TabDAR) -> None:
    found = set()

    class Reader(pickle.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            found.add((module, name))
            return super().find_class(module, name)

    Reader(io.BytesIO(pickle.dumps(fitted))).load()
    ours = {name for name in found if name[0].startswith('sdv_tabdar')}
    assert ours == {('sdv_tabdar.core.model', 'TabDAR')}


def test_a_saved_model_answers_the_same(fitted: TabDAR, mixed: pd.DataFrame, own: TabDAR) -> None:
    rows = mixed.head(20)
    for answer in (
        lambda model: model.predict_proba(rows, None, 'colour'),
        lambda model: model.predict_quantiles(rows, None, 'spiked', [0.1, 0.5]),
        lambda model: pd.DataFrame(_seeded(model).log_likelihood(rows, num_orders=2)),
    ):
        pd.testing.assert_frame_equal(answer(own), answer(fitted))


def test_a_model_can_be_saved_before_fit() -> None:
    loaded = pickle.loads(pickle.dumps(TabDAR(ModelConfig(width=16), device='cpu')))
    assert loaded.model.width == 16
    with pytest.raises(RuntimeError, match='has not been fitted'):
        loaded.sample(1)


def test_a_loaded_model_can_be_fitted_again(
    own: TabDAR, mixed: pd.DataFrame, kinds: Kinds, fitted: TabDAR
) -> None:
    own.fit(mixed, kinds)
    assert own.loss_values.equals(fitted.loss_values)


def test_a_model_saved_without_attention_is_bidirectional(fitted: TabDAR) -> None:
    state = fitted.__getstate__()
    model = {name: value for name, value in state['model'].items() if name != 'attention'}
    loaded = TabDAR.__new__(TabDAR)
    loaded.__setstate__({**state, 'model': model, 'version': 4})
    assert loaded.model.attention == 'bidirectional'
    assert len(loaded.sample(2)) == 2


def test_another_version_of_the_format_is_an_error(fitted: TabDAR) -> None:
    state = {**fitted.__getstate__(), 'version': 99}
    with pytest.raises(ValueError, match='saved in format 99; this version .* reads formats 4 and'):
        TabDAR.__new__(TabDAR).__setstate__(state)


def test_a_model_from_before_gated_layers_loads(mixed: pd.DataFrame, kinds: Kinds) -> None:
    settings = ModelConfig(width=8, num_blocks=1, num_heads=1, feedforward='relu')
    model = TabDAR(settings, TrainingConfig(epochs=1), device='cpu', random_state=0)
    model.fit(mixed, kinds)
    state = {**model.__getstate__(), 'version': 4}
    del state['model']['feedforward']
    loaded = TabDAR.__new__(TabDAR)
    loaded.__setstate__(state)
    assert loaded.model == settings
    rows = mixed.head(10)
    found, wanted = (_seeded(one).log_likelihood(rows) for one in (loaded, model))
    np.testing.assert_array_equal(found, wanted)


def test_a_model_of_a_gpu_loads_without_one(
    fitted: TabDAR, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = {**fitted.__getstate__(), 'device': 'cuda', 'generator_device': 'cuda'}
    monkeypatch.setattr(torch.cuda, 'is_available', lambda: False)
    loaded = TabDAR.__new__(TabDAR)
    loaded.__setstate__(state)
    assert len(loaded.sample(3)) == 3


# When fitting goes wrong


def _breaks(error: BaseException) -> Callable[..., Any]:
    def fit_network(*_: object, **__: object) -> None:
        raise error

    return fit_network


@pytest.mark.parametrize('error', [KeyboardInterrupt(), MemoryError(), FloatingPointError('nan')])
def test_an_interrupted_fit_leaves_the_old_model(
    own: TabDAR,
    kinds: Kinds,
    mixed: pd.DataFrame,
    error: BaseException,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    expected = _seeded(own).sample(10)
    losses = own.loss_values
    _seeded(own)
    monkeypatch.setattr(trained, 'fit_network', _breaks(error))
    with pytest.raises(type(error)):
        own.fit(mixed[['smooth']], kinds)
    assert own.column_names == tuple(mixed.columns)
    assert own.loss_values.equals(losses)
    assert own.sample(10).equals(expected)


def test_ctrl_c_in_the_middle_of_training(
    own: TabDAR, mixed: pd.DataFrame, kinds: Kinds, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = _seeded(own).sample(10)
    _seeded(own)
    calls = iter(range(100))
    original = torch.optim.AdamW.step

    def step(*args: Any, **kwargs: Any) -> Any:
        if next(calls) == 4:
            raise KeyboardInterrupt
        return original(*args, **kwargs)

    monkeypatch.setattr(torch.optim.AdamW, 'step', step)
    with pytest.raises(KeyboardInterrupt):
        own.fit(mixed, kinds)
    assert own.sample(10).equals(expected)
    monkeypatch.undo()
    assert own.fit(mixed, kinds) is own


@pytest.mark.parametrize(
    ('frame', 'error', 'message'),
    [
        (pd.DataFrame({'smooth': [1.0, np.inf]}), ValueError, "'smooth' has 1 infinite"),
        (pd.DataFrame({'smooth': ['x']}), TypeError, "'smooth' is numerical but holds"),
        (pd.DataFrame({'size': [1.0]}), ValueError, r"\['size'\] have no kind"),
        (pd.DataFrame({'smooth': []}), ValueError, 'has 0 rows and 1 columns'),
    ],
)
def test_a_table_that_cannot_be_fitted_leaves_the_old_model(
    own: TabDAR, kinds: Kinds, frame: pd.DataFrame, error: type[Exception], message: str
) -> None:
    expected = _seeded(own).sample(10)
    _seeded(own)
    with pytest.raises(error, match=message):
        own.fit(frame, kinds)
    assert own.sample(10).equals(expected)


def test_a_loss_that_is_not_finite_is_an_error(
    mixed: pd.DataFrame, kinds: Kinds, tiny: ModelConfig
) -> None:
    training = TrainingConfig(epochs=8, batch_size=16, learning_rate=1e30, scheduler='plateau')
    with (
        pytest.warns(RuntimeWarning, match='goes on from the last weights'),
        pytest.raises(FloatingPointError, match='Try a lower learning_rate'),
    ):
        TabDAR(tiny, training, device='cpu', random_state=0).fit(mixed, kinds)


def test_callbacks_and_checkpoints_reach_the_training(
    mixed: pd.DataFrame, kinds: Kinds, tiny: ModelConfig, tmp_path: Path
) -> None:
    path = tmp_path / 'training.pt'
    config = TrainingConfig(epochs=3, batch_size=64)
    whole = TabDAR(tiny, config, device='cpu', random_state=0).fit(mixed, kinds)
    parts = TabDAR(tiny, config, device='cpu', random_state=0)
    parts.fit(mixed, kinds, callbacks=[lambda report: report.epoch == 1], checkpoint_path=path)
    assert len(parts.loss_values) == 1
    assert parts.training_history.reason == 'A callback ended training.'
    assert path.exists()
    parts.fit(mixed, kinds, checkpoint_path=path)
    assert not path.exists()
    assert parts.loss_values.equals(whole.loss_values)
    assert parts.sample(5).equals(whole.sample(5))
    assert parts.column_loss_values.empty


# Odd tables


@pytest.mark.parametrize(
    ('values', 'kind'),
    [
        ([1.5], ColumnKind.NUMERICAL),
        ([np.nan], ColumnKind.NUMERICAL),
        (['a'], ColumnKind.CATEGORICAL),
        ([None], ColumnKind.CATEGORICAL),
        ([2.0] * 30, ColumnKind.NUMERICAL),
        ([np.nan] * 30, ColumnKind.NUMERICAL),
        (['a'] * 30, ColumnKind.CATEGORICAL),
        (list(np.linspace(0, 1, 12)), ColumnKind.NUMERICAL),
    ],
)
@pytest.mark.parametrize('paper', [False, True])
def test_tables_of_one_column(
    values: list[Any], kind: ColumnKind, paper: bool, tiny: ModelConfig
) -> None:
    config = dataclasses.replace(tiny, max_atoms=0, num_bins=1) if paper else tiny
    training = TrainingConfig(epochs=1)
    model = TabDAR(config, training, SamplingConfig(num_steps=3), device='cpu', random_state=0)
    rows = model.fit(pd.DataFrame({'x': values}), {'x': kind}).sample(7)
    assert len(rows) == 7
    if len(set(map(str, values))) == 1:
        expected = pd.Series([values[0]] * 7, dtype=rows['x'].dtype)
        assert rows['x'].isna().all() if pd.isna(values[0]) else rows['x'].equals(expected)


def test_a_progress_bar_is_shown_when_asked_for(
    mixed: pd.DataFrame,
    kinds: Kinds,
    tiny: ModelConfig,
    quick: TrainingConfig,
    capsys: pytest.CaptureFixture[str],
) -> None:
    TabDAR(tiny, quick, device='cpu', verbose=False).fit(mixed, kinds)
    assert capsys.readouterr() == ('', '')
    TabDAR(tiny, quick, device='cpu', verbose=True).fit(mixed, kinds)
    shown = capsys.readouterr()
    assert 'Training' in shown.err
    assert 'loss' in shown.err
    assert '100%' in shown.err


def test_densities_of_cells_sum_to_one_over_the_levels(fitted: TabDAR, mixed: pd.DataFrame) -> None:
    name = next(
        name
        for name, kind in zip(fitted.column_names, mixed.dtypes, strict=True)
        if pd.api.types.is_object_dtype(kind)
    )
    row = mixed.head(1)
    chances = fitted.predict_proba(row, None, name).iloc[0]
    for level, chance in chances.items():
        asked = row.assign(**{name: pd.Series([level], index=row.index, dtype=object)})
        assert fitted.log_density(asked, None, name)[0] == pytest.approx(np.log(chance), abs=1e-4)
    hidden = np.ones(row.shape, dtype=bool)
    hidden[:, row.columns.get_loc(name)] = False
    with pytest.raises(ValueError, match='are hidden and have no density'):
        fitted.log_density(row, hidden, name)


def test_random_numbers_are_those_of_sampling(own: TabDAR) -> None:
    _seeded(own)
    first = own.random_numbers(3)
    assert ((first >= 0) & (first < 1)).all()
    assert not np.array_equal(first, own.random_numbers(3))
    np.testing.assert_array_equal(_seeded(own).random_numbers(3), first)

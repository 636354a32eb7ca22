"""TabDAR on frames: fit, seeds, saving, and what happens when things go wrong."""

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
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.trained import Trained

from .conftest import seeded

CPU = torch.device('cpu')

Kinds = dict[str, ColumnKind]


def _numpy_key() -> np.ndarray:
    """State of NumPy's global generator."""
    key: np.ndarray = np.random.get_state(legacy=False)['state']['key'].copy()
    return key


def test_loss_values_are_one_row_an_epoch(fitted: TabDAR) -> None:
    losses = fitted.loss_values
    assert list(losses.columns) == ['Epoch', 'Loss']
    assert losses['Epoch'].tolist() == [0, 1, 2]
    assert np.isfinite(losses['Loss']).all()
    assert fitted.training_history.seconds > 0


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


# complete


# Errors of complete


# Random states


def test_same_seed_same_model_and_rows(
    mixed: pd.DataFrame, kinds: Kinds, tiny: ModelConfig, fitted: TabDAR
) -> None:
    again = TabDAR(tiny, fitted.training, fitted.sampling, device='cpu', random_state=0)
    again.fit(mixed, kinds)
    assert again.loss_values.equals(fitted.loss_values)
    pd.testing.assert_frame_equal(seeded(again).sample(50), seeded(fitted).sample(50))


def test_sampling_after_fit_follows_the_random_state(
    mixed: pd.DataFrame, kinds: Kinds, tiny: ModelConfig, quick: TrainingConfig
) -> None:
    def rows(seed: int | None) -> pd.DataFrame:
        return TabDAR(tiny, quick, device='cpu', random_state=seed).fit(mixed, kinds).sample(20)

    first = rows(5)
    pd.testing.assert_frame_equal(rows(5), first)
    assert not first.equals(rows(6))
    assert not first.equals(rows(None))


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
    seeded(fitted, 9).sample(3)
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
        lambda model: pd.DataFrame(seeded(model).log_likelihood(rows, num_orders=2)),
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
    former = {'feedforward': 'relu', 'head_activation': 'relu', 'num_scales': 1}
    settings = ModelConfig(width=8, num_blocks=1, num_heads=1, **former)  # type: ignore[arg-type]
    model = TabDAR(settings, TrainingConfig(epochs=1), device='cpu', random_state=0)
    model.fit(mixed, kinds)
    state = {**model.__getstate__(), 'version': 4}
    for name in former:
        del state['model'][name]
    loaded = TabDAR.__new__(TabDAR)
    loaded.__setstate__(state)
    assert loaded.model == settings
    rows = mixed.head(10)
    found, wanted = (seeded(one).log_likelihood(rows) for one in (loaded, model))
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
    expected = seeded(own).sample(10)
    losses = own.loss_values
    seeded(own)
    monkeypatch.setattr(trained, 'fit_network', _breaks(error))
    with pytest.raises(type(error)):
        own.fit(mixed[['smooth']], kinds)
    assert own.column_names == tuple(mixed.columns)
    assert own.loss_values.equals(losses)
    assert own.sample(10).equals(expected)


def test_ctrl_c_in_the_middle_of_training(
    own: TabDAR, mixed: pd.DataFrame, kinds: Kinds, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = seeded(own).sample(10)
    seeded(own)
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
    expected = seeded(own).sample(10)
    seeded(own)
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


@pytest.mark.parametrize('settings', [{'epochs': None}, {'epochs': 1}])
def test_rows_of_a_copula_come_first_where_epochs_are_open(
    mixed: pd.DataFrame,
    kinds: dict[str, ColumnKind],
    tiny: ModelConfig,
    monkeypatch: pytest.MonkeyPatch,
    settings: dict[str, Any],
) -> None:
    given: list[Any] = []
    original = trained.fit_network

    def fit_network(*args: Any, first: Any, **rest: Any) -> Any:
        given.append(first)
        return original(*args, **rest)

    monkeypatch.setattr(trained, 'fit_network', fit_network)
    training = TrainingConfig(max_training_time=0.5, **settings)
    TabDAR(tiny, training, SamplingConfig(), device='cpu').fit(mixed[:200], kinds)
    assert [first is not None for first in given] == [settings['epochs'] is None]


@pytest.mark.parametrize('rows', [1, 2, 30])
def test_few_rows_are_learnt_by_default(
    mixed: pd.DataFrame, kinds: dict[str, ColumnKind], tiny: ModelConfig, rows: int
) -> None:
    training = TrainingConfig(max_training_time=0.3)
    model = TabDAR(tiny, training, SamplingConfig(), device='cpu').fit(mixed[:rows], kinds)
    assert len(model.sample(4)) == 4

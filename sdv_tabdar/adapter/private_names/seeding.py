"""The random numbers of sampling: those of the model and those of generated columns."""

from __future__ import annotations

import contextlib
import copy
import itertools
from collections.abc import Collection, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from rdt.transformers import AnonymizedFaker, BaseTransformer, IndexGenerator, RegexGenerator
from sdv.single_table.base import FIXED_RNG_SEED

from sdv_tabdar.adapter.private_names.copies import copied
from sdv_tabdar.adapter.texts import Texts, texts_of_faker, texts_of_pattern
from sdv_tabdar.core.runtime.permutation import permuted

_MANY = 2**62  # texts of a pattern that is gone through again and again
_BEYOND = 2**30  # as many more keys as anybody will want, which an int32 holds
_PERMUTED = 2**62  # values among which keys are told apart by arithmetic


def seed_sampling(synth: Any, seed: int = FIXED_RNG_SEED) -> None:
    """Start the model's random numbers as SDV does, once after ``fit`` and ``reset_sampling``."""
    if synth._model is not None and not synth._random_state_set:
        synth._set_random_state(seed)


def forget_sampling_state(synth: Any) -> None:
    """Make the next sampling call start anew, as ``fit`` does; ``fit_processed_data`` does not."""
    synth._random_state_set = False


@contextlib.contextmanager
def seeded_sampling(synth: Any, seed: int, given: Collection[str] = ()) -> Iterator[SeededSampling]:
    """Within it all that is drawn starts at a seed; afterwards the synthesizer goes on as before.

    Generated columns are part of it, by copies of their transformers. RDT's generators of running
    numbers and of patterns start from the first value; keys that Faker would draw until one is new
    are those at the rows' places in a permutation that follows from the seed.

    Args:
        synth: The synthesizer.
        seed: The seed.
        given: SDV's labels of columns whose values are known, whatever is generated for them.
    """
    processor, was_set = synth._data_processor, synth._random_state_set
    synth._data_processor = copy.copy(processor)
    synth._data_processor._hyper_transformer = copied(processor._hyper_transformer)
    sampling = SeededSampling(synth, seed, given)
    synth._random_state_set = True
    model = synth._model
    try:
        with contextlib.nullcontext() if model is None else model.seeded(seed):
            yield sampling
    finally:
        synth._data_processor, synth._random_state_set = processor, was_set


class SeededSampling:
    """Starts what draws from a seed, and starts it again elsewhere in the same rows.

    Args:
        synth: A synthesizer whose transformers may be changed.
        seed: Of the rows from the first one on.
        given: Columns whose values are known.
    """

    def __init__(self, synth: Any, seed: int, given: Collection[str]) -> None:
        self._synth, self._given = synth, given
        found = synth._data_processor._hyper_transformer.field_transformers
        self._transformers = {
            field: transformer for field, transformer in found.items() if transformer is not None
        }
        self._own = {field: _own_seeds(made) for field, made in self._transformers.items()}
        self._pools: dict[Any, Any] = {}
        for field, transformer in self._transformers.items():
            _start_at(transformer, self._own[field], seed)
            for name in ('_unique_categories', '_unique_regex_values'):
                if hasattr(transformer, name):
                    setattr(transformer, name, None)  # drawn by the first call, for all others
            values = _values_of_faker(transformer)
            if values is not None:
                key = self._own[field].get('_faker_random_seed', 0)
                transformer._reverse_transform = _PermutedKeys(values, seed ^ key << 64)

    def restart(self, seed: int, first_row: int) -> None:
        """Start again, with rows that have others before them.

        What is counted goes on from there; keys that can only be told apart by one who has seen
        the others go on from where they are.

        Args:
            seed: A seed.
            first_row: How many rows come before.
        """
        keys = self._synth._data_processor._keys
        for field, transformer in self._transformers.items():
            if _is_made_in_turn(transformer, is_key=field in keys):
                continue
            if field not in self._pools:
                self._pools[field] = _pool(transformer)
            _start_at(transformer, self._own[field], seed)
            _count_from(transformer, self._number(field, first_row), self._pools[field])
        if self._synth._model is not None:
            self._synth._model.set_random_state(seed)

    def count_from(self, first_row: int) -> None:
        """Let columns of :func:`counted_columns` go on with the values of a row."""
        for field in counted_columns(self._synth):
            transformer = self._transformers[field]
            transformer.reset_randomization()
            _count_from(transformer, self._number(field, first_row), None)

    def _number(self, field: Any, first_row: int) -> int:
        """Where a column goes on; with the first value where nobody will see it."""
        return 0 if field in self._given else first_row


class _PermutedKeys:
    """What a transformer makes in place of Faker's keys: a value for each row's number.

    Attributes:
        row: The next row.
    """

    def __init__(self, values: Texts, key: int) -> None:
        self.row = 0
        self._values, self._key = values, key

    def __call__(self, data: Any) -> npt.NDArray[Any]:
        rows = np.arange(self.row, self.row + len(data))
        self.row += len(data)
        made = np.empty(len(rows), dtype=object)
        number = self._values.number
        for place, found in enumerate(permuted(rows, number, self._key).tolist()):
            further, digit = divmod(found, number)
            value = self._values.at(digit)
            if further:  # more rows than values
                value = value + further * number if isinstance(value, int) else f'{value}{further}'
            made[place] = value
        return made


@contextlib.contextmanager
def whole_numbers_go_on(synth: Any) -> Iterator[None]:
    """Within it keys that are whole numbers remain so when their range is used up.

    SDV draws them from as many as an int8 or an int16 holds, and RDT goes on with random letters.
    """
    found = synth._data_processor._hyper_transformer.field_transformers.values()
    numbers = [made for made in found if getattr(made, 'function_name', None) == 'random_int']
    numbers = [transformer for transformer in numbers if _values_of_faker(transformer) is not None]
    for transformer in numbers:
        transformer._fallback_function = _Beyond(transformer)
    try:
        yield
    finally:
        for transformer in numbers:
            del transformer._fallback_function


class _Beyond:
    """What RDT calls where a transformer has no new key left: a whole number beyond its range."""

    def __init__(self, transformer: AnonymizedFaker) -> None:
        self._transformer = transformer

    def __call__(self) -> int:
        low = self._transformer.function_kwargs['max'] + 1
        made: int = self._transformer.faker.unique.random_int(min=low, max=low + _BEYOND)
        return made


def counted_columns(synth: Any) -> list[str]:
    """The columns with a value of their own in each row, which follows from the row's number."""
    transformers = synth._data_processor._hyper_transformer.field_transformers
    return [field for field, transformer in transformers.items() if _is_counted(transformer)]


def _is_counted(transformer: Any) -> bool:
    if type(transformer) is RegexGenerator:
        return bool(transformer.cardinality_rule == 'unique')
    return type(transformer) is IndexGenerator or _values_of_faker(transformer) is not None


def _values_of_faker(transformer: Any) -> Texts | None:
    """What the keys of a transformer are drawn from, if they can be counted; else None."""
    if type(transformer) is not AnonymizedFaker or transformer.cardinality_rule != 'unique':
        return None
    if transformer.provider_name != 'BaseProvider' or transformer._nan_frequency:
        return None
    values = texts_of_faker(transformer.function_name, transformer.function_kwargs)
    return values if values is not None and values.number <= _PERMUTED else None


def columns_made_in_turn(synth: Any) -> list[str]:
    """The columns of values that are unique because each is compared with those before it."""
    processor = synth._data_processor
    transformers = processor._hyper_transformer.field_transformers
    return [
        str(field)
        for field, transformer in transformers.items()
        if _is_made_in_turn(transformer, is_key=field in processor._keys)
    ]


def _is_made_in_turn(transformer: Any, *, is_key: bool) -> bool:
    if transformer is None or not transformer.is_generator() or _is_counted(transformer):
        return False
    if type(transformer) is RegexGenerator:
        return False
    return is_key or getattr(transformer, 'cardinality_rule', None) == 'unique'


def _own_seeds(transformer: BaseTransformer) -> dict[str, int]:
    """A transformer's seeds, which tell its column from others."""
    names = ('random_seed', '_faker_random_seed')
    seeds = {name: getattr(transformer, name, None) for name in names}
    return {name: seed for name, seed in seeds.items() if seed is not None}


def _start_at(transformer: BaseTransformer, own: dict[str, int], seed: int) -> None:
    """Start a transformer's random numbers at a seed of the user's and the column's own."""
    for name, number in own.items():
        mixed = np.random.SeedSequence([seed, number]).generate_state(1)
        setattr(transformer, name, int(mixed[0]))
    transformer.reset_randomization()


def _pool(transformer: BaseTransformer) -> Any:
    """The values of a column that has as many as the training table; None for other columns."""
    if getattr(transformer, 'cardinality_rule', None) != 'match':
        return None
    if isinstance(transformer, RegexGenerator):
        return transformer._unique_regex_values or transformer._generate_unique_regexes()
    if isinstance(transformer, AnonymizedFaker):
        if transformer._unique_categories is None:
            return transformer._get_unique_categories(transformer._data_cardinality)
        return transformer._unique_categories
    return None


def _count_from(transformer: BaseTransformer, first_row: int, pool: Any) -> None:
    """Let a transformer that has just been started go on after rows that it has not made."""
    if isinstance(transformer, AnonymizedFaker):
        transformer._unique_categories = pool
        if _is_counted(transformer):
            transformer._reverse_transform.row = first_row
    elif type(transformer) is IndexGenerator:
        transformer._counter = first_row
    elif type(transformer) is RegexGenerator and first_row:
        if pool:
            turned = first_row % len(pool)
            transformer._unique_regex_values = [*pool[turned:], *pool[:turned]]
            return
        transformer.generator = _texts_from(transformer, first_row)
        if transformer.cardinality_rule == 'unique':
            transformer.generated = first_row  # it says so where the pattern has too few texts
        else:
            transformer.generator_size = _MANY


def _texts_from(transformer: RegexGenerator, first_row: int) -> Iterator[str]:
    """The texts of all rows from one on; those of rows behind the last text are made as by RDT."""
    texts = texts_of_pattern(transformer.regex_format)
    if transformer.cardinality_rule != 'unique':
        return (texts.at(row % texts.number) for row in itertools.count(first_row))
    last = texts.at(texts.number - 1)

    def key(row: int) -> str:
        further, place = divmod(row, texts.number)
        if not further:
            return texts.at(place)
        try:
            return str(int(last) + 1 + row - texts.number)
        except ValueError:
            return f'{texts.at(place)}({further - 1})'

    return map(key, itertools.count(first_row))

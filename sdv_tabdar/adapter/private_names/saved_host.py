"""What SDV keeps of a fitted synthesizer, as plain values, and back.

The metadata and the arguments make the synthesizer; constraints are made by their arguments and
added, so that SDV derives the metadata after each of them again. What fitting has set is then put
into constraints, formatters and RDT's transformers.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import pandas as pd

from sdv_tabdar.adapter import checked
from sdv_tabdar.adapter.checked import Check, Unfit
from sdv_tabdar.adapter.patterns import check_pattern
from sdv_tabdar.adapter.private_names import saved_constraints, saved_formatters, saved_transformers
from sdv_tabdar.adapter.private_names.saved_kinds import COUNT, DTYPE, TEXTS, VALUE, NotWritable

_TEXT, _FLAG = checked.text, checked.flag
_OPTIONAL_TEXT = checked.optional(_TEXT)
_DTYPES = checked.entries(DTYPE)

_PLAIN_ATTRIBUTES: Mapping[str, Check] = {
    '_fitted': _FLAG,
    '_random_state_set': _FLAG,
    '_constraints_fitted': _FLAG,
    '_creation_date': _TEXT,
    '_fitted_date': _OPTIONAL_TEXT,
    '_fitted_sdv_version': _OPTIONAL_TEXT,
    '_fitted_sdv_enterprise_version': _OPTIONAL_TEXT,
    '_synthesizer_id': _TEXT,
}
_PROCESSOR: Mapping[str, Check] = {
    'fitted': _FLAG,
    '_prepared_for_fitting': _FLAG,
    '_warned_overflow': _FLAG,
}
_HYPER: Mapping[str, Check] = {
    '_fitted': _FLAG,
    '_modified_config': _FLAG,
    '_output_columns': TEXTS,
    '_input_columns': TEXTS,
    '_specified_fields': TEXTS,
    '_fitted_fields': TEXTS,
}
_STATE = checked.record(
    {
        'metadata': VALUE,
        'attributes': checked.record(_PLAIN_ATTRIBUTES),
        'constraints': checked.items(VALUE),
        'rejecting': checked.items(VALUE),
        'processor': checked.record(
            {
                **_PROCESSOR,
                'dtypes': checked.optional(_DTYPES),
                'formatters': checked.entries(VALUE),
            }
        ),
        'hyper_transformer': checked.record(
            {
                **_HYPER,
                'sdtypes': checked.entries(_TEXT),
                'transformers': checked.items(VALUE),
                'fields': checked.entries(checked.optional(COUNT)),
                'sequence': checked.items(COUNT),
            }
        ),
    }
)


def written(synth: Any) -> dict[str, Any]:
    """What SDV keeps of a synthesizer, as plain values.

    Raises:
        NotWritable: If something in it is a user's own code, or of an unknown form.
    """
    processor = synth._data_processor
    dtypes = processor._dtypes
    return {
        'metadata': synth._original_metadata.to_dict(),
        'attributes': {name: getattr(synth, name) for name in _PLAIN_ATTRIBUTES},
        'constraints': [saved_constraints.written(entry) for entry in synth._chained_constraints],
        'rejecting': [
            saved_constraints.written(entry) for entry in synth._reject_sampling_constraints
        ],
        'processor': {
            **{name: getattr(processor, name) for name in _PROCESSOR},
            'dtypes': None if dtypes is None else dtypes.to_dict(),
            'formatters': saved_formatters.written(processor.formatters),
        },
        'hyper_transformer': _written_hyper(processor._hyper_transformer),
    }


def check(state: Any, place: str) -> None:
    """Refuse what :func:`written` cannot have written, and metadata that ask for much memory.

    Raises:
        Unfit: If it is so.
    """
    _STATE(state, place)
    checked.record(
        {'tables': checked.entries(VALUE), 'relationships': VALUE, 'METADATA_SPEC_VERSION': _TEXT},
        absent=('relationships', 'METADATA_SPEC_VERSION'),
    )(state['metadata'], f'{place}.metadata')
    tables = state['metadata']['tables']
    if len(tables) != 1:
        raise Unfit(f'{place}.metadata.tables', f'has {len(tables)} entries; it must have one.')
    for table in tables.values():
        checked.entries(VALUE)(table, f'{place}.metadata.tables')
        columns = table.get('columns')
        checked.entries(checked.entries(VALUE))(columns, f'{place}.metadata.columns')
        for name, entry in columns.items():
            checked.text(entry.get('sdtype'), f'{place}.metadata.columns.{name}.sdtype')
            if entry.get('regex_format') is not None:
                where = f'{place}.metadata.columns.{name}.regex_format'
                check_pattern(entry['regex_format'], where)
    for name in ('constraints', 'rejecting'):
        for number, entry in enumerate(state[name]):
            saved_constraints.check(entry, f'{place}.{name}[{number}]')
    for number, entry in enumerate(state['hyper_transformer']['transformers']):
        saved_transformers.check(entry, f'{place}.hyper_transformer.transformers[{number}]')


def restore(synth: Any, state: Mapping[str, Any], place: str) -> None:
    """Put into a new synthesizer what :func:`written` wrote of another with the same metadata.

    Args:
        synth: Made with the metadata and the arguments of the other.
        state: What passes :func:`check`.
        place: Where the state stands, for messages.

    Raises:
        Unfit: If the parts do not go together.
    """
    chained = [saved_constraints.made(entry) for entry in state['constraints']]
    if chained:
        with warnings.catch_warnings():
            warnings.simplefilter('ignore')
            synth.add_constraints(chained)
        if synth._chained_constraints != chained:
            raise Unfit(f'{place}.constraints', 'do not go together with the metadata.')
    metadata = synth._original_metadata
    for number, (constraint, entry) in enumerate(zip(chained, state['constraints'], strict=True)):
        after = constraint.get_updated_metadata(metadata)
        where = f'{place}.constraints[{number}]'
        saved_constraints.check_names(entry, after, where)
        saved_constraints.put_into(constraint, entry, metadata, where)
        metadata = after
    for number, entry in enumerate(state['rejecting']):
        where = f'{place}.rejecting[{number}]'
        constraint = saved_constraints.made(entry)
        constraint.get_updated_metadata(synth._original_metadata)
        saved_constraints.put_into(constraint, entry, synth._original_metadata, where)
        synth._reject_sampling_constraints.append(constraint)
    processor, found = synth._data_processor, state['processor']
    vars(processor).update({name: found[name] for name in _PROCESSOR})
    if found['dtypes'] is not None:
        processor._dtypes = pd.Series(found['dtypes'], dtype=object)
    processor.formatters = saved_formatters.read(found['formatters'], f'{place}.formatters')
    _restore_hyper(processor, state['hyper_transformer'], f'{place}.hyper_transformer')
    _check_whole(processor, place)
    vars(synth).update(state['attributes'])


def _check_whole(processor: Any, place: str) -> None:
    """Refuse a fitted processor that lacks what it needs for one of its columns."""
    if not processor.fitted:
        return
    names = set(processor.metadata.columns)
    hyper = processor._hyper_transformer
    for what, found in (
        ('dtypes', set(() if processor._dtypes is None else processor._dtypes.index)),
        ('fields', set(hyper.field_transformers)),
    ):
        if found != names:
            raise Unfit(
                f'{place}.{what}',
                f'has {sorted(found ^ names)[:5]} otherwise than the metadata after constraints.',
            )


def _written_hyper(hyper: Any) -> dict[str, Any]:
    together = [name for name in hyper.field_transformers if not isinstance(name, str)]
    if together:
        raise NotWritable(
            f'The transformer of the columns {list(together[0])} is not one of RDT that can be '
            'written. Update it (update_transformers), or save with save().'
        )
    order: list[Any] = []
    for transformer in (*hyper.field_transformers.values(), *hyper._transformers_sequence):
        if transformer is not None and not any(transformer is other for other in order):
            order.append(transformer)
    places = {id(transformer): number for number, transformer in enumerate(order)}
    states = []
    for transformer in order:
        outputs = [
            [name, entry.get('sdtype'), places.get(id(entry.get('next_transformer')))]
            for name, entry in transformer.output_properties.items()
        ]
        states.append({**saved_transformers.written(transformer), 'outputs': outputs})
    return {
        **{name: _listed(getattr(hyper, name)) for name in _HYPER},
        'sdtypes': dict(hyper.field_sdtypes),
        'transformers': states,
        'fields': {
            name: None if transformer is None else places[id(transformer)]
            for name, transformer in hyper.field_transformers.items()
        },
        'sequence': [places[id(transformer)] for transformer in hyper._transformers_sequence],
    }


def _listed(value: Any) -> Any:
    return sorted(value) if isinstance(value, set) else value


def _restore_hyper(processor: Any, found: Mapping[str, Any], place: str) -> None:
    hyper = processor._hyper_transformer
    made, outputs = [], []
    for number, entry in enumerate(found['transformers']):
        outputs.append(entry['outputs'])
        made.append(saved_transformers.read(entry, f'{place}.transformers[{number}]'))
    numbers = checked.whole(0, len(made) - 1)
    for number, entry in enumerate(outputs):
        where = f'{place}.transformers[{number}].outputs'
        made[number].output_properties = _outputs(entry, made, numbers, where)
        columns = made[number].output_columns
        if columns is not None and columns != made[number].get_output_columns():
            raise Unfit(where, f'do not make the columns {columns[:5]}.')
    checked.entries(checked.optional(numbers))(found['fields'], f'{place}.fields')
    checked.items(numbers)(found['sequence'], f'{place}.sequence')
    if found['_fitted']:
        _check_fitted(processor, found, place)
    for name in _HYPER:
        is_set = isinstance(getattr(hyper, name), set)
        setattr(hyper, name, set(found[name]) if is_set else found[name])
    hyper.field_sdtypes = dict(found['sdtypes'])
    hyper.field_transformers = {
        name: None if number is None else made[number] for name, number in found['fields'].items()
    }
    hyper._transformers_sequence = [made[number] for number in found['sequence']]


def _check_fitted(processor: Any, found: Mapping[str, Any], place: str) -> None:
    """Refuse transformers that are said to be fitted on the columns, and cannot be."""
    names = list(processor.metadata.columns)
    if sorted(found['_input_columns']) != sorted(names):
        raise Unfit(f'{place}._input_columns', 'are not those of the metadata after constraints.')
    if len(set(found['_output_columns'])) < len(found['_output_columns']):
        raise Unfit(f'{place}._output_columns', 'have one twice.')
    for number in {*found['sequence'], *(n for n in found['fields'].values() if n is not None)}:
        where = f'{place}.transformers[{number}]'
        saved_transformers.check_fitted(found['transformers'][number], where)
    for name, number in found['fields'].items():
        if number is None:
            continue
        columns = found['transformers'][number]['fitted']['columns']
        if columns != [name] or number not in found['sequence']:
            raise Unfit(f'{place}.fields', f'has a transformer of {columns} for {name[:60]!r}.')


def _outputs(found: Any, made: list[Any], numbers: Check, place: str) -> dict[Any, Any]:
    """What a transformer makes of its column, and what makes something of that in turn."""
    checked.items(checked.items(VALUE, length=3))(found, place)
    properties: dict[Any, Any] = {}
    for name, sdtype, number in found:
        _OPTIONAL_TEXT(name, place)
        _OPTIONAL_TEXT(sdtype, place)
        checked.optional(numbers)(number, place)
        entry = {'next_transformer': None if number is None else made[number]}
        properties[name] = entry if sdtype is None else {'sdtype': sdtype, **entry}
    return properties

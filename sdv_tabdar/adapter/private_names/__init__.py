"""The only place that touches private names of SDV and RDT, one file for each concern.

Each name is here because no public one does the job; ``tests/integration/test_private_names.py``
fails with the name of what SDV has renamed. ``synth`` is always an SDV single-table synthesizer.
"""

from rdt.transformers.utils import learn_rounding_digits
from sdv.cag._errors import ConstraintNotMetError  # what constraints raise; SDV exports it nowhere
from sdv.single_table.base import BaseSingleTableSynthesizer

from sdv_tabdar.adapter.private_names.constraints import (
    NO_NULLS,
    Combinations,
    ConstraintStep,
    OrderedColumns,
    combinations,
    compared_columns,
    compared_format,
    constrained_columns,
    constraint_groups,
    constraint_steps,
    fixed_combinations,
    has_constraints,
    increments,
    one_hot,
    ordered_columns,
    orders,
    own_constraint,
    own_constraints,
    rewritten_columns,
    unbind_totals,
)
from sdv_tabdar.adapter.private_names.metadata import (
    describe_anew,
    described,
    keys,
    level_order,
    modified_columns,
    original_table,
    table_name,
)
from sdv_tabdar.adapter.private_names.preprocessing import (
    apply_default_transformers,
    preprocess_table,
)
from sdv_tabdar.adapter.private_names.seeding import (
    SeededSampling,
    columns_made_in_turn,
    counted_columns,
    forget_sampling_state,
    seed_sampling,
    seeded_sampling,
)
from sdv_tabdar.adapter.private_names.state import is_fitted, is_preprocessed, model, unchanged
from sdv_tabdar.adapter.private_names.transformers import (
    encodes_levels,
    generate_columns,
    gives_categories,
    is_generated,
    keeps_order,
    outputs,
    pseudonyms,
    transform_cells,
)
from sdv_tabdar.adapter.private_names.validity import (
    order_message,
    reverse_transform,
    shares_of_whole_rows,
    shares_valid,
    valid_rows,
)

__all__ = [
    'NO_NULLS',
    'BaseSingleTableSynthesizer',
    'Combinations',
    'ConstraintNotMetError',
    'ConstraintStep',
    'OrderedColumns',
    'SeededSampling',
    'apply_default_transformers',
    'columns_made_in_turn',
    'combinations',
    'compared_columns',
    'compared_format',
    'constrained_columns',
    'constraint_groups',
    'constraint_steps',
    'counted_columns',
    'describe_anew',
    'described',
    'encodes_levels',
    'fixed_combinations',
    'forget_sampling_state',
    'generate_columns',
    'gives_categories',
    'has_constraints',
    'increments',
    'is_fitted',
    'is_generated',
    'is_preprocessed',
    'keeps_order',
    'keys',
    'learn_rounding_digits',
    'level_order',
    'model',
    'modified_columns',
    'one_hot',
    'order_message',
    'ordered_columns',
    'orders',
    'original_table',
    'outputs',
    'own_constraint',
    'own_constraints',
    'preprocess_table',
    'pseudonyms',
    'reverse_transform',
    'rewritten_columns',
    'seed_sampling',
    'seeded_sampling',
    'shares_of_whole_rows',
    'shares_valid',
    'table_name',
    'transform_cells',
    'unbind_totals',
    'unchanged',
    'valid_rows',
]

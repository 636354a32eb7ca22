"""The shapes of parameters are those of the network."""

from __future__ import annotations

import pytest

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.shapes import parameter_shapes
from sdv_tabdar.core.runtime.random import default_generator_at
from sdv_tabdar.core.schema import Column, ColumnKind, Cross, TableSchema

_NUMBER = Column(
    'number',
    ColumnKind.NUMERICAL,
    (3, 4, 5, 2),
    range(1, 3),
    ((0.0, 0.1), (0.1, 0.5), (0.5, 1.0), (0.0, 1.0)),
    3,
)
_ATOMS = Column('atoms', ColumnKind.NUMERICAL, (1, 1), range(2, 2), ((0.0, 0.5), (0.5, 1.0)))
_FEW = Column('few', ColumnKind.CATEGORICAL, (3, 4, 5, 2))
_MANY = Column('many', ColumnKind.CATEGORICAL, (1,) * 50)
_CROSS = Cross((0, 1), ((0, 1, 2, 3), (0, 1, 2, 3)), (1, 2, 3))
SCHEMAS = {
    'numbers and categories': TableSchema((_NUMBER, _FEW, _MANY, _ATOMS), (_CROSS,)),
    'categories': TableSchema((_FEW, _MANY)),
    'numbers without bins': TableSchema((_ATOMS,)),
}


@pytest.mark.parametrize('name', SCHEMAS)
@pytest.mark.parametrize(
    'settings',
    [
        {},
        {'width': 8, 'num_blocks': 3, 'feedforward_factor': 3},
        {'width': 8, 'feedforward': 'gated'},
        {'width': 12, 'num_heads': 3, 'feedforward': 'gated', 'feedforward_factor': 1},
        {'head_layers': 1},
        {'head_layers': 3, 'head_width': 5, 'head_activation': 'gated'},
        {'head_activation': 'relu'},
        {'num_scales': 1},
        {'num_scales': 0},
        {'num_members': 3},
        {'head_layers': 4, 'head_width': 5, 'denoiser_blocks': 3, 'denoiser_width': 6},
        {'numerical_head': 'bins'},
        {'column_order': 'fixed', 'num_heads': 2},
    ],
    ids=str,
)
def test_shapes_are_those_of_the_network(name: str, settings: dict[str, object]) -> None:
    config = ModelConfig(**{'width': 12, **settings})  # type: ignore[arg-type]
    with default_generator_at(0):
        network = TabDARNetwork(SCHEMAS[name], config)
    found = {key: tuple(value.shape) for key, value in network.named_parameters()}

    assert parameter_shapes(SCHEMAS[name], config) == found

"""The shapes of a network's parameters, told without building it.

A saved model is held against these before its network takes any memory. The tests build networks
of all kinds and compare.
"""

from __future__ import annotations

from collections.abc import Iterator

from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.denoiser import NUM_FREQUENCIES
from sdv_tabdar.core.nn.heads.codes import buckets, layer_widths
from sdv_tabdar.core.nn.ordinal import num_nodes
from sdv_tabdar.core.nn.transformer import feedforward_widths
from sdv_tabdar.core.schema import TableSchema

Shapes = dict[str, tuple[int, ...]]


def parameter_shapes(schema: TableSchema, config: ModelConfig) -> Shapes:
    """The shape of each parameter of ``TabDARNetwork(schema, config)``, by its name."""
    width = config.width
    shapes: Shapes = {'pad': (width,), 'positions': (len(schema.columns), width)}
    for part in (_tokens, _blocks, _code_head, _residual_head):
        shapes.update(part(schema, config))
    shapes.update(_norm('norm', width))
    others = [f'others.{number}.' for number in range(config.num_members - 1)]
    return {prefix + name: shape for prefix in ('', *others) for name, shape in shapes.items()}


def _tokens(schema: TableSchema, config: ModelConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    width, columns = config.width, len(schema.columns)
    total = sum(column.num_codes for column in schema.columns)
    yield 'tokenizer.code', (total, width)
    yield 'tokenizer.slope', (total if schema.numerical else 0, width)
    yield 'tokenizer.score', (columns, width)
    yield 'tokenizer.nodes', (columns, num_nodes(config.num_scales), width)
    if schema.crosses:
        yield 'crosses.level', (sum(len(cross.levels) for cross in schema.crosses), width)
        yield 'crosses.position', (len(schema.crosses), width)


def _blocks(schema: TableSchema, config: ModelConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    width = config.width
    gated = config.feedforward == 'gated'
    expanded, inner = feedforward_widths(width, config.feedforward_factor, gated=gated)
    for number in range(config.num_blocks):
        name = f'blocks.{number}'
        yield from _norm(f'{name}.norm_attention', width)
        yield from _linear(f'{name}.query', width, width)
        yield from _linear(f'{name}.key_value', width, 2 * width)
        yield from _linear(f'{name}.output', width, width)
        yield from _norm(f'{name}.norm_feedforward', width)
        yield from _linear(f'{name}.expand', width, expanded)
        yield from _linear(f'{name}.contract', inner, width)


def _code_head(schema: TableSchema, config: ModelConfig) -> Iterator[tuple[str, tuple[int, ...]]]:
    columns = len(schema.columns)
    layers, width = layer_widths(config)
    for number, (inputs, outputs) in enumerate(layers):
        yield f'code_head.weights.{number}', (columns, inputs, outputs)
        yield f'code_head.biases.{number}', (columns, 1, outputs)
    for number, group in enumerate(buckets(schema)):
        own = [schema.columns[position] for position in group]
        most = max(column.num_codes for column in own)
        yield f'code_head.buckets.{number}.weight', (len(own), width, most)
        yield f'code_head.buckets.{number}.bias', (len(own), 1, most)
        if any(column.uniform for column in own):
            nodes = num_nodes(config.num_scales)
            yield f'code_head.buckets.{number}.nodes', (len(own), width, nodes)


def _residual_head(
    schema: TableSchema, config: ModelConfig
) -> Iterator[tuple[str, tuple[int, ...]]]:
    if config.numerical_head != 'diffusion':
        return
    width, num_bins = config.denoiser_width, sum(len(column.bins) for column in schema.columns)
    name = 'residual_head.network'
    yield from _linear(f'{name}.value', 1, width)
    yield from _linear(f'{name}.noise.0', 2 * NUM_FREQUENCIES, width)
    yield from _linear(f'{name}.noise.2', width, width)
    yield from _linear(f'{name}.context.0', config.width, width)
    yield from _linear(f'{name}.context.2', width, width)
    yield f'{name}.bin.weight', (max(num_bins, 1), width)
    for number in range(config.denoiser_blocks):
        yield from _linear(f'{name}.blocks.{number}', width, width)
    yield from _linear(f'{name}.output', width, 1)


def _norm(name: str, width: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f'{name}.weight', (width,)
    yield f'{name}.bias', (width,)


def _linear(name: str, inputs: int, outputs: int) -> Iterator[tuple[str, tuple[int, ...]]]:
    yield f'{name}.weight', (outputs, inputs)
    yield f'{name}.bias', (outputs,)

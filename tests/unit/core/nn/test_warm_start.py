"""Weights of a trained network go to the codes that stand for the same values now."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
import torch

from sdv_tabdar.core.codecs.crosses import crosses_of
from sdv_tabdar.core.codecs.encoder import TableEncoder
from sdv_tabdar.core.config import ModelConfig
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.warm_start import take_weights
from sdv_tabdar.core.schema import ColumnKind
from sdv_tabdar.core.table import EncodedTable

from ..networks import random_network

MEMBERS = [(1, 4)]  # colour and flag


def _crossed(encoder: TableEncoder, frame: pd.DataFrame) -> TableEncoder:
    encoded = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    return encoder.with_relations(crosses_of(MEMBERS, encoded, encoder.schema))


def _encode(encoder: TableEncoder, frame: pd.DataFrame) -> EncodedTable:
    """All rows, a part of the cells hidden."""
    observed = np.random.default_rng(0).random(frame.shape) < 0.6
    table = encoder.encode(frame, np.ones(frame.shape, dtype=bool))
    return dataclasses.replace(table, observed=torch.from_numpy(observed))


def _grown(
    mixed: pd.DataFrame, now: pd.DataFrame, kinds: dict[str, ColumnKind], config: ModelConfig
) -> tuple[TabDARNetwork, TabDARNetwork, TableEncoder, TableEncoder]:
    before = _crossed(TableEncoder.fit(mixed, kinds, config), mixed)
    encoder = _crossed(before.grown(now, kinds, config), now)
    trained = random_network(before.schema, config, seed=1)
    network = random_network(encoder.schema, config, seed=2)
    take_weights(network, trained, encoder.codes_in(before))
    return network, trained, encoder, before


@pytest.fixture
def others(mixed: pd.DataFrame) -> pd.DataFrame:
    """The table with many new colours, of which an old one is now the most frequent."""
    colours = [*[f'colour {number}' for number in range(20)] * 3, *['blue'] * 180]
    return pd.concat([mixed, mixed.assign(colour=colours)], ignore_index=True)


@pytest.mark.parametrize(
    ('head', 'members'), [('diffusion', 1), ('bins', 1), ('diffusion', 2)], ids=str
)
@pytest.mark.parametrize('same', [True, False])
def test_known_values_mean_what_they_did(
    mixed: pd.DataFrame,
    others: pd.DataFrame,
    kinds: dict[str, ColumnKind],
    tiny: ModelConfig,
    head: str,
    members: int,
    same: bool,
) -> None:
    """Also where levels have another order, and so many that their column changes its bucket."""
    config = dataclasses.replace(tiny, numerical_head=head, num_members=members)
    network, trained, encoder, before = _grown(mixed, mixed if same else others, kinds, config)
    assert (encoder.codecs[1].levels == before.codecs[1].levels) is same
    table, table_before = _encode(encoder, mixed), _encode(before, mixed)
    contexts, contexts_before = network.contexts(table), trained.contexts(table_before)
    assert torch.allclose(contexts, contexts_before, atol=1e-4)
    for position, codes in enumerate(encoder.codes_in(before)):
        known = codes >= 0
        assert known.all() or not same
        pairs = zip(
            network.members,
            trained.members,
            network.split(contexts[:, position]),
            trained.split(contexts_before[:, position]),
            strict=True,
        )
        for own, old, context, context_before in pairs:
            logits = own.code_head.logits(context, position)
            logits_before = old.code_head.logits(context_before, position)
            assert torch.allclose(logits[:, known], logits_before[:, codes[known]], atol=1e-3)
        if kinds[mixed.columns[position]] is ColumnKind.NUMERICAL:
            head, former = network.residual_head, trained.residual_head
            bins = head.bins(position, table.codes[:, position])
            if head.bin_vectors is not None and former.bin_vectors is not None:
                bins_before = former.bins(position, table_before.codes[:, position])
                assert torch.equal(head.bin_vectors[bins], former.bin_vectors[bins_before])


def test_an_order_that_is_new_changes_nothing_at_first(
    mixed: pd.DataFrame, kinds: dict[str, ColumnKind], tiny: ModelConfig
) -> None:
    """A column with two numbers as levels gets a third one."""
    as_levels = {**kinds, 'rounded': ColumnKind.CATEGORICAL}
    few = mixed.assign(rounded=mixed['rounded'].clip(upper=1))
    network, trained, encoder, before = _grown(few, mixed, as_levels, tiny)
    position = list(mixed).index('rounded')
    assert position in encoder.schema.ordered
    assert position not in before.schema.ordered
    table, table_before = _encode(encoder, few), _encode(before, few)
    contexts, contexts_before = network.contexts(table), trained.contexts(table_before)
    assert torch.allclose(contexts, contexts_before, atol=1e-4)
    known = encoder.codes_in(before)[position]
    logits = network.code_head.logits(contexts[:, position], position)[:, known >= 0]
    logits_before = trained.code_head.logits(contexts_before[:, position], position)
    assert torch.allclose(logits, logits_before[:, known[known >= 0]], atol=1e-3)


@pytest.mark.skipif(not torch.cuda.is_available(), reason='needs a GPU')
def test_weights_are_taken_on_a_gpu(
    mixed: pd.DataFrame, others: pd.DataFrame, kinds: dict[str, ColumnKind], tiny: ModelConfig
) -> None:
    expected, _, encoder, before = _grown(mixed, others, kinds, tiny)
    network = random_network(encoder.schema, tiny, seed=2).to('cuda')
    trained = random_network(before.schema, tiny, seed=1).to('cuda')
    take_weights(network, trained, encoder.codes_in(before))

    for found, weight in zip(network.parameters(), expected.parameters(), strict=True):
        assert torch.equal(found.cpu(), weight)

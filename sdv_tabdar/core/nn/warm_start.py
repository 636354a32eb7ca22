"""Weights of a trained network for one whose columns have other codes.

What belongs to a code (its token, its output, its bin) goes to the code that stands for the same
values now; codes of values that are new keep their first weights. Everything else is copied.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from sdv_tabdar.core.nn.heads.codes import CodeHead
from sdv_tabdar.core.nn.heads.residual import ResidualHead
from sdv_tabdar.core.nn.network import TabDARNetwork
from sdv_tabdar.core.nn.tokenizers import Tokenizer
from sdv_tabdar.core.schema import Cross

CodeMaps = Sequence[torch.Tensor]
"""For each column the code ``(K,)`` that each code had before; -1 where it is new."""


@torch.no_grad()
def take_weights(network: TabDARNetwork, before: TabDARNetwork, maps: CodeMaps) -> None:
    """Give a network the weights of one that was trained on the same columns.

    Args:
        network: A network of the same architecture; it is written into.
        before: The trained one.
        maps: The codes of the columns.
    """
    device = network.pad.device
    maps = [codes.to(device) for codes in maps]
    for own, old in zip(network.members, before.members, strict=True):
        _take_own(own, old, maps)


def _take_own(network: TabDARNetwork, before: TabDARNetwork, maps: CodeMaps) -> None:
    """The weights of one member of a committee."""
    others = {id(weight) for weight in network.others.parameters()}
    by_code = {id(weight) for weight in _by_code(network)}
    trained = dict(before.named_parameters())
    for name, weight in network.named_parameters():
        if id(weight) not in by_code | others:
            weight.copy_(trained[name])
    _copy_tokens(network.tokenizer, before.tokenizer, maps)
    _copy_code_head(network.code_head, before.code_head, maps)
    _begin_orders(network, before)
    _copy_bins(network.residual_head, before.residual_head, maps)
    _copy_crosses(network, before, maps)


def _by_code(network: TabDARNetwork) -> list[torch.Tensor]:
    """Parameters with a part for each code, or for columns in an order that codes decide."""
    found: list[torch.Tensor] = [network.tokenizer.code, network.tokenizer.slope]
    found += [*network.code_head.parameters(), *network.crosses.parameters()]
    bins = network.residual_head.bin_vectors
    return found if bins is None else [*found, bins]


def _copy_tokens(tokenizer: Tokenizer, before: Tokenizer, maps: CodeMaps) -> None:
    places, places_before = [], []
    for start, start_before, codes in zip(tokenizer.offsets, before.offsets, maps, strict=True):
        known = codes >= 0
        places.append(known.nonzero().squeeze(1) + start)
        places_before.append(codes[known] + start_before)
    to, of = torch.cat(places), torch.cat(places_before)
    tokenizer.code[to] = before.code[of]
    if len(tokenizer.slope):
        tokenizer.slope[to] = before.slope[of]


def _begin_orders(network: TabDARNetwork, before: TabDARNetwork) -> None:
    """What levels share in columns that were in no order before: nothing yet."""
    gained = sorted({*network.schema.ordered} - {*before.schema.ordered})
    network.tokenizer.nodes[gained] = 0
    network.tokenizer.score[gained] = 0
    for position in gained:
        nodes = network.code_head.column_weights(position).nodes
        assert nodes is not None, 'an ordered column has them'
        nodes.zero_()


def _copy_code_head(head: CodeHead, before: CodeHead, maps: CodeMaps) -> None:
    for position, codes in enumerate(maps):
        own, old = head.column_weights(position), before.column_weights(position)
        for mine, theirs in zip(own.hidden, old.hidden, strict=True):
            mine.copy_(theirs)
        known = codes >= 0
        to, of = known.nonzero().squeeze(1), codes[known]
        own.weight[:, to] = old.weight[:, of]
        own.bias[:, to] = old.bias[:, of]
        if own.nodes is not None and old.nodes is not None:
            own.nodes.copy_(old.nodes)


def _copy_bins(head: ResidualHead, before: ResidualHead, maps: CodeMaps) -> None:
    vectors, old_vectors = head.bin_vectors, before.bin_vectors
    if vectors is None or old_vectors is None:
        return
    for position, codes in enumerate(maps):
        bins = head.bins(position, torch.arange(len(codes), device=codes.device))
        old_bins = before.bins(position, codes)
        known = (bins >= 0) & (old_bins >= 0)
        vectors[bins[known]] = old_vectors[old_bins[known]]


def _copy_crosses(network: TabDARNetwork, before: TabDARNetwork, maps: CodeMaps) -> None:
    """Vectors of crosses of the same columns, and of their levels."""
    own, old = network.crosses, before.crosses
    numbers = {cross.members: number for number, cross in enumerate(before.schema.crosses)}
    for number, cross in enumerate(network.schema.crosses):
        old_number = numbers.get(cross.members)
        if old_number is None:
            continue
        own.position[number] = old.position[old_number]
        for place, old_place in _same_levels(cross, before.schema.crosses[old_number], maps):
            own.level[own.offsets[number] + place] = old.level[old.offsets[old_number] + old_place]


def _same_levels(cross: Cross, before: Cross, maps: CodeMaps) -> Iterator[tuple[int, int]]:
    """Places of the levels of a cross that stood for the same groups of codes before."""
    places = {level: place for place, level in enumerate(before.levels)}
    old_groups = []
    for member, own, old in zip(cross.members, cross.groups, before.groups, strict=True):
        codes = maps[member].tolist()
        old_groups.append({own[code]: old[of] for code, of in enumerate(codes) if of >= 0})
    for place, level in enumerate(cross.levels):
        old_level, factor = 0, 1
        for own, old, found in zip(
            reversed(cross.groups), reversed(before.groups), reversed(old_groups), strict=True
        ):
            level, group = divmod(level, max(own) + 1)
            if group not in found:
                break
            old_level += found[group] * factor
            factor *= max(old) + 1
        else:
            if old_level in places:
                yield place, places[old_level]

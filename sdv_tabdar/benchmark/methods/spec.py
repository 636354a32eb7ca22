"""A short text says which synthesizer to build and with what settings.

``[LABEL=]KIND[:OPTIONS]``: ``tabdar``, ``tabdar:width=32,num_blocks=6``,
``wide=tabdar:width=128``, ``ctgan:epochs=100``, ``tabsyn=csv:results/{table}_{seed}.csv``,
``mine=object:package.module:MySynthesizer,epochs=3``. ``KINDS`` lists the kinds.
"""

from __future__ import annotations

import ast
import dataclasses
import hashlib
import re
from collections.abc import Mapping

from sdv_tabdar.benchmark.data.datasets import Dataset


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of synthesizer.

    Attributes:
        text: What it is, for the help.
        builder: ``MODULE:FUNCTION`` in this room; the function takes a ``Request``. It is imported
            when one is built, so that what a kind needs is needed by no other.
    """

    text: str
    builder: str


KINDS: Mapping[str, Kind] = {
    'tabdar': Kind('this package, default settings', 'synthesizers:build_ours'),
    'tabdar-paper': Kind("this package, the paper's hyperparameters", 'synthesizers:build_ours'),
    'tabdar-binned': Kind(
        'this package on numbers cut into bins that are categories to it (edges=width or kmeans, '
        'bins=100)',
        'binned:build',
    ),
    'gaussian_copula': Kind("SDV's GaussianCopulaSynthesizer", 'synthesizers:build_of_sdv'),
    'ctgan': Kind("SDV's CTGANSynthesizer (seconds=, processor time to fit)", 'sdv_networks:build'),
    'tvae': Kind("SDV's TVAESynthesizer (seconds=, processor time to fit)", 'sdv_networks:build'),
    'copulagan': Kind(
        "SDV's CopulaGANSynthesizer (seconds=, processor time to fit)", 'sdv_networks:build'
    ),
    'smote': Kind('interpolation between neighbours (needs imbalanced-learn)', 'smote:build'),
    'tabularargn': Kind(
        'TabularARGN (needs mostlyai-engine, here or in the Python of --argn-python)',
        'tabularargn:build',
    ),
    'dpmm': Kind(
        'AIM or MST under a privacy budget (method=aim, epsilon=, delta=; needs dpmm, here or in '
        'the Python of python=)',
        'dpmm:build',
    ),
    'forestdiffusion': Kind(
        'flows of boosted trees (needs ForestDiffusion, here or in the Python of python=)',
        'forestdiffusion:build',
    ),
    'tabddpm': Kind('TabDDPM (needs synthcity, here or in the Python of python=)', 'tabddpm:build'),
    'real': Kind('real rows that nothing was trained on, where there are any', 'references:real'),
    'copy': Kind('a copy of training rows', 'references:copy'),
    'independent': Kind(
        'training rows with each column shuffled by itself', 'references:independent'
    ),
    'csv': Kind(
        'csv:PATH, rows made elsewhere; {table} and {seed} in PATH are filled in', 'exchange:build'
    ),
    'object': Kind(
        'object:MODULE:NAME, a class or function of yours that takes SDV metadata and returns an '
        'object with fit(frame) and sample(num_rows), or an SDV synthesizer',
        'synthesizers:build_object',
    ),
}
OURS = ('tabdar', 'tabdar-paper')
BINNED = 'tabdar-binned'
# Whose training may be given a time.
TIMED = (*OURS, BINNED)
# The rest of the text is a place, not a list of options.
PLACES = ('csv', 'object')
# So many that the time is what ends the training.
ENDLESS = 100_000


@dataclasses.dataclass(frozen=True)
class Spec:
    """A synthesizer and its settings, as read from a text.

    Attributes:
        label: What tables and folders call it.
        kind: One of ``KINDS``.
        options: Arguments for the constructor.
        place: For ``csv`` a path, for ``object`` a module and a name; else empty.
    """

    label: str
    kind: str
    options: Mapping[str, object] = dataclasses.field(default_factory=dict)
    place: str = ''

    def __str__(self) -> str:
        """The text without its label; ``parse_spec`` reads it back."""
        options = ','.join(f'{name}={value!r}' for name, value in self.options.items())
        if not self.place:
            return f'{self.kind}:{options}' if options else self.kind
        return f'{self.kind}:{self.place}' + (f',{options}' if options else '')

    @property
    def folder(self) -> str:
        """The label as a folder name; labels that differ have names that differ."""
        name = re.sub(r'[^\w.=,-]+', '_', self.label)[:80]
        if name == self.label:
            return name
        return f'{name}-{hashlib.sha256(self.label.encode()).hexdigest()[:6]}'


@dataclasses.dataclass(frozen=True)
class Request:
    """An unfitted synthesizer that is wanted.

    Attributes:
        spec: Which one.
        dataset: The table it will be fitted on; metadata and target come from there.
        seed: Decides about fitting and sampling.
        max_training_time: Seconds that our own synthesizer may train, unless its options say
            otherwise. The others have no such setting.
        argn_python: Another Python that has mostlyai-engine.
    """

    spec: Spec
    dataset: Dataset
    seed: int
    max_training_time: float | None = None
    argn_python: str | None = None


def parse_spec(text: str) -> Spec:
    """Read ``[LABEL=]KIND[:OPTIONS]``.

    Raises:
        ValueError: If the kind is unknown, an option is no ``name=value``, or a place is missing.
    """
    label, body = text, text
    named = re.match(r'([^=:,]+)=(.+)', text, flags=re.DOTALL)
    if named:
        label, body = named.groups()
    kind, _, rest = body.partition(':')
    if kind not in KINDS:
        raise ValueError(
            f"There is no synthesizer '{kind}' (in '{text}'). Known are {list(KINDS)}, with "
            "options as in 'tabdar:width=32' and a label as in 'wide=tabdar:width=128'."
        )
    if kind not in PLACES:
        return Spec(label, kind, parse_options(rest, text))
    if not rest:
        raise ValueError(f"'{text}' must say where: {KINDS[kind].text}.")
    if kind == 'csv':
        return Spec(label, kind, {}, rest)
    place, _, options = rest.partition(',')
    return Spec(label, kind, parse_options(options, text), place)


def without_python(text: str) -> str:
    """The text of a synthesizer without where on this machine its Python is, to be kept."""
    spec = parse_spec(text)
    if 'python' not in spec.options:
        return text
    return str(dataclasses.replace(spec, options={**spec.options, 'python': 'PYTHON'}))


def parse_options(text: str, whole: str) -> dict[str, object]:
    """Read ``name=value,name=value``; values are Python literals, anything else is a string.

    Args:
        text: The options.
        whole: The text they are part of, for the message.

    Raises:
        ValueError: If a part is no ``name=value``.
    """
    # A comma inside brackets belongs to a value, as in sizes=(256,256).
    parts = re.split(r',(?![^(\[{]*[)\]}])', text) if text else []
    options: dict[str, object] = {}
    for part in parts:
        name, equals, value = part.partition('=')
        if not equals or not name.strip().isidentifier():
            raise ValueError(
                f"The option '{part}' in '{whole}' must look like 'name=value', several of them "
                'separated by commas.'
            )
        options[name.strip()] = _literal(value.strip())
    return options


def _literal(text: str) -> object:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def our_spec(label: str, options: Mapping[str, object]) -> str:
    """Our synthesizer with some settings, as a text for ``parse_spec``."""
    return f'{label}={Spec(label, OURS[0], options)}'


def timed_spec(label: str, seconds: float, overrides: Mapping[str, object] | None = None) -> str:
    """Our synthesizer trained until a time is up, as a text for ``parse_spec``."""
    options = {'epochs': ENDLESS, 'max_training_time': float(seconds), **(overrides or {})}
    return our_spec(label, options)

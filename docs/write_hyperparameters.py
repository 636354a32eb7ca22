"""Write docs/reference/hyperparameters.md from the settings classes: ``make reference``."""

from __future__ import annotations

import dataclasses
import inspect
import re
from pathlib import Path

from sdv_tabdar.core.config import ModelConfig, SamplingConfig, TrainingConfig
from sdv_tabdar.core.presets import PAPER

PAGE = Path(__file__).parent / 'reference' / 'hyperparameters.md'
HEAD = """# Hyperparameters

Flat keyword arguments of `TabDARSynthesizer`. `PAPER` holds the column "paper":
`TabDARSynthesizer(metadata, **PAPER)`. A dash means that the paper has no such setting, and the
default stays.
"""
SECTIONS = {'Model': ModelConfig, 'Training': TrainingConfig, 'Sampling': SamplingConfig}
ATTRIBUTE = re.compile(r'^    (\w+): (.*?)(?=^    \w+: |\Z)', re.MULTILINE | re.DOTALL)


def page() -> str:
    """The text of the page."""
    lines = [HEAD]
    for title, settings in SECTIONS.items():
        attributes = (inspect.getdoc(settings) or '').split('Attributes:\n')[1]
        texts = {name: ' '.join(text.split()) for name, text in ATTRIBUTE.findall(attributes)}
        lines += [f'## {title}\n', '| name | default | paper | |', '| --- | --- | --- | --- |']
        for field in dataclasses.fields(settings):
            paper = f'`{PAPER[field.name]!r}`' if field.name in PAPER else '-'
            text = texts[field.name].replace('``', '`').rstrip('.')
            lines.append(f'| `{field.name}` | `{field.default!r}` | {paper} | {text} |')
        lines.append('')
    return '\n'.join(lines)


if __name__ == '__main__':
    PAGE.write_text(page())

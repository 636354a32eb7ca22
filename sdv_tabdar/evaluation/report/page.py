"""The report as one page: text, CSS and charts in a single file without scripts or links.

`sections` and `summary` say what is shown, the templates how; they escape whatever stands in the
data.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from sdv_tabdar.evaluation.report import attackers, sections, summary
from sdv_tabdar.evaluation.report.data import ReportData

SECTIONS: dict[str, Callable[[ReportData], dict[str, Any] | None]] = {
    'lead': summary.lead,
    'scores': summary.scores,
    'giveaways': sections.giveaways,
    'columns': sections.columns,
    'pairs': sections.pairs,
    'densities': sections.densities,
    'guarantee': attackers.guarantee,
    'attacks': attackers.attacks,
    'distances': sections.distances,
}
"""What each template is given, in the order of the page; None leaves the section out."""


def render_frame(data: ReportData) -> str:
    """The whole page as an element of another page."""
    return _environment().get_template('frame.html').render(page=render_page(data))


def _environment() -> Environment:
    """The templates; what stands in the data is escaped."""
    return Environment(
        loader=PackageLoader('sdv_tabdar.evaluation.report'),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def render_page(data: ReportData) -> str:
    """The whole page."""
    found = {name: section(data) for name, section in SECTIONS.items()}
    return (
        _environment()
        .get_template('page.html')
        .render(
            title=data.title,
            counts=_counts(data.facts),
            sections=[(name, view) for name, view in found.items() if view is not None],
            seconds=f'{sum(data.seconds.values()):.0f}',
            seed=data.facts.get('seed', 0),
        )
    )


def _counts(facts: dict[str, Any]) -> list[str]:
    """How large the tables are."""
    counts = [
        f'{facts.get("synthetic_rows", 0):,} synthetic rows',
        f'{facts.get("real_rows", 0):,} real rows trained on',
    ]
    if facts.get('holdout_rows'):
        counts.append(f'{facts["holdout_rows"]:,} real rows unseen')
    return [*counts, f'{facts.get("columns", 0)} columns']

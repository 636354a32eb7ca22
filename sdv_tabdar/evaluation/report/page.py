"""The report as one page: text, CSS and charts in a single file without scripts or links."""

from __future__ import annotations

import math
from html import escape
from importlib.resources import files

from sdv_tabdar.evaluation.metric import Beside
from sdv_tabdar.evaluation.registry import SCORES
from sdv_tabdar.evaluation.report import plots, sections
from sdv_tabdar.evaluation.report.data import ReportData

HERO_KEYS = ('xgb_c2st', 'lr_c2st')
GROUPS = {
    'fidelity': 'Fidelity: does it look like the real data?',
    'use': 'Use: can one learn from it?',
    'privacy': 'Privacy: does it give away who was trained on?',
}


def render_page(report: ReportData) -> str:
    """The whole page."""
    style = files('sdv_tabdar.evaluation.report').joinpath('report.css').read_text(encoding='utf-8')
    parts = [
        _header(report),
        _hero(report),
        _score_cards(report),
        sections.giveaways(report),
        sections.columns(report),
        sections.heat_map(report),
        sections.densities(report),
        sections.distances(report),
        _footer(report),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<title>{escape(report.title)}</title><style>{style}</style></head><body><main>'
        + '\n'.join(part for part in parts if part)
        + '</main></body></html>\n'
    )


def _header(report: ReportData) -> str:
    facts = report.facts
    counts = [
        f'{facts.get("synthetic_rows", 0):,} synthetic rows',
        f'{facts.get("real_rows", 0):,} real rows trained on',
    ]
    if facts.get('holdout_rows'):
        counts.append(f'{facts["holdout_rows"]:,} real rows unseen')
    counts.append(f'{facts.get("columns", 0)} columns')
    return f'<header><h1>{escape(report.title)}</h1><p>{" · ".join(counts)}</p></header>'


def _hero(report: ReportData) -> str:
    """XGB-C2ST, large, and what LR-C2ST cannot see."""
    score = report.scores.get('xgb_c2st', math.nan)
    if not math.isfinite(score):
        return ''
    floor = report.floors.get('xgb_c2st')
    said = report.verdict('xgb_c2st')
    assert said is not None
    words, mood = said.words, said.mood
    right = 1 - score / 2
    main = (
        f'<div><div class="name">XGB-C2ST</div><div class="value {mood}">{score:.3f}</div>'
        f'<h3>{words}</h3>'
        + plots.gauge(score, floor, '0: always caught', '1: cannot be told apart')
        + f'<p>Shown one real and one synthetic row, boosted trees pick the synthetic one in '
        f'{percent(right)} of the cases; 50&nbsp;% is guessing. '
    )
    if floor is not None and math.isfinite(floor):
        main += f'Two halves of the real data score {floor:.3f} against each other.'
    main += f'</p>{_copying(report)}</div>'
    return f'<section class="card hero">{main}{_weak_test(report)}</section>'


def _copying(report: ReportData) -> str:
    """A warning where the leading score is good because rows were copied."""
    verdicts = [report.verdict(key) for key in SCORES if key in report.scores]
    if any(said is not None and said.copying for said in verdicts):
        return (
            '<p class="poor">But training rows were copied, see the privacy scores: a copy '
            'cannot be told from the real data either.</p>'
        )
    return ''


def _weak_test(report: ReportData) -> str:
    weak = report.scores.get('lr_c2st', math.nan)
    value = f'<div class="value">{weak:.3f}</div>' if math.isfinite(weak) else '<p>not computed</p>'
    return (
        '<div class="aside"><div class="name">LR-C2ST, for comparison</div>'
        + value
        + '<p>Most papers print this number. Its classifier is a logistic regression, which weighs '
        'each column by itself: it sees shifted means and wrong shares. It cannot see shapes, '
        'spikes, or how columns depend on each other. Shuffle every column of the real table '
        'separately, so that no row makes sense any more, and it still scores about 1.</p>'
        '<p>So read XGB-C2ST. A high LR-C2ST alone says little.</p></div>'
    )


def _score_cards(report: ReportData) -> str:
    parts = [
        '<section><h2>Scores</h2><p class="lead">Two samples of the same population differ '
        'too. The floor beside a score is what real data score in the place of the synthetic '
        'rows: reaching it is perfect, and passing it is no merit.</p>'
    ]
    for group, heading in GROUPS.items():
        cards = [
            _score_card(report, key)
            for key in SCORES
            if SCORES[key].group == group and key in report.scores and key not in HERO_KEYS
        ]
        if cards:
            parts.append(
                f'<div class="group">{heading}</div><div class="scores">'
                + ''.join(cards)
                + '</div>'
            )
    if report.notes:
        items = ''.join(
            f'<li>{escape(name)}: {escape(note)}</li>' for name, note in report.notes.items()
        )
        parts.append(f'<details><summary>Not shown</summary><ul>{items}</ul></details>')
    return ''.join(parts) + '</section>'


def _score_card(report: ReportData, key: str) -> str:
    meaning, score = SCORES[key], report.scores[key]
    floor = report.floors.get(key, math.nan)
    rule = meaning.floor
    beside = rule.label if isinstance(rule, Beside) else 'floor'
    if math.isfinite(floor):
        floor_text = f'{beside}: {_value(floor, meaning.percent)}'
    elif meaning.ideal is not None:
        floor_text = f'ideal: {_value(meaning.ideal, meaning.percent)}'
    else:
        floor_text = ''
    low, high = (report.scores.get(f'{key}_{end}', math.nan) for end in ('low', 'high'))
    if math.isfinite(low) and math.isfinite(high):
        floor_text += f' · 95 % interval {low:.3f} to {high:.3f}'
    said = report.verdict(key)
    chip = f'<span class="chip {said.mood}">{escape(said.words)}</span>' if said else ''
    return (
        f'<div class="card score"><h3>{escape(meaning.title)}</h3>'
        f'<div class="value">{_value(score, meaning.percent)}</div>'
        f'<div class="floor-text">{floor_text}</div>{chip}<p>{escape(meaning.meaning)}</p></div>'
    )


def _value(score: float, as_percent: bool) -> str:
    if not math.isfinite(score):
        return '–'  # noqa: RUF001
    if as_percent:
        return f'{100 * score:.2f}&thinsp;%'
    return f'{score:.3f}' if abs(score) < 100 else f'{score:,.1f}'


def percent(share: float) -> str:
    """A share of cases without decimals."""
    return f'{100 * share:.0f}&nbsp;%'


def _footer(report: ReportData) -> str:
    seconds = sum(report.seconds.values())
    return (
        '<footer>Measured with sdv_tabdar in '
        f'{seconds:.0f} s, seed {report.facts.get("seed", 0)}. Marginal and joint errors are those '
        'of SDMetrics. Floors: two disjoint halves of the real training rows, scaled to the sizes '
        'of the tables where the score depends on them.</footer>'
    )

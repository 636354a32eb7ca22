"""Published numbers are whole tables with sources."""

from __future__ import annotations

import json

from sdv_tabdar.benchmark.output import published


def test_published_tables_are_rectangular_and_have_sources() -> None:
    content = json.loads(published.FILE.read_text(encoding='utf-8'))
    tables = {name: published.published_table(name) for name in content['tables']}
    for table in tables.values():
        assert {len(row) for row in table.rows.values()} == {len(table.columns)}
        assert table.source
        assert table.remark
    names = {row for table in tables.values() for row in table.rows}
    assert set(published.method_names().values()) <= names


def test_numbers_are_printed_as_published() -> None:
    fidelity = published.published_table('fidelity')
    assert fidelity.number('TabDAR', 'marginal') == '1.21 ± 0.51'
    assert published.published_table('timing').number('CTGAN', 'fit_seconds') == '3798'
    assert fidelity.number('GOGGLE', 'c2st') is None
    assert fidelity.number('unknown', 'c2st') is None
    assert fidelity.number('TabDAR', 'unknown') is None


def test_the_best_published_number_depends_on_the_direction() -> None:
    assert published.best_published('adult', 'shape_error') == ('TabPC', 0.0058)
    assert published.best_published('default', 'xgb_c2st') == ('TabDiff', 0.5914)
    assert published.best_published('nowhere', 'xgb_c2st') is None
    assert published.best_published('adult', 'jsd') is None

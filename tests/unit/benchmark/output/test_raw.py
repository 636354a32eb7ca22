"""Raw rows come back as they were, names as texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from sdv_tabdar.benchmark.output import raw


def test_rows_and_options_come_back(tmp_path: Path) -> None:
    rows = [
        {'table': '1', 'synthesizer': 'NA', 'seed': 0, 'score': 0.1 + 0.2},
        {'table': '1', 'synthesizer': 'b', 'seed': 1, 'score': None},
    ]
    raw.save(tmp_path, 'quality', rows, {'budgets': [1.0]})
    found, options = raw.load(tmp_path, 'quality')
    assert found[['table', 'synthesizer', 'seed']].to_dict('records') == [
        {'table': '1', 'synthesizer': 'NA', 'seed': 0},
        {'table': '1', 'synthesizer': 'b', 'seed': 1},
    ]
    assert found['score'][0] == 0.1 + 0.2
    assert found['score'].isna()[1]
    assert options == {'budgets': [1.0]}
    (tmp_path / 'other.csv').write_text('a\n1\n')
    assert raw.names(tmp_path) == ['quality']
    with pytest.raises(FileNotFoundError, match="There are no rows of 'run'"):
        raw.load(tmp_path, 'run')

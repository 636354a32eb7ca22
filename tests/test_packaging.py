"""What is handed out, the wheel and the source distribution; and all places name one version."""

from __future__ import annotations

import itertools
import re
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling import build

import sdv_tabdar

ROOT = Path(__file__).parents[1]
VERSION = sdv_tabdar.__version__


def _package_files() -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / 'sdv_tabdar').rglob('*')
        if path.is_file() and '__pycache__' not in path.parts
    }


def test_wheel_holds_the_package_its_data_and_the_licence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    wheel = zipfile.ZipFile(tmp_path / build.build_wheel(str(tmp_path)))
    information = f'sdv_tabdar-{VERSION}.dist-info'
    names = set(wheel.namelist())
    assert {name for name in names if not name.startswith(information)} == _package_files()
    assert 'sdv_tabdar/evaluation/report/templates/report.css' in names
    assert f'{information}/licenses/LICENSE' in names
    assert 'TabDARSynthesizer' in wheel.read(f'{information}/entry_points.txt').decode()


def test_source_distribution_holds_what_builds_and_tests_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / build.build_sdist(str(tmp_path))) as archive:
        names = {name.split('/', 1)[1] for name in archive.getnames()}
    others = {'LICENSE', 'CITATION.cff', 'Makefile', 'constraints.txt', 'pyproject.toml'}
    assert _package_files() | others <= names
    assert {'tests/test_packaging.py', 'docs/index.md', 'examples/demo.py'} <= names
    assert not [name for name in names if name.endswith('.pyc') or name.startswith('build/')]


@pytest.mark.parametrize(
    ('file', 'line'),
    [
        ('pyproject.toml', r"^version = '{}'$"),
        ('CITATION.cff', r'^version: {}$'),
        ('CHANGELOG.md', r'^## \[{}\] - \d{{4}}-\d\d-\d\d$'),
    ],
)
def test_all_places_name_one_version(file: str, line: str) -> None:
    assert re.search(line.format(re.escape(VERSION)), (ROOT / file).read_text(), re.MULTILINE)


def _pins(file: str) -> dict[str, str]:
    """Versions by package, each as its own name is spelled in any way."""
    lines = (ROOT / file).read_text().splitlines()
    pairs = [line.split(';')[0].strip().split('==') for line in lines if '==' in line]
    return {re.sub(r'[-_.]+', '-', name).lower(): version for name, version in pairs}


def test_no_package_is_pinned_to_two_versions() -> None:
    files = ['constraints.txt', 'docs/constraints.txt']
    for one, other in itertools.combinations(map(_pins, files), 2):
        assert {name for name in one.keys() & other.keys() if one[name] != other[name]} == set()


def test_changelog_links_to_no_page() -> None:
    """It is a page of the site, too, where such a link would start from another folder."""
    assert not re.search(r'\]\((?!https?:|#)', (ROOT / 'CHANGELOG.md').read_text())

"""JSON files that are there whole or not at all, and short names of what they hold."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any


def read_json(path: Path) -> dict[str, Any] | None:
    """The object in a JSON file, or None if there is no such file."""
    if not path.is_file():
        return None
    found: dict[str, Any] = json.loads(path.read_text(encoding='utf-8'))
    return found


def write_json(values: object, path: Path) -> None:
    """Write a JSON file in one go: whoever finds it, finds all of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f'.{path.name}.partial')
    partial.write_text(json.dumps(values, indent=1) + '\n', encoding='utf-8')
    os.replace(partial, path)


def digest(values: object) -> str:
    """Eight hexadecimal digits that tell JSON values from others."""
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()[:8]

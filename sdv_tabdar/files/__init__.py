"""Model files that are safe to open: written, read and described without running code."""

from __future__ import annotations

from sdv_tabdar.files.describe import describe
from sdv_tabdar.files.description import Description
from sdv_tabdar.files.errors import ModelFileError

__all__ = ['Description', 'ModelFileError', 'describe']

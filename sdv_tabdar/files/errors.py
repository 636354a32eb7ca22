"""The one error of this room."""

from __future__ import annotations


class ModelFileError(ValueError):
    """A model file cannot be written or read; the message says why and what to do."""

"""Ctrl-C during training: once ends it after the step, twice stops at once."""

from __future__ import annotations

import contextlib
import logging
import signal
import threading
from types import FrameType
from typing import Any

_logger = logging.getLogger(__name__)


class Interrupts(contextlib.AbstractContextManager['Interrupts']):
    """Within it, the first SIGINT is noted and the second one raised as KeyboardInterrupt.

    Python handles signals in its main thread only; elsewhere, and where the program has a handler
    of its own for SIGINT, nothing is changed.

    Attributes:
        asked: Whether an interrupt came.
    """

    def __init__(self) -> None:
        self.asked = False
        self._before: Any = None

    def __enter__(self) -> Interrupts:
        """Take over SIGINT."""
        in_main = threading.current_thread() is threading.main_thread()
        if in_main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Give it back."""
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True
        _logger.warning('Training ends after this step. Interrupt again to stop at once.')

"""A synthesizer on its way to workers: once as bytes, and once as an object in each thread."""

from __future__ import annotations

import dataclasses
import hashlib
import threading

import cloudpickle

from sdv_tabdar.synthesizer import TabDARSynthesizer


class _OfThread(threading.local):
    """The synthesizer that a thread has used last, under its digest.

    One for each thread, because a synthesizer that draws from a seed is changed meanwhile.
    """

    digest: str = ''
    synthesizer: TabDARSynthesizer | None = None


_of_thread = _OfThread()


@dataclasses.dataclass(frozen=True)
class Shipped:
    """A fitted synthesizer that can be sent anywhere.

    Attributes:
        digest: Of the bytes.
        state: The synthesizer, pickled.
    """

    digest: str
    state: bytes = dataclasses.field(repr=False)

    @classmethod
    def of(cls, synthesizer: TabDARSynthesizer) -> Shipped:
        """A synthesizer as it was right after fitting; it is not changed."""
        copy = cloudpickle.loads(cloudpickle.dumps(synthesizer))
        copy.reset_sampling()  # RDT would count the keys that were drawn before again
        copy.verbose = False
        state = cloudpickle.dumps(copy)
        return cls(hashlib.sha256(state).hexdigest(), state)

    @property
    def synthesizer(self) -> TabDARSynthesizer:
        """The synthesizer of this thread."""
        synthesizer = _of_thread.synthesizer
        if synthesizer is None or _of_thread.digest != self.digest:
            synthesizer = cloudpickle.loads(self.state)
            _of_thread.synthesizer, _of_thread.digest = synthesizer, self.digest
        return synthesizer

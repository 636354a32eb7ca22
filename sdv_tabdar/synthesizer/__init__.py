"""Where users, SDV and older saved files find the synthesizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdv_tabdar.synthesizer.tabdar import TabDARSynthesizer
else:

    def __getattr__(name):
        # SDV asks for the class while it is imported itself. It must be the first import: otherwise
        # it would find the module of the class half imported, and not register it.
        if name != 'TabDARSynthesizer':
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        import sdv  # noqa: F401

        from sdv_tabdar.synthesizer.tabdar import TabDARSynthesizer

        return TabDARSynthesizer


__all__ = ['TabDARSynthesizer']

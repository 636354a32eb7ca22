"""Where users, SDV and older saved files find the synthesizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sdv_tabdar.synthesizer.tabdar import TabDARSynthesizer
else:

    def __getattr__(name):
        if name != 'TabDARSynthesizer':
            raise AttributeError(f'module {__name__!r} has no attribute {name!r}')
        from sdv_tabdar.synthesizer.tabdar import TabDARSynthesizer

        return TabDARSynthesizer

    # SDV asks for the class while it is imported itself. It must be imported before any module of
    # this package, which a pickle may ask for first: otherwise it would find the module of the
    # class half imported, and not register it. `__getattr__` answers it.
    import sdv  # noqa: F401


__all__ = ['TabDARSynthesizer']

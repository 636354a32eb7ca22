"""Between SDV and the core: the user's frames and what the model learns."""

# First, for the reason that `sdv_tabdar.synthesizer` gives.
import sdv  # noqa: F401

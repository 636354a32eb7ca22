"""To how many digits the numbers of a column are rounded, in spite of what a computer adds."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
import pandas as pd
from rdt.transformers.utils import learn_rounding_digits
from sdv.data_processing.numerical_formatter import MAX_DECIMALS

_FIRST = 1_000  # numbers that are looked at before all
_NOISE = 4  # distances to the next float, by which a computed number may be off its decimal
_CLEARER = 100.0  # times as far apart as that noise are decimals of fewer digits


def rounding_digits(numbers: pd.Series) -> int | None:
    """Digits behind the point; None if numbers are not rounded.

    RDT's, and where it finds none, those that all numbers have but for the last bits of a float:
    .1 + .2 is no decimal of one digit, and one such number would leave the column unrounded.
    """
    digits: int | None = learn_rounding_digits(numbers)
    if digits is not None or numbers.dtype != np.float64:
        return digits
    present = numbers.to_numpy()
    present = present[np.isfinite(present)]
    if not len(present):
        return None
    largest = _NOISE * np.spacing(np.abs(present).max())
    most = min(-math.ceil(math.log10(_CLEARER * largest)), MAX_DECIMALS)
    few = (number for number in range(most + 1) if _have_digits(present[:_FIRST], number))
    return next((number for number in few if _have_digits(present, number)), None)


def _have_digits(numbers: npt.NDArray[np.float64], digits: int) -> bool:
    """Whether numbers are those of so many digits, but for noise."""
    noise = _NOISE * np.spacing(np.abs(numbers))
    return bool((np.abs(numbers.round(digits) - numbers) <= noise).all())

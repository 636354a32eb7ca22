"""Every setting of the model, its training and its sampling, validated when it is made.

The field names are unique across the three classes, so that a flat list of keyword arguments
can be sorted into them by name. Sets of them are in :mod:`sdv_tabdar.core.presets`.
"""

from __future__ import annotations

import dataclasses
import datetime
import math
import numbers
import sys
from typing import Any

_COPULA_ROWS_A_COLUMN = 40  # of a table whose network first learns rows of a copula, and ...
_COPULA_ROWS_BELOW = 4_000  # ... how many it has at most
_TIME_AFTER_STEPS = 0.09  # of the longest training, for weights of columns and calibration
_CAUSAL_COLUMNS = 64  # from which attention is causal where it is left open


def _check_integer(settings: Any, field: str, minimum: int, most: float = math.inf) -> None:
    value = getattr(settings, field)
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f'{field} must be a whole number, however: {field}={value!r}.')
    value = int(value)
    if not minimum <= value <= most:
        allowed = f'at least {minimum}' + (f' and at most {most}' if most < math.inf else '')
        raise ValueError(f'{field} must be {allowed}, however: {field}={value!r}.')
    object.__setattr__(settings, field, value)


def _check_number(
    settings: Any, field: str, low: float, high: float = math.inf, *, open_low: bool = False
) -> None:
    value = getattr(settings, field)
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f'{field} must be a number, however: {field}={value!r}.')
    if not isinstance(value, int | float):  # NumPy's
        value = float(value)
        object.__setattr__(settings, field, value)
    too_low = value <= low if open_low else value < low
    if not abs(value) <= sys.float_info.max or too_low or value > high:
        allowed = f'{"more than" if open_low else "at least"} {low:g}'
        allowed += f' and at most {high:g}' if high < math.inf else ' and finite'
        raise ValueError(f'{field} must be {allowed}, however: {field}={value!r}.')


def _check_flag(settings: Any, field: str) -> None:
    value = getattr(settings, field)
    if not isinstance(value, bool):
        raise TypeError(f'{field} must be True or False, however: {field}={value!r}.')


def _check_choice(settings: Any, field: str, choices: tuple[str, ...]) -> None:
    value = getattr(settings, field)
    if value not in choices:
        raise ValueError(f'{field} must be one of {list(choices)}, however: {field}={value!r}.')


@dataclasses.dataclass(frozen=True)
class ModelConfig:
    """Architecture and encoding.

    Attributes:
        width: Width D of the transformer's tokens; a multiple of ``num_heads``.
        num_blocks: Transformer blocks.
        num_heads: Attention heads.
        feedforward_factor: Width of a block's feed-forward layer, in multiples of ``width``.
        feedforward: What that layer is: ``'relu'``, or ``'gated'``, where one linear map of a token
            multiplies another, at the same number of weights.
        head_width: Hidden width of the categorical heads.
        head_layers: Linear layers of the categorical heads.
        head_activation: What their hidden layers are: ``'relu'``, or ``'gated'``, where one linear
            map to ``head_width`` multiplies another.
        num_scales: At how many scales codes of numbers act alike, at most 4: at the first those
            next to each other do; each further one reaches at least twice as far. With 0 a
            number's token is the paper's linear map, and each of its codes is learnt by itself.
        ordered_levels: Whether levels that are in an order act alike where they are near, as codes
            of numbers do: those that are numbers or begin with one (years, ratings, bands of age),
            months, days of the week, and those of ordinal columns and ordered categories.
        num_members: Networks of this kind that are trained side by side, and whose probabilities
            are averaged: rows that were not seen are likelier, most in tables of few rows, and all
            takes as many times as long.
        denoiser_width: Width of the nested diffusion's network.
        denoiser_blocks: Hidden layers of the nested diffusion's network.
        max_atoms: A numerical column keeps at most this many values that come back exactly;
            a column with no more distinct values than that, each of them frequent on average,
            has atoms only, as has one of up to ``max_categories`` values that belong to another
            column (coordinates of a shop). 0 leaves every number to the diffusion.
        num_bins: Into how many bins of equal mass the remaining numbers are cut, the two at the
            ends of the column once more if there are 16 or more; the diffusion places a number
            inside its bin. 1 leaves all of them to one diffusion.
        max_categories: Codes of a categorical column. If it has more levels, the rarest share an
            eighth of them, neighbours in the order of their values the same one, and are drawn by
            their training frequencies when it comes up.
        max_crosses: Sets of columns, at most so many, that the network also sees together, where
            rows that were held out for the choice say that they explain others only together
            (year, month and day; longitude and latitude). 0 for none, as in the paper.
        echoes: Whether a number may be drawn as what follows from another column of its row, where
            that holds in many training rows (an amount paid that is the bill, a price with tax).
        inequalities: Whether numbers and dates that are in order in all training rows (a start that
            is never after its end) are in all drawn ones.
        dependencies: Whether a level that follows from another column's in all training rows (a
            state from its city), from two together (a price from a product and a size), from a part
            of a date (its weekday), or from the range of a number, or of the difference of two,
            does in all drawn ones.
        sums: Whether numbers that are the sum of others in all training rows (a total of its parts)
            are in all drawn ones, and three or more that make a constant (percentages) make it;
            likewise means, weighted sums, and the greatest or the least of others, and logarithms,
            roots and squares, whole years or months between dates or to one day for all rows, and
            dates so many months after others. Columns that can hardly be anything but clock times
            written as hhmm are then read as minutes. Sums that hold in most rows, or in those of a
            level, hold in as many drawn ones.
        products: Whether numbers that are the product or the quotient of two others in all training
            rows (an amount of a quantity and a price), also in per cent, or their share or change
            (a margin, a growth, a body-mass index, days between dates), are in all drawn ones;
            those that are so in most rows, or in those of a level, in as many.
        structural_zeros: Whether what never meets in training rows, though by chance it would (a
            youngest child of who has no children, a level that is never missing), does not in drawn
            ones.
        copula: Whether numbers that nearly follow from others (an opening and a closing price, two
            gauges of one thing) are learnt beside their Gaussian copula, or the law of their
            difference (days of an order and of its delivery), which say at once where in a column
            they are; the network learns what these do not say.
        precision: Of the transformer's matrix products: ``'float32'``, ``'bfloat16'``, or
            ``'auto'``, which is bfloat16 where the processor multiplies it faster.
        numerical_head: What places a number inside its bin: the nested ``'diffusion'``, or
            ``'bins'``, evenly by the bin's own quantiles (the paper's 'w/o diffusion loss').
        column_order: The order in which columns are drawn: ``'weighted'``, at random, but sooner
            those that tell more than is known of them (measured in tables of 1,000 rows and more),
            for which half of the training hides cells along such orders; ``'random'``; or
            ``'fixed'``, left to right in training and sampling (the paper's 'w/o random order'),
            which can condition on leading columns only.
        attention: What known cells see of each other: ``'bidirectional'``, all of them, as in the
            paper; ``'causal'``, those that became known before them, so that what the network has
            computed of a known cell never changes and rows of many columns are drawn faster; or
            ``'auto'``, which is causal in tables of 64 columns and more.
    """

    width: int = 96
    num_blocks: int = 2
    num_heads: int = 4
    feedforward_factor: int = 2
    feedforward: str = 'gated'
    head_width: int = 128
    head_layers: int = 2
    head_activation: str = 'gated'
    num_scales: int = 4
    ordered_levels: bool = True
    num_members: int = 1
    denoiser_width: int = 96
    denoiser_blocks: int = 2
    max_atoms: int = 256
    num_bins: int = 32
    max_categories: int = 2048
    max_crosses: int = 4
    echoes: bool = True
    inequalities: bool = True
    dependencies: bool = True
    sums: bool = True
    products: bool = True
    structural_zeros: bool = True
    copula: bool = True
    precision: str = 'auto'
    numerical_head: str = 'diffusion'
    column_order: str = 'weighted'
    attention: str = 'auto'

    def __post_init__(self) -> None:
        """Validate each field."""
        for field, minimum in (
            ('width', 2),
            ('num_blocks', 1),
            ('num_heads', 1),
            ('feedforward_factor', 1),
            ('head_width', 1),
            ('head_layers', 1),
            ('num_members', 1),
            ('denoiser_width', 2),
            ('denoiser_blocks', 1),
            ('max_atoms', 0),
            ('num_bins', 1),
            ('max_categories', 2),
            ('max_crosses', 0),
        ):
            _check_integer(self, field, minimum)
        _check_integer(self, 'num_scales', 0, most=4)
        _check_flag(self, 'ordered_levels')
        _check_flag(self, 'echoes')
        _check_flag(self, 'inequalities')
        _check_flag(self, 'dependencies')
        _check_flag(self, 'sums')
        _check_flag(self, 'products')
        _check_flag(self, 'structural_zeros')
        _check_flag(self, 'copula')
        _check_choice(self, 'feedforward', ('relu', 'gated'))
        _check_choice(self, 'head_activation', ('relu', 'gated'))
        _check_choice(self, 'precision', ('auto', 'float32', 'bfloat16'))
        _check_choice(self, 'numerical_head', ('diffusion', 'bins'))
        _check_choice(self, 'attention', ('auto', 'bidirectional', 'causal'))
        _check_choice(self, 'column_order', ('weighted', 'random', 'fixed'))
        if self.width % self.num_heads:
            raise ValueError(
                f'width must be a multiple of num_heads, however: width={self.width}, '
                f'num_heads={self.num_heads}.'
            )

    @property
    def kept_relations(self) -> frozenset[str]:
        """Which relations drawn rows keep; in a fixed order no cell changes because of later ones.

        Of ``'inequalities'``, ``'dependencies'``, ``'sums'`` and ``'products'``.
        """
        names = ('inequalities', 'dependencies', 'sums', 'products')
        in_any_order = self.column_order != 'fixed'
        return frozenset(name for name in names if in_any_order and getattr(self, name))

    def is_causal(self, num_columns: int) -> bool:
        """Whether attention is causal in a table of so many columns."""
        many = self.attention == 'auto' and num_columns >= _CAUSAL_COLUMNS
        return many or self.attention == 'causal'


@dataclasses.dataclass(frozen=True)
class TrainingConfig:
    """How the network is trained.

    Attributes:
        epochs: Passes over the table; None holds some rows out and trains for as long as their
            likelihood gains from it.
        max_training_time: Seconds (or a ``timedelta``, which becomes seconds) after which
            training ends, with the learning rate annealed towards that end; None sets no limit.
        batch_size: Rows of a step; None chooses by the size of the table and the number of cores.
        learning_rate: Highest learning rate; None chooses by the rows of a step.
        optimizer: ``'muon'`` for the matrices of hidden layers, beside AdamW for the rest, or
            ``'adamw'`` for all parameters.
        weight_decay: Decoupled weight decay of weight matrices and tokens; None chooses by the
            size of the table, more for fewer rows.
        dropout: Share of the hidden numbers of the categorical heads that a training step leaves
            out; None chooses by the size of the table, more for fewer rows and longer training,
            and in large tables more again in the cool-down.
        scheduler: Where ``epochs`` is given, ``'cosine'`` (warm-up, then annealed to the end of
            training) or ``'plateau'`` (halved when the loss of an epoch has stopped falling; the
            paper's).
        ema_decay: Decay of the moving average of the weights, which is what samples; 0 for none.
        noise_draws: Noise levels drawn for each hidden numerical cell of a step.
        loss_weighting: ``'order'`` weighs the loss of a row by 1 / (number of its hidden cells),
            the bound of order-agnostic autoregressive models; ``'sum'`` is the paper's sum.
        calibration: Whether, after training, the shares of each column's codes among drawn rows
            are brought to those of the table. Training that was too short for it, or a table of
            fewer than 1,500 rows, goes without.
        copula_rows: Whether, where ``epochs`` is left open, the network of a table of fewer than
            40 rows a column, and than 4,000, first learns rows of a Gaussian copula of its columns,
            for at most a quarter of the longest training. Fewer than 30 rows show no correlations.
    """

    epochs: int | None = None
    max_training_time: float | None = 900.0
    batch_size: int | None = None
    learning_rate: float | None = None
    optimizer: str = 'muon'
    weight_decay: float | None = None
    dropout: float | None = None
    scheduler: str = 'cosine'
    ema_decay: float = 0.9995
    noise_draws: int = 2
    loss_weighting: str = 'order'
    calibration: bool = True
    copula_rows: bool = True

    def __post_init__(self) -> None:
        """Validate each field."""
        if self.epochs is not None:
            _check_integer(self, 'epochs', 1)
        if isinstance(self.max_training_time, datetime.timedelta):
            seconds = self.max_training_time.total_seconds()
            object.__setattr__(self, 'max_training_time', seconds)
        if self.max_training_time is not None:
            _check_number(self, 'max_training_time', 0, open_low=True)
        if self.batch_size is not None:
            _check_integer(self, 'batch_size', 1)
        if self.learning_rate is not None:
            _check_number(self, 'learning_rate', 0, open_low=True)
        if self.weight_decay is not None:
            _check_number(self, 'weight_decay', 0)
        if self.dropout is not None:
            _check_number(self, 'dropout', 0, 0.9)
        _check_choice(self, 'optimizer', ('muon', 'adamw'))
        _check_choice(self, 'scheduler', ('cosine', 'plateau'))
        _check_number(self, 'ema_decay', 0, 1)
        _check_integer(self, 'noise_draws', 1)
        _check_choice(self, 'loss_weighting', ('order', 'sum'))
        _check_flag(self, 'calibration')
        _check_flag(self, 'copula_rows')

    @property
    def seconds_of_steps(self) -> float | None:
        """Seconds after which the last step is done: what follows it has the rest of the time."""
        if self.max_training_time is None:
            return None
        return (1 - _TIME_AFTER_STEPS) * self.max_training_time

    def learns_copula_rows(self, num_rows: int, num_columns: int) -> bool:
        """Whether rows of a copula come before those of a table of that size."""
        is_small = num_rows < min(_COPULA_ROWS_A_COLUMN * num_columns, _COPULA_ROWS_BELOW)
        return self.copula_rows and self.epochs is None and is_small


@dataclasses.dataclass(frozen=True)
class SamplingConfig:
    """How cells are drawn.

    Attributes:
        num_steps: Steps of the solver of the probability-flow ODE (two denoiser calls each).
        sigma_max: Noise level at which the solver starts, in units where the data have standard
            deviation 0.5.
        sampling_batch_size: Most rows that go through the network together; None for 2,048 on a
            CPU and 32,768 on a GPU. Fewer in tables of more than 15 columns; on a CPU of at most
            255 columns no fewer than 512 for that, and of at most 500 no fewer than 256.
        num_particles: Particles of a row with several cells known in part.
    """

    num_steps: int = 2
    sigma_max: float = 20.0
    sampling_batch_size: int | None = None
    num_particles: int = 64

    def __post_init__(self) -> None:
        """Validate each field."""
        _check_integer(self, 'num_steps', 1)
        _check_number(self, 'sigma_max', 0.1)
        if self.sampling_batch_size is not None:
            _check_integer(self, 'sampling_batch_size', 1)
        _check_integer(self, 'num_particles', 1)

"""How relations between columns are laid out in a model's state: the checks of each field."""

from __future__ import annotations

from sdv_tabdar.adapter import checked
from sdv_tabdar.core.codecs.aggregates import KINDS as AGGREGATES
from sdv_tabdar.core.codecs.calendars import DAY, PARTS
from sdv_tabdar.core.codecs.formulas import NAMES as FORMULAS

_COUNT = checked.whole(0, 2**53)
_MOST_GROUPS = 2**20
_DIGITS = checked.optional(checked.whole(0, 15))
_LINE = checked.record(
    {
        'slope': checked.number(),
        'shift': checked.number(),
        'digits': _DIGITS,
        'source_digits': _DIGITS,
    }
)
_GRID = checked.pair(checked.number(0.0), checked.number())
_DIFFERENCES = {
    'pieces': checked.items(checked.pair(checked.number(), checked.number())),
    'shares': checked.items(checked.number(0.0, 1.0)),
    'rest': checked.number(1e-9, 1.0),
}

_SUM = checked.record(
    {
        'total': checked.optional(_COUNT),
        'parts': checked.items(_COUNT),
        'digits': checked.items(_DIGITS),
        'constant': checked.optional(checked.number(-1e300, 1e300)),
        'is_single': checked.flag,
    },
    absent=('constant', 'is_single'),
)
_PRODUCT = checked.record(
    {
        'result': _COUNT,
        'factors': checked.items(_COUNT),
        'exponent': checked.whole(-1, 1),
        'formula': checked.one_of(*FORMULAS),
        'scale': checked.number(1e-9, 1e17),
        'digits': checked.items(_DIGITS),
    },
    absent=('exponent', 'formula', 'scale'),  # former files have the first one
)

FIELDS = {
    'crosses': checked.items(
        checked.record(
            {
                'members': checked.items(_COUNT),
                'groups': checked.items(checked.items(checked.whole(0, _MOST_GROUPS))),
                'levels': checked.items(checked.whole(0, 2**62)),
            }
        )
    ),
    'echoes': checked.items(
        checked.record(
            {
                'position': _COUNT,
                'source': _COUNT,
                'line': _LINE,
                'counts': checked.items(checked.whole(1, 2**53)),
                'always': checked.flag,
                'atoms': checked.items(checked.number()),
            },
            absent=('always', 'atoms'),
        )
    ),
    'inequalities': checked.items(checked.items(_COUNT)),
    'dependencies': checked.items(
        checked.record(
            {
                'determinant': _COUNT,
                'dependent': _COUNT,
                'codes': checked.items(checked.whole(-1, 2**53)),
            }
        )
    ),
    'joints': checked.items(
        checked.record(
            {
                'first': _COUNT,
                'second': _COUNT,
                'dependent': _COUNT,
                'num_second': _COUNT,
                'codes': checked.items(checked.whole(-1, 2**53)),
            }
        )
    ),
    'sums': checked.items(_SUM),
    'products': checked.items(_PRODUCT),
    'mostly': checked.items(
        checked.record(
            {
                'sum': checked.optional(_SUM),
                'product': checked.optional(_PRODUCT),
                'shares': checked.items(checked.number(0.0, 1.0)),
                'level': checked.optional(_COUNT),
            }
        )
    ),
    'rates': checked.items(
        checked.record(
            {
                'result': _COUNT,
                'source': _COUNT,
                'level': _COUNT,
                'rates': checked.items(checked.optional(checked.number(-1e300, 1e300))),
                'digits': checked.items(_DIGITS),
                'adds': checked.flag,
            },
            absent=('adds',),
        )
    ),
    'aggregates': checked.items(
        checked.record(
            {
                'result': _COUNT,
                'sources': checked.items(_COUNT),
                'kind': checked.one_of(*AGGREGATES),
                'weights': checked.items(checked.number()),
                'constant': checked.number(),
                'digits': checked.items(_DIGITS),
                'is_loose': checked.flag,
                'steps': checked.items(checked.number(1.0, DAY)),
            },
            absent=('is_loose', 'steps'),
        )
    ),
    'choices': checked.items(
        checked.record(
            {
                'result': _COUNT,
                'sources': checked.items(_COUNT),
                'level': _COUNT,
                'picks': checked.items(checked.whole(-1, 2**31)),
                'is_whole': checked.flag,
            }
        )
    ),
    'bands': checked.items(
        checked.record(
            {
                'position': _COUNT,
                'source': _COUNT,
                'less': checked.items(_COUNT),
                'edges': checked.items(checked.number()),
                'codes': checked.items(_COUNT),
                'digits': _DIGITS,
                'units': checked.items(checked.number(0.0)),
            },
            absent=('less', 'units'),
        )
    ),
    'calendar_parts': checked.items(
        checked.record(
            {
                'position': _COUNT,
                'source': _COUNT,
                'part': checked.one_of(*PARTS),
                'step': checked.number(1.0, DAY),
                'keys': checked.items(checked.whole(-(2**31), 2**31)),
                'codes': checked.items(_COUNT),
            }
        )
    ),
    'zeros': checked.items(
        checked.record(
            {
                'determinant': _COUNT,
                'dependent': _COUNT,
                'allowed': checked.items(checked.items(_COUNT)),
                'says': checked.items(checked.whole(-1, 2**53)),
            }
        )
    ),
    'copula': checked.optional(
        checked.record(
            {
                'positions': checked.items(_COUNT),
                'correlations': checked.items(checked.items(checked.number(-1.0, 1.0))),
                'scales': checked.items(checked.number(1e-3, 1e3)),
                'weights': checked.items(checked.items(checked.number(0.0, 1.0))),
                'reach': checked.number(0.0, 1.0),
            }
        )
    ),
    'gaps': checked.items(
        checked.record(
            {
                'first': _COUNT,
                'second': _COUNT,
                'grids': checked.pair(_GRID, _GRID),
                **_DIFFERENCES,
                'gain': checked.number(),
                'by_level': checked.optional(
                    checked.record(
                        {
                            'position': _COUNT,
                            'of_code': checked.items(checked.whole(-1, 2**53)),
                            'laws': checked.items(checked.record(_DIFFERENCES)),
                            'gain': checked.number(),
                        }
                    )
                ),
            },
            absent=('by_level',),  # from files of former versions
        )
    ),
    'keeps_values': checked.flag,
}
"""What the state of an encoder says of relations."""

NEWER = tuple(name for name in FIELDS if name != 'crosses')
"""Those of the fields that files of former versions may lack."""

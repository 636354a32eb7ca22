"""Columns that follow from each other without a constraint, as in real tables."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

NUMBER = {'sdtype': 'numerical'}
LEVEL = {'sdtype': 'categorical'}
DATE = {'sdtype': 'datetime'}
HALF_A_CENT = 0.00501
LEFT_BY_FLOAT32 = 2e-6
PRICES = np.array([0.99, 2.5, 3.99, 7.99, 12.5, 19.99])

Random = np.random.Generator
Made = tuple[dict[str, pd.Series], dict[str, dict[str, Any]]]


def _gaps(made: dict[str, pd.Series], random: Random, first: int = 0) -> dict[str, pd.Series]:
    """Some cells of one column from the first on missing, in half of the tables."""
    name = list(made)[random.integers(first, len(made))]
    if random.random() < 0.5:
        made[name] = made[name].mask(random.random(len(made[name])) < 0.2)
    return made


def _sales(name: str, rows: int, random: Random) -> Made:
    """An item has its price; an amount is the price of so many."""
    item, quantity = random.integers(0, len(PRICES), rows), random.integers(1, 9, rows)
    made = {
        f'{name} item': pd.Series([f'item {number}' for number in item], dtype=object),
        f'{name} price': pd.Series(PRICES[item]),
        f'{name} quantity': pd.Series(quantity),
        f'{name} amount': pd.Series((quantity * PRICES[item]).round(2)),
    }
    made = _gaps(made, random, 2)  # a price that may be missing does not follow from its item
    return made, dict(zip(made, [LEVEL, NUMBER, NUMBER, NUMBER], strict=True))


def _bills(name: str, rows: int, random: Random) -> Made:
    """Net and tax make gross, and what is paid and the rest do."""
    net = random.lognormal(4, 1, rows).round(2)
    tax = (net * random.choice([0.07, 0.19], rows)).round(2)
    gross = (net + tax).round(2)
    paid = np.where(random.random(rows) < 0.3, gross, (gross * random.random(rows)).round(2))
    cells = {'net': net, 'tax': tax, 'gross': gross, 'paid': paid, 'rest': (gross - paid).round(2)}
    made = {f'{name} {label}': pd.Series(values) for label, values in cells.items()}
    return _gaps(made, random), dict.fromkeys(made, NUMBER)


def _stays(name: str, rows: int, random: Random) -> Made:
    """An end is often thirty days after a start, and is often the day of payment."""
    start = pd.Series(
        pd.Timestamp('2024-01-01') + pd.to_timedelta(random.integers(0, 900, rows), 'D')
    )
    longer, late = random.integers(31, 200, rows), random.integers(1, 50, rows)
    end = start + pd.to_timedelta(np.where(random.random(rows) < 0.4, 30, longer), 'D')
    paid = end + pd.to_timedelta(np.where(random.random(rows) < 0.4, 0, late), 'D')
    made = {f'{name} start': start, f'{name} end': end, f'{name} paid': paid}
    return _gaps(made, random), dict.fromkeys(made, DATE)


def _visits(name: str, rows: int, random: Random) -> Made:
    """A time has its weekday, its month and what these say, which are missing now and then."""
    hours = random.choice(np.arange(7, 21), rows)
    days = pd.to_timedelta(random.integers(0, 700, rows), 'D')
    time = pd.Timestamp('2023-01-01') + days + pd.to_timedelta(hours, 'h')
    made = {
        f'{name} weekday': pd.Series(time.day_name().astype(object)),
        f'{name} time': pd.Series(time),
        f'{name} month': pd.Series(time.month),
        f'{name} late': pd.Series(np.where(time.hour < 14, 'no', 'yes').astype(object)),
    }
    return _gaps(made, random), dict(zip(made, [LEVEL, DATE, NUMBER, LEVEL], strict=True))


def _exams(name: str, rows: int, random: Random) -> Made:
    """A mean of two decimals of three whole numbers, and the greatest of two of them."""
    exams = random.integers(0, 101, (rows, 3))
    made = {f'{name} {label}': pd.Series(own) for label, own in zip('abc', exams.T, strict=True)}
    made[f'{name} mean'] = pd.Series(exams.mean(axis=1).round(2))
    made[f'{name} best'] = pd.Series(exams[:, :2].max(axis=1))
    return _gaps(made, random), dict.fromkeys(made, NUMBER)


def _figures(name: str, rows: int, random: Random) -> Made:
    """A wage and its logarithm, once in float32, a total that was rounded as its parts were."""
    wage, parts = random.lognormal(2, 0.5, rows).astype('float32'), random.gamma(2, 300, (rows, 2))
    read = random.choice(['float', 'str'])  # as they are, or by the decimals that stand for them
    made = {
        f'{name} wage': pd.Series(wage.astype(read).astype(float)),
        f'{name} log': pd.Series(np.log(wage).astype(read).astype(float)),
        f'{name} total': pd.Series(parts.sum(axis=1).round(1)),
        f'{name} first': pd.Series(parts[:, 0].round(1)),
        f'{name} second': pd.Series(parts[:, 1].round(1)),
    }
    return _gaps(made, random), dict.fromkeys(made, NUMBER)


def _branches(name: str, rows: int, random: Random) -> Made:
    """A branch has its place, its size and the day on which it opened, in each of its rows."""
    number = max(rows // 8, 1)
    branch = random.integers(0, number, rows)
    opened = pd.Timestamp('2010-01-01') + pd.to_timedelta(random.integers(0, 4000, number), 'D')
    made = {
        f'{name} branch': pd.Series([f'branch {one}' for one in branch], dtype=object),
        f'{name} north': pd.Series(random.normal(50, 3, number).round(5)[branch]),
        f'{name} area': pd.Series(random.integers(100, 5000, number)[branch]),
        f'{name} opened': pd.Series(opened[branch]),
    }
    return made, dict(zip(made, [LEVEL, NUMBER, NUMBER, DATE], strict=True))


def _orders(name: str, rows: int, random: Random) -> Made:
    """What is delivered is often all that was ordered, and some of it is sent back."""
    ordered = 1 + random.poisson(random.gamma(2, 12, rows))
    part = (ordered * random.random(rows)).astype(int)
    delivered = np.where(random.random(rows) < random.choice([0.3, 0.8]), ordered, part)
    returned = np.where(random.random(rows) < 0.4, delivered, (delivered / 3).astype(int))
    cells = {'ordered': ordered, 'delivered': delivered, 'returned': returned}
    made = {f'{name} {label}': pd.Series(values) for label, values in cells.items()}
    return _gaps(made, random), dict.fromkeys(made, NUMBER)


def _accounts(name: str, rows: int, random: Random) -> Made:
    """What was there and came in is what is there, and the fee."""
    digits = int(random.integers(0, 3))
    before, amount, fee = (random.lognormal(size, 1, rows).round(digits) for size in (6, 4, 2))
    cells = {'before': before, 'amount': amount, 'fee': fee, 'after': before + amount - fee}
    if random.random() < 0.5:  # of another order, which another column is made in
        cells = dict(reversed(cells.items()))
    made = {f'{name} {label}': pd.Series(own.round(digits)) for label, own in cells.items()}
    return _gaps(made, random), dict.fromkeys(made, NUMBER)


def _terms(name: str, rows: int, random: Random) -> Made:
    """Terms of payment say the days until a bill is due, and the fee beside its amount."""
    terms, amount = random.integers(0, 3, rows), random.lognormal(4, 1, rows).round(2)
    issued = pd.Timestamp('2024-01-01') + pd.to_timedelta(random.integers(0, 700, rows), 'D')
    total = amount + np.array([0, 4.9, 12.5])[terms]
    made = {
        f'{name} terms': pd.Series([f'terms {number}' for number in terms], dtype=object),
        f'{name} issued': pd.Series(issued),
        f'{name} due': pd.Series(issued + pd.to_timedelta(np.array([14, 30, 60])[terms], 'D')),
        f'{name} amount': pd.Series(amount),
        f'{name} total': pd.Series(total.round(2)),
    }
    return _gaps(made, random, 1), dict(zip(made, [LEVEL, DATE, DATE, NUMBER, NUMBER], strict=True))


def _claims(name: str, rows: int, random: Random) -> Made:
    """What is paid of a claim is what is above the deductible, if anything."""
    claim = random.lognormal(5, 1, rows).round(2)
    deductible = random.choice([0.0, 50.0, 200.0], rows)
    if random.random() < 0.5:  # of many values
        deductible = (60 + random.permutation(claim) / 2).round(1)
    cells = {'claim': claim, 'deductible': deductible, 'paid': (claim - deductible).clip(0)}
    made = {f'{name} {label}': pd.Series(own.round(2)) for label, own in cells.items()}
    return _gaps(made, random), dict.fromkeys(made, NUMBER)


def _games(name: str, rows: int, random: Random) -> Made:
    """Who has won has more points, and who came after the day that was fixed came late."""
    home, away = random.poisson(60, (2, rows))
    fixed = pd.Timestamp('2024-01-01') + pd.to_timedelta(random.integers(0, 600, rows), 'D')
    came = fixed + pd.to_timedelta(random.integers(-9, 10, rows), 'D')
    made = {
        f'{name} home': pd.Series(home),
        f'{name} away': pd.Series(away),
        f'{name} won': pd.Series(np.where(home > away, 'yes', 'no').astype(object)),
        f'{name} fixed': pd.Series(fixed),
        f'{name} came': pd.Series(came),
        f'{name} late': pd.Series(np.where(came > fixed, 'late', 'in time').astype(object)),
    }
    kinds = [NUMBER, NUMBER, LEVEL, DATE, DATE, LEVEL]
    return _gaps(made, random), dict(zip(made, kinds, strict=True))


def _patients(name: str, rows: int, random: Random) -> Made:
    """An age is the whole years from birth to a visit."""
    birth = pd.Timestamp('1940-01-01') + pd.to_timedelta(random.integers(0, 24_000, rows), 'D')
    visit = pd.Timestamp('2015-01-01') + pd.to_timedelta(random.integers(0, 3_000, rows), 'D')
    cells = [pd.Series(birth), pd.Series(visit), _whole_years(pd.Series(birth), pd.Series(visit))]
    made = dict(zip([f'{name} {label}' for label in ('birth', 'visit', 'age')], cells, strict=True))
    return _gaps(made, random), dict(zip(made, [DATE, DATE, NUMBER], strict=True))


def _members(name: str, rows: int, random: Random) -> Made:
    """An age is that of the day on which the table was written, which is no column."""
    birth = pd.Series(
        pd.Timestamp('1940-01-01') + pd.to_timedelta(random.integers(0, 24_000, rows), 'D')
    )
    today = pd.Timestamp('2024-01-01') + pd.Timedelta(days=int(random.integers(0, 366)))
    age = _whole_years(birth, pd.Series(today, index=birth.index))
    made = {f'{name} birth': birth, f'{name} age': age}
    return _gaps(made, random), dict(zip(made, [DATE, NUMBER], strict=True))


def _contracts(name: str, rows: int, random: Random) -> Made:
    """The end is so many months after the beginning, and the bill comes some days later."""
    days = pd.to_timedelta(random.integers(0, 2_000, rows), 'D')
    begin = pd.Series(pd.Timestamp('2015-01-01') + days)
    term = pd.Series(random.choice([6, 12, 24], rows))
    end = _months_later(begin, term)
    billed = end + pd.to_timedelta(random.integers(0, 20, rows), 'D')
    cells = begin, term, end, billed
    made = {
        f'{name} {label}': own
        for label, own in zip(('begin', 'term', 'end', 'billed'), cells, strict=True)
    }
    return _gaps(made, random), dict(zip(made, [DATE, NUMBER, DATE, DATE], strict=True))


def _houses(name: str, rows: int, random: Random) -> Made:
    """An age is the year of a sale less that in which a house was built."""
    days = pd.to_timedelta(random.integers(0, 3_000, rows), 'D')
    sold = pd.Series(pd.Timestamp('2012-01-01') + days)
    built = pd.Series(random.integers(1900, 2012, rows))
    made = {f'{name} sold': sold, f'{name} built': built, f'{name} age': sold.dt.year - built}
    return _gaps(made, random), dict(zip(made, [DATE, NUMBER, NUMBER], strict=True))


def _slips(name: str, rows: int, random: Random) -> Made:
    """A gross pay of two parts, a share of it for a fund, and what is left."""
    base, extra = random.gamma([[20], [2]], [[30], [40]], (2, rows)).round(2)
    gross = (base + extra).round(2)
    fund = (0.0765 * gross).round(2)
    cells = {'base': base, 'extra': extra, 'gross': gross, 'fund': fund}
    cells['net'] = (gross - fund).round(2)
    made = {f'{name} {label}': pd.Series(own) for label, own in cells.items()}
    return _gaps(made, random), dict.fromkeys(made, NUMBER)


def _deliveries(name: str, rows: int, random: Random) -> Made:
    """A day is promised as delivery is an express one or not; what is reduced is paid so."""
    ordered = pd.Timestamp('2024-01-01') + pd.to_timedelta(random.integers(0, 700, rows), 'D')
    soon = ordered + pd.to_timedelta(random.integers(1, 4, rows), 'D')
    later = soon + pd.to_timedelta(random.integers(1, 9, rows), 'D')
    is_express, price = random.random(rows) < 0.5, random.lognormal(4, 1, rows).round(2)
    reduced = pd.Series((price * random.uniform(0.4, 0.9, rows)).round(2))
    reduced = reduced.where(random.random(rows) < 0.5)
    made = {
        f'{name} express': pd.Series(np.where(is_express, 'yes', 'no').astype(object)),
        f'{name} soon': pd.Series(soon),
        f'{name} later': pd.Series(later),
        f'{name} promised': pd.Series(soon).where(is_express, later),
        f'{name} price': pd.Series(price),
        f'{name} reduced': reduced,
        f'{name} paid': reduced.fillna(pd.Series(price)),
    }
    return made, dict(zip(made, [LEVEL, DATE, DATE, DATE, NUMBER, NUMBER, NUMBER], strict=True))


def _months_later(dates: pd.Series, months: pd.Series) -> pd.Series:
    """Dates so many months after others, on the same day or the last one; NaT where one lacks."""
    last = dates.dt.year * 12 + dates.dt.month - 1 + months
    first = pd.to_datetime({'year': last // 12, 'month': last % 12 + 1, 'day': 1}, errors='coerce')
    return first + pd.to_timedelta(np.minimum(dates.dt.day, first.dt.days_in_month) - 1, 'D')


def _whole_years(first: pd.Series, last: pd.Series) -> pd.Series:
    """Those that are over; NaN where a date is missing."""
    years = last.dt.year - first.dt.year
    begins = first.dt.month * 100 + first.dt.day
    return years - (last.dt.month * 100 + last.dt.day < begins)


RELATIONS: dict[str, Callable[[str, int, Random], Made]] = {
    'sales': _sales,
    'bills': _bills,
    'stays': _stays,
    'visits': _visits,
    'exams': _exams,
    'branches': _branches,
    'figures': _figures,
    'orders': _orders,
    'accounts': _accounts,
    'terms': _terms,
    'claims': _claims,
    'games': _games,
    'patients': _patients,
    'deliveries': _deliveries,
    'members': _members,
    'contracts': _contracts,
    'houses': _houses,
    'slips': _slips,
}


def is_told(kind: str, known: pd.DataFrame, place: int) -> pd.Series:
    """Rows in which known cells say what fills a gap, also where training had gaps alone.

    What is paid is the reduced price wherever there is one. So beside a price that is paid, and
    that no reduced one of training was, a gap is filled with it, or not at all.
    """
    if kind == 'deliveries' and place == 5:
        return known.iloc[:, -1].notna()
    return pd.Series(False, index=known.index)


def kept(kind: str, rows: pd.DataFrame, training: pd.DataFrame) -> pd.Series:
    """Which rows keep a relation, as far as they have its cells; columns as they were made."""
    columns = [rows.iloc[:, place] for place in range(rows.shape[1])]
    if kind in ('stays', 'orders'):
        low, middle, high = columns if kind == 'stays' else reversed(columns)
        return ~((low > middle) | (middle > high) | (low > high))
    if kind == 'claims':
        claim, deductible, paid = columns
        return ~(((claim - deductible).clip(lower=0) - paid).abs() > HALF_A_CENT)
    if kind == 'games':
        home, away, won, fixed, came, late = columns
        found = (home > away) == (won == 'yes')
        found |= home.isna() | away.isna() | won.isna()
        return found & (
            ((came > fixed) == (late == 'late')) | came.isna() | fixed.isna() | late.isna()
        )
    if kind == 'patients':
        birth, visit, age = columns
        return ~((_whole_years(birth, visit) - age).abs() > 0)
    if kind == 'members':
        known = training.dropna()
        first, last = (
            _months_later(known.iloc[:, 0], 12 * known.iloc[:, 1] + more) for more in (0, 12)
        )
        own_first, own_last = (
            _months_later(columns[0], 12 * columns[1] + more) for more in (0, 12)
        )
        return ~((own_first > last.min()) | (own_last < first.max()))
    if kind == 'contracts':
        begin, term, end, billed = columns
        return ~(
            (_months_later(begin, term) != end) & begin.notna() & term.notna() & end.notna()
        ) & ~(billed < end)
    if kind == 'houses':
        sold, built, age = columns
        return ~((sold.dt.year - built - age).abs() > 0)
    if kind == 'slips':
        base, extra, gross, fund, net = columns
        found = ~((base + extra - gross).abs() > HALF_A_CENT)
        found &= ~((gross - fund - net).abs() > HALF_A_CENT)
        return found & ~((0.0765 * gross - fund).abs() > 2 * HALF_A_CENT)
    if kind == 'deliveries':
        express, soon, later, promised, price, reduced, paid = columns
        found = promised == soon.where(express == 'yes', later)
        return found & (paid == reduced.fillna(price))
    if kind == 'terms':
        terms, issued, due, amount, total = columns
        days, fees = (
            training.iloc[:, high] - training.iloc[:, low] for low, high in ((1, 2), (3, 4))
        )
        found = pd.Series(True, index=rows.index)
        for own, said in ((due - issued, days), (total - amount, fees.round(2))):
            by_level = said.groupby(training.iloc[:, 0]).first()
            off = own - terms.map(by_level)
            found &= ~(off.abs() > (pd.Timedelta(0) if said is days else HALF_A_CENT))
        return found
    if kind == 'accounts':
        by_name = {str(column.name).split()[-1]: column for column in columns}
        made = by_name['before'] + by_name['amount'] - by_name['fee']
        return ~((made - by_name['after']).abs() > HALF_A_CENT)
    if kind == 'exams':
        *exams, mean, best = columns
        off = (sum(exams[1:], exams[0]) / 3 - mean).abs()
        return ~(off > HALF_A_CENT) & ~((np.maximum(exams[0], exams[1]) - best).abs() > 0)
    if kind == 'figures':
        wage, log, total, first, second = columns
        off = (first + second - total).abs() > 0.1501
        return ~((np.log(wage) - log).abs() > LEFT_BY_FLOAT32) & ~off
    if kind == 'branches':
        branch, *others = columns
        found = pd.Series(True, index=rows.index)
        for place, own in enumerate(others, start=1):
            said = dict(zip(training.iloc[:, 0], training.iloc[:, place], strict=True))
            found &= (own == branch.map(said)) | own.isna() | branch.isna()
        return found
    if kind == 'visits':
        weekday, time, month, late = columns
        of_time = (
            time.dt.day_name(),
            time.dt.month,
            (time.dt.hour >= 14).map({True: 'yes', False: 'no'}),
        )
        pairs = zip((weekday, month, late), of_time, strict=True)
        found = pd.Series(True, index=rows.index)
        for own, said in pairs:
            found &= (own == said) | own.isna() | time.isna()
        return found
    if kind == 'bills':
        net, tax, gross, paid, rest = columns
        found = ~((net + tax - gross).abs() > HALF_A_CENT)
        return found & ~((paid + rest - gross).abs() > HALF_A_CENT) & ~(paid > gross)
    item, price, quantity, amount = columns
    prices = dict(training.iloc[:, :2].dropna().to_numpy().tolist())
    of_item = item.map(prices)
    return ~((quantity * price - amount).abs() > HALF_A_CENT) & ~((of_item - price).abs() > 0)

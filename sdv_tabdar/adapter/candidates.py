"""Single draws of rows with known cells: the model completes, SDV turns back, rows are checked."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.asking import ask
from sdv_tabdar.adapter.calculated import calculated
from sdv_tabdar.adapter.fitted import FittedTable
from sdv_tabdar.adapter.handed_back import handed_back
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.lower_ends import has_lower_ends, with_lower_ends
from sdv_tabdar.adapter.meeting import which_meet
from sdv_tabdar.adapter.profile import Role
from sdv_tabdar.adapter.request import Request
from sdv_tabdar.adapter.steering import anchored, ordered_names, steered
from sdv_tabdar.adapter.sums import has_open_sums, settled_rows, with_sums

_TOLERANCE = 0.01  # SDV's, for numbers that can only be met by trying
# Gaps are only kept from staying missing. Every cell is drawn among its values, given those
# before it; weighing whole rows by how likely they are to be complete would cost 64 times more.
FILL_PARTICLES = 1


def needs_draws(table: FittedTable, known: Known) -> npt.NDArray[np.bool_]:
    """``(rows,)``, True = known cells tell the model something only through draws of others."""
    return has_lower_ends(table, known) | has_open_sums(table, known)


class Candidates:
    """Draws rows of one fitted synthesizer, one candidate for each row that is asked for.

    Args:
        table: The fitted table.
    """

    def __init__(self, table: FittedTable) -> None:
        self.table = table

    def draw(self, known: Known, *, fill: bool) -> pd.DataFrame:
        """One draw for each row; rows that do not meet what is asked are left out."""
        known = self.with_draws(known, fill=fill)
        drawn, loose = self.processed(known, fill=fill)
        return self.finished(drawn, known, fill=fill, loose=None if fill else loose)

    def finished(
        self,
        drawn: pd.DataFrame,
        known: Known,
        *,
        fill: bool,
        loose: Mapping[str, npt.NDArray[np.bool_]] | None = None,
    ) -> pd.DataFrame:
        """Drawn rows turned back, checked."""
        presences = {} if fill else self.table.presences  # gaps are filled whatever they are
        rows = private_names.reverse_transform(self.table.host, drawn, presences)
        if not fill:
            rows = anchored(self.table, drawn, rows, known)
        return self._checked(rows, known, fill=fill, loose=loose)

    def steered(self, known: Known, *, fill: bool) -> pd.DataFrame:
        """One draw for each row, moved to where its known cells leave room, if it then is met."""
        drawn, loose = self.processed(known, fill=fill)
        presences = {} if fill else self.table.presences
        rows, _ = private_names.shares_valid(self.table.host, drawn, presences)
        rows = steered(self.table, drawn, rows, known, fill=fill)
        rows = self.table.with_rounded_dates(rows)
        in_order = ordered_names(self.table)
        loose = {key: asked for key, asked in loose.items() if key not in in_order and not fill}
        return self._checked(rows, known, fill=fill, loose=loose)

    def _checked(
        self,
        rows: pd.DataFrame,
        known: Known,
        *,
        fill: bool,
        loose: Mapping[str, npt.NDArray[np.bool_]] | None,
    ) -> pd.DataFrame:
        """Rows in plain form with the known cells; those that miss what is asked go."""
        meets = pd.Series(True, index=rows.index)
        for key, asked in (loose or {}).items():
            if key in known.exact:
                meets &= self.meets(known, key, asked, rows)
        rows = calculated(self.table, self.overwritten(rows, known), known)
        rows, possible = settled_rows(self.table, rows, known)
        meets &= possible
        for key, wanted in known.partial.items():
            # Levels that share a code in the model are told apart only here.
            of_rows = [wanted[position] for position in rows.index]
            meets &= which_meet(self.table.profiles[key], rows[key], of_rows)
        if fill:
            # A user's transformer may hide from the model which of its values mean 'missing'.
            given = known.exact.loc[rows.index]
            for key, profile in self.table.profiles.items():
                if profile.has_values and profile.role is not Role.GENERATED:
                    meets &= rows[key].notna() | given.get(key, False)
        if private_names.has_constraints(self.table.host) and meets.any():
            meets &= private_names.valid_rows(self.table.host, rows)
        return rows[meets]

    def with_draws(self, known: Known, *, fill: bool) -> Known:
        """What is known, with draws of cells that known ones depend on."""
        known = with_sums(self.table, known, self.ask_once, fill=fill)
        return with_lower_ends(self.table, known, self.ask_once, fill=fill)

    def processed(
        self, known: Known, *, fill: bool
    ) -> tuple[pd.DataFrame, Mapping[str, npt.NDArray[np.bool_]]]:
        """Draws of the processed table, and of which known cells the model was not told."""
        if self.table.model is None:
            return pd.DataFrame(index=pd.RangeIndex(len(known.cells))), {}
        model, _ = self.table.trained
        request = Request.translate(self.table, known, fill=fill)
        drawn = ask(model, request, FILL_PARTICLES if fill else None)
        return handed_back(self.table, drawn), request.loose

    def ask_once(self, request: Request, num_copies: int) -> pd.DataFrame:
        """The model's completion of a request, with one particle for each row."""
        model, _ = self.table.trained
        return ask(model, request, FILL_PARTICLES, num_copies)

    def meets(
        self, known: Known, key: str, asked: npt.NDArray[np.bool_], rows: pd.DataFrame
    ) -> pd.Series:
        """Which drawn rows happen to have the known value of a column that was not conditioned."""
        positions = rows.index.to_numpy()
        asked = asked[positions] & known.exact[key].to_numpy()[positions]
        if key in known.beyond:
            asked = asked & ~known.beyond[key].rows[positions]  # no draw could be so
        profile = self.table.profiles[key]
        wanted = profile.comparable(known.cells[key].iloc[positions].set_axis(rows.index))
        found = profile.comparable(rows[key])
        equal = (wanted == found) | (wanted.isna() & found.isna())
        if profile.role is Role.NUMBER and not pd.api.types.is_integer_dtype(profile.dtype):
            equal |= (wanted - found).abs() <= _TOLERANCE * wanted.abs()
        return equal | ~pd.Series(asked, index=rows.index)

    def overwritten(self, rows: pd.DataFrame, known: Known) -> pd.DataFrame:
        """Rows with the known cells exactly as they were given."""
        positions = rows.index.to_numpy()
        rows = rows.copy()
        for key in known.cells.columns:
            exact = known.exact[key].to_numpy()[positions]
            if not exact.any():
                continue
            given = known.cells[key].to_numpy(dtype=object)[positions]
            if key not in rows.columns:
                rows[key] = None
            values = rows[key].to_numpy(dtype=object, copy=True)
            values[exact] = given[exact]
            rows[key] = self.table.profiles[key].typed(list(values), rows.index)
        return rows

"""What to say of rows that no draw has met."""

from __future__ import annotations

import numpy as np

from sdv_tabdar.adapter import private_names
from sdv_tabdar.adapter.candidates import Candidates
from sdv_tabdar.adapter.contradictions import missing_room
from sdv_tabdar.adapter.draft import Draft
from sdv_tabdar.adapter.known import Known
from sdv_tabdar.adapter.meeting import which_meet
from sdv_tabdar.adapter.values import item

_EXPLAINED_ROWS = 512  # candidates looked at to say why


def why_unmet(candidates: Candidates, known: Known, max_tries: int) -> str:
    """Why rows were not met: no room, or of the first one what is asked, least met first."""
    reason = missing_room(Draft(candidates.table, known, fill=False))
    if reason is not None:
        return reason
    shares = _shares_met(candidates, known)
    listed = ', '.join(
        f'{name} {share:.3g}' for name, share in sorted(shares.items(), key=lambda pair: pair[1])
    )
    return (
        f'{known.task.value}: no draw met all of them. The share of draws that met each: '
        f'{listed}. Loosen those that exclude each other; if the share of all together may be '
        f"very small, raise 'max_tries_per_batch' (now {max_tries})."
    )


def _shares_met(candidates: Candidates, known: Known) -> dict[str, float]:
    """Which share of draws of the first row met each of its cells and each constraint."""
    table, shares = candidates.table, {}
    first = known.rows(np.zeros(_EXPLAINED_ROWS, dtype=np.int64))
    drawn, _ = candidates.processed(candidates.with_draws(first, fill=False), fill=False)
    rows, valid = private_names.shares_valid(table.host, drawn, table.presences)
    for key in [key for key in known.exact if key in rows]:
        profile = table.profiles[key]
        if key in first.partial and first.partial[key][0] is not None:
            met = which_meet(profile, rows[key], first.partial[key])
            asked = str(first.partial[key][0])
        else:
            every = np.ones(_EXPLAINED_ROWS, dtype=bool)
            met = candidates.meets(first, key, every, rows).to_numpy()
            asked = repr(item(first.cells[key].iloc[0]))
        shares[f"column '{profile.column.name}' {asked}"] = float(met.mean())
    whole = private_names.shares_of_whole_rows(table.host, candidates.overwritten(rows, first))
    for name, share in valid.items():
        shares[f'constraint {name}'] = min(share, whole.get(name, share))
    return shares

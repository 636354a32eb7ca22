"""How many rows show that a relation between columns holds, and not by chance."""

FEWEST_ROWS = 20
"""Rows with all cells of a relation that show it, where each of them would break it if a part were
that of another row; fewer are as they are by chance."""

"""What is printed: raw rows as CSV files, tables of them, published numbers beside them.

Nothing here measures or starts anything. ``raw`` keeps the rows of an experiment, ``tables`` makes
tables of them, ``rendering`` writes tables as Markdown, ``pictures`` draws.
"""

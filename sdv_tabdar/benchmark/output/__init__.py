"""What is printed: raw rows as CSV files, tables of them, a plot, published numbers beside them.

Nothing here measures or starts anything. ``raw`` keeps the rows of an experiment, ``tables`` makes
tables of them, ``rendering`` writes tables as Markdown and HTML, ``charts`` draws.
"""

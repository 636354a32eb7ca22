"""The benchmark: experiments with synthesizers and tables, measured in fresh processes.

``python -m sdv_tabdar.benchmark --help`` is the way in. From the top down:

* ``experiments``: what is measured and printed, declared in ``experiments.declared``;
* ``jobs``: runs and measurements, each in a process of its own and kept in a directory;
* ``methods``: what is compared: synthesizers and imputers;
* ``data``: tables to measure on;
* ``output``: raw rows as CSV files, tables, a plot, published numbers.
"""

"""The benchmark: synthesizers x tables x seeds, measured in fresh processes, kept in a directory.

``python -m sdv_tabdar.benchmark --help`` is the way in. From the bottom up:

* ``datasets`` reads tables, ``synthesizers`` builds generators from short texts such as
  ``'tabdar:width=32'``, ``baselines`` holds the generators that are not SDV's;
* ``jobs`` says what a run is, ``worker`` does it and ``measurement`` says what it took;
* ``runner`` plans the runs, starts a process for each and skips those that are done;
* ``results`` turns a run directory into tables, ``rendering`` writes them as Markdown and HTML;
* ``quality``, ``tenth``, ``settings`` and ``sampling_speed`` print the evidence for the claims
  in the documentation;
* ``paper`` prints the paper's tables again (``paper_tables``, ``published``), ``time_quality``
  draws quality against time (``charts``), and ``training_speed`` (``training_steps``, ``plain``)
  and ``scaling`` (``generated``) ask for measurements in processes of their own (``fresh``).
"""

"""Measured processes and what they leave behind.

``process`` starts one, ``cost`` and ``environment`` say what it took and where; ``job`` says what a
run is and ``steps`` does its parts; ``runs`` plans runs and does those that are missing;
``measurements`` does the same for anything else that is measured once and kept.
"""

"""Attacks on the privacy of the rows that were trained on, in the words of `battery`."""

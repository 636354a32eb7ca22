"""Tables to measure on: files, SDV's demos, generated ones, ones of known distributions."""

"""The command line: from files of rows to a model, and from a model to rows.

Only the standard library and Click are imported here; what takes seconds to import is imported by
the command that needs it, so that help and wrong usage are answered at once.
"""

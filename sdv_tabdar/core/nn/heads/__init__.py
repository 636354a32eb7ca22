"""Column heads: the distribution of a cell given the transformer's output for it, its *context*.

A cell is a code and, where the code is a bin of numbers, a residual: its place in the bin. The
code head gives the distribution of the code; a residual head gives that of the residual.
"""

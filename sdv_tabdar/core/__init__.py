"""The TabDAR model itself: DataFrames at the top, tensors below, nothing of SDV anywhere.

Letters used for tensor shapes in every docstring of this package:

=======  ======================================================================
``B``    rows of a batch (or of a chunk, when sampling)
``C``    columns of the table, ``C_num`` of them numerical
``K``    codes of one column, ``K_sum`` of all columns together
``D``    width of the transformer
``N``    cells picked out of a batch, whatever their column
=======  ======================================================================

Units: residuals and normal scores have standard deviation 0.5 (``sigma_data`` of EDM), noise
levels ``sigma`` are in the same unit, losses are in nats.
"""

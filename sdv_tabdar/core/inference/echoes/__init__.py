"""Which known numbers are echoes of hidden ones: the readings of a row, and how likely each is.

A column with an echo (:mod:`sdv_tabdar.core.codecs.echoes`) writes a number in two ways: by its
own codes, or as what follows from its source. Where both cells are known there is no choice. Where
the source is hidden there is, and each way to choose is a *reading* of the row. It has the
probability that the network gives the row so read.

**Known numbers** (``known``). y_1, ..., y_E are those of all columns that may follow from one
hidden source x; x is known to be in A, which may be everything; O are the other known cells. The
source is another number, and none is an echo, or it is a number v in A that some y_e follows from,
and all that follow from it are echoes::

    P(another)  ~  p(y_1 | O) p(y_2 | O, y_1) ... p(y_E | O, y_1, ..)  P(x in A | O, y_1, .., y_E)
    P(x = v)    ~  the same, with P(echo) for the y_e that are echoes, and p(v) / s for P(x in A)

with s = dy / dx along the line of the first echo, so that densities are per unit of known numbers.
Of rounded numbers s counts units of rounding: the whole numbers of a column with digits behind the
point are one of many, and all but certain to be those of a source that is whole.

**A cell known in part** (``in_part``): y is known to be in B, its source to be in A, and f is the
line from one to the other::

    P(a number of its own)  ~  P(y in B | O)  P(x in A | O)
    P(an echo)              ~  P(echo | O)    P(x in A and f(x) in B | O, echo)

One reading is drawn by these probabilities, or the likeliest is taken where nothing is to be drawn.
That this leaves restrictions of other cells out of account is the one approximation.

``reader`` is the way in. ``rows`` has what has been read so far, ``odds`` asks the network,
``family`` knows which numbers follow from which, ``cells`` writes them.
"""

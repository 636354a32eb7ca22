"""What is compared: our synthesizer, SDV's, SMOTE, TabularARGN, rows made elsewhere, imputers.

``spec`` reads which one is meant, ``synthesizers`` builds it; ``exchange`` reads and writes rows as
CSV files, ``outside`` runs what needs a Python of its own, ``plain`` is the network as torch's
documentation would have it written.
"""

"""How good is a synthetic table? Frames in, numbers out; no model is ever seen.

`score` gives numbers, `evaluate` a report with floors that can be written as one HTML page.
"""

from sdv_tabdar.evaluation.conditional import conditional_scores
from sdv_tabdar.evaluation.evaluate import detection_scores, evaluate, floor_scores, score
from sdv_tabdar.evaluation.imputation import imputation_scores
from sdv_tabdar.evaluation.report import Report
from sdv_tabdar.evaluation.splitting import hold_out

__all__ = [
    'Report',
    'conditional_scores',
    'detection_scores',
    'evaluate',
    'floor_scores',
    'hold_out',
    'imputation_scores',
    'score',
]

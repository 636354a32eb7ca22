"""The report: its data, the sections of its page, the page, and what users hold in hand.

A section reads the data and nothing else of the report; the page puts sections together; the report
has the page. What is drawn is binned in `figures`.
"""

from sdv_tabdar.evaluation.report.figures import figures_of
from sdv_tabdar.evaluation.report.report import Report

__all__ = ['Report', 'figures_of']

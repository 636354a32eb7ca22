"""Ids, dates, personal data and missing cells that depend on the rest of the row.

The table comes with SDMetrics: 215 students, some of whom found a job. Who found none has no
salary, no start date and no end date, and that must be so in the synthetic rows, too.
"""

from __future__ import annotations

import pandas as pd
from sdmetrics.demos import load_single_table_demo
from sdv.metadata import Metadata

from sdv_tabdar import TabDARSynthesizer


def load_students() -> tuple[pd.DataFrame, Metadata]:
    """The students, each with an e-mail address, and what the columns are."""
    students = load_single_table_demo()[0]['student_placements']
    students['email'] = [f'student.{number}@example.com' for number in students['student_id']]
    columns: dict[str, dict[str, object]] = {
        name: {'sdtype': 'numerical' if students[name].dtype.kind in 'if' else 'categorical'}
        for name in students
    }
    columns['student_id'] = {'sdtype': 'id', 'regex_format': '[1-9][0-9]{5}'}
    columns['email'] = {'sdtype': 'email', 'pii': True}
    columns['placed'] = columns['work_experience'] = {'sdtype': 'boolean'}
    for name in ('start_date', 'end_date'):
        columns[name] = {'sdtype': 'datetime', 'datetime_format': '%Y-%m-%d'}
    table = {'columns': columns, 'primary_key': 'student_id'}
    return students, Metadata.load_from_dict({'tables': {'students': table}})


def main(max_training_time: float = 30.0, num_rows: int = 1_000) -> pd.DataFrame:
    """Fit the students and look at what the gaps depend on.

    Args:
        max_training_time: Seconds of training.
        num_rows: Synthetic students to draw.

    Returns:
        The synthetic students.
    """
    students, metadata = load_students()
    synthesizer = TabDARSynthesizer(metadata, max_training_time=max_training_time)
    synthesizer.fit(students)
    synthetic = synthesizer.sample(num_rows)

    shown = ['student_id', 'email', 'placed', 'salary', 'start_date', 'end_date']
    print(synthetic[shown].head().to_string(index=False), '\n')
    print('Share of students without a salary:')
    shares = {
        name: table['salary'].isna().groupby(table['placed']).mean()
        for name, table in (('real', students), ('synthetic', synthetic))
    }
    print(pd.DataFrame(shares).round(3).to_string())
    return synthetic


if __name__ == '__main__':
    main()

"""A column's values to codes and residuals, and back; the encoder of a table."""

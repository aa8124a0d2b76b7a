"""Reading raw files: archives, tables, rows, printed structures; shared by the format families."""

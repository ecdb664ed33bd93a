"""NumPy's functions on device arrays, by topic; `table.py` has a row for each."""

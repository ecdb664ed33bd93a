"""Commands of `python -m numpy_plugin`, and the tables that they print."""

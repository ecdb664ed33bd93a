"""Commands of `python -m numpy_plugin`, and their output."""

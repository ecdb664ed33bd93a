"""Extension modules of ufuncs that are compiled ahead of time: `numpy_plugin.build`."""

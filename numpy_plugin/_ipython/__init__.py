"""The IPython extension: `%load_ext numpy_plugin`."""

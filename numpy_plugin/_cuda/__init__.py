"""Device code in Python: kernels, thread functions, and interoperability with other libraries."""

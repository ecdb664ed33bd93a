"""Device code in Python: kernels, functions of threads, and the libraries that share devices."""

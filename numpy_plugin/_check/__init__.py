"""The kernels of programs written for other packages: found, declared and changed, never run."""

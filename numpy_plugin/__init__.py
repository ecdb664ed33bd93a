"""Real NumPy ufuncs from Python functions and C++ bodies, for the CPU and for CUDA.

>>> import numpy_plugin as npp
>>> @npp.vectorize(["float64(float64, float64)"])
... def hypot(x, y):
...     return (x * x + y * y) ** 0.5
>>> type(hypot)
<class 'numpy.ufunc'>
"""

import lazy_loader

# First, before anything that needs NumPy or the extension.
from numpy_plugin import _requirements  # noqa: F401
from numpy_plugin._config import warn_of_environment as _warn_of_environment
from numpy_plugin._cuda.toolkit import find_packages as _find_packages
from numpy_plugin._frontend.pickle_registration import register as _register_pickles
from numpy_plugin._public_names import public_names as _public_names
from numpy_plugin._threads.limits import (
    register_with_threadpoolctl as _register_with_threadpoolctl,
)

__version__ = "0.1.0"
_register_pickles()
_find_packages()
_register_with_threadpoolctl()
_warn_of_environment()

# What the names of `__init__.pyi` need is imported when they are first used.
__getattr__, _, __all__ = lazy_loader.attach_stub(__name__, __file__)
__dir__ = _public_names(globals())

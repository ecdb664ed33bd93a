"""Real NumPy ufuncs from Python functions and C++ bodies, for the CPU and for CUDA.

>>> import numpy_plugin as npp
>>> @npp.vectorize(["float64(float64, float64)"])
... def hypot(x, y):
...     return (x * x + y * y) ** 0.5
>>> type(hypot)
<class 'numpy.ufunc'>
"""

# First, before anything that needs NumPy or the extension.
from numpy_plugin import _requirements  # noqa: F401
from numpy_plugin._config import warn_of_environment as _warn_of_environment
from numpy_plugin._cuda.toolkit import find_libraries as _find_libraries
from numpy_plugin._frontend.pickle_registration import register as _register_pickles
from numpy_plugin._public_names import imported_on_use as _imported_on_use
from numpy_plugin._public_names import public_names as _public_names
from numpy_plugin._threads.limits import (
    register_with_threadpoolctl as _register_with_threadpoolctl,
)

__version__ = "0.1.0"
_register_pickles()
_find_libraries()
_register_with_threadpoolctl()
_warn_of_environment()

__getattr__, __all__ = _imported_on_use(globals())
__dir__ = _public_names(globals())

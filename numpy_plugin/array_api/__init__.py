"""The Python array API standard, version 2024.12, for device arrays.

`DeviceArray.__array_namespace__()` returns this module, so that libraries which use the standard
(SciPy, scikit-learn, einops, ...) compute with device arrays. Most functions are NumPy's own, which
dispatch on device arrays.

>>> from numpy_plugin import array_api as xp, cuda
>>> with cuda.simulator():
...     x = xp.asarray([3.0, 4.0])
...     print(float(xp.sum(x * x)))
25.0
"""

from __future__ import annotations

from numpy_plugin._cuda.arrays.untyped import np
from numpy_plugin._public_names import public_names
from numpy_plugin.array_api import _creation, _data_types, _elementwise, _info, _ordering

_NOT_OF_THE_STANDARD = {*globals(), "_NOT_OF_THE_STANDARD"}

__array_api_version__ = "2024.12"
__array_namespace_info__ = _info.namespace_info

# --- constants ---

e = np.e
inf = np.inf
nan = np.nan
newaxis = np.newaxis
pi = np.pi

# --- data types ---

bool = _data_types.bool
complex64 = _data_types.complex64
complex128 = _data_types.complex128
float32 = _data_types.float32
float64 = _data_types.float64
int8 = _data_types.int8
int16 = _data_types.int16
int32 = _data_types.int32
int64 = _data_types.int64
uint8 = _data_types.uint8
uint16 = _data_types.uint16
uint32 = _data_types.uint32
uint64 = _data_types.uint64

# --- elementwise functions ---

abs = np.abs
acos = np.acos
acosh = np.acosh
add = np.add
asin = np.asin
asinh = np.asinh
atan = np.atan
atan2 = np.atan2
atanh = np.atanh
bitwise_and = np.bitwise_and
bitwise_invert = np.bitwise_invert
bitwise_left_shift = np.bitwise_left_shift
bitwise_or = np.bitwise_or
bitwise_right_shift = np.bitwise_right_shift
bitwise_xor = np.bitwise_xor
ceil = np.ceil
clip = _elementwise.clip
conj = np.conj
copysign = np.copysign
cos = np.cos
cosh = np.cosh
divide = np.divide
equal = np.equal
exp = np.exp
expm1 = np.expm1
floor = np.floor
floor_divide = np.floor_divide
greater = np.greater
greater_equal = np.greater_equal
hypot = np.hypot
imag = np.imag
isfinite = np.isfinite
isinf = np.isinf
isnan = np.isnan
less = np.less
less_equal = np.less_equal
log = np.log
log1p = np.log1p
log2 = np.log2
log10 = np.log10
logaddexp = np.logaddexp
logical_and = np.logical_and
logical_not = np.logical_not
logical_or = np.logical_or
logical_xor = np.logical_xor
maximum = np.maximum
minimum = np.minimum
multiply = np.multiply
negative = np.negative
nextafter = np.nextafter
not_equal = np.not_equal
positive = np.positive
pow = np.pow
real = np.real
reciprocal = np.reciprocal
remainder = np.remainder
round = np.round
sign = np.sign
signbit = np.signbit
sin = np.sin
sinh = np.sinh
sqrt = np.sqrt
square = np.square
subtract = np.subtract
tan = np.tan
tanh = np.tanh
trunc = np.trunc

# --- creation functions ---

arange = _creation.arange
asarray = _creation.asarray
empty = _creation.empty
empty_like = np.empty_like
eye = _creation.eye
from_dlpack = _creation.from_dlpack
full = _creation.full
full_like = np.full_like
linspace = _creation.linspace
meshgrid = _creation.meshgrid
ones = _creation.ones
ones_like = np.ones_like
tril = np.tril
triu = np.triu
zeros = _creation.zeros
zeros_like = np.zeros_like

# --- data type functions ---

astype = np.astype
broadcast_arrays = _data_types.broadcast_arrays
broadcast_to = np.broadcast_to
can_cast = _data_types.can_cast
finfo = _data_types.finfo
iinfo = _data_types.iinfo
isdtype = _data_types.isdtype
result_type = _data_types.result_type

# --- manipulation functions ---

concat = np.concat
expand_dims = np.expand_dims
flip = np.flip
moveaxis = np.moveaxis
permute_dims = np.permute_dims
repeat = np.repeat
reshape = np.reshape
roll = np.roll
squeeze = np.squeeze
stack = np.stack
tile = np.tile
unstack = np.unstack

# --- searching and indexing functions ---

argmax = np.argmax
argmin = np.argmin
count_nonzero = np.count_nonzero
nonzero = np.nonzero
searchsorted = np.searchsorted
take = np.take
take_along_axis = np.take_along_axis
where = np.where

# --- set functions ---

unique_all = np.unique_all
unique_counts = np.unique_counts
unique_inverse = np.unique_inverse
unique_values = np.unique_values

# --- sorting functions ---

argsort = _ordering.argsort
sort = _ordering.sort

# --- statistical functions ---

cumulative_prod = np.cumulative_prod
cumulative_sum = np.cumulative_sum
max = np.max
mean = np.mean
min = np.min
prod = np.prod
std = np.std
sum = np.sum
var = np.var

# --- utility functions ---

all = np.all
any = np.any
diff = np.diff

# --- linear algebra functions ---

matmul = np.matmul
matrix_transpose = np.matrix_transpose
tensordot = np.tensordot
vecdot = np.vecdot

__all__ = sorted(  # pyright: ignore[reportUnsupportedDunderAll]
    globals().keys() - _NOT_OF_THE_STANDARD
)
__dir__ = public_names(globals())

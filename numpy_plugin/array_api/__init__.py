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
from numpy_plugin.array_api._creation import (
    arange,
    asarray,
    empty,
    eye,
    from_dlpack,
    full,
    linspace,
    meshgrid,
    ones,
    zeros,
)
from numpy_plugin.array_api._data_types import (
    bool,
    broadcast_arrays,
    can_cast,
    complex64,
    complex128,
    finfo,
    float32,
    float64,
    iinfo,
    int8,
    int16,
    int32,
    int64,
    isdtype,
    result_type,
    uint8,
    uint16,
    uint32,
    uint64,
)
from numpy_plugin.array_api._elementwise import clip
from numpy_plugin.array_api._info import namespace_info as __array_namespace_info__
from numpy_plugin.array_api._ordering import argsort, sort

__all__ = [
    "__array_api_version__",
    "__array_namespace_info__",
    "abs",
    "acos",
    "acosh",
    "add",
    "all",
    "any",
    "arange",
    "argmax",
    "argmin",
    "argsort",
    "asarray",
    "asin",
    "asinh",
    "astype",
    "atan",
    "atan2",
    "atanh",
    "bitwise_and",
    "bitwise_invert",
    "bitwise_left_shift",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "bool",
    "broadcast_arrays",
    "broadcast_to",
    "can_cast",
    "ceil",
    "clip",
    "complex64",
    "complex128",
    "concat",
    "conj",
    "copysign",
    "cos",
    "cosh",
    "count_nonzero",
    "cumulative_prod",
    "cumulative_sum",
    "diff",
    "divide",
    "e",
    "empty",
    "empty_like",
    "equal",
    "exp",
    "expand_dims",
    "expm1",
    "eye",
    "finfo",
    "flip",
    "float32",
    "float64",
    "floor",
    "floor_divide",
    "from_dlpack",
    "full",
    "full_like",
    "greater",
    "greater_equal",
    "hypot",
    "iinfo",
    "imag",
    "inf",
    "int8",
    "int16",
    "int32",
    "int64",
    "isdtype",
    "isfinite",
    "isinf",
    "isnan",
    "less",
    "less_equal",
    "linspace",
    "log",
    "log1p",
    "log2",
    "log10",
    "logaddexp",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "matmul",
    "matrix_transpose",
    "max",
    "maximum",
    "mean",
    "meshgrid",
    "min",
    "minimum",
    "moveaxis",
    "multiply",
    "nan",
    "negative",
    "newaxis",
    "nextafter",
    "nonzero",
    "not_equal",
    "ones",
    "ones_like",
    "permute_dims",
    "pi",
    "positive",
    "pow",
    "prod",
    "real",
    "reciprocal",
    "remainder",
    "repeat",
    "reshape",
    "result_type",
    "roll",
    "round",
    "searchsorted",
    "sign",
    "signbit",
    "sin",
    "sinh",
    "sort",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "subtract",
    "sum",
    "take",
    "take_along_axis",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "tril",
    "triu",
    "trunc",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "unique_all",
    "unique_counts",
    "unique_inverse",
    "unique_values",
    "unstack",
    "var",
    "vecdot",
    "where",
    "zeros",
    "zeros_like",
]

__array_api_version__ = "2024.12"

# --- constants ---

e = np.e
inf = np.inf
nan = np.nan
newaxis = np.newaxis
pi = np.pi

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
log10 = np.log10
log1p = np.log1p
log2 = np.log2
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

empty_like = np.empty_like
full_like = np.full_like
ones_like = np.ones_like
tril = np.tril
triu = np.triu
zeros_like = np.zeros_like

# --- data type functions ---

astype = np.astype
broadcast_to = np.broadcast_to

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

__dir__ = public_names(globals())

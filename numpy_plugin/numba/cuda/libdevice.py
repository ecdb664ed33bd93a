"""CUDA's own functions in device kernels under the names of `numba.cuda.libdevice`.

Each name is a function that `npp.declare_device` declares on first access, with CUDA's types: some
are unsigned where Numba's are signed. Functions of more than one result have no counterpart.
"""

from __future__ import annotations

from numpy_plugin._frontend.external import DeclaredFunction, declare_device

_ROUNDED = ("rd", "rn", "ru", "rz")


def _rounded(*names: str) -> str:
    return " ".join(f"{name}_{mode}" for name in names for mode in _ROUNDED)


# Functions by their types; in CUDA they have the same names.
_FUNCTIONS = {
    "float64(float64)": "acos acosh asin asinh atan atanh cbrt ceil cos cosh cospi erf erfc erfcinv"
    " erfcx erfinv exp exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10 log1p log2 logb nearbyint"
    " normcdf normcdfinv rcbrt rint round rsqrt sin sinh sinpi sqrt tan tanh tgamma trunc y0 y1",
    "float64(float64, float64)": "atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder",
    "float64(float64, float64, float64)": "fma",
    "float64(float64, int32)": "ldexp scalbn",
    "float64(int32, float64)": "jn yn",
    "int32(float64)": "ilogb",
    "int64(float64)": "llrint llround",
    "float32(float32)": "acosf acoshf asinf asinhf atanf atanhf cbrtf ceilf cosf coshf cospif erff"
    " erfcf erfcinvf erfcxf erfinvf expf exp10f exp2f expm1f fabsf floorf j0f j1f lgammaf logf"
    " log10f log1pf log2f logbf nearbyintf normcdff normcdfinvf rcbrtf rintf roundf rsqrtf sinf"
    " sinhf sinpif sqrtf tanf tanhf tgammaf truncf y0f y1f",
    "float32(float32, float32)": "atan2f copysignf fdimf fmaxf fminf fmodf hypotf nextafterf powf"
    " remainderf",
    "float32(float32, float32, float32)": "fmaf",
    "float32(float32, int32)": "ldexpf scalbnf",
    "float32(int32, float32)": "jnf ynf",
    "int32(float32)": "ilogbf",
    "int64(float32)": "llrintf llroundf",
    "int32(int32)": "abs",
    "int64(int64)": "llabs",
    "int32(int32, int32)": "max min",
    "uint32(uint32, uint32)": "umax umin",
    "int64(int64, int64)": "llmax llmin",
    "uint64(uint64, uint64)": "ullmax ullmin",
}

# Those that CUDA spells with two leading underscores.
_INTRINSICS = {
    "float64(float64)": _rounded("drcp", "dsqrt"),
    "float64(float64, float64)": _rounded("dadd", "ddiv", "dmul"),
    "float64(float64, float64, float64)": _rounded("fma"),
    "float64(int32)": "int2double_rn",
    "float64(int32, int32)": "hiloint2double",
    "float64(int64)": _rounded("ll2double") + " longlong_as_double",
    "float64(uint32)": "uint2double_rn",
    "float64(uint64)": _rounded("ull2double"),
    "float32(float64)": _rounded("double2float"),
    "int32(float64)": _rounded("double2int") + " double2hiint double2loint",
    "int64(float64)": _rounded("double2ll") + " double_as_longlong",
    "uint32(float64)": _rounded("double2uint"),
    "uint64(float64)": _rounded("double2ull"),
    "float32(float32)": _rounded("frcp", "fsqrt") + " frsqrt_rn saturatef",
    "float32(float32, float32)": _rounded("fadd", "fdiv", "fmul", "fsub"),
    "float32(float32, float32, float32)": _rounded("fmaf"),
    "float32(int32)": _rounded("int2float") + " int_as_float",
    "float32(int64)": _rounded("ll2float"),
    "float32(uint32)": _rounded("uint2float"),
    "float32(uint64)": _rounded("ull2float"),
    "int32(float32)": _rounded("float2int") + " float_as_int",
    "int64(float32)": _rounded("float2ll"),
    "uint32(float32)": _rounded("float2uint"),
    "uint64(float32)": _rounded("float2ull"),
    "int32(int32)": "clz ffs popc",
    "int32(int64)": "clzll ffsll popcll",
    "uint32(uint32)": "brev",
    "uint64(uint64)": "brevll",
    "int32(int32, int32)": "hadd mul24 mulhi rhadd",
    "uint32(uint32, uint32)": "uhadd umul24 umulhi urhadd",
    "int64(int64, int64)": "mul64hi",
    "uint64(uint64, uint64)": "umul64hi",
    "uint32(int32, int32, uint32)": "sad",
    "uint32(uint32, uint32, uint32)": "byte_perm usad",
}

# The others: what CUDA calls them.
_OTHER_NAMES = {
    "float32(float32)": {
        f"fast_{name}f": f"__{name}f" for name in ("cos", "exp", "exp10", "log", "log10", "log2")
    }
    | {"fast_sinf": "__sinf", "fast_tanf": "__tanf"},
    "float32(float32, float32)": {"fast_fdividef": "__fdividef", "fast_powf": "__powf"},
    "float64(float64, int32)": {"powi": "pow"},
    "float32(float32, int32)": {"powif": "powf"},
    "int32(float64)": {
        "isfinited": "isfinite",
        "isinfd": "isinf",
        "isnand": "isnan",
        "signbitd": "signbit",
    },
    "int32(float32)": {
        "finitef": "isfinite",
        "isinff": "isinf",
        "isnanf": "isnan",
        "signbitf": "signbit",
    },
}

# Functions without a counterpart, and what to write instead.
_INSTEAD = {
    "float2half_rn": "np.float16(x)",
    "half2float": "np.float32(x)",
    "frexp": "np.frexp",
    "modf": "np.modf",
    "sincos": "math.sin and math.cos",
    "sincospi": "libdevice.sinpi and libdevice.cospi",
    "remquo": "libdevice.remainder",
}

# The type and CUDA's name of each function.
_TABLE = {
    name: (types, prefix + name)
    for prefix, rows in (("", _FUNCTIONS), ("__", _INTRINSICS))
    for types, names in rows.items()
    for name in names.split()
} | {name: (types, own) for types, row in _OTHER_NAMES.items() for name, own in row.items()}

_C_TYPES = {
    "float32": "float",
    "float64": "double",
    "int32": "int",
    "int64": "long long",
    "uint32": "unsigned int",
    "uint64": "unsigned long long",
}


def _declared(name: str) -> DeclaredFunction:
    """Declare a function that calls CUDA's."""
    types, callee = _TABLE[name]
    result, _, operands = types.rstrip(")").partition("(")
    declared = [f"{_C_TYPES[of]} x{i}" for i, of in enumerate(operands.split(", "))]
    given = [f"x{i}" for i in range(len(declared))]
    own = f"libdevice_{name}"
    source = (
        f"__device__ inline {_C_TYPES[result]} {own}({', '.join(declared)}) {{\n"
        f"  return {callee}({', '.join(given)});\n}}\n"
    )
    return declare_device(own, types, source=source)


def __getattr__(name: str) -> DeclaredFunction:
    """Declare a function on first access.

    Raises:
        AttributeError: there is no such function.
    """
    if name in _TABLE:
        function: DeclaredFunction = globals().setdefault(name, _declared(name))
        return function
    plain = name.removeprefix("fast_")
    instead = _INSTEAD.get(plain) or _INSTEAD.get(plain.removesuffix("f"))
    hint = f"\n  hint: {instead}" if instead else ""
    raise AttributeError(f"libdevice has no function {name!r}{hint}")


def __dir__() -> list[str]:
    """Return the functions of the table."""
    return sorted(_TABLE)

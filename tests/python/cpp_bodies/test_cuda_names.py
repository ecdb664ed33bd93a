"""Every function of the table of C++ bodies, on the CPU and on a simulated device."""

import math
import re
from fractions import Fraction
from pathlib import Path

import mpmath
import numpy as np
import pytest
from scipy import special

import numpy_plugin as npp
from numpy_plugin import cuda

ROOT = Path(__file__).parents[3]
TABLE = (ROOT / "src/numpy_plugin/explain/cpp_functions.def").read_text()
NAMES = [
    name
    for names in re.findall(r'^NPP_CPP_FUNCTIONS\("[^"]*", "([^"]*)"\)', TABLE, re.MULTILINE)
    for name in names.split()
]
SAMPLES = np.array(
    [[0.3, 1.5, 0.7], [0.75, -0.4, 2.5], [2.5, 3.25, 1.1], [-0.6, 2.0, 5.0], [7.0, 0.9, 3.3]]
)
DOUBLE, FLOAT, FAST = 2e-14, 2e-6, 2e-5


def half_away(x):
    return np.copysign(np.floor(np.abs(x) + 0.5), x)


def exponent(x):
    return np.floor(np.log2(np.abs(x)))


def length(*parts):
    return np.sqrt(sum(part * part for part in parts))


# Of one number, two, three, in C++'s order.
NUMPYS = """sqrt cbrt exp exp2 expm1 log log2 log10 log1p sin cos tan sinh cosh tanh floor ceil
trunc rint fabs abs isnan isinf isfinite signbit"""
ONE = {
    **{name: getattr(np, name) for name in NUMPYS.split()},
    "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan,
    "asinh": np.arcsinh, "acosh": np.arccosh, "atanh": np.arctanh,
    "erf": special.erf, "erfc": special.erfc, "erfinv": special.erfinv,
    "erfcinv": special.erfcinv, "erfcx": special.erfcx,
    "j0": special.j0, "j1": special.j1, "y0": special.y0, "y1": special.y1,
    "tgamma": special.gamma, "lgamma": special.gammaln, "nearbyint": np.rint,
    "round": half_away, "lround": half_away, "llround": half_away,
    "logb": exponent, "ilogb": exponent,
    "rsqrt": lambda x: 1 / np.sqrt(x), "rcbrt": lambda x: 1 / np.cbrt(x),
    "exp10": lambda x: 10.0**x, "sinpi": lambda x: float(mpmath.sinpi(x)),
    "cospi": lambda x: float(mpmath.cospi(x)),
    "normcdf": special.ndtr, "normcdfinv": special.ndtri,
    "cyl_bessel_i0": special.i0, "cyl_bessel_i1": special.i1,
}  # fmt: skip
TWO = {
    "pow": np.power, "fmod": np.fmod, "remainder": math.remainder, "hypot": np.hypot,
    "fmin": np.fmin, "fmax": np.fmax, "min": np.fmin, "max": np.fmax,
    "copysign": np.copysign, "nextafter": np.nextafter, "atan2": np.arctan2,
    "fdim": lambda x, y: max(x - y, 0.0), "rhypot": lambda x, y: 1 / np.hypot(x, y),
    "fdividef": lambda x, y: x / y,
}  # fmt: skip
THREE = {
    "fma": lambda x, y, z: x * y + z,
    "norm3d": length,
    "rnorm3d": lambda x, y, z: 1 / length(x, y, z),
}
FOUR = {
    "norm4d": lambda x, y, z: length(x, y, z, 2.0),
    "rnorm4d": lambda x, y, z: 1 / length(x, y, z, 2.0),
}


def signed(value, bits=32):
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def reversed_bits(value, bits):
    return int(f"{value % (1 << bits):0{bits}b}"[::-1], 2)


def permuted(low, high, selector):
    both = (high % 2**32 << 32 | low % 2**32).to_bytes(8, "little")
    return int.from_bytes(bytes(both[selector >> (4 * i) & 7] for i in range(4)), "little")


# Of integers: n, m and k.
INTEGERS = {
    "popc": lambda n: bin(n % 2**32).count("1"), "popcll": lambda n: bin(n % 2**64).count("1"),
    "clz": lambda n: 32 - (n % 2**32).bit_length(),
    "clzll": lambda n: 64 - (n % 2**64).bit_length(),
    "ffs": lambda n: (n & -n).bit_length(), "ffsll": lambda n: (n & -n).bit_length(),
    "brev": lambda n: reversed_bits(n, 32), "brevll": lambda n: float(reversed_bits(n, 64)),
    "mul24": lambda n, m: signed(signed(n, 24) * signed(m, 24)),
    "umul24": lambda n, m: (n % 2**24) * (m % 2**24) % 2**32,
    "mulhi": lambda n, m: n * m >> 32, "umulhi": lambda n, m: (n % 2**32) * (m % 2**32) >> 32,
    "mul64hi": lambda n, m: n * m >> 64,
    "umul64hi": lambda n, m: float((n % 2**64) * (m % 2**64) >> 64),
    "hadd": lambda n, m: (n + m) >> 1, "rhadd": lambda n, m: (n + m + 1) >> 1,
    "uhadd": lambda n, m: (n % 2**32 + m % 2**32) >> 1,
    "urhadd": lambda n, m: (n % 2**32 + m % 2**32 + 1) >> 1,
    "sad": lambda n, m, k: abs(n - m) + k,
    "usad": lambda n, m, k: (abs(n % 2**32 - m % 2**32) + k) % 2**32,
    "byte_perm": permuted,
    "funnelshift_l": lambda n, m, k: (m % 2**32 << 32 | n % 2**32) << (k & 31) >> 32 & 0xFFFFFFFF,
    "funnelshift_r": lambda n, m, k: (m % 2**32 << 32 | n % 2**32) >> (k & 31) & 0xFFFFFFFF,
    "funnelshift_lc":
        lambda n, m, k: (m % 2**32 << 32 | n % 2**32) << min(k, 32) >> 32 & 0xFFFFFFFF,
    "funnelshift_rc": lambda n, m, k: (m % 2**32 << 32 | n % 2**32) >> min(k, 32) & 0xFFFFFFFF,
}  # fmt: skip

# Bits of numbers.
BITS = {
    "__int_as_float(0x40490fdb)": np.int32(0x40490FDB).view("f4"),
    "__uint_as_float(0xc0490fdbu)": np.uint32(0xC0490FDB).view("f4"),
    "__float_as_int(1.5f)": np.float32(1.5).view("i4"),
    "__float_as_uint(-1.5f)": np.float32(-1.5).view("u4"),
    "__longlong_as_double(0x400921fb54442d18ll)": math.pi,
    "__double_as_longlong(0.5)": np.float64(0.5).view("i8"),
    "__double2hiint(3.25)": 0x400A0000,
    "__double2loint(0.1)": signed(0x9999999A),
    "__hiloint2double(0x400a0000, 0)": 3.25,
}

# An element v, which is 5 before.
ATOMICS = {
    "atomicAdd(&v, 3)": 8, "atomicSub(&v, 3)": 2, "atomicExch(&v, 3)": 3,
    "atomicMin(&v, 3)": 3, "atomicMax(&v, 9)": 9, "atomicInc(&v, 5u)": 0,
    "atomicDec(&v, 3u)": 3, "atomicAnd(&v, 4)": 4, "atomicOr(&v, 8)": 13,
    "atomicXor(&v, 1)": 4,
    "atomicCAS(&v, 5, 11)": 11,
}  # fmt: skip


def rounded(exact: Fraction, mode: str, dtype: type) -> float:
    """Round a fraction to a floating-point type."""
    below = dtype(float(exact))
    while Fraction(float(below)) > exact:
        below = np.nextafter(below, dtype(-np.inf))
    while Fraction(float(np.nextafter(below, dtype(np.inf)))) <= exact:
        below = np.nextafter(below, dtype(np.inf))
    if Fraction(float(below)) == exact or mode == "rd":
        return float(below)
    above = np.nextafter(below, dtype(np.inf))
    if mode == "rn":
        distance = 2 * exact - Fraction(float(below)) - Fraction(float(above))
        is_even = int(below.view(f"i{below.nbytes}")) % 2 == 0
        return float(below if distance < 0 or (distance == 0 and is_even) else above)
    return float(above if mode == "ru" or exact < 0 else below)


def root(value: Fraction) -> Fraction:
    return Fraction(math.isqrt(value.numerator * value.denominator << 400), 1 << 200) / (
        value.denominator
    )


ARITHMETIC = {
    "add": lambda a, b, c: a + b, "sub": lambda a, b, c: a - b, "mul": lambda a, b, c: a * b,
    "div": lambda a, b, c: a / b, "rcp": lambda a, b, c: 1 / a,
    "sqrt": lambda a, b, c: root(a), "fma": lambda a, b, c: a * b + c,
}  # fmt: skip


def arithmetic_case(name: str):
    """Return the call and the reference of __fadd_rz and the like."""
    match = re.fullmatch(r"__[fd]?(add|sub|mul|div|rcp|sqrt|rsqrt|ma|fma)f?_(r.)", name)
    operation, mode = match.groups()
    operation = "fma" if operation == "ma" else operation
    is_float = name.startswith("__f") and not name.startswith("__fma_")
    dtype = np.float32 if is_float else np.float64
    arguments = {"rcp": "x", "sqrt": "fabs(x)", "rsqrt": "fabs(x)", "fma": "x, y, z"}

    def reference(x, y, z):
        if operation == "rsqrt":
            return np.float32(1 / np.sqrt(np.float64(abs(np.float32(x)))))
        a, b, c = (Fraction(float(dtype(value))) for value in (x, y, z))
        exact = ARITHMETIC[operation](abs(a) if operation == "sqrt" else a, b, c)
        return rounded(exact, mode, dtype)

    return f"{name}({arguments.get(operation, 'x, y')})", reference, 0.0


TO_INTEGER = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}


def conversion_case(name: str):
    """Return the call and the reference of __float2int_rn and the like."""
    source, target, mode = re.fullmatch(r"__(\w+)2(\w+)_(r.)", name).groups()
    if target in ("float", "double"):
        dtype = np.float32 if target == "float" else np.float64
        scale = 1 if source == "double" else 2**54 + 2**30 if "ll" in source else 2**27 + 2**25
        return (
            f"{name}(x * {scale}ll)" if source == "double" else f"{name}(ABS({scale}ll * x))",
            lambda x, y, z: rounded(
                Fraction(float(x))
                if source == "double"
                else Fraction(int(abs(scale * np.float64(x)))),
                mode,
                dtype,
            ),
            0.0,
        )
    sign = abs if target.startswith("u") else float
    argument = "fabs(x * 3)" if target.startswith("u") else "x * 3"
    return f"{name}({argument})", lambda x, y, z: TO_INTEGER[mode](sign(x * 3)), 0.0


def with_samples(function, count):
    return lambda x, y, z: function(*(x, y, z)[:count])


def float_reference(function, count):
    def reference(x, y, z):
        return function(*(float(np.float32(value)) for value in (x, y, z)[:count]))

    return reference


def base_and_type(name: str, known) -> tuple[str, bool]:
    """Return a function's name without CUDA's spelling for float, and whether it was one."""
    plain = name.removeprefix("__")
    return (plain, plain == "fdividef") if plain in known else (plain.removesuffix("f"), True)


def plain_case(name: str):
    """Return the call and the reference of a function of numbers, or None."""
    base, is_float = base_and_type(name, {**ONE, **TWO, **THREE, **FOUR})
    tolerance = FAST if name.startswith("__") else FLOAT if is_float else DOUBLE
    wrap = float_reference if is_float else with_samples
    for count, arguments, table in (
        (1, "x", ONE), (2, "x, y", TWO), (3, "x, y, z", THREE), (3, "x, y, z, 2", FOUR)
    ):  # fmt: skip
        if base not in table:
            continue
        reference = wrap(table[base], count)
        if name == "nextafterf":
            reference = lambda x, y, z: np.nextafter(np.float32(x), np.float32(y))  # noqa: E731
        return f"{name}({arguments})", reference, tolerance
    return None


def special_case(name: str):
    """Return the statement's value and the reference of what has pointers or integers."""
    pointers = ["jn", "yn", "ldexp", "scalbn", "frexp", "modf", "sincos", "sincospi", "ldg"]
    base, is_float = base_and_type(name, pointers)
    number = "float" if is_float else "double"
    tolerance = FAST if name.startswith("__") else FLOAT if is_float else DOUBLE
    turn = np.pi if base == "sincospi" else 1.0
    if base in ("sincos", "sincospi"):
        text = f"[&] {{ {number} s, c; {name}({number}(x), &s, &c); return s + 2 * c; }}()"
        return text, lambda x, y, z: np.sin(turn * x) + 2 * np.cos(turn * x), 1e-5 + tolerance
    cases = {
        "jn": (f"{name}(3, x)", lambda x, y, z: special.jn(3, x)),
        "yn": (f"{name}(3, x)", lambda x, y, z: special.yn(3, x)),
        "ldexp": (f"{name}(x, 5)", lambda x, y, z: x * 32),
        "scalbn": (f"{name}(x, 5)", lambda x, y, z: x * 32),
        "saturate": (f"{name}(x)", lambda x, y, z: np.clip(x, 0, 1)),
        "frexp": (
            f"[&] {{ int e; {number} v = {name}({number}(x), &e); return v + 4 * e; }}()",
            lambda x, y, z: np.frexp(x)[0] + 4 * np.frexp(x)[1],
        ),
        "modf": (
            f"[&] {{ {number} w, v = {name}({number}(x), &w); return v + 4 * w; }}()",
            lambda x, y, z: np.modf(x)[0] + 4 * np.modf(x)[1],
        ),
        "ldg": ("__ldg(&data(0))", lambda x, y, z: x),
    }
    return (*cases[base], tolerance) if base in cases else None


def case_of(name: str):
    """Return a C++ expression that calls a function, what it is, and the relative tolerance."""
    for expression, value in BITS.items():
        if expression.startswith(name + "("):
            return expression, lambda x, y, z, value=value: float(value), 0.0
    if name == "__powf":  # not of negative numbers
        return "__powf(fabs(x), y)", lambda x, y, z: abs(x) ** y, FAST
    if name[2:] in INTEGERS:
        reference = INTEGERS[name[2:]]
        count = reference.__code__.co_argcount

        def of_integers(x, y, z):
            return float(reference(*(int(x * 100000), int(y * 77777), 5)[:count]))

        return f"{name}({', '.join(('n', 'm', 'k')[:count])})", of_integers, 0.0
    if re.fullmatch(r"__\w+2\w+_r.", name):
        return conversion_case(name)
    if re.fullmatch(r"__\w+_r.", name):
        return arithmetic_case(name)
    return special_case(name) or plain_case(name)


CASES = {name: case_of(name) for name in NAMES if not name.startswith("atomic")}


def values_of(arrays) -> np.ndarray:
    statements = [
        f"out({index}) = static_cast<double>({expression});"
        for index, (expression, _, _) in enumerate(CASES.values())
    ]
    body = "int n = int(x * 100000), m = int(y * 77777), k = 5;\n" + "\n".join(statements)
    every = npp.guvectorize(
        ["void(float64, float64, float64, float64[:], float64[:])"], "(),(),(),(k)->(m)",
        name="every", args="x, y, z, data", outs="out", body=body,
        preamble="#define ABS(value) ((value) < 0 ? -(value) : (value))",
    )  # fmt: skip
    x, y, z, data, out = arrays
    every(x, y, z, data, out)
    return out


@pytest.fixture(scope="module")
def results():
    out = np.zeros((len(SAMPLES), len(CASES)))
    operands = [*SAMPLES.T.copy(), SAMPLES[:, :1].copy()]
    with np.errstate(all="ignore"):
        host = values_of([*operands, out])
    with cuda.simulator():
        arrays = [cuda.to_device(array) for array in (*operands, np.zeros_like(out))]
        return host, values_of(arrays).copy_to_host()


def test_every_name_has_a_case():
    assert [name for name, case in CASES.items() if case is None] == []
    assert len(NAMES) == len(set(NAMES)) > 250


@pytest.mark.parametrize("name", CASES)
def test_function(name, results):
    expression, reference, tolerance = CASES[name]
    with np.errstate(all="ignore"):
        wanted = np.array([float(reference(*sample)) for sample in SAMPLES])
    column = list(CASES).index(name)
    for found in results:
        np.testing.assert_allclose(
            found[:, column], wanted, tolerance, tolerance, err_msg=expression
        )


def test_conversions_saturate():
    names = [name for name in NAMES if re.fullmatch(r"__(float|double)2(int|uint|ll|ull)_rz", name)]
    values = np.array([3e30, -3e30, np.nan])
    body = "\n".join(f"out({i}) = (double){name}(x);" for i, name in enumerate(names))
    f = npp.guvectorize(
        ["void(float64, float64[:])"], "()->(m)", name="f", args="x", outs="out", body=body
    )
    host = np.zeros((3, len(names)))
    with np.errstate(all="ignore"):
        f(values, host)
    with cuda.simulator():
        device = cuda.to_device(np.zeros((3, len(names))))
        f(cuda.to_device(values), device)
        np.testing.assert_array_equal(device.copy_to_host(), host)
    found = dict(zip(names, host.T, strict=True))
    np.testing.assert_array_equal(found["__float2int_rz"], [2**31 - 1, -(2**31), 0])
    np.testing.assert_array_equal(found["__double2uint_rz"], [2**32 - 1, 0, 2**31])
    np.testing.assert_array_equal(found["__double2ll_rz"], [2.0**63, -(2.0**63), -(2.0**63)])


def test_atomic_functions():
    assert [call.partition("(")[0] for call in ATOMICS] == [
        name for name in NAMES if name.startswith("atomic")
    ]
    lines = [
        f"{{ unsigned& v = out({i}); v = 5; out({i + len(ATOMICS)}) = {call}; }}"
        for i, call in enumerate(ATOMICS)
    ]
    f = npp.guvectorize(
        ["void(uint32, uint32[:])"],
        "()->(m)",
        name="f",
        args="x",
        outs="out",
        body="\n".join(lines),
    )
    out = np.zeros(2 * len(ATOMICS), np.uint32)
    f(np.uint32(0), out)
    assert out.tolist() == [*ATOMICS.values(), *[5] * len(ATOMICS)]
    with cuda.simulator():
        device = cuda.to_device(np.zeros_like(out))
        f(cuda.to_device(np.uint32([0])).reshape(()), device)
        np.testing.assert_array_equal(device.copy_to_host(), out)

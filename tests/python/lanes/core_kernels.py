"""Generalized kernels that run in lane blocks: their elements take paths of their own."""

import numpy as np

import numpy_plugin as npp

REAL = ("float32", "float64")
DECLARED = {}  # layouts and signatures by name


def declare(layout, signature, types=REAL, **options):
    """Return a decorator for `signature`, in which T is each of the types."""
    signatures = [signature.replace("T", dtype) for dtype in types]

    def decorate(function):
        DECLARED[function.__name__] = (signatures, layout)
        return npp.guvectorize(signatures, layout, target="cpu", **options)(function)

    return decorate


@declare("(3)->(3)", "void(T[:], T[:])")
def unit(v, out):
    length = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) ** 0.5
    for i in range(3):
        if length > 0:
            out[i] = v[i] / length
        else:
            out[i] = -v[-1 - i]


@declare("(5)->(5)", "void(T[:], T[:])", ("float32", "float64", "int32", "int64", "uint8", "int16"))
def ordered(x, out):
    for i in range(x.shape[0]):
        value = x[i]
        place = i
        while place > 0 and out[place - 1] > value:
            out[place] = out[place - 1]
            place -= 1
        out[place] = value


@declare("(3,4)->(4,3),()", "void(T[:,:], T[:,:], T[:])")
def compressed(a, out, n):
    """Move positive elements to the front: 12, which lanes find one by one."""
    for i in range(12):
        out[i // 3, i % 3] = 0
    count = 0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            if a[i, j] > 0:
                out[count // 3, count % 3] = a[i, j]
                count += 1
    n[0] = count


@declare("(4)->(),()", "void(T[:], T[:], int64[:])")
def newton(c, x, n):
    root = c[0] * 0
    trips = 0
    while trips < 30:
        value = ((c[3] * root + c[2]) * root + c[1]) * root + c[0]
        slope = (3 * c[3] * root + 2 * c[2]) * root + c[1]
        if slope == 0:
            trips = -trips - 1
            break
        step = value / slope
        root -= step
        trips += 1
        if abs(step) < 1e-3:
            break
    x[0] = root
    n[0] = trips


@declare("(n),()->()", "void(T[:], T, int64[:])", ("float64", "int64"))
def place_of(table, value, out):
    low = 0
    high = table.shape[0]
    while low < high:
        middle = (low + high) // 2
        if table[middle] < value:
            low = middle + 1
        else:
            high = middle
    out[0] = low


@declare("(n),(n),()->()", "void(float64[:], float64[:], float64, float64[:])", ("",))
def nearest(xs, ys, x, out):
    if xs.shape[0] == 0 or x != x:
        out[0] = 0.0
        return
    i = 0
    while i < xs.shape[0] - 1 and xs[i] < x:
        i += 1
    out[0] = ys[i] if xs[i] >= x else ys[-1] * 2


@declare("(4)->()", "void(bool[:], int64[:])", ("",))
def first_true(flags, out):
    out[0] = -1
    for i in range(4):
        if flags[i]:
            out[0] = i
            return


@declare("(4),()->(4)", "void(T[:], T, bool[:])")
def marked(x, limit, out):
    for i in range(4):
        out[i] = False
    total = limit * 0
    i = 0
    while i < 4 and total < limit:
        out[i] = x[i] > 0
        total += abs(x[i])
        i += 1


@declare("(3),()->()", "void(T[:], T, T[:])", writable_args=("state",))
def stepped(state, x, out):
    if x > 0:
        state[0] += x
        state[1] = state[0] * state[2]
    elif x < 0:
        state[2] -= x
    out[0] = state[0] + state[1]


@declare("(2)->()", "void(T[:], T[:])")
def ratio(v, out):
    """Raise for a negative divisor, after the result is set."""
    out[0] = 0
    if v[1] != 0:
        out[0] = v[0] / v[1]
    if v[1] < 0:
        raise ValueError(f"{v[0]} over {v[1]}")


@declare("(2)->()", "void(T[:], T[:])")
def small_cubes(v, out):
    """Compute only what does not overflow."""
    out[0] = 0
    for i in range(2):
        if abs(v[i]) < 1e3:
            out[0] += (v[i] * v[i] - v[i]) * v[i]


KERNELS = [
    unit,
    ordered,
    compressed,
    newton,
    place_of,
    nearest,
    first_true,
    marked,
    ratio,
    small_cubes,
]


def operands(f, types, n, *, specials=True):
    """Return input arrays for one of a kernel's loops."""
    random = np.random.default_rng(n)
    if f is place_of or f is nearest:
        table = np.sort(random.normal(size=41) * 20)
        arrays = [table, table[::-1], random.normal(size=n) * 30]
        arrays = arrays if f is nearest else [arrays[0], arrays[2]]
    else:
        cores = f.signature.split("->")[0][1:-1].split("),(")
        shapes = [tuple(int(size) for size in core.split(",") if size) for core in cores]
        arrays = [random.normal(size=(n, *shape)) * 2 for shape in shapes]
    dtypes = [np.dtype(char) for char in types.split("->")[0]]
    for array, dtype in zip(arrays, dtypes, strict=True):
        is_table = f in (place_of, nearest) and array.shape != (n,)
        if specials and dtype.kind == "f" and not is_table:
            values = [0.0, -0.0, np.nan, np.inf, 1e30, 0.0]
            array.reshape(-1)[::7] = np.resize(values, array.reshape(-1)[::7].size)
    arrays = [a > 0 if d.kind == "b" else a.astype(d) for a, d in zip(arrays, dtypes, strict=True)]
    if f is ratio:
        arrays[0] = np.abs(arrays[0])
    return arrays

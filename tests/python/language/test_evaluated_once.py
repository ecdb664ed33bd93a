"""Every operand is evaluated once, and in Python's order: each case runs as Python, too."""

import math
import operator

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda
from numpy_plugin.numba import cuda as numba_cuda
from numpy_plugin.numba.cuda.random import (
    create_xoroshiro128p_states,
    xoroshiro128p_uniform_float64,
)


@npp.device
def draw(s, k):
    """Count in s[k], and return the new count."""
    s[k] += 1
    return s[k]


@npp.device
def draw_two(s, k):
    s[k] += 1
    return s[k], 10 * s[k]


@npp.device
def with_default(s, k, extra=3, more=4):
    s[k] += extra + more
    return s[k]


def augmented_elements(s, t, o):
    o[draw(s, 0)] += 1
    o[draw(s, 1) + 1] *= draw(s, 1)
    o[int(draw(s, 2) * 1.5)] -= t[draw(s, 2)]
    o[draw(s, 3) if t[0] > 0 else draw(s, 4)] **= 2
    o[s[5]] += draw(s, 5) + s[5]
    s[draw(s, 6) + 10] //= 3
    s[draw(s, 7) + 10] <<= draw(s, 7)
    s[7 + draw(s, 8)] |= draw(s, 8)
    o[min(draw(s, 9), 5)] /= max(draw(s, 9), 2)


def augmented_loops(s, t, o):
    for _ in range(16):
        o[draw(s, 0) % 8] += 1
    for k in range(4):
        o[s[draw(s, 1)] + k] += t[k]
    while draw(s, 2) < 5:
        o[draw(s, 3)] += s[2]


def augmented_names(s, t, o):
    x = s[0]
    x += draw(s, 0)
    y = 2.0
    y *= draw(s, 1) + s[1]
    o[0] = x
    o[1] = y


def chained_targets(s, t, o):
    x = y = draw(s, 0)
    o[draw(s, 1)] = o[draw(s, 1) + 1] = z = draw(s, 2)
    i = o[i] = draw(s, 3)
    o[10] = x + y + z + i
    s[20] = s[s[20]] = draw(s, 21) + 20


def unpacked(s, t, o):
    a, b = draw_two(s, 0)
    o[draw(s, 1)], o[draw(s, 1)] = draw(s, 2), draw(s, 2)
    i, o[i] = draw_two(s, 3)
    (c, d), e = draw_two(s, 4), draw(s, 5)
    o[6], o[7] = o[7] + draw(s, 6), o[6] + s[6]
    s[20], s[21] = s[21], s[20]
    o[10] = a + b + c + d + e + i
    for o[draw(s, 7) + 10] in range(3):
        o[draw(s, 8)] += 0.5
    for k, o[k + 15] in enumerate((draw(s, 9), draw(s, 9))):
        o[20] += k


def comparisons(s, t, o):
    o[0] = 0 < draw(s, 0) < 3
    o[1] = 5 < draw(s, 1) < draw(s, 1)
    o[2] = draw(s, 2) < draw(s, 2) < draw(s, 2) < 2 < draw(s, 2)
    o[3] = (0 <= s[3] < s[4]) + 2 * draw(s, 3) + 4 * draw(s, 4) + 8 * (0 <= s[3] <= s[4])
    o[4] = (not (s[5] or s[6])) + 2 * draw(s, 5) + 4 * draw(s, 6)
    o[5] = (s[7] if s[7] > 0 else s[8] - 1) + 2 * draw(s, 7) + 4 * draw(s, 8)
    o[6] = (s[9] and s[10]) + 2 * draw(s, 9) + 4 * draw(s, 10)
    if draw(s, 11) > 0 and draw(s, 11) > 2 and draw(s, 11) > 0:
        o[7] = 1
    elif draw(s, 12) == 1 or draw(s, 12) == 1:
        o[7] = 2
    assert draw(s, 13) == 1, f"{draw(s, 13)}"
    o[8] = draw(s, 14) and draw(s, 14)
    o[9] = s[15] or draw(s, 15) or draw(s, 15)
    o[10] = not draw(s, 16)
    o[11] = not (draw(s, 17) and draw(s, 17))


def numbers(s, t, o):
    o[0] = min(draw(s, 0), draw(s, 0), draw(s, 0))
    o[1] = max(draw(s, 1), 0.5)
    o[2] = max((draw(s, 2), draw(s, 2)))
    o[3] = abs(draw(s, 3) - 5)
    o[4] = round(draw(s, 4) / 3, 2)
    o[5] = round(draw(s, 5) / 3.0, draw(s, 5) - 1)
    q, r = divmod(draw(s, 6) + 8, draw(s, 6) + 1)
    o[6] = q * 10 + r
    o[7] = pow(draw(s, 7), 2) + pow(1.5, draw(s, 8)) + draw(s, 9) ** 0.5 + draw(s, 9) ** -1.0
    o[8] = int(draw(s, 10) / 3) + float(draw(s, 10)) + bool(draw(s, 10))
    o[9] = complex(draw(s, 11), draw(s, 11)).imag
    o[10] = math.log(draw(s, 12) + 7, 2) + math.hypot(draw(s, 13), 3, draw(s, 13))
    o[11] = math.frexp(draw(s, 14))[0] + math.modf(draw(s, 14) / 4)[1]
    o[12] = math.isclose(draw(s, 15), draw(s, 15), abs_tol=draw(s, 15))
    o[13] = math.gcd(draw(s, 16) * 6, 4) + math.ldexp(draw(s, 16), int(draw(s, 16)))
    o[14] = sum((draw(s, 17), draw(s, 17)), draw(s, 17)) + math.prod((draw(s, 18), 3))
    o[15] = 2 * any((draw(s, 19), draw(s, 19))) + int(all((draw(s, 20), draw(s, 20))))
    o[16] = math.dist((draw(s, 21), 0), (draw(s, 21), draw(s, 21)))
    o[17] = operator.mul(draw(s, 22), draw(s, 22)) + operator.neg(draw(s, 22))
    o[18] = -draw(s, 23) + ~draw(s, 23)
    o[19] = (draw(s, 24), draw(s, 24))[1] + (5, 6, 7)[draw(s, 25)]
    o[20] = with_default(s, 26) + with_default(s, 26, draw(s, 27)) + with_default(s, 26, more=1)
    o[21] = draw(s, 28) // draw(s, 28) + 7 % draw(s, 28) + (draw(s, 28) << draw(s, 28))


def numpys(s, t, o):
    o[0] = np.where(draw(s, 0) > 1, draw(s, 0), draw(s, 0))
    o[1] = np.clip(draw(s, 1), draw(s, 1), draw(s, 1) + 1)
    o[2] = np.nan_to_num(draw(s, 2) / 2.0, nan=draw(s, 2))
    o[3] = 2 * np.logical_and(draw(s, 3), draw(s, 3)) + int(np.logical_not(draw(s, 3)))
    o[4] = np.maximum(draw(s, 4), draw(s, 4)) + np.add(draw(s, 4), draw(s, 4))
    o[5] = np.float64(draw(s, 5)) + np.int64(draw(s, 5))
    o[6] = np.isclose(draw(s, 6), draw(s, 6), atol=draw(s, 6))
    o[7] = np.angle(draw(s, 7) * -1.0) + np.real(draw(s, 7)) + np.imag(draw(s, 7))
    o[8] = np.frexp(draw(s, 8) / 1.0)[0] + np.modf(draw(s, 8) / 4)[0]
    o[9] = np.round(draw(s, 9) / 3, 1) + np.sign(draw(s, 9)) + np.copysign(draw(s, 9), -1.0)
    o[10] = np.float64(draw(s, 10)).clip(2, draw(s, 10)) + np.float64(draw(s, 10)).conjugate()


def arrays(s, t, o):
    o[draw(s, 0) : draw(s, 0) + 3] = draw(s, 0)
    o[draw(s, 1) : 6] += draw(s, 1)
    o[:] *= draw(s, 2)
    o[draw(s, 3) :] = t[: -draw(s, 4)] * draw(s, 5)
    o[:][t > draw(s, 6)] = draw(s, 6)
    o[t > draw(s, 7)] += draw(s, 7)
    o[1] += (t[draw(s, 8) :] * draw(s, 8)).sum()
    o[2] += np.var(t * draw(s, 9)) + np.mean(t + draw(s, 9))
    o[3] += np.dot(t * draw(s, 10), t[::-1] + draw(s, 10))
    o[4] += len(t[draw(s, 11) :]) + t[draw(s, 12) :].shape[0]
    for k in range(draw(s, 13), draw(s, 13) + 3, draw(s, 13)):
        o[k] += 1
    for k in reversed(range(draw(s, 14), draw(s, 14) + 3)):
        o[k] += 1
    for k, x in enumerate(t[draw(s, 15) :], draw(s, 15)):
        o[6] += k * x
    for x, y in zip(t[draw(s, 16) :], (draw(s, 16), draw(s, 16))):  # noqa: B905
        o[7] += x * y
    for n in (draw(s, 17), draw(s, 17)):
        o[n] += n * n
    o[8] += t[draw(s, 18) :][draw(s, 18)]
    part = o[9 + draw(s, 19) :]
    part[draw(s, 20)] += draw(s, 20)


CASES = [
    augmented_elements,
    augmented_loops,
    augmented_names,
    chained_targets,
    unpacked,
    comparisons,
    numbers,
    numpys,
    arrays,
]


def state():
    return np.zeros(32, np.int64), np.linspace(0.5, 8.25, 32), np.arange(1.0, 33.0)


def differences(function, found):
    """Return what differs from the function as Python, by array and place."""
    wanted = state()
    function(*wanted)
    return [
        (name, int(at), float(mine[at]), float(pythons[at]))
        for name, mine, pythons in zip("sto", found, wanted, strict=True)
        for at in np.flatnonzero(~np.isclose(mine, pythons, rtol=1e-12))
    ]


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_operands_are_evaluated_once_on_the_host(function):
    kernel = npp.guvectorize(
        ["void(int64[:], float64[:], float64[:])"], "(n),(n)->(n)", writable_args=(0,)
    )(function)
    s, t, o = state()
    kernel(s, t, out=o)
    assert differences(function, (s, t, o)) == []


@pytest.mark.parametrize("function", CASES, ids=lambda function: function.__name__)
def test_operands_are_evaluated_once_by_device_kernels(function):
    with cuda.simulator(memory="64 MiB"):
        found = [cuda.to_device(array) for array in state()]
        cuda.kernel(function)[1, 1](*found)
        assert differences(function, [array.copy_to_host() for array in found]) == []


ATOM = np.dtype([("charge", np.float64), ("place", np.float64, (3,)), ("codes", np.int64, (3,))])


def records(s, atoms):
    atoms[draw(s, 0)].charge += 1.5
    atoms[draw(s, 1)].place[draw(s, 2)] *= 3
    atoms[draw(s, 3) + 1].charge = atoms[draw(s, 4)].codes[draw(s, 5)]
    atom = atoms[draw(s, 6)]
    atom.charge -= draw(s, 7)
    atom.place[:] += draw(s, 8)
    atoms[draw(s, 9)].charge, s[20] = draw(s, 10), draw(s, 11)


def test_operands_of_records_are_evaluated_once():
    def made():
        atoms = np.zeros(4, ATOM).view(np.recarray)
        atoms.place = np.arange(12.0).reshape(4, 3) + 1
        return np.zeros(32, np.int64), atoms

    wanted, found = made(), made()
    records(*wanted)
    with cuda.simulator(memory="64 MiB"):
        on_device = [cuda.to_device(array) for array in found]
        cuda.kernel(records)[1, 1](*on_device)
        for array, pythons in zip(on_device, wanted, strict=True):
            np.testing.assert_array_equal(array.copy_to_host(), pythons)


@pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning")
def test_atomic_and_random_indices_of_local_and_shared_arrays():
    @numba_cuda.jit
    def fill(counter, states, out):
        block = numba_cuda.shared.array(8, np.int64)
        mine = numba_cuda.local.array(8, np.int64)
        for i in range(8):
            block[i] = 0
            mine[i] = 0
        for _ in range(4):
            block[numba_cuda.atomic.add(counter, 0, 1)] += 5
            mine[int(xoroshiro128p_uniform_float64(states, 0) * 8)] += 1
        for i in range(8):
            out[i] = block[i]
            out[8] += mine[i]

    with numba_cuda.simulator(memory="64 MiB"):
        counter, out = np.zeros(1, np.int64), np.zeros(9, np.int64)
        fill[1, 1](counter, create_xoroshiro128p_states(1, seed=3), out)
    assert counter.tolist() == [4]
    assert out.tolist() == [5] * 4 + [0] * 4 + [4]


def test_a_ufunc_that_prints_runs_once(capsys):
    @npp.vectorize(["int64(int64)"])
    def shown(x):
        print(x)
        return x

    @npp.guvectorize(["void(int64[:], int64[:])"], "(n)->(n)")
    def add(x, out):
        out[:] = 0
        out[shown(x[0]) % 2] += x[0] * 0 or shown(x[1]) or 3

    assert add([7, 4]).tolist() == [0, 4]
    assert capsys.readouterr().out.split() == ["7", "4"]

"""Kernels as people write them for Numba's vectorize and guvectorize: one text for every reader.

The bodies know only `math`, NumPy and Python. `PROGRAMS` says how each is declared and called.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np


class Program(NamedTuple):
    function: Callable
    signatures: list[str]
    operands: Callable[[np.random.Generator], tuple]
    layout: str = ""  # of guvectorize
    # Relative tolerance: math functions of two libraries differ in the last digits.
    rtol: float = 0.0


SINES = np.sin(np.linspace(0.0, math.pi / 2, 33))
SMOOTHING = np.array([0.25, 0.5, 0.25])
GREGORIAN_EPOCH = 719468


def cube_root_by_newton(a):
    x = a if abs(a) > 1.0 else 1.0
    for _ in range(200):
        step = (x * x * x - a) / (3.0 * x * x)
        x -= step
        if abs(step) <= 1e-14 * abs(x):
            break
    return x


def root_by_bisection(a):
    """The root of x exp(x) = a for a >= 0."""
    low, high = 0.0, 1.0 + a
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if middle * math.exp(middle) < a:
            low = middle
        else:
            high = middle
    return low


def sine_from_table(x):
    position = x / (math.pi / 2) * (len(SINES) - 1)
    i = int(position)
    if i >= len(SINES) - 1:
        return SINES[len(SINES) - 1]
    t = position - i
    return (1.0 - t) * SINES[i] + t * SINES[i + 1]


def histogram_bin(x, low, high, n):
    if math.isnan(x) or x < low or x > high:
        return -1
    i = int((x - low) / (high - low) * n)
    return min(i, n - 1)


def year_of_day(days):
    """The Gregorian year of a number of days since 1970."""
    shifted = days + GREGORIAN_EPOCH
    era = shifted // 146097
    day_of_era = shifted - era * 146097
    year_of_era = (
        day_of_era - day_of_era // 1460 + day_of_era // 36524 - day_of_era // 146096
    ) // 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era // 4 - year_of_era // 100)
    month = (5 * day_of_year + 2) // 153
    return era * 400 + year_of_era + (1 if month >= 10 else 0)


def haversine(latitude, longitude, other_latitude, other_longitude):
    phi, other_phi = math.radians(latitude), math.radians(other_latitude)
    half_height = math.sin((other_phi - phi) / 2)
    half_width = math.sin(math.radians(other_longitude - longitude) / 2)
    a = half_height**2 + math.cos(phi) * math.cos(other_phi) * half_width**2
    return 2 * 6371.0 * math.asin(math.sqrt(min(1.0, a)))


def black_scholes_call(spot, strike, years):
    rate, volatility = 0.03, 0.25
    spread = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / spread
    d2 = d1 - spread
    share = 0.5 * math.erfc(-d1 / math.sqrt(2.0))
    bond = 0.5 * math.erfc(-d2 / math.sqrt(2.0))
    return spot * share - strike * math.exp(-rate * years) * bond


def hue(red, green, blue):
    most = max(red, green, blue)
    least = min(red, green, blue)
    if most == least:
        return 0.0
    if most == red:
        sector = (green - blue) / (most - least)
    elif most == green:
        sector = 2.0 + (blue - red) / (most - least)
    else:
        sector = 4.0 + (red - green) / (most - least)
    return (sector / 6.0) % 1.0


def greatest_common_divisor(a, b):
    while b != 0:
        a, b = b, a % b
    return a


def is_prime(n):
    if n < 2:
        return False
    if n % 2 == 0:
        return n == 2
    divisor = 3
    while divisor * divisor <= n:
        if n % divisor == 0:
            return False
        divisor += 2
    return True


def reversed_bits(x):
    x = ((x >> 1) & 0x55555555) | ((x & 0x55555555) << 1)
    x = ((x >> 2) & 0x33333333) | ((x & 0x33333333) << 2)
    x = ((x >> 4) & 0x0F0F0F0F) | ((x & 0x0F0F0F0F) << 4)
    x = ((x >> 8) & 0x00FF00FF) | ((x & 0x00FF00FF) << 8)
    return (x >> 16) | ((x & 0xFFFF) << 16)


def julia_steps(z, c):
    for n in range(50):
        if z.real * z.real + z.imag * z.imag > 4.0:
            return n
        z = z * z + c
    return 50


def simpson_of_gaussian(low, high):
    n = 64
    h = (high - low) / n
    total = math.exp(-low * low) + math.exp(-high * high)
    for i in range(1, n):
        x = low + i * h
        total += (4.0 if i % 2 else 2.0) * math.exp(-x * x)
    return total * h / 3.0


def parse_digits(characters, out):
    """The number that ASCII codes spell, up to the first that is no digit."""
    value = 0
    sign = 1
    start = 0
    if characters[0] == 45:
        sign = -1
        start = 1
    for i in range(start, characters.shape[0]):
        digit = characters[i] - 48
        if digit < 0 or digit > 9:
            break
        value = value * 10 + digit
    out[0] = sign * value


def determinant(a, scratch, out):
    n = a.shape[0]
    for i in range(n):
        for j in range(n):
            scratch[i, j] = a[i, j]
    result = 1.0
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(scratch[i, k]) > abs(scratch[pivot, k]):
                pivot = i
        if scratch[pivot, k] == 0.0:
            result = 0.0
            break
        if pivot != k:
            result = -result
            for j in range(n):
                scratch[k, j], scratch[pivot, j] = scratch[pivot, j], scratch[k, j]
        result *= scratch[k, k]
        for i in range(k + 1, n):
            factor = scratch[i, k] / scratch[k, k]
            for j in range(k, n):
                scratch[i, j] -= factor * scratch[k, j]
    out[0] = result


def cumulative_sum(x, out):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
        out[i] = total


def smoothed(x, out):
    n = x.shape[0]
    for i in range(n):
        total = 0.0
        for k in range(-1, 2):
            j = min(max(i + k, 0), n - 1)
            total += SMOOTHING[k + 1] * x[j]
        out[i] = total


def running_maximum(x, window, out):
    for i in range(x.shape[0]):
        most = x[i]
        for j in range(max(0, i - window + 1), i):
            if x[j] > most:
                most = x[j]
        out[i] = most


def low_pass(x, alpha, out):
    state = x[0]
    for i in range(x.size):
        state += alpha * (x[i] - state)
        out[i] = state


def edit_distance(a, b, row, out):
    n = len(b)
    for j in range(n):
        row[j] = j + 1
    result = n
    for i in range(len(a)):
        diagonal = i
        left = i + 1
        for j in range(n):
            above = row[j]
            cost = diagonal if a[i] == b[j] else 1 + min(diagonal, above, left)
            diagonal = above
            row[j] = cost
            left = cost
        result = left
    out[0] = result


def next_generation(cells, out):
    rows, columns = cells.shape
    for i in range(rows):
        for j in range(columns):
            neighbours = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        neighbours += cells[(i + di) % rows, (j + dj) % columns]
            alive = neighbours == 3 or (neighbours == 2 and cells[i, j] == 1)
            out[i, j] = 1 if alive else 0


def nearest_centre(point, centres, out):
    best = 0
    least = np.inf
    for k in range(centres.shape[0]):
        distance = 0.0
        for d in range(point.shape[0]):
            distance += (point[d] - centres[k, d]) ** 2
        if distance < least:
            least = distance
            best = k
    out[0] = best


def softmax(x, out):
    most = x[0]
    for i in range(1, x.shape[0]):
        most = max(most, x[i])
    total = 0.0
    for i in range(x.shape[0]):
        out[i] = math.exp(x[i] - most)
        total += out[i]
    for i in range(x.shape[0]):
        out[i] /= total


def sorted_four(x, out):
    a, b, c, d = x[0], x[1], x[2], x[3]
    if a > b:
        a, b = b, a
    if c > d:
        c, d = d, c
    if a > c:
        a, c = c, a
    if b > d:
        b, d = d, b
    if b > c:
        b, c = c, b
    out[0], out[1], out[2], out[3] = a, b, c, d


def numbers(low: float, high: float, n: int = 1, size: object = 50, dtype: str = "f8"):
    """Operands: n arrays of random numbers."""

    def draw(random: np.random.Generator) -> tuple:
        if np.dtype(dtype).kind == "f":
            return tuple(random.uniform(low, high, size).astype(dtype) for _ in range(n))
        return tuple(random.integers(int(low), int(high), size, dtype=dtype) for _ in range(n))

    return draw


def bin_operands(random: np.random.Generator) -> tuple:
    x = np.append(random.uniform(-1.0, 11.0, 50), [np.nan, 0.0, 10.0])
    return x, 0.0, 10.0, np.int64(8)


def complex_operands(random: np.random.Generator) -> tuple:
    real, imaginary = random.uniform(-1.5, 1.5, (2, 50))
    return real + 1j * imaginary, np.complex128(-0.8 + 0.156j)


def digit_operands(random: np.random.Generator) -> tuple:
    words = ["-12", "0", "987654", "12x4", "-", "x"]
    codes = np.zeros((len(words), 6), np.int64)
    for i, word in enumerate(words):
        codes[i, : len(word)] = list(word.encode())
    return (codes,)


def matrix_operands(random: np.random.Generator) -> tuple:
    matrices = random.uniform(-1.0, 1.0, (8, 4, 4))
    matrices[0, 1] = matrices[0, 0]
    matrices[1, 0, 0] = 0.0
    return (matrices,)


def word_operands(random: np.random.Generator) -> tuple:
    return tuple(random.integers(0, 4, (10, n)) for n in (7, 9))


def window_operands(random: np.random.Generator) -> tuple:
    return random.uniform(-1.0, 1.0, (2, 12)), np.int64(4)


def filter_operands(random: np.random.Generator) -> tuple:
    return random.uniform(-1.0, 1.0, (2, 12)), 0.3


def board_operands(random: np.random.Generator) -> tuple:
    return (random.integers(0, 2, (2, 8, 9)),)


def centre_operands(random: np.random.Generator) -> tuple:
    return random.uniform(0.0, 1.0, (30, 3)), random.uniform(0.0, 1.0, (5, 3))


def row(function: Callable, signature: str, operands: Callable, **options: object) -> Program:
    return Program(function, [signature], operands, **options)  # type: ignore[arg-type]


F8 = "float64(float64)"
F8_2 = "float64(float64, float64)"
F8_3 = "float64(float64, float64, float64)"
F8_4 = "float64(float64, float64, float64, float64)"
ARRAY_TO_ARRAY = "void(float64[:], float64[:])"

PROGRAMS = {
    program.function.__name__: program
    for program in [
        row(cube_root_by_newton, F8, numbers(-50.0, 50.0), rtol=1e-15),
        row(root_by_bisection, F8, numbers(0.0, 50.0), rtol=1e-11),
        row(sine_from_table, F8, numbers(0.0, 1.5708)),
        row(histogram_bin, "int64(float64, float64, float64, int64)", bin_operands),
        row(year_of_day, "int64(int64)", numbers(-800000, 800000, dtype="i8")),
        row(haversine, F8_4, numbers(-80.0, 80.0, 4), rtol=1e-13),
        row(black_scholes_call, F8_3, numbers(1.0, 3.0, 3), rtol=1e-12),
        row(hue, F8_3, numbers(0.0, 1.0, 3)),
        row(greatest_common_divisor, "int64(int64, int64)", numbers(1, 9999, 2, dtype="i8")),
        row(is_prime, "bool(int64)", numbers(0, 2000, dtype="i8")),
        row(reversed_bits, "uint32(uint32)", numbers(0, 2**32, dtype="u4")),
        row(julia_steps, "int64(complex128, complex128)", complex_operands),
        row(simpson_of_gaussian, F8_2, numbers(-2.0, 2.0, 2), rtol=1e-12),
        row(parse_digits, "void(int64[:], int64[:])", digit_operands, layout="(n)->()"),
        row(
            determinant,
            "void(float64[:,:], float64[:,:], float64[:])",
            matrix_operands,
            layout="(n,n)->(n,n),()",
            rtol=1e-12,
        ),
        row(cumulative_sum, ARRAY_TO_ARRAY, numbers(-1.0, 1.0, size=(3, 20)), layout="(n)->(n)"),
        row(smoothed, ARRAY_TO_ARRAY, numbers(-1.0, 1.0, size=(3, 20)), layout="(n)->(n)"),
        row(
            running_maximum,
            "void(float64[:], int64, float64[:])",
            window_operands,
            layout="(n),()->(n)",
        ),
        row(
            low_pass,
            "void(float64[:], float64, float64[:])",
            filter_operands,
            layout="(n),()->(n)",
            rtol=1e-14,
        ),
        row(
            edit_distance,
            "void(int64[:], int64[:], int64[:], int64[:])",
            word_operands,
            layout="(m),(n)->(n),()",
        ),
        row(next_generation, "void(int64[:,:], int64[:,:])", board_operands, layout="(m,n)->(m,n)"),
        row(
            nearest_centre,
            "void(float64[:], float64[:,:], int64[:])",
            centre_operands,
            layout="(d),(k,d)->()",
        ),
        row(
            softmax, ARRAY_TO_ARRAY, numbers(-5.0, 5.0, size=(4, 9)), layout="(n)->(n)", rtol=1e-14
        ),
        row(sorted_four, ARRAY_TO_ARRAY, numbers(-5.0, 5.0, size=(9, 4)), layout="(n)->(n)"),
    ]
}

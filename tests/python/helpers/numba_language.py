"""Forms of the language that kernels for Numba are written in: one text for every reader.

`PROGRAMS` says how each is declared and called, as in `numba_programs`.
"""

from __future__ import annotations

import math

import numpy as np
from numba_programs import row

TENS = (10.0, 20.0, 30.0)


def plane_distances(planes, point, out):
    px, py, pz = point
    for k in range(planes.shape[0]):
        x, y, z, offset = planes[k]
        out[k] = (x * px + y * py + z * pz - offset) / math.sqrt(x * x + y * y + z * z)


def edge_lengths(points, edges, out):
    for k in range(edges.shape[0]):
        i, j = edges[k, :]
        (x0, y0), (x1, y1) = points[i], points[j]
        out[k] = math.hypot(x1 - x0, y1 - y0)


def first_slope(a, out):
    p, q = a[:2]
    r, s = a[-2:]
    out[0] = (q - p) - (s - r)


def determinant_of_two(m, out):
    (a, b), (c, d) = m
    out[0] = a * d - b * c


def shoelace(corners, out):
    x0, y0 = corners[-1]
    out[0] = 0.0
    for x, y in corners:
        out[0] += 0.5 * (x0 * y - x * y0)
        x0, y0 = x, y


def sorted_pair(pair, out):
    out[0], out[1] = pair
    if out[0] > out[1]:
        out[0], out[1] = out[1], out[0]


def exponential_mean(seq, weight=0.25, res=None):
    total = seq[0]
    for i in range(seq.shape[0]):
        total = (1.0 - weight) * total + weight * seq[i]
        res[i] = total


def histogram_of_tens(a, out):
    n_bins = 2 * (len(TENS) + 1)
    last = n_bins - 1
    counts = np.zeros(n_bins, np.int64)
    for i in range(a.shape[0]):
        counts[min(int(abs(a[i]) * n_bins), last)] += 1
    for i in range(out.shape[0]):
        out[i] = counts[i % n_bins] + 100 * counts[last]


def product_by_parts(a, b, out):
    rows, columns = 2, 3
    part = np.empty((rows, columns))
    for i in range(rows):
        for j in range(columns):
            part[i, j] = a[i] * b[j]
    out[0] = part.sum()


def numbers(*shapes: tuple[int, ...]):
    return lambda random: tuple(random.uniform(-2.0, 2.0, shape) for shape in shapes)


def graph(random: np.random.Generator) -> tuple:
    return random.uniform(-1.0, 1.0, (3, 7, 2)), random.integers(0, 7, (3, 9, 2))


ARRAYS = "void(float64[:,:], float64[:])"

PROGRAMS = {
    program.function.__name__: program
    for program in [
        row(
            plane_distances,
            "void(float64[:,:], float64[:], float64[:])",
            numbers((3, 5, 4), (3, 3)),
            layout="(k,p),(d)->(k)",
            rtol=1e-15,
        ),
        row(
            edge_lengths,
            "void(float64[:,:], int64[:,:], float64[:])",
            graph,
            layout="(n,d),(e,d)->(e)",
            rtol=1e-15,
        ),
        row(first_slope, "void(float64[:], float64[:])", numbers((4, 6)), layout="(n)->()"),
        row(determinant_of_two, ARRAYS, numbers((5, 2, 2)), layout="(n,n)->()"),
        row(shoelace, ARRAYS, numbers((3, 6, 2)), layout="(n,d)->()"),
        row(sorted_pair, "void(float64[:], float64[:])", numbers((8, 2)), layout="(n)->(n)"),
        row(
            histogram_of_tens,
            "void(float64[:], int64[:])",
            numbers((3, 20)),
            layout="(n)->(n)",
        ),
        row(
            product_by_parts,
            "void(float64[:], float64[:], float64[:])",
            numbers((4, 2), (4, 3)),
            layout="(m),(n)->()",
            rtol=1e-14,
        ),
        row(
            exponential_mean,
            "void(float64[:], float64, float64[:])",
            numbers((3, 9), (3,)),
            layout="(n),()->(n)",
            rtol=1e-14,
        ),
    ]
}

"""npp.random: the published vectors of Philox, the distributions, one answer on all targets."""

import math

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

# From the known answers of Random123, philox4x32 with 10 rounds: counter, key, block.
KNOWN_ANSWERS = [
    ([0] * 4, [0] * 2, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
    (
        [0xFFFFFFFF] * 4,
        [0xFFFFFFFF] * 2,
        [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD],
    ),
    (
        [0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344],
        [0xA4093822, 0x299F31D0],
        [0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1],
    ),
]

block = npp.vectorize(
    ["uint32, uint32, uint32, uint32(uint32, uint32, uint32, uint32, uint32, uint32)"],
    name="block",
    args="c0, c1, c2, c3, k0, k1",
    outs="w0, w1, w2, w3",
    preamble='#include "npp/math/random.hpp"',
    body="const npp::PhiloxBlock b = npp::philox({{c0, c1, c2, c3}}, npp::uint64(k1) << 32 | k0);"
    "w0 = b.words[0]; w1 = b.words[1]; w2 = b.words[2]; w3 = b.words[3];",
)


@npp.vectorize(["float64(int64, int64)"])
def both(seed, i):
    return npp.random.uniform(seed, i) + npp.random.normal(seed, i)


@pytest.mark.parametrize(("counter", "key", "words"), KNOWN_ANSWERS)
def test_philox_gives_its_known_answers(counter, key, words):
    assert [int(word) for word in block(*map(np.uint32, counter + key))] == words


def test_bits_are_the_first_two_words():
    low, high = KNOWN_ANSWERS[0][2][:2]
    assert npp.random.bits(0, 0) == np.uint64(high << 32 | low)
    assert npp.random.uniform(0, 0) == ((high << 32 | low) >> 11) / 2**53


def test_seeds_and_indices_are_integers_of_any_kind():
    i = np.arange(-3, 3)
    expected = npp.random.bits(7, i)
    assert np.array_equal(npp.random.bits(np.uint64(7), i.astype("uint64")), expected)
    assert np.array_equal(npp.random.bits(np.int8(7), i.astype("int16")), expected)
    assert np.array_equal(npp.random.bits(np.uint64(7), i), expected)
    assert len(np.unique(np.concatenate([expected, npp.random.bits(8, i)]))) == 12
    with pytest.raises(TypeError, match="uniform"):
        npp.random.uniform(1.5, 0)


def test_uniform_numbers_are_uniform():
    n = 200_000
    x = npp.random.uniform(3, np.arange(n))
    assert x.min() >= 0 and x.max() < 1
    assert abs(x.mean() - 0.5) < 5 * math.sqrt(1 / 12 / n)
    assert abs(x.var() - 1 / 12) < 5 * math.sqrt(1 / 180 / n)
    assert chi_square(x, 200) < 5
    assert abs(np.corrcoef(x[:-1], x[1:])[0, 1]) < 5 / math.sqrt(n)


def test_normal_numbers_are_normal_and_independent_of_uniform_ones():
    n = 200_000
    z = npp.random.normal(3, np.arange(n))
    assert abs(z.mean()) < 5 / math.sqrt(n)
    assert abs(z.var() - 1) < 5 * math.sqrt(2 / n)
    assert abs((z**3).mean()) < 5 * math.sqrt(15 / n)
    probabilities = np.array([0.5 * math.erfc(-value / math.sqrt(2)) for value in z[:50_000]])
    assert chi_square(probabilities, 100) < 5
    u = npp.random.uniform(3, np.arange(n))
    assert abs(np.corrcoef(u, z)[0, 1]) < 5 / math.sqrt(n)


def chi_square(x, n_bins):
    """How many sigmas the counts of equal parts of [0, 1) are away from equal."""
    counts = np.bincount((x * n_bins).astype(int), minlength=n_bins)
    expected = x.size / n_bins
    return (((counts - expected) ** 2 / expected).sum() - n_bins) / math.sqrt(2 * n_bins)


def test_the_quantile_is_that_of_the_normal_distribution():
    special = pytest.importorskip("scipy.special")
    quantile = npp.vectorize(
        ["float64(float64)"],
        name="quantile",
        args="q",
        preamble='#include "npp/math/random.hpp"',
        body="return npp::random_detail::normal_quantile(q);",
    )
    p = np.concatenate([np.linspace(1e-9, 0.5, 10_001), 2.0 ** -np.arange(2, 54)])
    p = np.round(p * 2**53) / 2**53  # so that p - 0.5 is exact
    assert np.allclose(quantile(p - 0.5), special.ndtri(p), rtol=4e-15, atol=1e-15)
    assert np.array_equal(quantile(0.5 - p), -quantile(p - 0.5))


@pytest.mark.parametrize("place", ["simulator", pytest.param("gpu", marks=pytest.mark.gpu)])
def test_the_same_bits_on_a_device(place):
    i = np.arange(3000)
    with cuda.gpus[0] if place == "gpu" else cuda.simulator(memory="16 MiB"):
        d = cuda.to_device(i)
        for name in npp.random.__all__:
            ufunc = getattr(npp.random, name)
            assert np.array_equal(ufunc(5, d).copy_to_host(), ufunc(5, i)), name
        assert np.array_equal(both(5, d).copy_to_host(), both(5, i))
    assert np.array_equal(both(5, i), npp.random.uniform(5, i) + npp.random.normal(5, i))


def test_the_module_says_what_it_has():
    assert type(npp.random.uniform) is np.ufunc
    assert npp.random.uniform is npp.random.uniform
    first, _, second = npp.random.normal.__doc__.splitlines()[:3]
    assert first.startswith("normal(seed, index, out=None, *")
    assert second.startswith("Numbers from the standard normal distribution")
    assert {"bits", "normal", "uniform"} <= set(dir(npp.random))
    with pytest.raises(AttributeError, match="no attribute 'uniforn'"):
        getattr(npp.random, "uniforn")  # noqa: B009

"""Numba's random numbers in device kernels: the numbers are those of Numba 0.68.1."""

import numpy as np
import pytest

from numpy_plugin.numba import cuda, float64, uint64, void
from numpy_plugin.numba.cuda import random
from numpy_plugin.numba.cuda.random import (
    create_xoroshiro128p_states,
    init_xoroshiro128p_states,
    xoroshiro128p_next,
    xoroshiro128p_normal_float32,
    xoroshiro128p_normal_float64,
    xoroshiro128p_uniform_float32,
    xoroshiro128p_uniform_float64,
)

pytestmark = pytest.mark.filterwarnings("ignore::numpy_plugin.PerformanceWarning")


@pytest.fixture(scope="module", autouse=True)
def device():
    with cuda.simulator():
        yield


@pytest.mark.parametrize(
    ("n", "seed", "start", "expected"),
    [
        (
            3,
            1,
            0,
            [
                (0x910A2DEC89025CC1, 0x910A2DEC89025CC1),
                (0x73C19A5348FC9098, 0x6C96C932F21D71EE),
                (0x0B3D0CD6DDFA7A4C, 0xD3C2C33E9B8E707A),
            ],
        ),
        (
            4,
            12345,
            2,
            [
                (0xACC916A8455438FF, 0x4E05835506937906),
                (0x81677962ECC05FC7, 0x6AD0E4DAB75AD20B),
                (0xBEFA25F3118B9BBF, 0x6C72B22D7DB22783),
                (0x31BD3AD7BB6686A0, 0x986B232C0E34383E),
            ],
        ),
    ],
)
def test_states(n, seed, start, expected):
    states = create_xoroshiro128p_states(n, seed, subsequence_start=start)
    assert [tuple(map(int, row)) for row in states.copy_to_host()] == expected


def test_states_of_the_same_seed_continue_one_another():
    whole = create_xoroshiro128p_states(1000, 5, stream=cuda.stream()).copy_to_host()
    rest = cuda.device_array((300, 2), np.uint64)
    init_xoroshiro128p_states(rest, seed=5, subsequence_start=700)
    np.testing.assert_array_equal(rest.copy_to_host(), whole[700:])
    assert len(np.unique(whole[:, 0])) == 1000
    assert create_xoroshiro128p_states(0, 5).shape == (0, 2)


@pytest.mark.parametrize(
    "signature", [None, void(random.xoroshiro128p_type[:], uint64[:, :], float64[:, :])]
)
def test_numbers_in_kernels(signature):
    @cuda.jit(signature)
    def draw(states, bits, numbers):
        i = cuda.grid(1)
        if i < bits.shape[0]:
            for j in range(3):
                bits[i, j] = xoroshiro128p_next(states, i)
            numbers[i, 0] = xoroshiro128p_uniform_float64(states, i)
            numbers[i, 1] = xoroshiro128p_uniform_float32(states, i)
            numbers[i, 2] = xoroshiro128p_normal_float32(states, i)
            numbers[i, 3] = cuda.random.xoroshiro128p_normal_float64(states, i)

    bits = np.zeros((3, 3), np.uint64)
    numbers = np.zeros((3, 4))
    draw[1, 32](create_xoroshiro128p_states(3, seed=2024), bits, numbers)
    assert [[int(item) for item in row] for row in bits] == [
        [0x3EDB1FD9F11DD9AA, 0x6ACFB6C7F67C4776, 0xA40FA3EA315665D4],
        [0x490BEA8CAD393F62, 0x45807A6313C892ED, 0x3D5D0C8367B91A24],
        [0xC13D12CD5EE3B2B2, 0x3544F7462440AD7C, 0x1B17C00BB7DFDF63],
    ]
    uniform = [0.6953358055953875, 0.6548809154643808, 0.8884798582158491]
    assert numbers[:, 0].tolist() == uniform
    single = [0.17635536193847656, 0.2694272994995117, 0.6398285627365112]
    assert numbers[:, 1].tolist() == single
    normal = [2.700314521789551, 0.7207697629928589, -0.9624868035316467]
    np.testing.assert_allclose(numbers[:, 2], normal, rtol=1e-6)
    normal = [-0.12226728721807548, -0.5650659680877473, -0.6574871656698557]
    np.testing.assert_allclose(numbers[:, 3], normal, rtol=1e-6)


def test_states_of_another_form_are_refused():
    with pytest.raises(TypeError, match=r"states must be uint64 of shape \(n, 2\), found float64"):
        init_xoroshiro128p_states(cuda.device_array((4, 2)), 1)
    with pytest.raises(ValueError, match="subsequence_start must be at least 0, found -1"):
        create_xoroshiro128p_states(4, 1, -1)


def test_the_module_has_its_public_names():
    assert set(random.__all__) <= set(dir(random))
    assert cuda.random is random
    assert xoroshiro128p_normal_float64 is random.xoroshiro128p_normal_float64


# States whose next number has all bits set, or none.
@pytest.mark.parametrize(("state", "is_one"), [((2**64 - 1, 0), True), ((1, 2**64 - 1), False)])
def test_extremes_of_the_distributions(state, is_one):
    @cuda.jit
    def draw(states, numbers):
        numbers[0] = xoroshiro128p_uniform_float32(states, 0)
        numbers[1] = xoroshiro128p_uniform_float64(states, 1)
        numbers[2] = xoroshiro128p_normal_float32(states, 2)
        numbers[3] = xoroshiro128p_normal_float64(states, 3)

    numbers = np.zeros(4)
    draw[1, 1](np.array([state] * 4, np.uint64), numbers)
    assert numbers[:2].tolist() == ([1 - 2.0**-24, 1 - 2.0**-53] if is_one else [0, 0])
    assert np.isfinite(numbers).all()

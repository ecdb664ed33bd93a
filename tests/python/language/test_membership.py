"""Membership in tuples, and lists of numbers."""

import math

import numpy as np
import pytest

import numpy_plugin as npp
from numpy_plugin import cuda

X = np.array([-2.0, 0.0, 1.0, 2.5, 105.0, math.nan])
LIMITS = (1, 2.5)


def one_of_three(x):
    return 1.0 if x in (1, 2.5, -2.0) else 0.0


def not_in_a_constant(x):
    return 1.0 if x not in LIMITS else 0.0


def in_a_list(x):
    return 1.0 if x * 2 in [2.0, x + x] else 0.0


def in_a_set(x):
    return 1.0 if x in {2.5, 0} else 0.0


def in_nothing(x):
    return 1.0 if x in () else 0.0  # noqa: RUF060


def joined(x):
    return 1.0 if (x in (0, 1) and x not in (1,)) or x in (105,) else 0.0


def items_of_a_list(x):
    weights = [0.5, 0.25, x]
    total = 0.0
    for i in range(len(weights)):
        total += weights[i]
    return total + sum([x, 1.0]) + max([x, 2.0])


FUNCTIONS = [
    one_of_three, not_in_a_constant, in_a_list, in_a_set, in_nothing, joined, items_of_a_list,
]  # fmt: skip


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_values_are_the_interpreters(f):
    kernel = npp.vectorize(["float64(float64)"])(f)
    expected = np.array([f(each) for each in X.tolist()])
    np.testing.assert_array_equal(kernel(X), expected)
    with cuda.simulator():
        np.testing.assert_array_equal(kernel(cuda.to_device(X)).copy_to_host(), expected)


def test_the_value_is_computed_once():
    @npp.device
    def advance(state):
        state[0] += 1
        return state[0]

    @npp.guvectorize(["(float64[:], int64[:])"], "(n)->()", writable_args=("state",))
    def f(state, found):
        found[0] = 0
        for _ in range(3):
            found[0] += advance(state) in (1.0, 2.0, 5.0)

    @npp.guvectorize(["(float64[:], float64[:])"], "(n)->()", writable_args=("state",))
    def of_a_list(state, found):
        items = [advance(state), (1.0, 2.0)]
        found[0] = items[0] + items[1][1]

    state = np.zeros(1)
    assert f(state) == 2
    assert state[0] == 3
    assert of_a_list(state) == 6
    assert state[0] == 4


def test_membership_costs_what_comparisons_cost():
    @npp.vectorize(["float64(float64)"])
    def written_out(x):
        return 1.0 if x == 1 or x == 2.5 or x == -2.0 else 0.0

    def body(kernel):
        source = npp.inspect(kernel).source()
        return source[source.index("call(") : source.index("}")]

    assert body(npp.vectorize(["float64(float64)"])(one_of_three)) == body(written_out)

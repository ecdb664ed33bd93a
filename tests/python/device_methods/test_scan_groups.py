"""A scan's order over groups of tiles, whichever of the groups before are complete."""

import functools
import pathlib

import numpy as np
import pytest
from machines.device_under_test import needs_simulator

import numpy_plugin as npp
from numpy_plugin import cuda

GROUPS = """
#include "npp/reduce/scan.hpp"

struct Halved {
  static constexpr bool kIsSimple = true;
  using Item = double;
  NPP_FUNCTION static Item join(npp::Errors&, Item left, Item right) { return left * 0.5 + right; }
};
struct Scan {
  using Tree = Halved;
  using Item = double;
  using Number = npp::uint64;
  struct Arguments {
    npp::uint64 n_chunks, scratch, tickets;
    struct { npp::uint64 n; } outputs;
  };
};

extern "C" __global__ void prefix_of_group(npp::ScanGroups<double>::Group* groups,
                                           npp::uint32* flags, npp::uint64 group,
                                           double* result) {
  npp::Errors errors;
  const Scan::Arguments arguments{
      .n_chunks = 0, .scratch = npp::uint64(groups), .tickets = npp::uint64(flags),
      .outputs = {1}};
  const npp::ScanTile<Scan> tile{arguments, errors, 0, 0, 0};
  const double found = tile.find_group_prefix(group);
  if (threadIdx.x == 0) *result = found;
}
"""
TEMPLATES = pathlib.Path(__file__).parents[3] / "templates"

pytestmark = pytest.mark.usefixtures("device")


@functools.cache
def prefix_of_group():
    return npp.RawKernel(GROUPS, "prefix_of_group", (f"-I{TEMPLATES}", "-std=c++20"))


@pytest.mark.parametrize(("group", "distance"), [(1, 1), (3, 2), (40, 1), (40, 9), (40, 32)])
def test_a_group_looks_back_to_the_nearest_prefix(group, distance):
    values = np.random.default_rng(0).normal(size=(group, 3))  # tree, last tile, prefix
    flags = np.full(1 + group, 1, np.uint32)
    flags[0] = 0  # the counter of tiles
    flags[1 : 2 + group - distance] = 2
    result = cuda.zeros(1)
    prefix_of_group()(
        (1,), (32,), (cuda.to_device(values), cuda.to_device(flags), np.uint64(group), result)
    )
    expected = values[group - distance, 2]
    for tree, last, _ in values[group - distance + 1 :]:
        expected = (expected * 0.5 + tree) * 0.5 + last
    assert result.copy_to_host()[0] == expected


@npp.vectorize(["f4(f4, f4)"], target="cpu", identity=0)
def plus(x, y):
    return x + y


def tree(items):
    """Join neighbors, then pairs of them, until one is left."""
    while len(items) > 1:
        pairs = [items[i : i + 2].sum() for i in range(0, len(items), 2)]
        items = np.array(pairs, np.float32)
    return items[0]


@needs_simulator
def test_groups_follow_one_another():
    """Tiles have one number each, so that the order of tiles and groups alone decides the bits."""
    tiles = np.random.default_rng(1).normal(size=3 * 128 + 3).astype(np.float32)
    values = np.zeros((len(tiles), 4096), np.float32)
    values[:, 0] = tiles
    with cuda.simulator():
        found = plus.accumulate(cuda.to_device(values.ravel())).copy_to_host()
    before = None
    for first in range(0, len(tiles), 128):
        group = tiles[first : first + 128]
        for i in range(len(group)):
            parts = [before, tree(group[:i]) if i > 0 else None, group[i]]
            prefix = functools.reduce(np.add, [part for part in parts if part is not None])
            assert found[(first + i) * 4096] == prefix, first + i
        before = prefix

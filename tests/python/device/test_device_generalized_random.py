"""Random loop nests on a device: whatever becomes threads or is staged has the CPU's bits."""

from __future__ import annotations

import importlib.util
import random
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from long_runs import in_long_runs

import numpy_plugin as npp
from numpy_plugin import _core, cuda

pytestmark = pytest.mark.usefixtures("device")


class KernelWriter:
    """Kernels over `a` and `out` of one square shape, from a small grammar."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def value(self, indices: list[str], depth: int = 0) -> str:
        pick = self.random.choice
        forms = ["s", "t", f"{self.random.randint(1, 5)}.0", f"a[{pick(indices)}, {pick(indices)}]"]
        if "j" in indices:
            forms += ["out[i, j]", pick(["out[i, j]", "out[i, j - 1]", "out[j, i]"])]
        if depth < 2:
            parts = self.value(indices, depth + 1), self.value(indices, depth + 1)
            forms += [f"({parts[0]} {pick('+-*')} {parts[1]})"] * 2
        return pick(forms)

    def statement(self, indices: list[str]) -> list[str]:
        pick, value = self.random.choice, self.value(indices)
        condition = f"if {self.value(indices)} > {self.value(indices)}:"
        forms = [
            [f"{pick('st')} = {value}"],
            [f"{pick('st')} = {value}"],
            [f"{pick('st')} += {value}"],
            [condition, f"    {pick('st')} = {value}"],
            [condition, f"    s = {value}", "else:", f"    s = {self.value(indices)}"],
            [condition, pick(["    continue", "    continue", "    break"])],
        ]
        if "j" in indices:
            forms.append(["for k in range(a.shape[0]):", f"    s += {self.value([*indices, 'k'])}"])
            forms += [[f"out[i, j] {pick(['=', '+='])} {value}"]] * 2
        return pick(forms)

    def kernel(self, name: str) -> str:
        ends = ["a.shape[0]", "a.shape[0]", "3", "a.shape[0] - 1", "1, 3"]
        lines = ["s = 1.0", "t = 2.0", f"for i in range({self.random.choice(ends)}):"]
        if self.random.random() < 0.5:
            lines += [f"    s = {self.value(['i'])}", f"    t = {self.value(['i'])}"]
        lines.append(f"    for j in range({self.random.choice([*ends, 'i'])}):")
        inner = [f"s = {self.value(['i'])}"] if self.random.random() < 0.5 else []
        for _ in range(self.random.randint(1, 3)):
            inner += self.statement(["i", "j"])
        lines += [f"        {line}" for line in [*inner, f"out[i, j] = {self.value(['i', 'j'])}"]]
        return "\n".join([f"def {name}(a, out):", *(f"    {line}" for line in lines)])


def imported(text: str, path: Path) -> ModuleType:
    path.write_text(text + "\n")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def same_bits(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Any nan is like another."""
    return bool(((found == wanted) | ((found != found) & (wanted != wanted))).all())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("n_kernels", [6, *in_long_runs(30)])
@pytest.mark.parametrize(
    ("layout", "n_items", "expected_forms"),
    [
        ("(n,n)->(n,n)", 7, {"generalized", "split"}),
        ("(3,3)->(3,3)", 17_000, {"generalized", "split", "staged"}),
    ],
)
def test_random_loop_nests(
    layout: str, n_items: int, expected_forms: set[str], n_kernels: int, tmp_path: Path
) -> None:
    writer = KernelWriter(seed=n_items)
    names = [f"kernel_{number}" for number in range(n_kernels)]
    text = "\n\n\n".join(map(writer.kernel, names))
    module = imported(text, tmp_path / f"kernels_{n_items}.py")
    a = np.random.default_rng(n_items).integers(-3, 4, (n_items, 3, 3)).astype(float)
    forms = set()
    for name in names:
        ufunc = npp.guvectorize(["void(float64[:,:], float64[:,:])"], layout)(getattr(module, name))
        wanted = np.ones_like(a)
        with np.errstate(all="ignore"):
            ufunc(a, out=wanted)
        on_device, out = cuda.to_device(a), cuda.to_device(np.ones_like(a))
        forms.add(_core.explain_launch(ufunc, (on_device,), {"out": out})[0])
        ufunc(on_device, out=out)
        assert same_bits(out.copy_to_host(), wanted), npp.inspect(ufunc).python
    assert forms == expected_forms

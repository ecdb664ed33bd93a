"""What type checkers refuse: an ignored mistake that is none is a mistake to them, too."""

from typing import Any

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


def f(x: float) -> float:
    return x


def k(a: Any) -> None:
    a[0] = 1


npp.vectorize(3)  # type: ignore[call-overload]
npp.vectorize([3])  # type: ignore[list-item]
npp.vectorize(["f->f"], targte="cuda")  # type: ignore[call-overload]
npp.vectorize(["f->f"], target=3)  # type: ignore[call-overload]
npp.vectorize(["f->f"], fastmath="yes")  # type: ignore[call-overload]
npp.vectorize(["f->f"], args="x")  # type: ignore[call-overload]
npp.vectorize(["f->f"], args="x", body=3)  # type: ignore[call-overload]
npp.vectorize(f, body="return x;")  # type: ignore[call-overload]
npp.vectorize(["f->f"], writable_args=(0,))  # type: ignore[call-overload]
npp.vectorize(["f->f"], "(n)->(n)")  # type: ignore[call-overload]
npp.guvectorize(["d->d"], 3)  # type: ignore[call-overload]
npp.guvectorize(["d->d"], "(n)->(n)", writable_args=3)  # type: ignore[call-overload]
npp.guvectorize(["d->d"], "(n)->(n)", wirtable_args=(0,))  # type: ignore[call-overload]
npp.fuse(3)  # type: ignore[call-overload]
npp.fuse(f, body="return x;")  # type: ignore[call-overload]
npp.compose(np.sin, 3)  # type: ignore[arg-type]
npp.compose(np.sin, np.cos, signatures="f->f")  # type: ignore[call-arg]
npp.device(3)  # type: ignore[arg-type]
npp.device(f)("a")  # type: ignore[arg-type]
npp.declare_device("f")  # type: ignore[call-arg]
npp.declare_device("f", "d(d)", cpu=3)  # type: ignore[arg-type]
npp.inspect(3)  # type: ignore[call-overload]
npp.inspect(np.sin).sorce("cpu")  # type: ignore[attr-defined]
npp.vectorise(["f->f"])  # type: ignore[attr-defined]

cuda.kernel(3)  # type: ignore[call-overload]
cuda.kernel(k)[1]()  # type: ignore[index]
cuda.to_device()  # type: ignore[call-arg]
cuda.zeros((2, 3), np.float32).copy_to_hots()  # type: ignore[attr-defined]
cuda.zeros("a")  # type: ignore[arg-type]

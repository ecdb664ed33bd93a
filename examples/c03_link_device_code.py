"""An external function called in a ufunc: CUDA C++ and PTX for devices, C for the CPU."""

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda

C_SOURCE = "int bar(int x, int y) { return 2 * x + y; }"
CUDA_SOURCE = 'extern "C" __device__ int bar(int x, int y) { return 2 * x + y; }'
PTX = b"""
.version 7.0
.target sm_75
.address_size 64
.visible .func (.param .b32 result) bar(.param .b32 x, .param .b32 y) {
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x];
  ld.param.b32 %r2, [y];
  mad.lo.s32 %r3, %r1, 2, %r2;
  st.param.b32 [result], %r3;
  ret;
}
"""


def ufunc_of(bar: npp.DeclaredFunction) -> np.ufunc:
    """Return a ufunc whose kernel calls the function."""

    @npp.vectorize(["int32(int32, int32)"])
    def call_bar(x: int, y: int) -> int:
        return bar(x, y)

    return call_bar


def main() -> None:
    x = np.arange(1000, dtype=np.int32)
    y = x[::-1].copy()
    expected = 2 * x + y

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        types = "int32(int32, int32)"
        for name, bar in (
            ("CUDA C++", npp.declare_device("bar", types, source=CUDA_SOURCE, cpu=C_SOURCE)),
            ("PTX", npp.declare_device("bar", types, link=PTX, cpu=C_SOURCE)),
        ):
            call_bar = ufunc_of(bar)
            assert np.array_equal(call_bar(x, y), expected)
            on_device = call_bar(cuda.to_device(x), cuda.to_device(y))
            assert np.array_equal(on_device.copy_to_host(), expected)
            print(f"{name} for the device, C for the CPU: the same numbers")

    try:
        npp.declare_device("bar", "int64(int32, int32)", link=PTX)
    except npp.SignatureError as error:
        print("refused:", error)
    try:
        npp.declare_device("baz", "int32(int32, int32)", link=PTX)
    except ValueError as error:
        print("refused:", str(error).partition("\n")[0])


if __name__ == "__main__":
    main()

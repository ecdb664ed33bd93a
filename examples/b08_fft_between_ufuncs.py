"""cuFFT, called by nvmath-python, between two ufuncs: device arrays pass by their addresses."""

import importlib
import importlib.util

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["complex128(float64, float64)"])
def windowed(value: float, phase: float) -> complex:
    """A value times the Hann window, as a complex number."""
    return complex(value * 0.5 * (1 - np.cos(phase)))


@npp.vectorize(["float64(complex128)"])
def power(z: complex) -> float:
    """The squared magnitude."""
    return z.real * z.real + z.imag * z.imag


def fft(rows: cuda.DeviceArray) -> cuda.DeviceArray:
    """The Fourier transform of contiguous rows of complex128, on this thread's stream."""
    cufft = importlib.import_module("nvmath.bindings.cufft")
    n_rows, n = rows.shape
    out = cuda.device_array(rows.shape, rows.dtype)
    plan = cufft.create()
    try:
        cufft.plan1d(plan, n, cufft.Type.Z2Z, n_rows)
        cufft.set_stream(plan, cuda.current_stream().handle)
        cufft.exec_z2z(plan, address(rows), address(out), -1)  # CUFFT_FORWARD
        cuda.current_stream().synchronize()  # before the plan's work area is freed
    finally:
        cufft.destroy(plan)
    return out


def address(array: cuda.DeviceArray) -> int:
    """The address of an array's first element."""
    return int(array.__cuda_array_interface__["data"][0])


def obstacle() -> str:
    """Why there is no cuFFT; empty where there is."""
    if not cuda.is_available() or cuda.current_device().is_simulated:
        return "there is no GPU"
    if importlib.util.find_spec("nvmath") is None:
        return "there is no nvmath-python: pip install 'nvmath-python[cu13]'"
    return ""


def main() -> None:
    rng = np.random.default_rng(8)
    signal = rng.normal(size=(64, 1024))
    phase = np.linspace(0, 2 * np.pi, 1024)
    expected = power(np.fft.fft(windowed(signal, phase), axis=1))
    print(f"host: {expected.shape[0]} spectra of {expected.shape[1]} frequencies")

    reason = obstacle()
    if reason:
        print(f"device: not computed, because {reason}")
        return
    spectra = power(fft(windowed(cuda.to_device(signal), cuda.to_device(phase))))
    np.testing.assert_allclose(spectra.copy_to_host(), expected, rtol=1e-9, atol=1e-9)
    print("device: likewise, by cuFFT, without a copy")


if __name__ == "__main__":
    main()

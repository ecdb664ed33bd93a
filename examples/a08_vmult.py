"""An in-place product of complex spectra, between an FFT and its inverse."""

import numpy as np

import numpy_plugin as npp
from numpy_plugin import cuda


@npp.vectorize(["complex64(complex64, complex64)"])
def vmult(a: complex, b: complex) -> complex:
    """a times b."""
    return a * b


def main() -> None:
    rng = np.random.default_rng(1)
    image = rng.random((64, 128), dtype=np.float32)
    response = np.exp(-0.5 * np.linspace(-4, 4, 128, dtype=np.float32) ** 2)
    spectrum = np.fft.fft(image, axis=1).astype(np.complex64)
    filter_spectrum = np.fft.fft(np.fft.ifftshift(response)).astype(np.complex64)
    expected = np.multiply(spectrum, filter_spectrum)

    on_host = spectrum.copy()
    assert vmult(on_host, filter_spectrum, out=on_host) is on_host
    np.testing.assert_allclose(on_host, expected, rtol=1e-6)
    print("host: the filtered spectrum in the place of the spectrum")

    with cuda.current_device() if cuda.is_available() else cuda.simulator():
        product = cuda.to_device(spectrum)
        factor = cuda.to_device(filter_spectrum)
        assert vmult(product, factor, out=product) is product
        assert np.array_equal(product.copy_to_host(), on_host)
        print("device: likewise, the same bits")

    smooth = np.fft.ifft(on_host, axis=1).real
    direct = [np.convolve(np.tile(row, 3), response, mode="same")[129:257] for row in image]
    np.testing.assert_allclose(smooth, direct, rtol=1e-5)
    print("after the inverse FFT: the circular convolution of each row")


if __name__ == "__main__":
    main()

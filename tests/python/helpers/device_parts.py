"""Compiled code for devices as files of it are: PTX, LTO-IR and machine code that can be linked."""

import ctypes

from numpy_plugin import _core

LTO_IR = ("LTOIR", ["-arch=compute_{}", "-rdc=true", "-dlto"])
PTX = ("PTX", ["-arch=compute_{}", "-rdc=true"])
MACHINE_CODE = ("CUBIN", ["-arch=sm_{}", "-rdc=true"])

Pointer = ctypes.c_void_p


def compile_source(source: str, output: tuple[str, list[str]], capability: str = "90") -> bytes:
    """What NVRTC makes of a source: of a kind of output, with options, for a capability."""
    kind, options = output[0], [option.format(capability) for option in output[1]]
    nvrtc = ctypes.CDLL(_core.nvrtc_info()["path"])
    program, size = Pointer(), ctypes.c_size_t()
    arguments = (ctypes.c_char_p * len(options))(*map(str.encode, options))
    assert not nvrtc.nvrtcCreateProgram(
        ctypes.byref(program), source.encode(), b"part.cu", 0, None, None
    )
    assert not nvrtc.nvrtcCompileProgram(program, len(options), arguments)
    assert not getattr(nvrtc, f"nvrtcGet{kind}Size")(program, ctypes.byref(size))
    data = ctypes.create_string_buffer(size.value)
    assert not getattr(nvrtc, f"nvrtcGet{kind}")(program, data)
    return data.raw

"""A kernel for each function that CUDA has for devices: declarations to wrappers."""

from __future__ import annotations

import pathlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from ptx_tools import CompilationError, Nvrtc

HERE = pathlib.Path(__file__).parent

# NVRTC declares these itself; the headers come only with a toolkit. cuda_functions.txt lists their
# declarations.
BUILT_IN_HEADERS = [
    "crt/math_functions.h",
    "crt/device_functions.h",
    "crt/device_double_functions.h",
    "crt/sm_70_rt.h",
    "crt/sm_80_rt.h",
    "crt/sm_90_rt.h",
]
INTRINSIC_HEADERS = [
    "device_atomic_functions.h",
    "sm_20_atomic_functions.h",
    "sm_20_intrinsics.h",
    "sm_30_intrinsics.h",
    "sm_32_atomic_functions.h",
    "sm_32_intrinsics.h",
    "sm_60_atomic_functions.h",
    "sm_61_intrinsics.h",
]
HALF_HEADERS = ["cuda_fp16.h", "cuda_bf16.h"]

TYPE_WORDS = {
    "bool", "char", "const", "double", "float", "half", "half2", "int", "long", "short", "signed",
    "size_t", "unsigned", "void", "volatile", "__half", "__half2", "__int128", "__nv_bfloat16",
    "__nv_bfloat162", "*", "&",
}  # fmt: skip
NO_TYPE_WORDS = {"CUDARTAPI", "extern", "inline", "static", "constexpr", "friend"}

DECLARATION = re.compile(
    r"([\w\s\*]*(?:_DECL__|__device__)[\w\s\*]*?)\b(\w+)\s*\(([^()]*)\)\s*"
    r"(?=[;{]|asm\b|[A-Z_]{3,})"
)


@dataclass(frozen=True)
class Declaration:
    """A function of CUDA's; types as text, without the names of parameters."""

    result: str
    name: str
    parameters: tuple[str, ...]

    def __str__(self) -> str:
        return f"{self.result} {self.name}({', '.join(self.parameters)})"

    @classmethod
    def parse(cls, line: str) -> Declaration:
        match = re.fullmatch(r"(.*?)(\w+)\((.*)\)", line)
        assert match, line
        result, name, parameters = match.groups()
        return cls(result.strip(), name, tuple(filter(None, parameters.split(", "))))

    def kernel(self, name: str) -> str:
        """One line: each thread calls the function with its elements of arrays."""
        parameters, arguments = [], []
        for index, text in enumerate(self.parameters):
            kind = re.sub(r"\b(const|volatile)\b", "", text).strip()
            is_pointer, is_reference = kind.endswith("*"), kind.endswith("&")
            element = kind[:-1].strip() if is_pointer or is_reference else kind
            parameters.append(f"{'char' if element == 'void' else element}* a{index}")
            arguments.append(f"a{index} + i" if is_pointer else f"a{index}[i]")
        call = f"{self.name}({', '.join(arguments)})"
        if self.result != "void":
            parameters.append(f"{self.result}* result")
            call = f"result[i] = {call}"
        head = f'extern "C" __global__ void {name}({", ".join(parameters)})'
        return f"{head} {{ int i = threadIdx.x; {call}; }}"


def without_parameter_name(text: str) -> str:
    words = re.findall(r"\*|&|\w+", re.sub(r"=.*|\b__restrict__\b", "", text))
    if "*" not in words and "&" not in words:
        words = [word for word in words if word != "const"]
    is_named = len(words) > 1 and words[-1] not in TYPE_WORDS
    only_qualifies = all(word in ("const", "volatile") for word in words[:-1])
    return " ".join(words[:-1] if is_named and not only_qualifies else words)


def declarations_of(header: str) -> list[Declaration]:
    """The functions for devices that the text of a header declares."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.S)
    text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
    found = []
    for before, name, arguments in DECLARATION.findall(text):
        words = [
            word
            for word in re.findall(r"\*|\w+", before)
            if word in TYPE_WORDS or not (word.startswith("__") or word in NO_TYPE_WORDS)
        ]
        if not words or name.endswith("_impl") or "return" in words or "operator" in words:
            continue
        parameters = [without_parameter_name(text) for text in arguments.split(",")]
        parameters = [text for text in parameters if text not in ("", "void")]
        found.append(Declaration(" ".join(words), name, tuple(parameters)))
    return list(dict.fromkeys(found))


def declarations_in(directory: pathlib.Path, headers: Iterable[str]) -> list[Declaration]:
    found: dict[Declaration, None] = {}
    for header in headers:
        path = directory / header
        text = path.read_text(errors="replace") if path.exists() else ""
        found.update(dict.fromkeys(declarations_of(text)))
    return list(found)


def built_in_declarations() -> list[Declaration]:
    lines = (HERE / "cuda_functions.txt").read_text().splitlines()
    return [Declaration.parse(line) for line in lines]


@dataclass(frozen=True)
class Unit:
    """Kernels that are compiled together: one line each, by name."""

    head: str
    kernels: dict[str, str]

    @classmethod
    def of(cls, head: str, declarations: Iterable[Declaration]) -> Unit:
        return cls(
            head,
            {
                name: declaration.kernel(name)
                for index, declaration in enumerate(declarations)
                for name in [f"call{index}_{declaration.name}"]
            },
        )

    def compile(self, nvrtc: Nvrtc, arch: str, options: list[str]) -> tuple[str, set[str]]:
        """The PTX, and the kernels that NVRTC does not compile for the architecture."""
        left_out: set[str] = set()
        n_before = self.head.count("\n") + 1
        while True:
            names = [name for name in self.kernels if name not in left_out]
            source = "\n".join([self.head, *(self.kernels[name] for name in names)])
            try:
                return nvrtc.compile(source, arch, options), left_out
            except CompilationError as error:
                lines = re.findall(r"^inventory\.cu\((\d+)\): error", str(error), flags=re.M)
                wrong = {names[int(line) - n_before - 1] for line in lines}
                if not wrong:
                    raise
                left_out |= wrong


FUNCTION_HEAD = re.compile(r"(?:\.\w+ +)*\.(?:entry|func)\b\s*(?:\(.*?\)\s*)?([\w$]+)")


def functions_of(lines: list[str]) -> list[tuple[str, int, int]]:
    """Each function with a body: its name, and the lines from its head to its closing brace."""
    found = []
    name, head, depth = "", 0, 0
    for number, line in enumerate(lines):
        if depth == 0 and (match := FUNCTION_HEAD.match(line)):
            name, head = match.group(1), number
        depth += line.count("{") - line.count("}")
        if name and depth == 0 and line.rstrip().endswith("}"):
            found.append((name, head, number))
            name = ""
    return found


def complaints(load, ptx: str) -> dict[str, str]:
    """What `load` says of each function that it does not take, with the line apart."""
    lines = ptx.splitlines()
    places = functions_of(lines)
    found: dict[str, str] = {}
    while (text := load("\n".join(lines))) != "":
        match = re.search(r"line (\d+): (.*)", text)
        assert match, text
        at = int(match.group(1)) - 1
        name, head, end = next(place for place in places if place[1] <= at <= place[2])
        assert name not in found, text
        found[name] = match.group(2)
        # Removes a function by emptying its lines: later line numbers are unchanged.
        lines[head : end + 1] = [""] * (end + 1 - head)
    return found

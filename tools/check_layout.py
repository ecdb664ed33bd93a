"""Check the rules of the source tree: includes and file lengths.

src/LAYERS lists the rooms, the directories with sources, in order: a room, with its subdirectories
that are no rooms themselves, may include only itself and those before it, by full paths. C++ names
no private Python module except `_hooks`, which registers the functions that C++ calls. Only the
layers that own them include headers of Python, NumPy, nanobind and CUDA; the simulator and the
package are separated likewise; templates include no external headers; a function's static has no
value made at run time, where the GIL does not keep other threads from a fork; a file has at most
600 lines.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_LINES = 600
SIZED_DIRECTORIES = ("src", "templates", "numpy_plugin", "tests")
SIZED_SUFFIXES = {".cpp", ".hpp", ".def", ".py", ".pyi"}

# Headers that only some rooms of src/ may include, by path prefix.
OWNED = {
    "Python.h": ("numpy_plugin/ufunc", "built_module"),
    "numpy/": ("numpy_plugin/ufunc", "built_module"),
    "nanobind/": ("numpy_plugin/ufunc",),
    "cuda.h": ("numpy_plugin/load", "numpy_plugin/run", "simulator"),
    "nvrtc.h": ("numpy_plugin/jit",),
    "nvtx3/": ("numpy_plugin/system/events",),
    "simulator/api/": ("numpy_plugin/load", "numpy_plugin/run", "simulator"),
    "simulator/": ("simulator",),
}
# Layers of the package that the simulator, a separate project, may use.
USED_BY_SIMULATOR = ("numpy_plugin/base/", "numpy_plugin/system/")

# Private Python modules that C++ must not name, dotted or as a path.
PRIVATE_MODULE = re.compile(r"\bnumpy_plugin([./])(?!_core\b|_hooks\b)_\w+(?:\1\w+)*")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
# A function's static that is made at run time, unlike those of constants and of threads.
MADE_STATIC = re.compile(
    r'^ +static (?!constexpr |std::atomic<|thread_local )[^()=;{\n]*(?: = |;|\{|\(")', re.MULTILINE
)


def includes(text: str) -> Iterator[tuple[int, str, str]]:
    """Yield line, opening bracket and path of each include in C++ source."""
    for match in INCLUDE.finditer(text):
        yield text.count("\n", 0, match.start()) + 1, match[1], match[2]


def is_within(room: str, directories: tuple[str, ...]) -> bool:
    """Whether a room is one of the directories or below one of them."""
    return any(f"{room}/".startswith(f"{directory}/") for directory in directories)


def room_of(layers: list[str], directory: str) -> str:
    """Return the room that has a directory of src/: itself, or the nearest above; else ""."""
    while directory and directory not in layers:
        directory = directory.rpartition("/")[0]
    return directory


def check_owner(room: str, path: str) -> str:
    """Return why a room may not include this path at all; empty where it may."""
    owned = next((name for name in OWNED if path.startswith(name)), None)
    if owned is not None and not is_within(room, OWNED[owned]):
        return f"{path} is for {', '.join(OWNED[owned])}, not for {room}"
    is_foreign = path.startswith("numpy_plugin/") and not path.startswith(USED_BY_SIMULATOR)
    if room.startswith("simulator/") and is_foreign:
        return f"{path} is not for the simulator, which uses {', '.join(USED_BY_SIMULATOR)}"
    return ""


def check_order(root: Path, layers: list[str], room: str, path: str) -> str:
    """Return why an include in double quotes is invalid; empty where it is valid."""
    if path.startswith("npp/"):
        return "" if (root / "templates" / path).is_file() else f'"{path}" is not in templates/'
    if not (root / "src" / path).is_file():
        return f'"{path}" is not a file of src/'
    included = room_of(layers, path.rpartition("/")[0])
    if not included:
        return f"{path} is in no room of src/LAYERS"
    if layers.index(included) > layers.index(room):
        return f"{room} includes {path}, and {included} comes after it in src/LAYERS"
    return ""


def check_source(root: Path, layers: list[str], room: str, text: str) -> list[tuple[int, str]]:
    """Return the includes in a room's file that break a rule."""
    found = []
    for line, bracket, path in includes(text):
        problem = check_owner(room, path)
        if not problem and bracket == '"':
            problem = check_order(root, layers, room, path)
        if problem:
            found.append((line, problem))
    return found


def check_modules(text: str) -> list[tuple[int, str]]:
    """Return the private Python modules that a file of src/ names against the rule."""
    return [
        (
            text.count("\n", 0, match.start()) + 1,
            f"{match[0]} is named in C++, not in numpy_plugin/_hooks.py",
        )
        for match in PRIVATE_MODULE.finditer(text)
    ]


def check_statics(room: str, file: str, text: str) -> list[tuple[int, str]]:
    """Return the statics that a forked child may find half made, or threads destroyed at exit."""
    is_free = is_within(room, ("numpy_plugin/ufunc",)) or file == "fork.hpp"
    if is_free or not room.startswith("numpy_plugin/"):
        return []
    problem = "a static that is made at run time: system::made_once, or an atomic"
    return [
        (text.count("\n", 0, match.start()) + 1, problem) for match in MADE_STATIC.finditer(text)
    ]


def check_template(text: str) -> list[tuple[int, str]]:
    """Return the includes in a template that break a rule."""
    return [
        (line, f"<{path}> in a template: NVRTC has no such header")
        for line, bracket, path in includes(text)
        if bracket == "<"
    ]


def check_length(text: str) -> list[tuple[int, str]]:
    """Return an error for a file that is too long."""
    lines = text.count("\n")
    return [(lines, f"{lines} lines; a file has at most {MAX_LINES}")] if lines > MAX_LINES else []


def sources(directory: Path) -> Iterator[Path]:
    """Yield the files below a directory to which the rules apply."""
    for path in sorted(directory.rglob("*")):
        if path.suffix in SIZED_SUFFIXES and path.is_file() and not path.is_symlink():
            yield path


def check_rooms(root: Path, layers: list[str]) -> list[str]:
    """Return unlisted directories of src/, and listed ones without sources."""
    directories = {str(path.parent.relative_to(root / "src")) for path in sources(root / "src")}
    unlisted = {directory for directory in directories if not room_of(layers, directory)}
    rooms = {room_of(layers, directory) for directory in directories}
    return [
        *(f"src/{directory}: not in src/LAYERS" for directory in sorted(unlisted)),
        *(f"src/LAYERS: {room} has no sources" for room in layers if room not in rooms),
    ]


def violations(root: Path) -> list[str]:
    """Return every violation below `root`, as "path:line: problem"."""
    layers = (root / "src/LAYERS").read_text(encoding="utf-8").split()
    found = check_rooms(root, layers)
    for top in SIZED_DIRECTORIES:
        for path in sources(root / top):
            name = path.relative_to(root)
            text = path.read_text(encoding="utf-8")
            problems = check_length(text)
            room = room_of(layers, "/".join(name.parts[1:-1])) if top == "src" else ""
            if room:
                problems += check_source(root, layers, room, text) + check_modules(text)
                problems += check_statics(room, name.name, text)
            elif top == "templates":
                problems += check_template(text)
            found += [f"{name}:{line}: {problem}" for line, problem in problems]
    return found


if __name__ == "__main__":
    broken = violations(Path(__file__).resolve().parent.parent)
    print("\n".join(broken) or "layout: every rule holds")
    sys.exit(bool(broken))

"""The documents keep what they say: every Python block runs, and prints what is below it.

The Python blocks of a document are one program, run in its order. A block whose fence says `output`
is what the block above it prints; line numbers of error messages may differ.

A Python block runs only where the packages are installed that its fence names: `needs=dask,polars`.
A block with `from=examples/program.py` does not run: it is a part of that program, which other
tests run.
"""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
DOCUMENTS = [ROOT / "README.md", ROOT / "src" / "README.md", *sorted(DOCS.rglob("*.md"))]

FENCE = re.compile(r"^```(\w*)(?: (.*?))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)(?:#[^)]*)?\)")
END_OF_BLOCK = "--- end of block ---"


def name_of(path):
    return str(path.relative_to(ROOT))


def is_installed(package):
    return importlib.util.find_spec(package) is not None


def has_what_it_needs(information):
    """Whether a block with this information in its fence runs here."""
    word, _, value = information.partition("=")
    return not word or (word == "needs" and all(map(is_installed, value.split(","))))


def blocks(text):
    """The Python blocks that run here, each with the output it promises, or None."""
    fences = FENCE.findall(text)
    found = []
    for index, (language, information, code) in enumerate(fences):
        if language != "python" or not has_what_it_needs(information):
            continue
        following = fences[index + 1] if index + 1 < len(fences) else ("", "", "")
        found.append((code, following[2] if following[0] == "output" else None))
    return found


def comparable(text):
    """A text with file names shortened and line numbers of messages taken out."""
    return re.sub(r'File "[^"]*?([^"/]+)", line \d+', r'File "\1", line N', text.strip())


def environment_of(path, directory):
    """That of this process, with its cache; the page on the cache has an empty one."""
    own = {"NUMPY_PLUGIN_CACHE_DIR": str(directory / "cache")} if path.stem == "cache" else {}
    return {**os.environ, **own}


def run_blocks(codes, path, directory):
    """What each of a document's blocks prints."""
    script = directory / f"{path.stem}.py"
    script.write_text("".join(f"{code}\nprint({END_OF_BLOCK!r})\n" for code in codes))
    result = subprocess.run(
        [sys.executable, "-P", "-u", str(script)],  # in order with what its children print
        cwd=directory,
        env=environment_of(path, directory),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.split(END_OF_BLOCK + "\n")[:-1]


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_python_blocks_run_and_print_what_is_written(path, tmp_path):
    found = blocks(path.read_text(encoding="utf-8"))
    if not found:
        return
    printed = run_blocks([code for code, _ in found], path, tmp_path)
    for (code, expected), actual in zip(found, printed, strict=True):
        if expected is not None:
            assert comparable(actual) == comparable(expected), code


def test_blocks_are_found_with_their_output():
    first = "```python\nprint(1)\n```\ntext\n```output\n1\n```\n"
    text = first + "```sh\nmake\n```\n```python\nx = 2\n```\n"
    assert blocks(text) == [("print(1)\n", "1\n"), ("x = 2\n", None)]


def test_blocks_are_left_out_with_their_output_where_a_package_is_missing():
    block = "```python needs={}\nprint(1)\n```\n```output\n1\n```\n"
    assert blocks(block.format("numpy") * 2) == [("print(1)\n", "1\n")] * 2
    assert blocks(block.format("numpy,no_such_package")) == []


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_parts_of_programs_are_in_them(path):
    for language, information, code in FENCE.findall(path.read_text(encoding="utf-8")):
        assert not information or language == "python", information
        word, _, program = information.partition("=")
        assert word in ("", "needs", "from"), information
        if word == "from":
            assert code in (ROOT / program).read_text(encoding="utf-8"), code


def test_a_block_that_fails_is_seen(tmp_path):
    with pytest.raises(AssertionError, match="ZeroDivisionError"):
        run_blocks(["1 / 0"], Path("x.md"), tmp_path)


def test_every_page_of_docs_holds_python_that_runs():
    pages = {
        "guide/declaring",
        "guide/kernel_language",
        "guide/errors",
        "guide/cache",
        "guide/cuda",
        "guide/simulator",
        "guide/cuda_compilation",
        "explanation/floating_point",
    }
    for page in pages:
        assert blocks((DOCS / f"{page}.md").read_text(encoding="utf-8")), page


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_lead_somewhere(path):
    for target in LINK.findall(CODE.sub("", FENCE.sub("", path.read_text(encoding="utf-8")))):
        if not target.startswith(("http://", "https://")):
            assert (path.parent / target).exists(), target


def test_readme_opens_with_the_commands_and_a_short_example():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = text.index("make test")
    example, output = blocks(text)[0]
    assert text.index("make demo") < commands < text.index(example)
    assert len(example.strip().splitlines()) <= 12
    assert output


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_no_path_of_a_machine_is_written(path):
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"/(home|root|work|Users)/", text)

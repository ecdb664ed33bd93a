"""The documentation site: its pages hang together, name what exists, and list all that exists.

All tests but the slow ones read the documents only, so that a document that names a removed
function fails the quick suite, without Sphinx.
"""

import doctest
import importlib
import os
import re
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from long_runs import one_in

import numpy_plugin as npp

ROOT = Path(__file__).resolve().parents[3]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MODULES = ["numpy_plugin"] + [
    f"numpy_plugin.{name}" for name in ("array_api", "build", "cuda", "random", "time")
]

sys.path.insert(0, str(DOCS / "_extensions"))
try:
    import def_tables
    import documented_names
    import repository_pages
finally:
    sys.path.remove(str(DOCS / "_extensions"))

INLINE = re.compile(r"(?<!`)`((?:[^`\n]|\n(?!\n))+)`(?!`)")
FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.*)$", re.MULTILINE)


def name_of(path):
    return str(path.relative_to(ROOT))


def missing_names(text, docname):
    """The names of this package in a document's inline code that do not exist."""
    codes = INLINE.findall(FENCE.sub("", text))
    names = {documented_names.qualified_name(code, docname) for code in codes} - {None}
    return sorted(name for name in names if not documented_names.exists(name))


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_names_in_inline_code_exist(page):
    docname = str(page.relative_to(DOCS).with_suffix(""))
    assert missing_names(page.read_text(encoding="utf-8"), docname) == []


@pytest.mark.parametrize(
    ("text", "missing"),
    [
        ("`npp.vectorise(f)` and `npp.vectorize`", ["numpy_plugin.vectorise"]),
        ("`cuda.DeviceArray.copy_to_moon()`", ["numpy_plugin.cuda.DeviceArray.copy_to_moon"]),
        ("```python\nnpp.moon\n```\n`np.moon`", []),
    ],
)
def test_missing_names_are_found(text, missing):
    assert missing_names(text, "index") == missing


def anchors(path):
    """The anchors of a document's headings, as code hosts and MyST form them."""
    headings = HEADING.findall(FENCE.sub("", path.read_text(encoding="utf-8")))
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=name_of)
def test_anchors_are_headings(page):
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#([^)]+)\)", text):
        if not target.startswith("http"):
            linked = (page.parent / target).resolve() if target else page
            assert anchor in anchors(linked), f"{target}#{anchor}"


def test_contents_reach_every_page():
    """Follow the tables of contents that the site makes from the lists of index pages."""
    reached, to_read = {"index"}, ["index"]
    while to_read:
        docname = to_read.pop()
        page = DOCS / f"{docname}.md"
        if page.stem != "index" or not page.exists():
            continue
        site = repository_pages.site_text(page.read_text(encoding="utf-8"), docname)
        for block in re.findall(r"^```\{toctree\}\n:hidden:\n(.*?)^```", site, re.DOTALL | re.M):
            linked = [os.path.normpath(Path(docname).parent / line) for line in block.split()]
            to_read += set(linked) - reached
            reached |= set(linked)
    pages = {str(page.relative_to(DOCS).with_suffix("")) for page in PAGES}
    assert pages - reached - {name for name in pages if name.startswith("benchmarks/")} == set()
    assert reached - pages == {"gallery/index"}


def test_pages_that_moved_are_redirected():
    """Every page stands in a section of the index; a redirect leads from its earlier path to it."""
    redirects = runpy.run_path(str(DOCS / "conf.py"))["redirects"]
    assert len(redirects) == 28
    assert {path.stem for path in DOCS.glob("*.md")} == {"index", "examples"}
    for target in redirects.values():
        assert (DOCS / target).with_suffix(".md").exists(), target


def test_links_out_of_docs_lead_to_pages_of_the_site():
    text = (
        "[a](../../src/README.md), [b](../../examples), [c](../../tools), [d](cache.md#size), "
        "`[e]\n(../x)`"
    )
    assert repository_pages.site_text(text, "guide/cuda") == (
        "[a](../project/source.md), [b](../examples.md), c, [d](cache.md#size), `[e]\n(../x)`"
    )


def test_pages_of_other_documents_have_their_text():
    site = repository_pages.site_text("", "project/source")
    assert site.startswith("# A walk through the source")
    assert "[the simulated CUDA driver](simulator_source.md)" in site


REFERENCE = {name: DOCS / "reference" / f"{name.split('.')[-1]}.md" for name in MODULES}


@pytest.mark.parametrize("name", MODULES)
def test_the_reference_lists_every_public_name(name):
    text = REFERENCE[name].read_text(encoding="utf-8")
    module = importlib.import_module(name)
    listed = set(re.findall(r"^   (\w+)$", text, re.MULTILINE))  # of autosummary
    listed |= set(re.findall(r"^(?:\.\. py:data:: | {13})(\w+)$", text, re.MULTILINE))
    listed |= set(re.findall(rf"auto\w+:: {re.escape(name)}\.(\w+)$", text, re.MULTILINE))
    listed |= {word for words in re.findall(r":members: (.+)", text) for word in words.split(", ")}
    if "{npp-names} " + name in text or f"automodule:: {name}\n   :members:\n" in text:
        listed |= set(module.__all__)
    more = {"SIMULATOR_PATH", "sphinx_extension"}
    pages = {"build", "cuda", "random", "time"} if name == "numpy_plugin" else set()
    assert listed - more == set(module.__all__) - pages


def source_files(*suffixes):
    for top in ("src", "numpy_plugin"):
        for path in (ROOT / top).rglob("*"):
            if path.suffix in suffixes and path.name != "_core.pyi":
                yield path


def test_messages_of_the_troubleshooting_page_are_in_the_sources():
    text = (DOCS / "help/troubleshooting.md").read_text(encoding="utf-8")
    table = text[: text.index("NumPy's own messages")]
    messages = re.findall(r"^\| `([^`]+)` \|", table, re.MULTILINE)
    assert len(messages) >= 10
    sources = "\n".join(p.read_text(encoding="utf-8") for p in source_files(".cpp", ".hpp", ".py"))
    joined = re.sub(r'"\s*\n?\s*"', "", sources)
    assert [message for message in messages if message not in joined] == []


def messages_of_wrong_calls():
    ratio = npp.vectorize(["dd->d"], name="ratio", args="x, y", body="return x / y;")

    @npp.guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(n)->()")
    def nothing(x, y, result):
        result[0] = 0.0

    for call in (
        lambda: ratio("a", "b"),
        lambda: ratio(1, 2, dtype=int),
        lambda: ratio(np.ones(2), np.ones(3)),
        lambda: nothing(np.ones(2), np.ones(3)),
        lambda: ratio(0.0, 0.0),
    ):
        errors = (TypeError, ValueError, FloatingPointError)
        with np.errstate(invalid="raise"), pytest.raises(errors) as caught:
            call()
        yield str(caught.value)


def test_numpys_messages_of_the_troubleshooting_page_are_raised():
    text = (DOCS / "help/troubleshooting.md").read_text(encoding="utf-8")
    table = text[text.index("NumPy's own messages") : text.index("## Symptoms")]
    rows = re.findall(r"^\| (`.*?`) \| \w", table, re.MULTILINE)
    listed = [message for row in rows for message in row.strip("`").split("`, `")]
    assert len(listed) == 5
    raised = list(messages_of_wrong_calls())
    assert [text for text in listed if not any(text in message for message in raised)] == []


def test_tables_have_the_rows_of_the_sources():
    dtypes = [line.split("`")[1] for line in def_tables.dtype_table()[2:]]
    assert len(dtypes) == 15
    assert {str(np.dtype(name)) for name in dtypes if name != "bfloat16"} < set(dtypes)
    assert "| `math` | `vector` | vector, libm or reproducible |" in def_tables.option_table()
    assert "| `contract` | fuse a multiplication and an addition |" in def_tables.fastmath_table()
    functions = def_tables.functions()
    assert functions["math"]["floor"] == "exact"
    assert functions["math"]["exp"] == "vector"
    assert functions["cmath"]["exp"] == "complex"
    assert functions["numpy"]["clip"] == "composed"


def modules_with_doctests():
    for path in sorted((ROOT / "numpy_plugin").rglob("*.py")):
        if ">>> " in path.read_text(encoding="utf-8"):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            yield name.removesuffix(".__init__")


@pytest.mark.parametrize("name", list(modules_with_doctests()))
def test_docstrings_print_what_they_say(name):
    names = {"np": np, "npp": npp, "cuda": npp.cuda}
    failed, tried = doctest.testmod(importlib.import_module(name), extraglobs=names)
    assert tried
    assert failed == 0


def test_the_readmes_speed_is_of_the_measured_machine():
    table = (DOCS / "benchmarks/cpu_kernels.md").read_text(encoding="utf-8")
    environment = dict(re.findall("^- (.*?): (.*)$", table, re.MULTILINE))
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    paragraph = text[text.index("## How fast") : text.index("## Install")]
    for name in ("processor", "date", "numpy", "numba", "numexpr", "jax"):
        assert environment[name] in paragraph, name


def test_records_and_large_pictures_of_benchmarks_are_build_products():
    """Tables stay, and what they show is small; `make bench` writes the numbers to build/."""
    files = {path for path in (DOCS / "benchmarks").iterdir() if path.suffix != ".md"}
    assert {path.name for path in files} == {"roofline.svg", "speed.svg"}
    assert max(path.stat().st_size for path in files) < 60_000


GALLERY = sorted((ROOT / "examples/gallery").glob("plot_*.py"))


@pytest.mark.parametrize("path", one_in(3, GALLERY), ids=name_of)
def test_examples_of_the_gallery_check_themselves(path, tmp_path):
    source = path.read_text(encoding="utf-8")
    assert "assert" in source
    if "import xarray" in source:
        pytest.importorskip("xarray", reason="xarray is not installed")
    run_program([sys.executable, "-P", "-W", "error::RuntimeWarning", str(path)], tmp_path)


def run_program(words, directory):
    environment = {**os.environ, "MPLBACKEND": "agg"}
    result = subprocess.run(
        words, cwd=directory, env=environment, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture
def tree(tmp_path):
    """A copy of the repository's documents and sources."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode != 0:
        pytest.skip("the tests are not run from a git checkout")
    for name in listed.stdout.split("\0"):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


@pytest.mark.slow
def test_a_reference_to_a_removed_function_is_all_that_fails_the_build(tree):
    """The only warning of a build with one wrong name in a document is about that name."""
    for needed in (
        "sphinx",
        "myst_parser",
        "pydata_sphinx_theme",
        "sphinx_gallery",
        "sphinx_reredirects",
    ):
        pytest.importorskip(needed, reason="the site needs the packages of the extra `docs`")
    with open(tree / "docs/guide/cache.md", "a", encoding="utf-8") as page:
        page.write("\nSee `npp.removed_function(x)`.\n")
    options = ["--fail-on-warning", "--keep-going", "--quiet", "--builder", "dummy"]
    options += ["--define", "sphinx_gallery_conf.plot_gallery=0"]
    result = subprocess.run(
        [sys.executable, "-P", "-m", "sphinx", *options, "docs", "built"],
        cwd=tree,
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode != 0
    (warning,) = [line for line in result.stderr.splitlines() if "WARNING" in line]
    assert "cache.md" in warning
    assert "numpy_plugin.removed_function" in warning

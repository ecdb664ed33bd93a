"""Errors are coloured where a user reads them, and plain everywhere else."""

import io
import logging
import os
import subprocess
import sys

import pytest
from kernel_source import error_of

import numpy_plugin as npp

PROGRAM = """\
import numpy_plugin as npp

@npp.vectorize(["float32(float32, float32)"])
def f(x, y):
    r = x
    if x > y:
        r = x, y
    return r
"""

PLAIN = """\
'r' is a tuple of 2 here and float32 elsewhere
  {place}, line 7, in f
    r = x, y
    ^
  note: r is float32 here
  {place}, line 5, in f
    r = x
    ^
  hint: give the two values different names"""

COLOURED = """\
\x1b[1m'r' is a tuple of 2 here and float32 elsewhere\x1b[0m
  {place}, line \x1b[35m7\x1b[0m, in \x1b[35mf\x1b[0m
    r = x, y
    \x1b[1;31m^\x1b[0m
  \x1b[36mnote\x1b[0m: r is float32 here
  {place}, line \x1b[35m5\x1b[0m, in \x1b[35mf\x1b[0m
    r = x
    \x1b[1;31m^\x1b[0m
  \x1b[32mhint\x1b[0m: give the two values different names"""


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    file = tmp_path_factory.mktemp("colour") / "pdf.py"
    file.write_text(PROGRAM)
    return file


def printed_on_a_terminal(*program, **environment: str) -> str:
    """Run a program whose stderr is a terminal; return what that shows."""
    ours, theirs = os.openpty()
    usual = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    environment = {**usual, "TERM": "xterm", **environment}
    with subprocess.Popen([sys.executable, "-P", *program], stderr=theirs, env=environment):
        os.close(theirs)
        shown = b""
        while True:
            try:
                read = os.read(ours, 4096)
            except OSError:  # the program has ended
                break
            shown += read
    os.close(ours)
    return shown.decode().replace("\r\n", "\n")


def test_a_terminal_has_colours(program):
    assert COLOURED.format(place=f'File \x1b[35m"{program}"\x1b[0m') in printed_on_a_terminal(
        program
    )


PROMPT = """\
import code, sys

with open(sys.argv[1]) as file:
    text = file.read()
code.InteractiveInterpreter().runcode(compile(text, sys.argv[1], "exec"))
"""


def test_a_prompt_has_colours(program):
    prompt = program.with_name("prompt.py")
    prompt.write_text(PROMPT)
    place = f'File \x1b[35m"{program}"\x1b[0m'
    assert COLOURED.format(place=place) in printed_on_a_terminal(prompt, program)


@pytest.mark.parametrize("variable", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colours(program, variable):
    assert PLAIN.format(place=f'File "{program}"') in printed_on_a_terminal(program, **variable)


def test_a_pipe_is_plain(program):
    ran = subprocess.run([sys.executable, "-P", program], capture_output=True, text=True)
    assert PLAIN.format(place=f'File "{program}"') in ran.stderr


def a_kernel_error() -> npp.KernelError:
    declare = npp.vectorize(["float32(float32, float32)"])
    return error_of(declare, PROGRAM.partition("\n@")[2].partition("\n")[2])


def test_text_and_logs_are_plain(monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    error = a_kernel_error()
    stream = io.StringIO()
    logger = logging.Logger("test")
    logger.addHandler(logging.StreamHandler(stream))
    try:
        raise error
    except npp.KernelError:
        logger.exception("failed")
    assert "\n    r = x, y\n    ^\n" in str(error)
    assert "\n    r = x, y\n    ^\n" in stream.getvalue()
    assert "\x1b" not in str(error) + stream.getvalue()


@pytest.mark.parametrize(
    ("colours", "text", "cell"),
    [("neutral", COLOURED, "\x1b[35mCell In[1]\x1b[0m"), ("nocolor", PLAIN, "Cell In[1]")],
)
def test_ipython_has_the_colours_it_was_given(monkeypatch, capsys, colours, text, cell):
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shell = InteractiveShell.instance()
    try:
        monkeypatch.setattr(shell, "colors", colours)
        shell.run_cell(PROGRAM)
    finally:
        InteractiveShell.clear_instance()
    shown = capsys.readouterr().out
    assert text.format(place=cell) in shown
    assert "numpy_plugin/_" not in shown

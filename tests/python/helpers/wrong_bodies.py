"""Wrong C++ bodies from golden files, declared and compiled by each compiler of the machine.

A case has the signature, sometimes the layout, outs and a preamble, the body, the text of the
error and, for its hints, the body after each was followed.
"""

import ast
import os
import re
import stat
from pathlib import Path

import numpy as np
from golden_sections import Sections

import numpy_plugin as npp

# A host compiler that ignores bodies and preambles, so that NVRTC's own errors appear.
BLIND_COMPILER = r"""#!/bin/sh
for word in "$@"; do
  case "$word" in */npp-generated.cpp)
    end='/^#line 1 "npp-generated"/'
    sed -i -e "/^#line 1 \"<body of/,$end {/^#line/!d;s/^#line 1 \"<body.*/for (;;) {}/}" \
        -e "/^#line 1 \"<preamble of/,$end {/^#line/!d}" "$word";;
  esac
done
exec g++ "$@" -O0
"""


def with_options(entry: Sections, body: str) -> Sections:
    """Return an entry with another body, whose comments `// preamble: ...` say what else is new."""
    return {**entry, **dict(re.findall(r"^// (\w+): (.*)$", body, re.MULTILINE)), "body": body}


def declare(entry: Sections, name: str, body: str | None = None) -> np.ufunc:
    """Make the ufunc of an entry, or of another body in its place."""
    if body is not None:
        entry = with_options(entry, body)
    options = {
        "name": name,
        "args": entry.get("args", "x, y").strip(),
        "body": entry["body"],
        "preamble": entry.get("preamble", ""),
    }
    if "outs" in entry:
        options["outs"] = entry["outs"].strip()
    signature = entry.get("signature", "float64(float64, float64)").strip()
    if "layout" in entry:
        writable = ast.literal_eval(entry.get("writable_args", "()"))
        layout = entry["layout"].strip()
        return npp.guvectorize([signature], layout, writable_args=writable, **options)
    return npp.vectorize([signature], **options)


def host_error(entry: Sections, name: str) -> npp.CompilerError | None:
    """Return the error of the host's compiler; None where it takes the body."""
    try:
        declare(entry, name)
    except npp.CompilerError as error:
        return error
    return None


def nvrtc_error(entry: Sections, name: str) -> npp.CompilerError | None:
    """Return the error of NVRTC; the host's compiler must be the blind one."""
    try:
        npp.inspect(declare(entry, name)).ptx()
    except npp.CompilerError as error:
        return error
    return None


def make_blind_compiler(directory: Path) -> str:
    """Write the compiler that sees no body; return its path."""
    path = directory / "blind-g++"
    path.write_text(BLIND_COMPILER)
    os.chmod(path, path.stat().st_mode | stat.S_IXUSR)
    return str(path)

"""Measure: `python -m gpu_check.bench RESULTS.json`. Sections by what is learnt a second."""

from __future__ import annotations

import datetime
import sys
import time
from pathlib import Path

from gpu_check.bench import bus, calls, forms, functions, products, reductions, selection, starts
from gpu_check.bench.libraries import libraries
from gpu_check.bench.rows import Rows
from gpu_check.machine import versions
from gpu_check.settings import part, step_seconds
from numpy_plugin import _core, cuda

SECTIONS = {
    "calls": calls.measure,
    "forms": forms.measure,
    "reductions": reductions.measure,
    "scans": reductions.scans,
    "selection": selection.measure,
    "products": products.measure,
    "bus": bus.measure,
    "functions": functions.measure,
    "starts": starts.measure,
}


def main(path: Path) -> int:
    """Measure all sections; return whether one ended with an exception."""
    found, missing = libraries()
    device = cuda.gpus[0]
    conditions = {
        "GPU": device.name,
        "driver": ".".join(map(str, _core.driver_version() or ())),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "versions": versions(),
        "missing": missing,
    }
    rows = Rows(path, conditions, found, time.monotonic() + step_seconds(600))
    is_wrong = False
    with device:
        for rows.section in part(list(SECTIONS)):
            begin = time.monotonic()
            if rows.is_over:
                print(f"{rows.section}: no time")
                continue
            try:
                SECTIONS[rows.section](rows)
            except Exception as error:  # later sections are wanted all the same
                sys.excepthook(type(error), error, error.__traceback__)
                print(f"{rows.section}: {type(error).__name__}: {error}")
                is_wrong = True
            print(f"{rows.section}: {time.monotonic() - begin:.1f} s", flush=True)
    rows.write()
    return int(is_wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))

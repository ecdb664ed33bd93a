"""The summary of Nsight Compute in one line a kernel, for report.txt."""

from __future__ import annotations

import re

__all__ = ["METRICS", "lines"]

#: By their short names in the report.
METRICS = {
    "time": "gpu__time_duration.sum",
    "dram": "dram__throughput.avg.pct_of_peak_sustained_elapsed",
    "warps": "sm__warps_active.avg.pct_of_peak_sustained_active",
    "registers": "launch__registers_per_thread",
    "stall": "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio",
}
KERNEL = re.compile(r"^\s*(\S.*?) \(\d+, \d+, \d+\)x\(\d+, \d+, \d+\)")


def lines(text: str) -> list[str]:
    """Return a line for each kernel: its name, then the average of each metric with its unit."""
    found: list[str] = []
    for line in text.splitlines():
        words = line.split()
        if kernel := KERNEL.match(line):
            found.append(kernel[1])
        elif line.startswith("==ERROR"):
            found.append(line)
        for name, metric in METRICS.items():
            if found and len(words) > 1 and words[0] == metric:
                unit = "" if words[1].strip("-").replace(".", "").isdigit() else f" {words[1]}"
                found[-1] += f", {name} {words[-1]}{unit}"
    return found

"""The levels of x86-64 whose instructions this processor has; elsewhere only its own."""

import platform

__all__ = ["LEVELS", "OWN_LEVELS"]

LEVELS = {"x86-64": "", "x86-64-v2": "sse4_2", "x86-64-v3": "bmi2", "x86-64-v4": "avx512vl"}


def _own_levels() -> list[str]:
    if platform.machine() != "x86_64":
        return ["native"]
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = file.read().split()
    return [level for level, flag in LEVELS.items() if not flag or flag in flags]


OWN_LEVELS = _own_levels()

"""NumPy's results of dates and durations, where it has some: from 2.5 on, overflow is an error."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def numpys_times(
    compute: Callable[..., Any], operands: Sequence[np.ndarray]
) -> tuple[np.ndarray | None, np.ndarray]:
    """Return the results of the elements that do not overflow, and which these are.

    The results are None where there are no such elements.
    """
    n = len(operands[0])
    try:
        return compute(*operands), np.ones(n, bool)
    except OverflowError:
        if n == 1:
            return None, np.zeros(1, bool)
    parts = [[each[: n // 2] for each in operands], [each[n // 2 :] for each in operands]]
    results, masks = zip(*(numpys_times(compute, part) for part in parts), strict=True)
    found = [result for result in results if result is not None]
    return np.concatenate(found) if found else None, np.concatenate(masks)

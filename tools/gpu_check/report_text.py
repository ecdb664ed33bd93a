"""report.txt: how each step ended, and the lines of its output that matter."""

from __future__ import annotations

from pathlib import Path

from gpu_check.steps import Step

__all__ = ["MOST_CHARACTERS", "Report"]

#: What is seen of a run's output where only its end is kept.
MOST_CHARACTERS = 11_500


class Report:
    """The lines so far; the file always has them, should the run be stopped."""

    def __init__(self, path: Path) -> None:
        """Begin an empty report."""
        self._path = path
        self._parts: list[str] = []
        self.is_wrong = False

    def add(self, step: Step, ended: str, text: str) -> None:
        """Add a step that ended: its heading, and the essence of what it printed."""
        self.is_wrong |= not ended.startswith(("ok", "skipped"))
        lines = [line[: step.width].rstrip() for line in step.essence(text)] if text else []
        kept: list[str] = []
        room = step.room
        for line in lines:
            room -= len(line) + 1
            if room < 0:
                kept.append(f"... {len(lines) - len(kept)} more lines in log.txt")
                break
            kept.append(line)
        self._parts.append("\n".join([f"== {step.name}: {ended}", *kept]))
        self._path.write_text("\n".join(self._parts) + "\n", encoding="utf-8")

    def essence(self) -> str:
        """Return the end of the report, which has all of it unless lines are very long."""
        return "\n".join(self._parts)[-MOST_CHARACTERS:]

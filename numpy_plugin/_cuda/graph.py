"""Graphs: calls that are recorded once and submitted again by one driver call."""

from __future__ import annotations

from numpy_plugin import _core
from numpy_plugin._core import Device
from numpy_plugin._cuda.streams import AnyStream
from numpy_plugin._errors.traceback import without_own_frames

__all__ = ["Graph"]


class Graph:
    """Calls on device arrays, recorded in a `with` block instead of being run.

    `launch()` runs them, on the same arrays each time.
    """

    __module__ = "numpy_plugin.cuda"

    def __init__(self, device: Device | None = None) -> None:
        """Keep the device."""
        self._device = device
        self._recorded: _core.RecordedGraph | None = None

    @without_own_frames
    def __enter__(self) -> Graph:
        """Wait for the device, and begin to record."""
        if self._recorded is not None:
            raise RuntimeError("the graph is recorded already; make another with cuda.graph()")
        self._recorded = _core.RecordedGraph(self._device)
        return self

    @without_own_frames
    def __exit__(self, kind: object, error: object, traceback: object) -> None:
        """End the recording; an exception of the block leaves nothing recorded."""
        assert self._recorded is not None
        if kind is None:
            self._recorded.end(False)
        else:
            recorded, self._recorded = self._recorded, None
            recorded.end(True)

    @without_own_frames
    def launch(self, stream: AnyStream = None) -> None:
        """Run the recorded calls.

        Args:
            stream: where they run. None: the stream of the arrays of another library if all of
                them name one, else this thread's.

        Raises:
            RuntimeError: nothing was recorded.
            CudaError: the driver can't submit them.
        """
        if self._recorded is None:
            raise RuntimeError("nothing is recorded: make the calls in `with cuda.graph() as g:`")
        self._recorded.launch(stream)

    @property
    def n_nodes(self) -> int:
        """The number of recorded launches, copies and fills."""
        return 0 if self._recorded is None else self._recorded.n_nodes

    def __repr__(self) -> str:
        """Return the number of nodes."""
        return f"<graph of {self.n_nodes} nodes>"

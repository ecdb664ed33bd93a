"""Functions and classes of this package that the C++ core calls, registered in one place.

The core imports this module on first use. Rarely needed functions are returned by the functions
below, which import their modules.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy_plugin import _core
from numpy_plugin._errors import exceptions
from numpy_plugin._errors.mistake import Mistake
from numpy_plugin._errors.wrong_call import show_in_call, warn_of_mistake

__all__: list[str] = []

Function = Callable[..., Any]


def _show_in_file() -> Function:
    from numpy_plugin._errors.literal_place import show_in_file

    return show_in_file


def _raised_exception() -> Function:
    from numpy_plugin._errors.raised import make_exception

    return make_exception


def _show_line() -> Function:
    from numpy_plugin._printed import show_line

    return show_line


def _tell_lost_lines() -> Function:
    from numpy_plugin._printed import tell_lost_lines

    return tell_lost_lines


def _log_event() -> Function:
    from numpy_plugin._events import log_event

    return log_event


def _is_logged() -> Function:
    from numpy_plugin._events import is_logged

    return is_logged


def _show_progress() -> Function:
    from numpy_plugin._progress import show_progress

    return show_progress


def _warn_of_changes() -> Function:
    from numpy_plugin._frontend.changes import warn_of_changes

    return warn_of_changes


def _call_ufunc() -> Function:
    from numpy_plugin._cuda.numpy_ufuncs import call_numpys_ufunc

    return call_numpys_ufunc


def _call_function() -> Function:
    from numpy_plugin._cuda.numpy_functions import call_numpys_function

    return call_numpys_function


def _call_method() -> Function:
    from numpy_plugin._cuda.numpy_functions import call_method

    return call_method


def _call_on_dask() -> Function:
    from numpy_plugin._dask_calls import call_on_dask

    return call_on_dask


def _call_on_pandas() -> Function:
    from numpy_plugin._pandas_calls import call_on_pandas

    return call_on_pandas


def _call_on_polars() -> Function:
    from numpy_plugin._polars_calls import call_on_polars

    return call_on_polars


def _outer_on_dask() -> Function:
    from numpy_plugin._dask_calls import outer_on_dask

    return outer_on_dask


def _to_library() -> Function:
    from numpy_plugin._cuda.interop import to_library

    return to_library


def _stream_of() -> Function:
    from numpy_plugin._cuda.interop import stream_of

    return stream_of


def _stream_object() -> Function:
    from numpy_plugin._cuda.interop import stream_object

    return stream_object


_core.set_hooks(
    exceptions={name: getattr(exceptions, name) for name in exceptions.__all__},
    diagnostic=exceptions.Diagnostic,
    mistake=Mistake,
    issue_warning=exceptions.issue_warning,
    warn_of_mistake=warn_of_mistake,
    show_in_call=show_in_call,
    show_in_file=_show_in_file,
    raised_exception=_raised_exception,
    show_line=_show_line,
    tell_lost_lines=_tell_lost_lines,
    log_event=_log_event,
    is_logged=_is_logged,
    show_progress=_show_progress,
    warn_of_changes=_warn_of_changes,
    call_ufunc=_call_ufunc,
    call_function=_call_function,
    call_method=_call_method,
    call_on_dask=_call_on_dask,
    call_on_pandas=_call_on_pandas,
    call_on_polars=_call_on_polars,
    outer_on_dask=_outer_on_dask,
    to_library=_to_library,
    stream_of=_stream_of,
    stream_object=_stream_object,
)

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Exceptions, and warnings of the library as Python warnings."""

import difflib
import sys
import warnings
from typing import NamedTuple

from ._lib import ffi, lib, status_text, text


# Names that an error lists where none is near: options and methods are fewer, bodies of a large machine are not.
_LISTED = 40


class Message(NamedTuple):
    """One message about an input: where, what is wrong, what to do. line 0: not from a file."""

    severity: str
    file: str
    line: int
    column: int
    element: str
    text: str

    def __str__(self):
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else f"{self.file}: " if self.file else ""
        return place + (f"{self.element}: " if self.element else "") + self.text


class NotPickled:
    """An object in the memory of the library: a shallow copy would share it, so copy and pickle are refused by a sentence."""

    _instead = ""

    def __reduce_ex__(self, _protocol):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled; {self._instead}")


class Error(Exception):
    """The base of all exceptions of this package. messages: all messages, not only the first."""

    def __init__(self, summary, messages=()):
        self.summary = str(summary)
        self.messages = list(messages)
        super().__init__("\n".join([self.summary] + [f"  {message}" for message in self.messages]))


class ModelError(Error, ValueError):
    """A model, or an option of a simulation, is not acceptable."""


class FileError(Error, OSError):
    """A file cannot be read."""


class ClosedError(Error, RuntimeError):
    """A simulation or model was used after it, or its model, was closed."""


class UnknownName(Error, KeyError):
    """There is no element of this name; the nearest names are suggested."""

    def __init__(self, kind, name, known):
        self.name, self.known = name, list(known)
        near = difflib.get_close_matches(str(name), [str(k) for k in known], n=3, cutoff=0.5) or (self.known if len(self.known) == 1 else [])
        hint = "did you mean " + " or ".join(f"'{n}'" for n in near) + "?" if near else "there is none" \
            if not self.known else "there are " + ", ".join(str(k) for k in self.known[:_LISTED]) + \
            (f" and {len(self.known) - _LISTED} more" if len(self.known) > _LISTED else "")
        super().__init__(f"no {kind} is called {name!r}; {hint}")

    __str__ = Exception.__str__


class SimulationError(Error, ArithmeticError):
    """A step failed. time [s], element, why and residual as reported by the library; result: the rows so far."""

    def __init__(self, time, element, why, residual, result=None):
        self.time, self.element, self.why, self.residual, self.result = time, element, why, residual, result
        super().__init__(f"t = {time:.9g} s: " + (f"{element}: " if element else "") + why)


class TrammelWarning(UserWarning):
    """A warning of the library about a model or an option."""


def warn(message):
    """Issues a warning at the line of the caller outside this package."""
    level, frame = 1, sys._getframe(0)
    while frame is not None and frame.f_globals.get("__package__") == __package__:
        level, frame = level + 1, frame.f_back
    warnings.warn(str(message), TrammelWarning, stacklevel=level)


def outcome_error(outcome, result=None):
    return SimulationError(outcome.time, text(outcome.element), text(outcome.why), outcome.residual, result)


class Messages:
    """Collects messages during a call of the library; after success warnings are passed to the warnings module, unless quiet, because they
    were passed when the same was done before."""

    def __init__(self, quiet=False):
        self.quiet = quiet

    def __enter__(self):
        self.list = lib.trm_messages_create(ffi.NULL)
        if not self.list:
            raise MemoryError("out of memory")
        return self

    def __exit__(self, kind, error, trace):
        found = self.all() if kind is None and not self.quiet else []
        lib.trm_messages_destroy(self.list)
        for message in found:
            if message.severity == "warning":
                warn(message)

    def all(self):
        found = []
        for i in range(lib.trm_message_count(self.list)):
            m = lib.trm_message_at(self.list, i)
            found.append(Message("error" if m.severity == lib.TRM_ERROR else "warning", text(m.place.file), m.place.line,
                                 m.place.column, text(m.element), text(m.text)))
        return found

    def check(self, status, summary):
        """Raises the exception of a status other than OK."""
        if status == lib.TRM_OK:
            return
        if status == lib.TRM_OUT_OF_MEMORY:
            raise MemoryError(f"{summary}: out of memory")
        errors = [m for m in self.all() if m.severity == "error"]
        if status == lib.TRM_IO_ERROR:
            raise FileError(f"{summary}: {status_text(status)}", errors)
        raise ModelError(summary, errors)

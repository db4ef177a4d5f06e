# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""The shared library, and conversions for calls of it: texts, messages, statuses."""

import os
from pathlib import Path

from ._declarations import SONAME, ffi

HERE = Path(__file__).resolve().parent


def _open():
    """Opens the library named by TRAMMEL_LIBRARY, or the one next to this file, or that of the system with the version of this package."""
    named = os.environ.get("TRAMMEL_LIBRARY")
    if named:
        return ffi.dlopen(named)
    inside = HERE / "libtrammel.so"
    return ffi.dlopen(str(inside) if inside.exists() else SONAME)


lib = _open()


def sized(pointer):
    """Returns a definition, or a list of them, with the size that this package was built for; the library may have more fields."""
    return ffi.new("trm_sized *", (pointer, ffi.sizeof(ffi.typeof(pointer).item)))[0]


def default(kind):
    """Returns a new definition with its defaults: default("equilibrium") is a trm_equilibrium_def *."""
    name = "trm_goal" if kind == "goal" else f"trm_{kind}_def"
    made = ffi.new(f"{name} *")
    lib.trm_set_defaults(getattr(lib, f"TRM_DEF_{kind.upper()}"), made, ffi.sizeof(name))
    return made


def text(chars):
    """Returns a C text as str; NULL gives an empty one."""
    return ffi.string(chars).decode("utf-8", "replace") if chars else ""


def collect(write):
    """Returns the bytes that write(sink) writes. A status other than OK raises OSError or MemoryError."""
    grown = ffi.gc(lib.trm_text_create(ffi.NULL), lib.trm_text_destroy)
    if not grown:
        raise MemoryError("out of memory")
    status = write(lib.trm_text_sink(grown))
    if status is False or (not isinstance(status, bool) and status != lib.TRM_OK):
        raise MemoryError("out of memory") if status == lib.TRM_OUT_OF_MEMORY else OSError(status_text(status))
    return ffi.unpack(lib.trm_text_get(grown), lib.trm_text_length(grown))


def status_text(status):
    return text(lib.trm_status_text(status)) if not isinstance(status, bool) else "nothing could be written"


version = text(lib.trm_version())

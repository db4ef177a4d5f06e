# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Makes trammel/_declarations.py from the public headers, for cffi in ABI mode.

Usage: make_declarations.py INCLUDE_FOLDER OUTPUT.py

The headers are C17 for programs; cffi reads declarations only. Comments, preprocessor lines, attributes and the bodies
of inline functions are left out, everything else is taken as it stands. So a header that changes changes the binding,
and a construct that cffi cannot read fails the build."""

import re
import sys
from pathlib import Path

# In the order of their includes; mpi.h belongs to a library of its own.
FIRST = ["base", "vecmath", "function", "model", "sim"]


def headers(folder):
    names = sorted(path.stem for path in folder.glob("*.h") if path.stem not in ("mpi", "trammel"))
    return [folder / f"{name}.h" for name in FIRST + [name for name in names if name not in FIRST]]


def without_inline_functions(text):
    """Removes every `static inline ... { ... }`; braces are counted, for no header has one in a text."""
    while (start := text.find("static inline")) >= 0:
        at = text.index("{", start)
        depth = 1
        while depth:
            at += 1
            depth += {"{": 1, "}": -1}.get(text[at], 0)
        text = text[:start] + text[at + 1:]
    return text


def declarations(header):
    text = re.sub(r"/\*.*?\*/", " ", header.read_text(), flags=re.S)
    text = re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)
    text = re.sub(r"extern \"C\" \{", "", text)
    text = re.sub(r"\bTRM_PRINTF\([^)]*\)|\bTRM_API\b", "", text)
    text = without_inline_functions(text)
    # The brace of extern "C" is the last one of the file and stands alone.
    text = re.sub(r"^\}\s*\Z", "", text, flags=re.M)
    return re.sub(r"\n\s*\n+", "\n", text)


def soname(folder):
    """The name under which the loader knows the shared library of these headers (src/CMakeLists.txt)."""
    major, minor = (re.search(rf"TRM_VERSION_{part} (\d+)", (folder / "base.h").read_text()).group(1) for part in ("MAJOR", "MINOR"))
    return f"libtrammel.so.{major}" + (f".{minor}" if major == "0" else "")


def main(include, output):
    import cffi

    ffi = cffi.FFI()
    for header in headers(Path(include)):
        try:
            ffi.cdef(declarations(header))
        except Exception as error:
            sys.exit(f"{header}: cffi cannot read this declaration: {error}")
    ffi.set_source("trammel._declarations", None)
    ffi.emit_python_code(output)
    with open(output, "a") as file:
        file.write(f'SONAME = "{soname(Path(include))}"\n')


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])

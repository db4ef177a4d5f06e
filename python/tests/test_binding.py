# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""The declarations against the headers and the library, the stubs against the package."""

import ast
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

import trammel
from trammel._lib import ffi, lib

CC = shutil.which(os.environ.get("CC") or "cc")


def headers(root):
    return [path for path in (root / "include" / "trammel").glob("*.h") if path.stem not in ("mpi", "trammel")]


def test_every_public_function_is_declared_and_exported(root):
    for header in headers(root):
        text = re.sub(r"/\*.*?\*/", "", header.read_text(), flags=re.S)
        for name in re.findall(r"TRM_API[^;(]*?\b(trm_\w+)\(", text):
            assert getattr(lib, name) is not None, name


@pytest.mark.skipif(not CC, reason="there is no C compiler")
def test_structs_have_the_layout_of_the_compiler(root, tmp_path):
    structs = [name for name in ffi.list_types()[0]
               if ffi.typeof(name).kind == "struct" and ffi.typeof(name).fields is not None]
    assert len(structs) > 40
    lines = []
    for name in structs:
        lines.append(f'printf("{name} %zu\\n", sizeof({name}));')
        lines += [f'printf("{name}.{field} %zu\\n", offsetof({name}, {field}));' for field, _ in ffi.typeof(name).fields]
    source = tmp_path / "sizes.c"
    source.write_text('#include <stddef.h>\n#include <stdio.h>\n#include "trammel/trammel.h"\nint main(void) {\n'
                      + "\n".join(lines) + "\nreturn 0; }\n")
    environment = {key: value for key, value in os.environ.items() if key != "LD_PRELOAD"}
    subprocess.run([CC, "-std=c17", "-I", root / "include", source, "-o", tmp_path / "sizes"], check=True, env=environment)
    printed = subprocess.run([tmp_path / "sizes"], check=True, capture_output=True, text=True, env=environment).stdout
    for line in printed.splitlines():
        name, size = line.split()
        struct, _, field = name.partition(".")
        assert int(size) == (ffi.offsetof(struct, field) if field else ffi.sizeof(struct)), name


def public(names):
    return {name for name in names if not name.startswith("_")}


def test_stubs_name_what_the_package_has():
    tree = ast.parse(Path(trammel.__file__).with_name("__init__.pyi").read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert public(classes) | functions == set(trammel.__all__)
    for name, node in public_classes(classes):
        stubbed = public(item.name for item in node.body if isinstance(item, ast.FunctionDef))
        own = public(key for key, value in vars(getattr(trammel, name)).items()
                     if callable(value) or isinstance(value, (property, classmethod)))
        assert stubbed >= own - {"Message"}, (name, own - stubbed)
        assert all(hasattr(getattr(trammel, name), item) for item in stubbed), name


def public_classes(classes):
    return [(name, node) for name, node in classes.items() if name in trammel.__all__ and name != "Message"]


def test_everything_public_has_a_docstring():
    for name in trammel.__all__:
        assert getattr(trammel, name).__doc__, name
        for key, value in vars(getattr(trammel, name)).items():
            if not key.startswith("_") and isinstance(value, property):
                continue
            if not key.startswith("_") and callable(value) and not isinstance(value, type) and name not in ("Message",):
                assert value.__doc__ or key in ("keys", "to_dict"), f"{name}.{key}"


def test_the_code_is_that_of_python_3_9():
    for path in Path(trammel.__file__).parent.glob("*.py*"):
        if path.suffix in (".py", ".pyi"):
            ast.parse(path.read_text(), feature_version=(3, 9))

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""The snippets of docs/python.md and README, and the examples: they run, and print what the page says."""

import contextlib
import importlib.util
import io
import re

import pytest


def blocks(path):
    """Pairs of a snippet and what it prints, or None."""
    found = re.findall(r"^```(\w+)[^\n]*\n(.*?)^```$", path.read_text(), flags=re.M | re.S)
    pairs = []
    for language, text in found:
        if language == "python":
            pairs.append([text, None])
        elif language == "output":
            pairs[-1][1] = text
    return pairs


def matches(expected, printed):
    """Line by line; ... stands for anything."""
    pattern = "".join(re.escape(part) if part != "..." else ".*" for part in re.split(r"(\.\.\.)", expected.strip()))
    return re.fullmatch(pattern, printed.strip(), flags=re.S)


@pytest.mark.parametrize("page, least", [("docs/python.md", 12), ("README.md", 1)])
def test_snippets_print_what_the_page_says(root, page, least, monkeypatch):
    if least > 1:
        pytest.importorskip("scipy")
    pytest.importorskip("matplotlib")
    monkeypatch.chdir(root)
    pairs = blocks(root / page)
    assert len(pairs) >= least
    names = {}
    for code, expected in pairs:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, page, "exec"), names)
        if expected is not None:
            assert matches(expected, printed.getvalue()), f"{code}\nprinted\n{printed.getvalue()}"


def example(root, name):
    spec = importlib.util.spec_from_file_location(name, root / "examples" / "python" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tested(root):
    assert {path.stem for path in (root / "examples" / "python").glob("*.py")} == {"computed_torque", "cart_pole", "four_bar"}


def test_computed_torque_follows_the_motion(root):
    assert example(root, "computed_torque").main(root / "python" / "bench" / "arm.xml") < 1e-3


def test_cart_pole_is_balanced(root):
    pytest.importorskip("scipy")
    assert 0.3 < example(root, "cart_pole").main(40) < 1.2


def test_four_bar_needs_no_torque(root, tmp_path):
    pytest.importorskip("matplotlib")
    assert example(root, "four_bar").main(tmp_path / "four_bar.png") < 1e-3
    assert (tmp_path / "four_bar.png").read_bytes()[:4] == b"\x89PNG"

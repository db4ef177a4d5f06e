#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""scaled.py TRAMMEL MODEL [OPTIONS of trammel run]: one model with masses, lengths and steps changed by factors of 3.

Masses: mass, inertia and density; forces stay. Lengths: all places and sizes, gravity stays. Steps: the step of the options, of the
model, or 0.01 s. Prints how each run ends: exit code, steps, verdict, |E - E0 - W| in parts of the energy exchanged, and how far bodies
are from a run with half the step. Exit code 1: a run stopped, hung, or is called good and is more than 10 % off.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

LENGTHS = {
    "position", "com", "anchor", "anchors", "size", "radius", "offset", "points", "rest", "pitch", "length", "from", "to",
    "origin", "major", "minor", "half",
}
MASSES = {"mass", "inertia", "density"}
ANGLES_OF = {"hinge", "universal", "screw", "torsion", "servo"}
VARIANTS = [("as it is", 1, 1, 1)] + [
    (f"{what} {text}", *factors)
    for text, f in (("x 3", 3.0), ("/ 3", 1 / 3))
    for what, factors in (("masses", (f, 1, 1)), ("lengths", (1, f, 1)), ("steps", (1, 1, f)))
]


def times(value, factor):
    if isinstance(value, list):
        return [times(v, factor) for v in value]
    if isinstance(value, str):
        return f"({value})*{factor!r}"
    return value * factor if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def scaled(value, mass, length, of=None):
    """of: the type of the element, by which a rest or a limit is a length or an angle."""
    if isinstance(value, list):
        return [scaled(v, mass, length, of) for v in value]
    if not isinstance(value, dict):
        return value
    of = value.get("type", of)
    out = {}
    for key, v in value.items():
        if key == "inertia":
            out[key] = times(v, mass * length**2)
        elif key == "density":
            out[key] = times(v, mass / length**3)
        elif key in MASSES:
            out[key] = times(v, mass)
        elif (key in LENGTHS or (key == "limits" and of not in ANGLES_OF)) and not (key == "rest" and of in ANGLES_OF):
            out[key] = v if length == 1 or (key == "from" or key == "to") and isinstance(v, str) else times(v, length)
        else:
            out[key] = scaled(v, mass, length, of)
    return out


def report_of(command, limit=60):
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return None, None, "did not end"
    try:
        return run.returncode, json.loads(run.stdout), run.stderr
    except json.JSONDecodeError:
        return run.returncode, None, run.stderr


def difference(reasons):
    for text in reasons:
        m = re.search(r"with half the step bodies are at most (\S+) m of (\S+) m and (\S+) rad", text)
        if m:
            way, size, angle = (float(x) for x in m.groups())
            return max(way / size if way > 1e-9 else 0, angle)
    return float("nan")


def main():
    trammel, path, options = sys.argv[1], sys.argv[2], sys.argv[3:]
    with open(path, encoding="utf-8") as file:
        model = json.loads("".join(line for line in file if not line.lstrip().startswith("//")))
    step = float(model.get("simulation", {}).get("step", 0.01))
    if "--step" in options:
        at = options.index("--step")
        step = float(options[at + 1])
        del options[at : at + 2]
    failed = False
    print(f"{os.path.basename(path)} {' '.join(options)} --step {step:g}")
    for name, mass, length, longer in VARIANTS:
        with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
            json.dump(scaled(model, mass, length), file)
        command = [trammel, "run", file.name, "--json", "--step", repr(step * longer)] + options
        code, report, said = report_of(command)
        again = report_of(command + ["--verify"])[1] if report and code in (0, 5) else None
        os.unlink(file.name)
        if report is None:
            print(f"  {name:12s} exit {code}: {said.strip().splitlines()[-1] if said.strip() else ''}")
            failed = True
            continue
        energy = report["energy"]
        share = energy["max_error"] / energy["scale"] if energy["scale"] else 0.0
        apart = difference(again["reasons"]) if again else float("nan")
        wrong = code not in (0, 5) or (report["verdict"] == "good" and apart > 0.1)
        failed = failed or wrong
        print(
            f"  {name:12s} exit {code} {report['steps']:7d} steps  {report['verdict']:5s} {share:8.1e} of S  half the step: {apart:8.1e}"
            + (f"  {report['status']}" if report["status"] != "ok" else "")
            + ("  WRONG" if wrong else "")
        )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

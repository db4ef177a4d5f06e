#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""scaled.py TRAMMEL MODELS [--few] [--cpu S] [OPTIONS of trammel run]: models with masses, lengths and steps changed by factors of 3.

MODELS is one model or a folder of models. Each model is run in 27 variants: masses, lengths and the step each times 1, 3 and 1/3 (--few:
one of the three at a time, 7 variants). Masses are mass, inertia and density; forces stay. Lengths are all places and sizes; gravity and
velocities stay. The step is that of the options, of the model, or 0.01 s.

Without options a model is run by each command that its opening comment names: "// trammel run FILE --order 4 --step 0.005: ...;
--order 6: ..." are two runs, the second with the options of the first where it gives none of its own. Besides, it is run as it is.

Prints for each run: exit code, steps, verdict, |E - E0 - W| in parts of the energy exchanged, distance from a run with half the step
(bodies, in parts of the motion's size or rad), and seconds of processor time per simulated second. A run with exit code 1, 2 or 3 was refused
by name, which is no failure. The last column says what is wrong with the others: STOPPED (exit code 4), HUNG (more than --cpu seconds of the
processor, default 60), CRASHED, GOOD BUT WRONG (more than 10 % or 0.1 rad from half the step). SLOW (slower than real time) is
no failure, nor is CHAOTIC: half the step leads elsewhere, and so does a start whose velocities and gravity are moved by 1e-6 of
themselves. Exit code 1: there were failures.
"""

import itertools
import json
import os
import re
import resource
import subprocess
import sys
import tempfile

LENGTHS = {
    "position", "com", "anchor", "anchors", "size", "radius", "offset", "points", "rest", "pitch", "length", "from", "to",
    "origin", "major", "minor", "half",
}
MASSES = {"mass", "inertia", "density"}
ANGLES_OF = {"hinge", "universal", "screw", "torsion", "servo"}
FACTORS = ((1.0, "1"), (3.0, "3"), (1 / 3, "1/3"))
FLAGS = {"--verify", "--json", "--strict", "--self-collision"}
WRONG = 0.1  # of the motion's size, or rad: a run further than this from half its step is wrong


def times(value, factor):
    if isinstance(value, list):
        return [times(v, factor) for v in value]
    if isinstance(value, dict):
        return {key: times(v, factor) for key, v in value.items()}
    if isinstance(value, str):
        return f"({value})*{factor!r}"
    return value * factor if isinstance(value, (int, float)) and not isinstance(value, bool) else value


def is_length(key, value, of):
    if key == "rest" or key == "limits":
        return of not in ANGLES_OF
    names = isinstance(value, str) and key in ("from", "to")
    return key in LENGTHS and not names


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
        elif is_length(key, v, of):
            out[key] = v if length == 1 else times(v, length)
        else:
            out[key] = scaled(v, mass, length, of)
    return out


# ---- Runs that a comment names ------------------------------------------------------------------------------------------------


def pairs_of(words):
    """["--order", "4", "--verify"] as {"--order": "4", "--verify": None}"""
    found, i = {}, 0
    while i < len(words):
        flag = words[i] in FLAGS or i + 1 >= len(words) or words[i + 1].startswith("--")
        found[words[i]] = None if flag else words[i + 1]
        i += 1 if flag else 2
    return found


def runs_of(comment):
    """The sets of options that the opening comment of a model names."""
    text = re.sub(r"examples/\S+", "", comment)
    option = r"--[a-z]+(?: (?!--)[A-Za-z0-9.:=+-]*[A-Za-z0-9])?"
    base, runs = {}, [{}]
    first = re.search(rf"trammel run FILE((?: {option})*)", text)
    if first:
        base = {key: value for key, value in pairs_of(first.group(1).split()).items() if value != "H"}
        runs.append(base)
        text = text[: first.start()] + text[first.end() :]
    for more in re.finditer(rf"(?:{option})(?: {option})*", text):
        options = {key: value for key, value in pairs_of(more.group(0).split()).items() if value or key in FLAGS}
        runs.append({**base, **options})
    return [run for i, run in enumerate(runs) if run not in runs[:i]]


def read_model(path):
    with open(path, encoding="utf-8") as file:
        lines = file.readlines()
    comment = " ".join(line.strip("/ \n") for line in itertools.takewhile(lambda l: l.lstrip().startswith("//"), lines))
    text = "".join(line for line in lines if not line.lstrip().startswith("//"))
    text = re.sub(r",(\s*[\]}])", r"\1", text)  # trailing commas
    return json.loads(text), comment


# ---- One run ------------------------------------------------------------------------------------------------------------------


def report_of(command, cpu):
    """Exit code, report, stderr, seconds of processor time. The code is None where the processor time was over."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 1))
    run = subprocess.run(command, capture_output=True, text=True, preexec_fn=limit, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    code = None if spent > 0.95 * int(cpu) and run.returncode < 0 else run.returncode
    try:
        return code, json.loads(run.stdout), run.stderr, spent
    except json.JSONDecodeError:
        return code, None, run.stderr, spent


def difference(reasons):
    for text in reasons:
        m = re.search(r"with half the step bodies are at most (\S+) m of (\S+) m and (\S+) rad", text)
        if m:
            way, size, angle = (float(x) for x in m.groups())
            return max(way / size if way > 1e-9 else 0, angle)
    return float("nan")


def trouble_of(code, report, apart):
    if code is None:
        return "HUNG"
    if code < 0:
        return "CRASHED"
    if code == 4:
        return "STOPPED"
    if report and report["verdict"] == "good" and apart > WRONG:
        return "GOOD BUT WRONG"
    return ""


def moved(model):
    """The model with gravity and velocities moved by 1e-6 of themselves."""
    out = dict(model, gravity=times(model.get("gravity", [0, 0, 0]), 1 + 1e-6))
    velocities = ("velocity", "angular_velocity")
    out["bodies"] = [
        {key: times(v, 1 + 1e-6) if key in velocities else v for key, v in body.items()} for body in model["bodies"]
    ]
    return out


def end_of(trammel, model, words, cpu):
    """Positions and orientations of all bodies at the end."""
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(model, file)
    rows = file.name + ".csv"
    report_of([trammel, "run", file.name, "--json", "--out", rows, "--columns", "*.x,*.y,*.z,*.qw,*.qx,*.qy,*.qz"] + words, cpu)
    with open(rows, encoding="utf-8") as table:
        last = [line for line in table if line[0] != "#"][-1]
    os.unlink(file.name)
    os.unlink(rows)
    return [float(x) for x in last.split(",")]


def is_chaotic(trammel, model, words, cpu):
    pair = zip(end_of(trammel, model, words, cpu), end_of(trammel, moved(model), words, cpu))
    return max(abs(a - b) for a, b in pair) > 0.1 * WRONG


def run_variant(trammel, model, options, factors, cpu):
    mass, length, longer = factors
    step = float(options.get("--step") or model.get("simulation", {}).get("step", 0.01))
    given = {**options, "--step": repr(step * longer)}
    words = [word for pair in given.items() for word in pair if word is not None]
    with tempfile.NamedTemporaryFile("w", suffix=".json", delete=False) as file:
        json.dump(scaled(model, mass, length), file)
    command = [trammel, "run", file.name, "--json"] + words
    code, report, said, spent = report_of(command, cpu)
    again = report_of(command + ["--verify"], 3 * cpu)[1] if report and code in (0, 5) else None
    os.unlink(file.name)
    apart = difference(again["reasons"]) if again else float("nan")
    trouble = trouble_of(code, report, apart)
    if trouble == "GOOD BUT WRONG" and is_chaotic(trammel, scaled(model, mass, length), words, cpu):
        trouble = "CHAOTIC"
    text = f"exit {code}"
    if report:
        energy = report["energy"]
        share = energy["max_error"] / energy["scale"] if energy["scale"] else 0.0
        pace = spent / report["time"] if report["time"] else float("inf")
        text += f" {report['steps']:7d} steps {report['verdict']:5s} {share:8.1e} of S, half the step {apart:8.1e}, {pace:8.2g} s/s"
        text += " SLOW" if pace > 1 else ""
    if not report or code == 4:
        text += "  " + (said.strip().splitlines()[-1].replace(file.name, "FILE")[:160] if said.strip() else "")
    return text, trouble


def main():
    words = sys.argv[1:]
    few = "--few" in words
    words = [w for w in words if w != "--few"]
    cpu = 60.0
    if "--cpu" in words:
        at = words.index("--cpu")
        cpu = float(words[at + 1])
        del words[at : at + 2]
    trammel, models, options = words[0], words[1], words[2:]
    paths = [models] if os.path.isfile(models) else sorted(
        os.path.join(models, name) for name in os.listdir(models) if name.endswith(".json"))
    failures = runs = 0
    for path in paths:
        model, comment = read_model(path)
        for chosen in [pairs_of(options)] if options else runs_of(comment):
            print(os.path.basename(path), " ".join(w for p in chosen.items() for w in p if w), flush=True)
            for (m, tm), (l, tl), (s, ts) in itertools.product(FACTORS, FACTORS, FACTORS):
                if few and (m != 1) + (l != 1) + (s != 1) > 1:
                    continue
                text, trouble = run_variant(trammel, model, chosen, (m, l, s), cpu)
                runs += 1
                failures += trouble not in ("", "CHAOTIC")
                print(f"  masses {tm:3s} lengths {tl:3s} steps {ts:3s} {text}  {trouble}", flush=True)
    print(f"{runs} runs, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

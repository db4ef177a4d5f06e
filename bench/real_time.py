#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""real_time.py TRAMMEL TORTURE [--families LIST] [--machines N] [--seed K] [--cpu S] [--slow FILE]: do random machines run
to their end, faster than real time?

TORTURE draws N machines (default: 100) of each family of LIST (default: ragdoll,stops). Each machine is run in every setting:
event-driven at orders 2, 4, 6 and 8, time-stepping, auto at orders 2 and 4, and lcp. A family without contacts has no modes of contact, so
its machines are run at orders 2, 4, 6, 8, and by lcp.

Machines 1 m large have the step 0.005 s, scaled ones a step and a duration scaled alike. Real time is therefore 0.005 s of the
processor per planned step.

Prints one row per family and setting: runs, runs that reached their end, runs refused by name (exit code 1 to 3), runs with the
verdict bad (exit code 5), runs slower than real time, and processor time in parts of real time: mean, 90th percentile, and worst with its
machine. --slow writes one line per slow or failed run: machine, options, factor. A run that takes more than S processor seconds
(default: 30) counts as hung. Exit code 1: a run failed or hung.
"""

import json
import os
import resource
import subprocess
import sys
import tempfile

CONTACTS = [
    ("event, order 2", ["--impact", "event", "--order", "2"]),
    ("event, order 4", ["--impact", "event", "--order", "4"]),
    ("event, order 6", ["--impact", "event", "--order", "6"]),
    ("event, order 8", ["--impact", "event", "--order", "8"]),
    ("window", ["--impact", "window", "--order", "2"]),
    ("auto, order 2", ["--impact", "auto", "--order", "2"]),
    ("auto, order 4", ["--impact", "auto", "--order", "4"]),
    ("lcp", ["--method", "lcp", "--order", "1"]),
]
STEP = 0.005  # s, of a machine 1 m large
SMOOTH = [(f"order {p}", ["--order", p]) for p in "2468"] + CONTACTS[-1:]


def options(words):
    values = {"--families": "ragdoll,stops", "--machines": "100", "--seed": "1", "--cpu": "30", "--slow": ""}
    while words:
        if words[0] not in values or len(words) < 2:
            sys.exit(__doc__)
        values[words[0]] = words[1]
        words = words[2:]
    return values


def draw(torture, given, folder):
    subprocess.run(
        [torture, "--draw", "--out", folder, "--machines", given["--machines"], "--seed", given["--seed"], "--family", given["--families"]],
        check=True, stdout=subprocess.DEVNULL)
    return sorted(os.path.join(folder, f) for f in os.listdir(folder) if "-drawn-" in f)


def run(trammel, path, words, cpu):
    """(exit code, processor time in parts of real time); a hung run has the code -9 or -24."""
    limit = lambda: resource.setrlimit(resource.RLIMIT_CPU, (int(cpu), int(cpu) + 1))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([trammel, "run", path, "--json", *words], preexec_fn=limit, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    try:
        report = json.loads(done.stdout)
        return done.returncode, spent * report["step"] / report["time"] / STEP
    except (ValueError, KeyError):
        return done.returncode, spent


class Row:
    def __init__(self):
        self.ended = self.refused = self.bad = self.slow = self.failed = self.runs = 0
        self.factors = []

    def add(self, code, factor, name):
        self.runs += 1
        self.ended += code in (0, 5)
        self.bad += code == 5
        self.refused += code in (1, 2, 3)
        self.failed += code not in (0, 1, 2, 3, 5)
        if code not in (1, 2, 3):
            self.slow += factor > 1
            self.factors.append((factor, name))

    def show(self, family, setting):
        at = sorted(self.factors) or [(0, "-")]
        mean = sum(f for f, _ in at) / len(at)
        print(f"{family:9s} {setting:15s} {self.runs:5d} {self.ended:6d} {self.refused:8d} {self.bad:5d} {self.slow:5d} "
              f"{mean:8.3f} {at[int(0.9 * (len(at) - 1))][0]:8.3f} {at[-1][0]:8.3f}  {at[-1][1]}", flush=True)


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    trammel, torture, given = sys.argv[1], sys.argv[2], options(sys.argv[3:])
    slow = open(given["--slow"], "w", encoding="utf-8") if given["--slow"] else None
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        paths = draw(torture, given, folder)
        print("family    setting          runs  ended  refused   bad  slow     mean     90 %    worst  machine")
        for family in given["--families"].split(","):
            mine = [p for p in paths if os.path.basename(p).startswith(family + "-")]
            touches = '"shapes"' in "".join(open(p, encoding="utf-8").read() for p in mine)
            for setting, words in CONTACTS if touches else SMOOTH:
                row = Row()
                for path in mine:
                    name = os.path.basename(path).split("-")[-1].split(".")[0]
                    code, factor = run(trammel, path, words, float(given["--cpu"]))
                    row.add(code, factor, name)
                    if slow and (factor > 1 or code not in (0, 1, 2, 3)):
                        print(family, name, " ".join(words), f"exit {code}, {factor:.2f}", file=slow, flush=True)
                row.show(family, setting)
                failed += row.failed
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()

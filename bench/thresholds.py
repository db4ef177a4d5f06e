#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""thresholds.py ROOT WORK [NAME...]: which tests notice if a named threshold of src is ten times larger or smaller.

Clones the tree ROOT into WORK and replaces every `static const double NAME = number` by a macro that multiplies the number by a factor from the
environment (TRM_TUNE="12:10"). Builds once, and runs every quick test once to see which thresholds it reaches and how long it takes. Then, for
each threshold and both factors, runs the tests that reach it, fastest first, up to a budget of processor time, and prints the first that fails.
NAME: only these thresholds. One build and about 3 s for each threshold; with all of them about half an hour."""

import json
import os
import re
import resource
import subprocess
import sys

BUDGET = 1.6  # s of processor time for one threshold and factor
MOST_TESTS = 12
LONGEST = 6  # s: longer tests are left out

DECLARATION = re.compile(r"^ *static const double ([A-Z][A-Z_0-9]* = .*?);.*$")
SOURCE = """#include <stdio.h>
#include <stdlib.h>
double trm_tune_factor[1024];
unsigned char trm_tune_seen[1024];
static void done(void)
{
    const char *name = getenv("TRM_TUNE_SEEN");
    FILE *file = name ? fopen(name, "a") : NULL;
    if (!file) return;
    for (int i = 0; i < 1024; i++)
        if (trm_tune_seen[i]) fprintf(file, "%d ", i);
    fclose(file);
}
__attribute__((constructor)) static void begin(void)
{
    const char *text = getenv("TRM_TUNE");
    int number;
    double factor;
    for (int i = 0; i < 1024; i++) trm_tune_factor[i] = 1;
    if (text && sscanf(text, "%d:%lf", &number, &factor) == 2) trm_tune_factor[number] = factor;
    atexit(done);
}
"""
HEADER = """extern double trm_tune_factor[1024];
extern unsigned char trm_tune_seen[1024];
static inline double trm_tune(int k) { return trm_tune_seen[k] = 1, trm_tune_factor[k]; }
"""


def declarations(text):
    """NAME = VALUE, NAME = VALUE: pairs; commas within parentheses do not count."""
    return [part.strip().split(" = ", 1) for part in re.split(r",(?![^(]*\))", text)]


def replace_thresholds(tree, header):
    found = []
    for folder, _, files in os.walk(os.path.join(tree, "src")):
        for name in sorted(files):
            path = os.path.join(folder, name)
            if not name.endswith((".c", ".h")) or name.endswith("_tables.h") or name == "number_powers.h":
                continue
            lines = open(path).read().split("\n")
            changed = False
            for i, line in enumerate(lines):
                match = DECLARATION.match(line)
                if not match or " P = " in line:  # P is a variable elsewhere in its file
                    continue
                macros = []
                for constant, value in declarations(match.group(1)):
                    macros += [f"#undef {constant}", f"#define {constant} (trm_tune({len(found)}) * ({value}))"]
                    found.append((os.path.relpath(path, tree), constant, value))
                lines[i] = "\n".join(macros)
                changed = True
            if changed:
                open(path, "w").write(f'#ifndef TRM_TUNE_H\n#define TRM_TUNE_H\n#include "{header}"\n#endif\n' + "\n".join(lines))
    return found


def run(test, environment, limit):
    """Returns exit status and s of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    process = subprocess.Popen(test["command"], env={**os.environ, **environment}, cwd=test["folder"], stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                               preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    status = process.wait()
    return status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def quick_tests(build):
    listed = json.loads(subprocess.check_output(["ctest", "--show-only=json-v1", "-L", "quick"], cwd=build))
    for test in listed["tests"]:
        properties = {p["name"]: p["value"] for p in test.get("properties", [])}
        if "command" in test:
            yield {"name": test["name"], "command": test["command"], "folder": properties.get("WORKING_DIRECTORY", build)}


def main(root, work, only):
    tree, header, seen = (os.path.join(work, name) for name in ("tree", "tune.h", "seen"))
    os.makedirs(work, exist_ok=True)
    subprocess.check_call(["git", "clone", "-q", root, tree])
    open(header, "w").write(HEADER)
    open(os.path.join(tree, "src/base/tune.c"), "w").write(SOURCE)
    lists = os.path.join(tree, "src/base/CMakeLists.txt")
    text = open(lists).read()
    open(lists, "w").write(text.replace("  version.c\n", "  version.c\n  tune.c\n"))
    thresholds = replace_thresholds(tree, header)
    build = os.path.join(tree, "build")
    subprocess.check_call(["cmake", "--preset", "release", "-DTRAMMEL_WERROR=OFF", "-DCMAKE_C_FLAGS=-w"], cwd=tree, stdout=subprocess.DEVNULL)
    subprocess.check_call(["cmake", "--build", build, "-j", "2"], stdout=subprocess.DEVNULL)
    reach = []
    for test in quick_tests(build):
        open(seen, "w").close()
        status, time = run(test, {"TRM_TUNE_SEEN": seen}, LONGEST)
        if status == 0:
            reach.append((time, set(map(int, open(seen).read().split())), test))
    reach.sort(key=lambda r: r[0])
    for number, (path, name, value) in enumerate(thresholds):
        if only and name not in only:
            continue
        for factor in ("10", "0.1"):
            spent, tried, failed = 0, 0, None
            for time, numbers, test in reach:
                if number not in numbers or spent + time > BUDGET or tried == MOST_TESTS or failed:
                    continue
                status, _ = run(test, {"TRM_TUNE": f"{number}:{factor}"}, int(4 * time + 4))
                spent, tried, failed = spent + time, tried + 1, test["name"] if status else None
            print(f"{path} {name} = {value}, times {factor}: " + (f"{failed} fails" if failed else f"{tried} tests pass"), flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:])

#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""machines.py TRAMMEL [SCENE...] [--modes event,window,auto] [--cpu S] [--write FOLDER]: machines with joints and contacts, and their time per step.

The scenes are the walker, the gripper and the dominoes of examples; twelve of Jansen's legs on one chassis with one crank; a quadruped
with twelve servos that squats on its feet; and a chain mail of rings of capsules that falls on a ball. Each is run in each mode of contact.
Prints the planned and the made steps, processor time per planned step [us], and the verdict. --write stores the models as files.

Exit code 1: a run stopped, its verdict was bad, or its contacts or impacts added energy.
"""

import argparse
import json
import math
import os
import re
import resource
import subprocess
import sys
import tempfile

EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
GRAVITY = [0, 0, -9.81]
FLOOR = {"name": "floor", "fixed": True, "shapes": [{"type": "plane", "normal": [0, 0, 1], "offset": 0}]}


# ---- Jansen's legs ----

# m: Jansen's lengths, scaled; see examples/jansen.json
JANSEN = {key: 0.5 * value for key, value in dict(
    a=0.38, b=0.415, c=0.393, d=0.401, e=0.558, f=0.394, g=0.367, h=0.657, i=0.49, j=0.5, k=0.619, l=0.078, m=0.15).items()}
FOOT_RADIUS = 0.01


def corner(length, other, base):
    """Angle between two sides of a triangle."""
    return math.acos((length**2 + base**2 - other**2) / (2 * length * base))


def along(origin, length, angle):
    return origin[0] + length * math.cos(angle), origin[1] + length * math.sin(angle)


def leg_points(phase):
    """Points of a left leg in the plane of the leg, relative to the shaft: P, B, C, D, E, F, foot."""
    n = JANSEN
    P, B = along((0, 0), n["m"], phase), (-n["a"], -n["l"])
    BP, to_p = math.dist(B, P), math.atan2(P[1] - B[1], P[0] - B[0])
    to_c = to_p + corner(n["b"], n["j"], BP)
    C = along(B, n["b"], to_c)
    D = along(B, n["d"], to_c + corner(n["b"], n["e"], n["d"]))
    E = along(B, n["c"], to_p - corner(n["c"], n["k"], BP))
    ED, to_d = math.dist(E, D), math.atan2(D[1] - E[1], D[0] - E[0])
    to_f = to_d + corner(n["g"], n["f"], ED)
    return P, B, C, D, E, along(E, n["g"], to_f), along(E, n["i"], to_f + corner(n["g"], n["h"], n["i"]))


def add_leg(model, name, points, y, height):
    """Adds a leg of two triangles; its bars have no mass and keep distances. points: in the plane of the leg."""
    P, B, C, D, E, F, foot = ([p[0], y, p[1]] for p in points)
    upper, lower = [[sum(p[k] for p in part) / 3 for k in range(3)] for part in ((B, C, D), (E, F, foot))]

    def world(p):
        return [p[0], p[1], p[2] + height]

    def local(p, middle):
        return [p[k] - middle[k] for k in range(3)]

    body = {"mass": 0.1, "inertia": [0.0004, 0.0008, 0.0004]}
    shape = {"type": "sphere", "radius": FOOT_RADIUS, "position": local(foot, lower), "friction": 0.9}
    model["bodies"] += [{"name": "U" + name, "position": world(upper), **body},
                        {"name": "L" + name, "position": world(lower), **body, "shapes": [shape]}]
    model["joints"] += [
        {"name": "B" + name, "type": "hinge", "bodies": ["chassis", "U" + name], "anchor": world(B), "axis": [0, -1, 0]},
        {"name": "p" + name, "type": "planar", "bodies": ["chassis", "L" + name], "anchor": world(lower), "axis": [0, 1, 0]}]
    for bar, bodies, anchors in (("j", ["crank", "U"], [P, local(C, upper)]), ("k", ["crank", "L"], [P, local(E, lower)]),
                                 ("c", ["chassis", "L"], [B, local(E, lower)]),
                                 ("f", ["U", "L"], [local(D, upper), local(F, lower)])):
        full = [b + name if b in ("U", "L") else b for b in bodies]
        model["joints"].append({"name": bar + name, "type": "distance", "bodies": full, "anchors": anchors})


def jansen(pairs=6):
    """Twelve legs whose cranks are a sixth of a turn apart, two by two mirrored."""
    legs = []
    for n in range(pairs):
        phase, y = math.pi / 2 + 2 * math.pi * n / pairs, -0.15 + 0.3 * n / (pairs - 1)
        legs.append(("%dL" % n, leg_points(phase), y))
        legs.append(("%dR" % n, [(-x, z) for x, z in leg_points(math.pi - phase)], y))
    height = FOOT_RADIUS - min(points[-1][1] for _, points, _ in legs)
    model = {
        "trammel": 1, "name": "twelve of Jansen's legs", "gravity": GRAVITY,
        "constants": {"w": "2*pi*0.5", "tau": 0.3},
        "bodies": [{"name": "chassis", "position": [0, 0, height],
                    "shapes": [{"type": "box", "size": [0.38, 0.26, 0.03], "density": 4000, "collide": False}]},
                   {"name": "crank", "position": [0, 0, height], "mass": 0.3, "inertia": [0.0003, 0.0004, 0.0003]}, FLOOR],
        "joints": [{"name": "shaft", "type": "hinge", "bodies": ["chassis", "crank"], "anchor": [0, 0, height],
                    "axis": [0, -1, 0]}],
        "forces": [{"type": "drive", "joint": "shaft", "motion": "w*(t - tau*(1 - exp(-t/tau)))"}],
        "simulation": {"step": 0.005, "time": 2, "every": 0.02}}
    for name, points, y in legs:
        add_leg(model, name, points, y, height)
    return model


# ---- A quadruped ----


def quadruped():
    """A trunk on four legs of three servos each, which squats, leans and rises again."""
    thigh, shin, radius = 0.2, 0.2, 0.02
    bend = 0.6  # rad: of thighs forward, of shins back
    height = thigh * math.cos(bend) + shin * math.cos(bend) + radius
    model = {"trammel": 1, "name": "quadruped with twelve servos", "gravity": GRAVITY, "defaults": {"friction": 0.8},
             "bodies": [{"name": "trunk", "position": [0, 0, height],
                         "shapes": [{"type": "box", "size": [0.5, 0.2, 0.1], "density": 800, "collide": False}]}, FLOOR],
             "joints": [], "forces": [], "simulation": {"step": 0.005, "time": 4, "every": 0.02}}
    for name, x, y in (("fl", 0.2, 0.1), ("fr", 0.2, -0.1), ("rl", -0.2, 0.1), ("rr", -0.2, -0.1)):
        wide = y + math.copysign(0.05, y)
        knee, foot = x + thigh * math.sin(bend), height - thigh * math.cos(bend)
        shoulder, hip = name + "_shoulder", name + "_hip"
        model["bodies"] += [
            {"name": shoulder, "position": [x, y, height], "mass": 0.5, "inertia": [0.001] * 3},
            {"name": name + "_thigh", "rod": {"from": [x, wide, height], "to": [knee, wide, foot], "mass": 0.8, "radius": radius}},
            {"name": name + "_shin", "mass": 0.3, "inertia": [0.001, 0.001, 0.0002], "position": [knee, wide, foot],
             "shapes": [{"type": "sphere", "radius": radius, "position": [-shin * math.sin(bend), 0, -shin * math.cos(bend)]}]}]
        joints = ((shoulder, "trunk", shoulder, [x, y, height], [1, 0, 0], "0.1*sin(3*t)^2"),
                  (hip, shoulder, name + "_thigh", [x, wide, height], [0, 1, 0], "-0.3*sin(2*t)^2"),
                  (name + "_knee", name + "_thigh", name + "_shin", [knee, wide, foot], [0, 1, 0], "0.6*sin(2*t)^2"))
        for joint, a, b, anchor, axis, target in joints:
            model["joints"].append({"name": joint, "type": "hinge", "bodies": [a, b], "anchor": anchor, "axis": axis})
            model["forces"].append({"type": "servo", "joint": joint, "target": target, "kp": 150, "kd": 6, "max": 40})
    return model


# ---- Chain mail ----


def ring(name, middle, orientation, radius, thick=0.001, sides=6):
    """A ring of capsules in its plane x, y."""
    corners = [along((0, 0), radius, 2 * math.pi * k / sides) for k in range(sides)]
    half, shapes = math.sqrt(0.5), []
    for k in range(sides):
        (x, y), (u, v) = corners[k], corners[(k + 1) % sides]
        angle = math.atan2(v - y, u - x)  # the axis z of a capsule is turned to (cos angle, sin angle, 0)
        shapes.append({"type": "capsule", "radius": thick, "length": math.dist((x, y), (u, v)), "density": 7800,
                       "position": [(x + u) / 2, (y + v) / 2, 0],
                       "orientation": [half, -half * math.sin(angle), half * math.cos(angle), 0]})
    return {"name": name, "position": middle, "orientation": orientation, "shapes": shapes}


def chain_mail(side=12):
    """A square of side x side flat rings, neighbours of which are linked by upright rings. It falls on a fixed ball."""
    half, pitch, height = math.sqrt(0.5), 0.024, 0.073
    model = {"trammel": 1, "name": "chain mail of %d rings" % (3 * side**2 - 2 * side), "gravity": GRAVITY, "defaults": {"friction": 0.3},
             "bodies": [{"name": "ball", "fixed": True, "shapes": [{"type": "sphere", "radius": 0.06}]}],
             "simulation": {"step": 0.001, "time": 0.3, "every": 0.01}}
    for row in range(side):
        for place in range(side):
            x, y, name = pitch * (place - (side - 1) / 2), pitch * (row - (side - 1) / 2), "%d_%d" % (row, place)
            model["bodies"].append(ring("f" + name, [x, y, height], [1, 0, 0, 0], 0.01))
            if place + 1 < side:
                model["bodies"].append(ring("x" + name, [x + pitch / 2, y, height], [half, half, 0, 0], 0.007))
            if row + 1 < side:
                model["bodies"].append(ring("y" + name, [x, y + pitch / 2, height], [half, 0, half, 0], 0.007))
    return model


# ---- Runs ----

SCENES = {"walker": "walker-on-ground.json", "gripper": "gripper.json", "dominoes": "dominoes.json", "jansen": jansen,
          "quadruped": quadruped, "chain-mail": chain_mail}


def file_of(scene, folder):
    made = SCENES[scene]
    if isinstance(made, str):
        return os.path.join(EXAMPLES, made)
    path = os.path.join(folder, scene + ".json")
    with open(path, "w", encoding="utf-8") as out:
        json.dump(made(), out, indent=1)
    return path


def run(trammel, path, mode, limit):
    """Returns the report of a run, its exit code, and its processor time [s], of which it may use `limit`."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    done = subprocess.run([trammel, "run", path, "--impact", mode, "--out", os.devnull], capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (limit, limit)))
    return done.stdout + done.stderr, done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def planned_steps(path, report):
    """Returns the number of steps that the model plans for the time that the run has reached."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    reached = re.search(r"^time\s+(\S+) s in", report, re.M)
    step = re.search(r'"step": ([0-9.e-]+)', text)
    return max(1, round(float(reached.group(1)) / float(step.group(1)))) if reached and step else 1


def measure(trammel, scene, path, mode, limit):
    report, code, seconds = run(trammel, path, mode, limit)
    steps = re.search(r"in (\d+) steps", report)
    verdict = re.search(r"^verdict\s+(.*)", report, re.M)
    planned = planned_steps(path, report)
    said = verdict.group(1) if verdict else f"ended after {seconds:.0f} s; " + report.strip().split("\n")[-1]
    wrong = code != 0 or said.startswith("bad") or "added" in said
    print(f"{scene:12s} {mode:7s} {planned:7d} {int(steps.group(1)) if steps else 0:7d} {1e6 * seconds / planned:10.0f}  {said[:90]}",
          flush=True)
    return wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trammel")
    parser.add_argument("scenes", nargs="*", default=[])
    parser.add_argument("--modes", default="event,window,auto")
    parser.add_argument("--write", metavar="FOLDER")
    parser.add_argument("--cpu", type=int, default=120, metavar="S", help="processor time that a run may take (default: 120)")
    given = parser.parse_args()
    wrong = False
    print(f"{'scene':12s} {'mode':7s} {'planned':>7s} {'steps':>7s} {'us/planned':>10s}  verdict")
    with tempfile.TemporaryDirectory() as folder:
        for scene in given.scenes or SCENES:
            path = file_of(scene, given.write or folder)
            for mode in given.modes.split(","):
                wrong |= measure(given.trammel, scene, path, mode, given.cpu)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

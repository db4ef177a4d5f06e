#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT
"""compare.py TRAMMEL FOLDER [--only TEXT]: robots of URDF, MJCF and SDF against values that another engine computed.

FOLDER holds manifest.json, models/ and expected/. Every model is converted to a model file without contacts, limits, friction and
actuators; then masses and start poses are compared, the diagonal of the mass matrix, bias force and accelerations, and the motion
after 0.1, 0.5 and 1 s. Without loops, gears and locked coordinates, which the expected values at "test" do not have either, the program
computes the accelerations of all bodies in that state, also with actuators at control 0. M = sum J^T m J by our masses, armatures and
poses, and bias = passive - M qacc. Where all joints are hinges and slides, inverse dynamics gives the three figures once more, and the
larger difference is shown. One row per model, then one per mesh of meshes/meshes.json: counts, closed or not, and
the greatest difference of volume, centroid, area and bounds, relative to the size of the mesh. Exit code 1 if a figure is beyond its bound. Without
the folder there is nothing to compare, which is said, and the exit code is 0."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

RELATIVE = 1e-9     # of masses, moments, mass matrix, bias force, accelerations
POSE = 1e-9         # m and of quaternions, at the start
TIMES = ("0.1", "0.5", "1")


# ---- Vectors and rotations ----------------------------------------------------------------------

def qmul(a, b):
    return [a[0]*b[0]-a[1]*b[1]-a[2]*b[2]-a[3]*b[3], a[0]*b[1]+a[1]*b[0]+a[2]*b[3]-a[3]*b[2],
            a[0]*b[2]-a[1]*b[3]+a[2]*b[0]+a[3]*b[1], a[0]*b[3]+a[1]*b[2]-a[2]*b[1]+a[3]*b[0]]


def conj(q):
    return [q[0], -q[1], -q[2], -q[3]]


def rotate(q, v):
    return qmul(qmul(q, [0]+list(v)), conj(q))[1:]


def add(a, b, s=1.0):
    return [x+s*y for x, y in zip(a, b)]


def dot(a, b):
    return sum(x*y for x, y in zip(a, b))


def cross(a, b):
    return [a[1]*b[2]-a[2]*b[1], a[2]*b[0]-a[0]*b[2], a[0]*b[1]-a[1]*b[0]]


def norm(a):
    return math.sqrt(sum(x*x for x in a))


def matrix(q):
    columns = [rotate(q, e) for e in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    return [[columns[c][r] for c in range(3)] for r in range(3)]


def moved_inertia(m, com, I6, q):
    """Moments about the origin of another frame, turned by q; com is already there."""
    I6 = list(I6) + [0]*(6-len(I6))     # the products may be left out
    I = [[I6[0], I6[3], I6[4]], [I6[3], I6[1], I6[5]], [I6[4], I6[5], I6[2]]]
    R = matrix(q)
    J = [[sum(R[i][k]*I[k][l]*R[j][l] for k in range(3) for l in range(3)) for j in range(3)] for i in range(3)]
    d = sum(x*x for x in com)
    return [[J[i][j]+m*((d if i == j else 0)-com[i]*com[j]) for j in range(3)] for i in range(3)]


def together(parts):
    """Mass, centre, moments about it, of parts (mass, com, I6, pose in the common frame)."""
    m, c, I = 0.0, [0, 0, 0], [[0]*3 for _ in range(3)]
    for mass, com, I6, p, q in parts:
        at = add(p, rotate(q, com))
        m += mass
        c = add(c, at, mass)
        J = moved_inertia(mass, at, I6, q)
        I = [[I[i][j]+J[i][j] for j in range(3)] for i in range(3)]
    if m == 0:
        return 0.0, c, [0]*6
    c = [x/m for x in c]
    d = sum(x*x for x in c)
    I = [[I[i][j]-m*((d if i == j else 0)-c[i]*c[j]) for j in range(3)] for i in range(3)]
    return m, c, [I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]]


# ---- The program --------------------------------------------------------------------------------

class Failed(Exception):
    pass


def call(words):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=120)
    if done.returncode not in (0, 5):  # 5: a run whose verdict is bad, which is judged here by its motion
        errors = [l for l in done.stderr.splitlines() if "warning" not in l]
        raise Failed((errors or done.stderr.splitlines() or ["exit %d" % done.returncode])[-1][:150])
    return done.stdout


def rows_of(path):
    with open(path) as f:
        return list(csv.DictReader(l for l in f if not l.startswith("#")))


def tree_of(model, expected):
    """The model without loops, gears and couplings: only the joints of the file that carry a body."""
    names = {j["name"] for j in expected["joints"]}
    tree = json.loads(json.dumps(model))
    tree["joints"] = [j for j in tree.get("joints", []) if j["name"] in names or names & {s.get("name") for s in j.get("chain", [])}]
    tree.pop("drives", None)
    return tree


# ---- One model ----------------------------------------------------------------------------------

class Robot:
    def __init__(self, trammel, folder, entry, work):
        self.trammel, self.work = trammel, work
        self.expected = json.load(open(os.path.join(folder, "expected", entry["expected"])))
        self.source, self.file = os.path.join(folder, "models", entry["model"]), os.path.join(work, "model.json")
        self.model = self.convert("contacts,limits,friction,actuators")
        self.bodies = {b["name"]: b for b in self.model["bodies"]}
        self.hard = self.expected.get("hard")
        self.home = {}      # of an expected body: our body, and the name of a point or frame of it
        for b in self.model["bodies"]:
            for name in [*b.get("points", {}), *b.get("frames", {})]:
                self.home.setdefault(name, (b["name"], name))
        for name in self.bodies:
            self.home[name] = (name, None)

    def convert(self, without):
        call([self.trammel, "convert", self.source, self.file, "--without", without])
        return json.load(open(self.file))

    def pose(self, name):
        b = self.bodies[name]
        return b.get("position", [0, 0, 0]), b.get("orientation", [1, 0, 0, 0])

    def masses(self):
        worst = 0.0
        start = self.expected["start"]["pose"]
        for name, body in self.bodies.items():
            if body.get("fixed"):
                continue
            p0, q0 = self.pose(name)
            parts = []
            for e in self.expected["bodies"]:
                if self.home.get(e["name"], (None,))[0] != name:
                    continue
                X = start[e["name"]]
                parts.append((e["mass"], e["com"], e["inertia"], rotate(conj(q0), add(X[:3], p0, -1)), qmul(conj(q0), X[3:])))
            if not parts:
                raise Failed("no body '%s' is expected" % name)
            m, c, I = together(parts)
            ours = body.get("inertia", [0]*6)
            size = max(abs(x) for x in I) or 1
            worst = max(worst, abs(body.get("mass", 0)-m)/(m or 1), norm(add(body.get("com", [0, 0, 0]), c, -1))/max(1, norm(c)),
                        max(abs(x-y) for x, y in zip(ours, I))/size)
        return worst

    def counts(self):
        """Expected joints that are no coordinate of ours."""
        missing = 0
        names = set()
        for j in self.model.get("joints", []):
            names.add(j["name"])
            names.update(s.get("name", "") for s in j.get("chain", []) if isinstance(s, dict))
        for j in self.expected["joints"]:
            missing += j["type"] not in ("free",) and j["name"] not in names
        return missing

    def start(self):
        worst = 0.0
        for name, X in self.expected["start"]["pose"].items():
            if name not in self.bodies:
                continue
            p, q = self.pose(name)
            sign = 1 if sum(x*y for x, y in zip(q, X[3:])) >= 0 else -1
            worst = max(worst, norm(add(p, X[:3], -1)), norm([x-sign*y for x, y in zip(q, X[3:])]))
        return worst

    # -- dynamics at "test" --

    def motions(self):
        """Of each coordinate: body, kind, angular velocity and velocity at rate 1, and a point of its axis, in the world at "test". The
        joints of a body are undone from the last to the first, so that each is seen where those before it have brought it."""
        t, made = self.expected["test"], []
        for body in {j["body"]: 0 for j in self.expected["joints"]}:
            p, q = t["pose"][body][:3], t["pose"][body][3:]
            for j in reversed([j for j in self.expected["joints"] if j["body"] == body]):
                value, kind = t["qpos"][j["q"]]-j.get("ref", 0), j["type"]
                axis, at = rotate(q, j["axis"]), add(p, rotate(q, j["pos"]))
                if kind == "slide":
                    made.append((j["v"], body, kind, [0, 0, 0], axis, at))
                    p = add(p, axis, -value)
                elif kind == "hinge":
                    made.append((j["v"], body, kind, axis, [0, 0, 0], at))
                    turn = [math.cos(value/2)] + [-math.sin(value/2)*x for x in axis]
                    p, q = add(at, rotate(turn, add(p, at, -1))), qmul(turn, q)
                else:
                    for k in range({"ball": 3, "free": 6}[kind]):
                        unit = [float(i == k % 3) for i in range(3)]
                        turns = kind == "ball" or k >= 3
                        made.append((j["v"]+k, body, kind, rotate(q, unit) if turns else [0, 0, 0], [0, 0, 0] if turns else unit, at))
        return [m[1:] for m in sorted(made, key=lambda m: m[0])]

    def jacobians(self, motions):
        """Of each of our moving bodies a list of (angular velocity, velocity of the centre of mass), None where a coordinate does not
        move it."""
        parent = {b["name"]: b.get("parent") for b in self.expected["bodies"]}
        made = {}
        for name, body in self.bodies.items():
            if body.get("fixed"):
                continue
            X, above, at = self.expected["test"]["pose"][name], set(), name
            while at is not None:
                above.add(at)
                at = parent.get(at)
            com = add(X[:3], rotate(X[3:], body.get("com", [0, 0, 0])))
            made[name] = [(w, add(v, cross(w, add(com, p, -1)))) if b in above else None for b, _, w, v, p in motions]
        return made

    def wrench(self, name, al, acc):
        """Force and torque at the centre of mass of a body with these accelerations, without gyroscopic terms."""
        body, X = self.bodies[name], self.expected["test"]["pose"][name]
        I = moved_inertia(0, [0, 0, 0], body.get("inertia", [0]*6), X[3:])
        return [dot(r, al) for r in I], [body["mass"]*x for x in acc]

    def project(self, J, bodies):
        """Generalised forces of accelerations (angular, of the centre of mass) of our bodies."""
        total = [0.0]*len(next(iter(J.values())))
        for name, rows in J.items():
            torque, force = self.wrench(name, *bodies[name])
            total = [x if r is None else x+dot(r[0], torque)+dot(r[1], force) for x, r in zip(total, rows)]
        return total

    def armatures(self, model):
        found = {}
        for j in model.get("joints", []):
            for part in [j] + j.get("chain", []):
                own = part.get("armature", 0)
                found[part.get("name", j["name"])] = own[0] if isinstance(own, list) else own
        return [found.get(j["name"], 0) for j in self.expected["joints"] for _ in range({"ball": 3, "free": 6}.get(j["type"], 1))]

    def mass_matrix(self, model, J):
        n = len(next(iter(J.values())))
        rows = []
        for i, own in enumerate(self.armatures(model)):
            still = ([0, 0, 0], [0, 0, 0])
            rows.append(self.project(J, {name: r[i] or still for name, r in J.items()}))
            rows[i][i] += own
        return [[rows[k][i] for k in range(n)] for i in range(n)]

    def accelerations(self, model):
        """Of our moving bodies, at "test": angular, and of the centre of mass. None: the model cannot be put there."""
        file = self.from_test(model)
        if not file:
            return None
        out = os.path.join(self.work, "accelerations.csv")
        moving = [n for n, b in self.bodies.items() if not b.get("fixed")]
        columns = ",".join("%s.%s" % (n, c) for n in moving for c in ("ax", "ay", "az", "alx", "aly", "alz"))
        call([self.trammel, "run", file, "--method", "lagrange", "--step", "1e-6", "--time", "1e-6", "--columns", "t,"+columns, "--out", out])
        row, made = rows_of(out)[0], {}
        for n in moving:
            a, al = ([float(row["%s.%s%s" % (n, c, k)]) for k in "xyz"] for c in ("a", "al"))
            made[n] = (al, self.at_centre(n, a, al))
        return made

    def at_centre(self, name, a, al):
        X, w = self.expected["test"]["pose"][name], self.expected["test"]["velocity"][name][3:]
        r = rotate(X[3:], self.bodies[name].get("com", [0, 0, 0]))
        return add(add(a, cross(al, r)), cross(w, cross(w, r)))

    def wanted_accelerations(self, motions, qacc):
        """The same from the expected second derivatives of the coordinates, from body to body."""
        t, made = self.expected["test"], {None: ([0]*3, [0]*3, [0]*3, [0]*3)}    # angular velocity and acceleration; origin; its acceleration
        for b in self.expected["bodies"]:
            w, al, at, a = made[b.get("parent")] if b.get("parent") in made else made[None]
            for (body, kind, turn, slide, p), qd, qdd in zip(motions, t["qvel"], qacc):
                if body != b["name"]:
                    continue
                d = add(p, at, -1)
                a, at = add(add(a, cross(al, d)), cross(w, cross(w, d))), p
                if kind == "free" and slide != [0, 0, 0]:
                    a = add(a, slide, qdd)
                    continue
                a = add(add(a, slide, qdd), cross(w, slide), 2*qd)
                if kind == "ball" or kind == "free":    # rates are components in the axes of the body
                    al = add(al, turn, qdd)
                    w = add(w, turn, qd)
                    continue
                al, w = add(add(al, turn, qdd), cross(w, turn), qd), add(w, turn, qd)
            if any(m[0] == b["name"] and m[1] == "ball" for m in motions):
                al = add(al, cross(made[b.get("parent")][0] if b.get("parent") in made else [0]*3, w))
            d = add(t["pose"][b["name"]][:3], at, -1)
            made[b["name"]] = (w, al, t["pose"][b["name"]][:3], add(add(a, cross(al, d)), cross(w, cross(w, d))))
        return {n: (made[n][1], self.at_centre(n, made[n][3], made[n][1])) for n, b in self.bodies.items() if not b.get("fixed")}

    def lacking(self, model, qacc):
        """J, M, and the generalised forces that are missing to the expected accelerations; None: the model cannot be put there."""
        ours = self.accelerations(model)
        if not ours:
            return None
        motions = self.motions()
        J, wanted = self.jacobians(motions), self.wanted_accelerations(motions, qacc)
        off = self.project(J, {n: (add(wanted[n][0], ours[n][0], -1), add(wanted[n][1], ours[n][1], -1)) for n in ours})
        return J, self.mass_matrix(model, J), off

    def forward(self):
        """Differences of the diagonal of M, of the bias force, and of the accelerations; None: the model cannot be put at "test"."""
        t = self.expected["test"]
        tree = tree_of(self.model, self.expected)
        found = self.lacking(tree, t["qacc"])
        if not found:
            return None
        J, M, off = found
        n = len(off)
        passive = t.get("qfrc_passive", [0]*n)
        bias = [passive[i]-dot(M[i], t["qacc"])+off[i] for i in range(n)]
        big = max([abs(x) for x in t["qfrc_bias"]] + [abs(m*a) for m, a in zip(t["M_diag"], t["qacc"])] + [1e-9*max(t["M_diag"])])
        return (max(abs(M[i][i]-m)/m for i, m in enumerate(t["M_diag"])), norm(add(bias, t["qfrc_bias"], -1))/big,
                max(abs(x) for x in off)/big)

    def actuated(self):
        """The difference of accelerations with actuators at control 0, relative to the largest force; None: the file has none, or one acts on
        coordinates that are coupled, which "test" does not fulfil."""
        t = self.expected["test"]
        if self.hard or "qacc_ctrl0" not in t or not self.expected["counts"]["actuators"]:
            return None
        found = self.lacking(tree_of(self.convert("contacts,limits,friction"), self.expected), t["qacc_ctrl0"])
        if not found:
            return None
        big = max([abs(m*a) for m, a in zip(t["M_diag"], t["qacc_ctrl0"])] + [1e-300])
        return max(abs(x) for x in found[2])/big

    # -- inverse dynamics: rows of (q, v, a) for all joints, forces out --

    def columns(self):
        """Names of coordinates in the order of the expected values; None: some have no counterpart."""
        names = []
        joints = {j["name"]: j for j in self.model.get("joints", [])}
        for j in self.expected["joints"]:
            owner = joints.get(j["name"])
            if owner is None or owner["type"] not in ("hinge", "slider"):
                return None
            names.append(j["name"])
        return names

    def inverse(self, names, rows):
        motion, forces = os.path.join(self.work, "motion.csv"), os.path.join(self.work, "forces.csv")
        with open(motion, "w") as f:
            f.write("t," + ",".join("%s.q,%s.qd,%s.qdd" % (n, n, n) for n in names) + "\n")
            for k, (q, v, a) in enumerate(rows):
                f.write("%g," % k + ",".join("%.17g,%.17g,%.17g" % x for x in zip(q, v, a)) + "\n")
        file = os.path.join(self.work, "tree.json")
        json.dump(tree_of(self.model, self.expected), open(file, "w"))
        call([self.trammel, "inverse", file, motion, "--out", forces, "--drive", ",".join(names)])
        return [[float(r[n + ".force"]) for n in names] for r in rows_of(forces)]

    def backward(self):
        names = self.columns()
        if not names:
            return None
        t, n = self.expected["test"], len(names)
        zero = [0.0]*n
        q, v = t["qpos"], t["qvel"]
        unit = [[float(i == k) for i in range(n)] for k in range(n)]
        rows = [(q, zero, zero)] + [(q, zero, u) for u in unit] + [(q, v, zero), (q, v, t["qacc"])]
        f = self.inverse(names, rows)
        diagonal = [f[k+1][k]-f[0][k] for k in range(n)]
        passive = t.get("qfrc_passive", zero)
        wanted = add(t["qfrc_bias"], passive, -1)
        big = max([abs(x) for x in wanted] + [abs(m*a) for m, a in zip(t["M_diag"], t["qacc"])] + [1e-9*max(t["M_diag"])])
        return (max(abs(x-y)/y for x, y in zip(diagonal, t["M_diag"])), max(abs(x-y) for x, y in zip(f[n+1], wanted))/big,
                max(abs(x) for x in f[n+2])/big)

    def dynamics(self):
        both = [x for x in (self.forward(), self.backward()) if x]
        return [max(column) for column in zip(*both)] if both else None

    # -- motion --

    def motion(self, which):
        if which not in self.expected and which != "hard":
            return None
        if which == "hard":
            at, bound = self.hard["motion_from_closed_start"], self.hard["suggested_tolerance_m"]
        else:
            at, bound = self.expected[which]["at"], self.expected[which]["suggested_tolerance_m"]
        file = self.file if which != "motion_from_test" else self.from_test()
        if not file:
            return None
        out = os.path.join(self.work, "run.csv")
        call([self.trammel, "run", file, "--order", "8", "--step", "0.005", "--time", "1", "--every", "0.1", "--out", out])
        rows = {"%g" % float(r["t"]): r for r in rows_of(out)}
        worst = []
        for time in TIMES:
            far = 0.0
            for name, X in at[time]["pose"].items():
                body, point = self.home.get(name, (None, None))
                if body is None or self.bodies[body].get("fixed"):
                    continue
                head = "%s.%s" % (body, point) if point else body
                ours = [float(rows[time][head + "." + k]) for k in "xyz"]
                far = max(far, norm(add(ours, X[:3], -1)))
            worst.append((far, bound[time]))
        return worst

    def from_test(self, model=None):
        """The model at the pose and velocity of "test": joints by the frames of their bodies. None: not of these joints."""
        t = self.expected["test"]
        model = json.loads(json.dumps(model or self.model))
        q = {j["name"]: t["qpos"][j["q"]] for j in self.expected["joints"]}
        for joint in model.get("joints", []):
            if joint["type"] == "gear":
                continue
            if joint["type"] not in ("hinge", "slider", "planar", "ball"):
                return None
            anchor, axis = joint.pop("anchor", [0, 0, 0]), joint.pop("axis", [0, 0, 1])
            joint["anchors"] = []
            if joint["type"] != "ball":
                joint["axes"] = []
            for name in joint["bodies"]:
                p, r = self.pose(name) if name != "ground" else ([0, 0, 0], [1, 0, 0, 0])
                joint["anchors"].append(rotate(conj(r), add(anchor, p, -1)))
                if joint["type"] != "ball":
                    joint["axes"].append(rotate(conj(r), axis))
            if joint["type"] in ("hinge", "slider"):
                joint["q0"] = q[joint["name"]]
        for body in model["bodies"]:
            if body.get("fixed"):
                continue
            X, V = t["pose"][body["name"]], t["velocity"][body["name"]]
            body["position"], body["orientation"] = X[:3], [x/norm(X[3:]) for x in X[3:]]
            body["velocity"], body["angular_velocity"] = V[:3], V[3:]
        path = os.path.join(self.work, "test.json")
        json.dump(model, open(path, "w"))
        return path


def figure(value, bound):
    if value is None:
        return "-", True
    good = value <= bound
    return "%.1e%s" % (value, "" if good else "!"), good


def compare(trammel, folder, entry):
    cells, good = [], True
    with tempfile.TemporaryDirectory() as work:
        try:
            robot = Robot(trammel, folder, entry, work)
            missing = robot.counts()
            cells.append("%d/%d" % (len(robot.expected["joints"])-missing, len(robot.expected["joints"])))
            checks = [(robot.masses, RELATIVE), (robot.start, POSE)]
            for check, bound in checks:
                text, fine = figure(check(), bound)
                cells.append(text)
                good = good and fine
            for value in robot.dynamics() or (None, None, None):
                text, fine = figure(value, RELATIVE)
                cells.append(text)
                good = good and fine
            text, fine = figure(robot.actuated(), RELATIVE)
            cells.append(text)
            good = good and fine
            robot.model = robot.convert("contacts,limits,friction,actuators")
            for which in (("hard",) if robot.hard else ("motion_from_start", "motion_from_test")):
                worst = robot.motion(which)
                cells.append("-" if worst is None else " ".join("%.0e%s" % (far, "" if far <= b else "!") for far, b in worst))
                good = good and all(far <= b for far, b in worst or [])
        except (Failed, KeyError, subprocess.TimeoutExpired) as e:
            cells.append("%s %s" % (type(e).__name__, e))
            good = False
    return cells, good


# ---- Meshes -------------------------------------------------------------------------------------

def compare_mesh(trammel, path, wanted):
    """Cells of a row, and whether all is within the bounds. Some meshes only have to be readable."""
    ours = json.loads(call([trammel, "mesh", path, "--json"]))
    counts = ["%d" % ours["triangles"], "yes" if ours["closed"] else "no"]
    if "max" not in wanted:
        return counts + ["-"], ours["triangles"] > 0
    size = norm(add(wanted["max"], wanted["min"], -1)) or 1
    pairs = [("volume", size**3), ("area", size**2), ("centroid", size), ("min", size), ("max", size)]
    off = 0.0
    for key, scale in pairs:
        if wanted.get(key) is None:
            continue
        a, b = (x if isinstance(x, list) else [x] for x in (ours[key], wanted[key]))
        off = max(off, norm(add(a, b, -1))/scale)
    same = ours["triangles"] == wanted["triangles"] and ours["closed"] == wanted["closed_and_oriented"]
    text, good = figure(off, RELATIVE)
    return counts + [text], good and same


def compare_meshes(trammel, folder, only):
    """How many meshes there are, and how many do not agree."""
    index = os.path.join(folder, "meshes", "meshes.json")
    entries = [e for e in json.load(open(index)) if only in e["file"]] if os.path.exists(index) else []
    if entries:
        print("\n| mesh | triangles | closed | volume, centroid, area, bounds |\n|---|---|---|---|")
    bad = 0
    for e in entries:
        try:
            cells, good = compare_mesh(trammel, os.path.join(folder, "meshes", e["file"]), e["expected"])
        except (Failed, KeyError, ValueError) as error:
            cells, good = ["%s %s" % (type(error).__name__, error)], False
        bad += not good
        print("| %s%s | %s |" % (e["file"], "" if good else " **", " | ".join(cells)), flush=True)
    return len(entries), bad


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    trammel, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    only = sys.argv[4] if len(sys.argv) > 4 else ""
    manifest = os.path.join(folder, "manifest.json")
    if not os.path.exists(manifest):
        print("no robots in %s: nothing to compare" % folder)
        return 0
    print("| model | joints | masses | start | M | bias | accelerations | with actuators | motion at 0.1 0.5 1 s |\n|---|---|---|---|---|---|---|---|---|")
    bad = 0
    entries = [e for e in json.load(open(manifest)) if only in e["expected"]]
    for entry in entries:
        cells, good = compare(trammel, folder, entry)
        bad += not good
        print("| %s%s | %s |" % (entry["expected"][:-5], "" if good else " **", " | ".join(cells)), flush=True)
    meshes, bad_meshes = compare_meshes(trammel, folder, only)
    print("%d of %d robots and %d of %d meshes agree" % (len(entries)-bad, len(entries), meshes-bad_meshes, meshes))
    return 1 if bad or bad_meshes else 0


if __name__ == "__main__":
    sys.exit(main())

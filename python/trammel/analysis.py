# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Equilibria, vibration modes and linear models (trammel/analysis.h): numpy in, numpy out. SI units and radians."""

from typing import NamedTuple

import numpy as np

from ._lib import default, ffi, lib, sized, text
from .errors import Error, Messages, UnknownName, warn
from .model import Model, number
from .placing import Placing
from .simulation import Simulation


def _state_of(what):
    """Returns a copy of the present state of a simulation, or the assembled start of a model, and the model that was built."""
    built = what._built if isinstance(what, Simulation) else what._build()
    state = ffi.gc(lib.trm_state_create(built.pointer, ffi.NULL), lib.trm_state_destroy)
    if not state:
        raise MemoryError("out of memory")
    if isinstance(what, Simulation):
        lib.trm_state_copy(state, lib.trm_sim_state(what._still()))
        return built, state
    with Messages(quiet=True) as messages:
        messages.check(lib.trm_assemble(state, ffi.NULL, messages.list, ffi.NULL), "the joints of the model cannot be closed")
    return built, state


def _numbers(pointer, *shape):
    count = int(np.prod(shape))
    return np.frombuffer(ffi.buffer(pointer, count * 8)).reshape(shape).copy() if count and pointer else np.zeros(shape)


class Equilibrium:
    """An equilibrium. stable: no direction is unstable; steady: relative equilibrium in the motion of drives. residual [N]: largest
    unbalanced force; potential [J]; freedoms; unstable, neutral: motions of negative stiffness and without stiffness, in words; not_unique:
    joints whose reactions are not determined; active: ropes and limits that are active; contacts: (body, body, force [N]). q, positions,
    orientations, reactions (of each joint: torque [N m], then force [N]) at the state found; model(): a Model that starts there."""

    def __init__(self, built, state, result):
        self._built, self._state = built, state
        joints = [text(lib.trm_joint_info_of(built.pointer, i).name) for i in range(lib.trm_joint_count(built.pointer))]
        self.steady, self.iterations = bool(result.steady), result.iterations
        self.residual, self.relative, self.potential = result.residual, result.relative, result.potential
        self.freedoms, self.stable = result.freedoms, result.unstable == 0
        self.neutral = [text(result.neutral[i].text) for i in range(result.neutral_count)]
        self.unstable = [text(result.unstable_motions[i].text) for i in range(result.unstable_count)]
        self.not_unique = [joints[result.not_unique[i]] for i in range(result.not_unique_count)]
        self.active = [joints[result.active[i]] for i in range(result.active_count)]
        loads = [result.contacts[i] for i in range(result.contact_count)]
        self.contacts = [(built.bodies[c.body[0]], built.bodies[c.body[1]], c.force) for c in loads]
        self.q = np.zeros(len(built.coordinates))
        self.positions, self.orientations = np.zeros((len(built.bodies), 3)), np.zeros((len(built.bodies), 4))
        lib.trm_get_coordinates(state, ffi.cast("double *", self.q.ctypes.data), ffi.NULL)
        lib.trm_get_poses(state, *(ffi.cast("double *", a.ctypes.data) for a in (self.positions, self.orientations)))
        self.reactions = {}
        for i, name in enumerate(joints):
            reaction = lib.trm_joint_reaction(state, i)
            self.reactions[name] = np.array([reaction.ang.x, reaction.ang.y, reaction.ang.z, reaction.lin.x, reaction.lin.y, reaction.lin.z])

    def model(self):
        """Returns a model that starts at the equilibrium."""
        return Model._starting_at(self._built, self._state)

    def __repr__(self):
        kind = "stable" if self.stable and not self.neutral else "neutral" if self.stable else "unstable"
        return f"<trammel.Equilibrium: {kind}, {self.freedoms} freedoms, residual {self.residual:.3g} N>"


def equilibrium(what, relaxed=False, tolerance=None, most_iterations=None):
    """Finds the equilibrium of a Model, or of a Simulation from its present state, with gravity, springs, servos, loops, ropes, limits and
    contacts (docs/equilibrium.md). If drives move, finds the steady motion. relaxed: leave unstable equilibria. Returns an Equilibrium;
    raises Error that names the unbalanced element if there is none."""
    built, state = _state_of(what)
    return _rest(built, state, relaxed, tolerance, most_iterations)


def _rest(built, state, relaxed=False, tolerance=None, most_iterations=None):
    """Moves the state to the equilibrium."""
    definition = default("equilibrium")
    definition.relaxed = bool(relaxed)
    if tolerance is not None:
        definition.tolerance = number(tolerance, "tolerance")
    if most_iterations is not None:
        definition.most_iterations = int(most_iterations)
    made = ffi.new("trm_equilibrium_result **")
    with Messages() as messages:
        messages.check(lib.trm_equilibrium_sized(state, sized(definition), ffi.NULL, messages.list, made), "no equilibrium can be sought")
    result = ffi.gc(made[0], lib.trm_equilibrium_destroy)
    if not result.found:
        raise Error(f"there is no equilibrium: {text(result.element)}: {text(result.why)}")
    return Equilibrium(built, state, result)


class Pose:
    """Joint coordinates that bring frames to goals. found: all goals are reached; distance [m], angle [rad]: largest remaining errors;
    left: errors of each frame; joint: one whose limit prevents a goal, or None; starts, iterations: numbers of the search. q, positions,
    orientations at the pose; model(): a Model that starts there."""

    def __init__(self, built, state, result, goals, frames):
        self._built, self._state = built, state
        self.found, self.distance, self.angle = bool(result.found), result.distance, result.angle
        self.starts, self.iterations = result.starts, result.iterations
        self.joint = text(lib.trm_joint_info_of(built.pointer, result.at_limit).name) if result.at_limit >= 0 else None
        gaps = [lib.trm_goal_left_sized(state, sized(goals + i)) for i in range(len(frames))]
        self.left = {frame: (gap.position, gap.angle) for frame, gap in zip(frames, gaps)}
        self.q = np.zeros(len(built.coordinates))
        self.positions, self.orientations = np.zeros((len(built.bodies), 3)), np.zeros((len(built.bodies), 4))
        lib.trm_get_coordinates(state, ffi.cast("double *", self.q.ctypes.data), ffi.NULL)
        lib.trm_get_poses(state, *(ffi.cast("double *", a.ctypes.data) for a in (self.positions, self.orientations)))

    def model(self):
        """Returns a model that starts at the pose."""
        return Model._starting_at(self._built, self._state)

    def __repr__(self):
        return f"<trammel.Pose: {'reached' if self.found else f'{self.distance:.3g} m and {self.angle:.3g} rad left'}>"


def _vector(value, count, what):
    made = np.asarray(value, dtype=float)
    if made.shape != (count,):
        raise ValueError(f"{what} takes {count} numbers, not an array of shape {made.shape}")
    return made


def inverse_kinematics(what, bring=None, turn=None, hold=(), starts=None, seed=None):
    """Finds joint coordinates that bring frames to goals (docs/pose.md), from the start of a Model or the present state of a Simulation:
    with closed loops, within limits and ropes. bring: {"hand.tip": (x, y, z)} in m, nan leaves a component free; turn: {"hand.tip": (w, x,
    y, z)}, quaternions; hold: names of joints, and of bodies that no joint carries, that must not move; starts: number of initial poses of
    the search (default: 100). Returns a Pose, whose found is False if the goals were not reached from any of them."""
    built, state = _state_of(what)
    frames = list(dict.fromkeys([*(bring or {}), *(turn or {})]))
    goals = ffi.new("trm_goal[]", max(len(frames), 1))
    for i, frame in enumerate(frames):
        goals[i] = default("goal")[0]
        body, pose = ffi.new("int *"), ffi.new("trm_pose *")
        if not lib.trm_find_frame(built.pointer, frame.encode(), body, pose):
            raise UnknownName("frame", frame, [*built.bodies, *built.frames()])
        goals[i].body, goals[i].frame = body[0], pose[0]
        if bring and frame in bring:
            goals[i].position.x, goals[i].position.y, goals[i].position.z = _vector(bring[frame], 3, f"bring[{frame!r}]")
        if turn and frame in turn:
            q = goals[i].orientation
            q.w, q.x, q.y, q.z = _vector(turn[frame], 4, f"turn[{frame!r}]")
            goals[i].oriented = True
    definition = default("inverse_kinematics")
    joints, bodies = [], []
    for name in [hold] if isinstance(hold, str) else hold:
        joint, body = (find(built.pointer, name.encode()) for find in (lib.trm_find_joint, lib.trm_find_body))
        if joint < 0 and body < 0:
            raise UnknownName("joint or body", name, list(built.bodies))
        (joints if joint >= 0 else bodies).append(joint if joint >= 0 else body)
    held = ffi.new("int[]", joints), ffi.new("int[]", bodies)
    definition.held, definition.held_count = held[0], len(joints)
    definition.held_bodies, definition.held_body_count = held[1], len(bodies)
    if starts is not None:
        definition.starts = int(starts)
    if seed is not None:
        definition.seed = int(seed)
    result = ffi.new("trm_inverse_kinematics_result *")
    with Messages() as messages:
        messages.check(lib.trm_inverse_kinematics_sized(state, sized(goals), len(frames), sized(definition), ffi.NULL, messages.list, result), "no pose can be sought")
    return Pose(built, state, result, goals, frames)


class Mode(NamedTuple):
    """An eigenvalue [1/s] with its natural frequency [Hz], damping ratio, its motion in words, and its shape: per body a complex twist,
    rotation then translation of its centre of mass, world axes."""

    eigenvalue: complex
    frequency: float
    damping: float
    zero: bool
    text: str
    shape: np.ndarray


class Linearisation:
    """M q'' + D q' + K q = B u about a state, with named coordinates q; and x' = A x + B u, y = C x + Du u with x = (q, q'). modes: by
    ascending |eigenvalue|, zero modes first. inputs, outputs: their names; start: y at the state itself; q: all joint coordinates there, in
    the order of model.coordinates. M, D, K are None if the state moves."""

    def __init__(self, built, result, state):
        self.q = np.zeros(len(built.coordinates))
        lib.trm_get_coordinates(state, ffi.cast("double *", self.q.ctypes.data), ffi.NULL)
        self._pointer = result
        f, n, b = result.freedoms, result.state_count, len(built.bodies)
        m, p = result.input_count, result.output_count
        self.names = [text(result.names[i]) for i in range(f)]
        self.inputs = [text(result.input_names[i]) for i in range(m)]
        self.outputs = [text(result.output_names[i]) for i in range(p)]
        self.M, self.D, self.K = (None if result.moving else _numbers(x, f, f) for x in (result.M, result.D, result.K))
        self.A, self.B, self.C = _numbers(result.A, n, n), _numbers(result.B, n, m), _numbers(result.C, p, n)
        self.Du, self.start = _numbers(result.Du, p, m), _numbers(result.output_start, p)
        shapes = _numbers(result.shapes, result.mode_count, b, 2, 6)
        self.modes = [Mode(complex(x.re, x.im), x.frequency, x.damping, bool(x.zero), text(x.text), shapes[i, :, 0] + 1j * shapes[i, :, 1])
                      for i, x in enumerate(result.modes[k] for k in range(result.mode_count))]

    def frequency_response(self, omega, input=0, output=0):
        """Returns C (i omega - A)^-1 B + Du, complex, from an input to an output, each a name or number, at omega [rad/s], a number or an
        array."""
        chosen = []
        for kind, what, names in (("input", input, self.inputs), ("output", output, self.outputs)):
            if what in names:
                what = names.index(what)
            if not isinstance(what, int) or not 0 <= what < len(names):
                raise UnknownName(kind, what, names)
            chosen.append(what)
        omega = np.asarray(omega, dtype=float)
        out = np.full(omega.shape, np.nan + 1j * np.nan)
        re, im = ffi.new("double *"), ffi.new("double *")
        for at in np.ndindex(omega.shape):
            if lib.trm_frequency_response(self._pointer, omega[at], *chosen, re, im):
                out[at] = complex(re[0], im[0])
        return out if omega.shape else complex(out)

    def __repr__(self):
        return f"<trammel.Linearisation: {len(self.names)} freedoms, {len(self.modes)} modes, {len(self.inputs)} inputs, {len(self.outputs)} outputs>"


def linearise(what, at=None, inputs=(), outputs=()):
    """Linearises a machine (docs/modes.md): x' = A x + B u in continuous time, q in the order of joint space.

    at: default: the present state of a Simulation, the equilibrium near the start of a Model; "equilibrium": the one near either; "start":
    the start itself; or joint coordinates, an array or a dict as for set_coordinates. A warning names forces that are not balanced there,
    and limits that are active at an equilibrium and so remove degrees of freedom. inputs: names such as "u1", "s1.target", "knee.force",
    "hand.fx", or True for the forces along all joints with one coordinate; outputs: columns of results. Raises Error if there is no
    equilibrium."""
    built, state = _state_of(what)
    if at is None:
        at = "start" if isinstance(what, Simulation) else "equilibrium"
    if not isinstance(at, str):
        Placing(built, state, at, None).make()
    elif at not in ("equilibrium", "start"):
        raise UnknownName("value of at", at, ["equilibrium", "start"])
    elif at == "equilibrium":
        rest = _rest(built, state)
        if rest.active:
            warn(f"the equilibrium is held by {', '.join(rest.active)}: what they hold is no freedom of the linear model; "
                 "at=\"start\", or coordinates, linearise elsewhere")
    if inputs is True:
        inputs = [f"{name}.force" for i, name in enumerate(built.joints) if lib.trm_joint_info_of(built.pointer, i).coordinates == 1]
    joined = [ffi.new("char[]", ",".join([names] if isinstance(names, str) else names).encode()) for names in (inputs, outputs)]
    definition = ffi.new("trm_linearise_def *", {"inputs": joined[0] if inputs else ffi.NULL, "outputs": joined[1] if outputs else ffi.NULL})
    made = ffi.new("trm_linearisation **")
    with Messages() as messages:
        messages.check(lib.trm_linearise_sized(state, sized(definition), ffi.NULL, messages.list, made), "the model cannot be linearised")
    return Linearisation(built, ffi.gc(made[0], lib.trm_linearisation_destroy), state)


def modes(what, at=None):
    """Returns the vibration modes, a list of Mode; what and at as in linearise."""
    return linearise(what, at).modes

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Statics and linearisation (trammel/analysis.h): where a machine rests, and how it vibrates there."""

from dataclasses import dataclass

import numpy as np

from ._lib import ffi, lib
from .errors import Error, Messages, text
from .model import _Built


@dataclass
class Equilibrium:
    """Where a machine rests.

    q: joint name -> its coordinates [m, rad]. positions, orientations: body name -> of its frame [m], quaternion w first. forces, torques:
    joint name -> on its second body [N, N m]. unstable: directions of negative stiffness. neutral: motions without stiffness, as texts.
    residual: largest unbalanced force [N]. steady: found in the steady motion of drives."""

    q: dict
    positions: dict
    orientations: dict
    forces: dict
    torques: dict
    unstable: int
    neutral: list
    residual: float
    potential: float
    freedoms: int
    steady: bool


@dataclass
class Linearisation:
    """M q'' + D q' + K q = B u and x' = A x + B u, y = C x + D u about a state. names: coordinates q. eigenvalues [1/s]: a conjugate pair once,
    zero modes first. frequencies [Hz], damping: ratios. texts: what moves in each mode. M, D, K are None about a motion."""

    names: list
    M: np.ndarray
    D: np.ndarray
    K: np.ndarray
    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    feedthrough: np.ndarray
    inputs: list
    outputs: list
    eigenvalues: np.ndarray
    frequencies: np.ndarray
    damping: np.ndarray
    texts: list
    zero_modes: int


def _built(model):
    return model if isinstance(model, _Built) else model._build()


def _start(built):
    state = ffi.gc(lib.trm_state_create(built.pointer, ffi.NULL), lib.trm_state_destroy)
    if not state:
        raise MemoryError("out of memory")
    return state


def _rest(built, state, relaxed):
    made = ffi.new("trm_equilibrium_result **")
    options = ffi.new("trm_equilibrium_def *", lib.trm_default_equilibrium_def())
    options.relaxed = relaxed
    with Messages() as messages:
        messages.check(lib.trm_equilibrium(state, options, ffi.NULL, messages.list, made), "no equilibrium")
    result = ffi.gc(made[0], lib.trm_equilibrium_destroy)
    if not result.found:
        raise Error(f"{text(result.element)}: {text(result.why)}")
    return result


def _vector(v):
    return np.array([v.x, v.y, v.z])


def equilibrium(model, relaxed=False):
    """The equilibrium that the start of the model leads to; relaxed: a stable one. Raises Error where there is none."""
    built = _built(model)
    state = _start(built)
    found = _rest(built, state, relaxed)
    numbers = ffi.new("double[6]")
    q, forces, torques = {}, {}, {}
    for j in range(lib.trm_joint_count(built.pointer)):
        name = text(lib.trm_joint_info_of(built.pointer, j).name)
        count = lib.trm_joint_values(state, j, numbers, ffi.NULL)
        q[name] = np.array([numbers[k] for k in range(count)])
        reaction = lib.trm_joint_reaction(state, j)
        forces[name], torques[name] = _vector(reaction.lin), _vector(reaction.ang)
    positions, orientations = {}, {}
    for b in range(1, lib.trm_body_count(built.pointer)):
        name, pose = text(lib.trm_body_info_of(built.pointer, b).name), lib.trm_body_pose(state, b)
        positions[name] = _vector(pose.p)
        orientations[name] = np.array([pose.q.w, pose.q.x, pose.q.y, pose.q.z])
    neutral = [text(found.neutral[i].text) for i in range(found.neutral_count)]
    return Equilibrium(q, positions, orientations, forces, torques, found.unstable, neutral, found.residual, found.potential,
                       found.freedoms, found.steady)


def _matrix(pointer, rows, columns):
    if pointer == ffi.NULL:
        return None
    return np.array([[pointer[i * columns + k] for k in range(columns)] for i in range(rows)]).reshape(rows, columns)


def linearise(model, at="equilibrium", inputs="", outputs=""):
    """The model linearised at its "equilibrium" or its "start"; inputs, outputs: names separated by commas (docs/modes.md)."""
    if at not in ("equilibrium", "start"):
        raise ValueError('at is "equilibrium" or "start"')
    built = _built(model)
    state = _start(built)
    if at == "equilibrium":
        _rest(built, state, False)
    else:
        with Messages() as messages:
            messages.check(lib.trm_assemble(state, ffi.NULL, messages.list, ffi.NULL), "the start cannot be assembled")
    texts = [ffi.new("char[]", inputs.encode()), ffi.new("char[]", outputs.encode())]
    options = ffi.new("trm_linearise_def *", {"inputs": texts[0], "outputs": texts[1]})
    made = ffi.new("trm_linearisation **")
    with Messages() as messages:
        messages.check(lib.trm_linearise(state, options, ffi.NULL, messages.list, made), "no linearisation")
    r = ffi.gc(made[0], lib.trm_linearisation_destroy)
    f, n, u, y = r.freedoms, r.state_count, r.input_count, r.output_count
    modes = [r.modes[i] for i in range(r.mode_count)]
    return Linearisation(
        [text(r.names[i]) for i in range(f)] if r.names != ffi.NULL else [], _matrix(r.M, f, f), _matrix(r.D, f, f), _matrix(r.K, f, f),
        _matrix(r.A, n, n), _matrix(r.B, n, u), _matrix(r.C, y, n), _matrix(r.Du, y, u),
        [text(r.input_names[i]) for i in range(u)], [text(r.output_names[i]) for i in range(y)],
        np.array([complex(m.re, m.im) for m in modes]), np.array([m.frequency for m in modes]), np.array([m.damping for m in modes]),
        [text(m.text) for m in modes], r.zero_count)


def modes(model, at="equilibrium"):
    """Natural frequencies [Hz] of the model, zero modes included; see linearise for all else."""
    return linearise(model, at).frequencies

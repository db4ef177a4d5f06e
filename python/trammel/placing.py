# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Sets a state to joint coordinates, exactly as given by the caller.

Trees are placed directly. In machines with loops, gears or drives the constraints phi(q, t) = 0 of joint space remain. Coordinates given by
the caller are held. Newton's method finds the others, with the shortest step in the coordinates that are not held:

    G_f dq_f = -phi,      G_f qd_f = -phi_t - G_h qd_h

Limits are checked first. If coordinates cannot be held, an exception is raised and the state is unchanged."""

import numpy as np

from ._lib import ffi, lib
from .errors import Messages, ModelError

# m, rad: coordinates that the caller did not change are not held; a copy of sim.q is bit-identical.
_UNCHANGED = 1e-13
# m, rad: tolerance of held coordinates; coordinates printed with seven digits close loops to this.
_HELD = 1e-6
# m, rad: tolerance of closed rows, near rounding; that of the library is larger.
_CLOSED = 1e-13
_MOST_STEPS = 50
# m, rad: step of central differences of coordinates that close loops
_STEP = 1e-6
# s: step of the central difference of phi in time
_TIME_STEP = 1e-5


def _doubles(numbers):
    return ffi.cast("double *", numbers.ctypes.data)


def _changed(asked, present, named):
    """Returns which coordinates are held: those that are named, or that differ from the present ones."""
    given = ~np.isnan(asked)
    return given if named else given & ~(np.abs(asked - present) <= _UNCHANGED)


def coordinates_of(built, q, what="q"):
    """Returns q as an array, with nan for coordinates that are not held, from a dict of names or an array in the order of
    model.coordinates."""
    count = len(built.coordinates)
    if isinstance(q, dict):
        asked = np.full(count, np.nan)
        for name, value in q.items():
            asked[built.coordinate(name)] = float(value)
        return asked
    try:
        asked = np.array(q, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{what} is not an array of real numbers") from None
    if asked.shape != (count,):
        raise ValueError(f"{what} has the shape {asked.shape}; {(count,)} is needed")
    if np.isinf(asked).any():
        raise ValueError(f"{what} has numbers that are not finite; nan lets a coordinate follow from the others")
    return asked


class Placing:
    """One call: q and qd (None: 0) of the caller, for a state of the built model."""

    def __init__(self, built, state, q, qd):
        self.built, self.state = built, state
        count = len(built.coordinates)
        present = np.zeros((2, count))
        lib.trm_get_coordinates(state, _doubles(present[0]), _doubles(present[1]))
        self.asked = coordinates_of(built, q)
        self.rates = np.zeros(count) if qd is None else coordinates_of(built, qd, "qd")
        built.check_limits(self.asked)
        self.held = _changed(self.asked, present[0], isinstance(q, dict))
        self.rates_held = np.zeros(count, dtype=bool) if qd is None else _changed(self.rates, present[1], isinstance(qd, dict))

    def make(self):
        """Moves the state, or raises an exception and leaves it unchanged."""
        before = ffi.gc(lib.trm_state_create(self.built.pointer, ffi.NULL), lib.trm_state_destroy)
        if not before:
            raise MemoryError("out of memory")
        lib.trm_state_copy(before, self.state)
        try:
            if lib.trm_set_coordinates(self.state, _doubles(self.asked), _doubles(self.rates)) != lib.TRM_OK:
                raise MemoryError("out of memory")
            if self.space().constraints:
                self.close_loops()
            with Messages(quiet=True) as messages:
                messages.check(lib.trm_assemble(self.state, ffi.NULL, messages.list, ffi.NULL),
                               "the joints cannot be closed at these coordinates")
            self.check()
        except BaseException:
            lib.trm_state_copy(self.state, before)
            raise

    def space(self):
        """Returns the joint space of the model, which is made once and belongs to the thread that uses the model."""
        from .joint_space import JointSpace

        if self.built.space is None:
            self.built.space = JointSpace(self.built)
        return self.built.space

    # ---- Loops

    def close_loops(self):
        """Closes the constraints by the coordinates that are not held, then their rates."""
        space, time = self.space(), lib.trm_state_time(self.state)
        q, qd = np.zeros(space.size), np.zeros(space.size)
        lib.trm_joint_space_read(space._pointer, self.state, _doubles(q), _doubles(qd))
        q = self.close(space, q, time)
        qd = self.close_rates(space, q, qd, time)
        self.write(space, q, qd, time, self.state)

    @staticmethod
    def write(space, q, qd, time, state):
        lock = space._at(q, qd, time)
        try:
            lib.trm_joint_space_write(space._pointer, state)
        finally:
            lock.release()

    def split(self, space, held, bodies):
        """Returns which coordinates of joint space are held: those of held joints, and free bodies if requested; and the numbers of held
        coordinates of joints that close loops, which joint space does not have."""
        own = {name: i for i, name in enumerate(self.built.coordinate_names)}
        fixed = np.array([held[own[name]] if name in own else bodies and not name.startswith("rotor") for name in space.names], dtype=bool)
        return fixed, [i for i in np.flatnonzero(held) if self.built.coordinate_names[i] not in space.names]

    def values(self, space, q, time, cut):
        """Returns the coordinates of joints that close loops, measured between their bodies at q."""
        found = np.zeros(len(self.asked))
        self.write(space, q, None, time, space._scratch)
        lib.trm_get_coordinates(space._scratch, _doubles(found), ffi.NULL)
        return found[cut]

    def rows(self, space, q, time, cut):
        """Returns phi and G of the constraints and of the held coordinates that close loops, the latter by central differences."""
        phi, G = space.constraint_rows(q, None, time)
        if not cut:
            return phi, G
        more = np.zeros((len(cut), space.size))
        for k in range(space.size):
            step = np.zeros(space.size)
            step[k] = _STEP
            more[:, k] = (self.values(space, q + step, time, cut) - self.values(space, q - step, time, cut)) / (2 * _STEP)
        return np.concatenate([phi, self.values(space, q, time, cut) - self.asked[cut]]), np.vstack([G, more])

    def close(self, space, q, time):
        """Returns q with phi(q) = 0 near the given one; free bodies are moved only if necessary. If there is none, returns the given one,
        and the assembly then reports the open joints."""
        for self.bodies_held in (True, False):
            closed = self.iterate(space, q.copy(), time)
            if closed is not None:
                return closed
        return q

    def iterate(self, space, q, time):
        held, cut = self.split(space, self.held, self.bodies_held)
        for _ in range(_MOST_STEPS):
            phi, G = self.rows(space, q, time, cut)
            if np.abs(phi).max() <= _CLOSED or held.all():
                break
            step = np.linalg.lstsq(G[:, ~held], -phi, rcond=1e-10)[0]
            if not np.isfinite(step).all() or np.abs(step).max() <= 1e-15:
                break
            q[~held] += step * min(1, 0.5 / np.abs(step).max())
        return q if np.abs(phi).max() <= _HELD else None

    def close_rates(self, space, q, qd, time):
        """Returns qd with G qd + phi_t = 0 and the given values of held rates."""
        held, cut = self.split(space, self.rates_held, self.bodies_held)
        ahead, behind = (self.rows(space, q, time + dt, cut)[0] for dt in (_TIME_STEP, -_TIME_STEP))
        G = self.rows(space, q, time, cut)[1]
        wanted = (behind - ahead) / (2 * _TIME_STEP)
        wanted[len(wanted) - len(cut):] += self.rates[cut]
        if not held.all():
            qd[~held] += np.linalg.lstsq(G[:, ~held], wanted - G @ qd, rcond=1e-10)[0]
        return qd

    # ---- The result

    def check(self):
        """Raises an exception if the held coordinates are not as requested."""
        found = np.zeros((2, len(self.asked)))
        lib.trm_get_coordinates(self.state, _doubles(found[0]), _doubles(found[1]))
        for kind, held, asked, have in (("", self.held, self.asked, found[0]), ("rate of ", self.rates_held, self.rates, found[1])):
            wrong = np.flatnonzero(held & (np.abs(have - asked) > _HELD * np.maximum(1, np.abs(asked))))
            if len(wrong):
                names = self.built.coordinate_names
                raise ModelError("the joints cannot be closed at these coordinates: nearest is "
                                 + ", ".join(f"{kind}{names[i]} = {have[i]:.9g} instead of {asked[i]:.9g}" for i in wrong[:8])
                                 + "; give nan for coordinates that are to follow from the others, or a dict of those that are to be held; what a "
                                 "drive moves stays where the drive puts it")

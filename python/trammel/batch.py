# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Many simulations of one model, stepped in parallel with arrays in and out."""

import threading

import numpy as np

from ._lib import ffi, lib, sized, text
from .errors import ClosedError, Error, Messages, ModelError, NotPickled, outcome_error
from .model import find, number
from .placing import Placing
from .simulation import Options, State, _BUSY, _doubles, array, list_contacts


class Batch(NotPickled):
    """n simulations of one model, stepped on all cores (threads=0) or on this many threads. Each is bit-identical to a single simulation.

    q and qd have the shape (n, coordinates), positions (n, bodies, 3), and so on; they are views of buffers that every step overwrites.
    torques: coordinates or joints whose torques are arguments of step, or True for all. Options as in Model.run."""

    _instead = "make another batch of its model"

    def __init__(self, model, n, *, threads=0, torques=(), **options):
        self._pointer = None
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 1:
            raise ValueError(f"n is {n!r}; give a whole number of simulations, at least 1")
        if isinstance(threads, bool) or not isinstance(threads, (int, np.integer)) or threads < 0:
            raise ValueError(f"threads is {threads!r}; give a whole number, 0 for all cores")
        built = self._built = model._build()
        self._options = Options(built, options)
        self._lock = threading.Lock()
        self._why_closed = "the batch was closed"
        names = built.coordinate_names if torques is True else [torques] if isinstance(torques, str) else torques
        self._inputs = [built.coordinate(name) for name in names]
        self._create(int(n), int(threads))
        built.simulations.add(self)
        self._make_arrays(int(n))
        self._call(0.0, 0, None, None)

    def _create(self, n, threads):
        made = ffi.new("trm_batch **")
        with Messages() as messages:
            status = lib.trm_batch_create_sized(self._built.pointer, sized(self._options.struct), n, threads, ffi.NULL, messages.list, made)
            messages.check(status, "the simulations cannot be made")
        self._pointer = ffi.gc(made[0], lib.trm_batch_destroy)
        for index in self._inputs:
            if lib.trm_batch_add_joint_force(self._pointer, *self._built.coordinates[index]) != lib.TRM_OK:
                raise MemoryError("out of memory")
        self._step = lib.trm_sim_options(lib.trm_batch_sim(self._pointer, 0)).step

    def _make_arrays(self, n):
        bodies, coordinates = len(self._built.bodies), len(self._built.coordinates)
        shapes = {"q": (n, coordinates), "qd": (n, coordinates), "positions": (n, bodies, 3), "orientations": (n, bodies, 4),
                  "velocities": (n, bodies, 3), "angular_velocities": (n, bodies, 3)}
        self._numbers = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._failed = np.zeros(n, dtype=np.bool_)
        self._arrays = ffi.new("trm_batch_arrays *")
        self._arrays.failed = ffi.cast("bool *", self._failed.ctypes.data)
        for name in ("q", "qd"):
            setattr(self._arrays.out, name, _doubles(self._numbers[name]))
        self._views = {name: numbers.view() for name, numbers in self._numbers.items()}
        for view in self._views.values():
            view.setflags(write=False)

    def _open(self):
        if self._pointer is None:
            raise ClosedError(self._why_closed)
        return self._pointer

    def close(self, why="the batch was closed"):
        """Frees all simulations."""
        if self._lock.locked():
            raise Error("a batch cannot be closed while it is stepped")
        self._pointer, self._why_closed = None, why

    @property
    def closed(self):
        """Whether the batch or its model was closed."""
        return self._pointer is None

    def __len__(self):
        return len(self._failed)

    def __repr__(self):
        return f"<trammel.Batch of {len(self)} simulations of {text(lib.trm_model_name(self._built.pointer))!r}>"

    # ---- Stepping

    def step(self, dt=None, count=1, *, torques=None, inputs=None, mask=None):
        """Makes count steps of dt [s]. torques: shape (n, torques) [N m, N]; inputs: those of the model, shape (n, inputs); they hold until
        they are given again. mask: simulations to step.

        Returns a boolean array: True for simulations that failed. Their states are those of their last good steps; error(i) says why."""
        dt = self._step if dt is None else number(dt, "dt")
        if dt == 0:
            raise ValueError("dt is 0; give a finite number of seconds other than 0")
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise ValueError(f"count is {count!r}; give a whole number of steps")
        return self._call(dt, count, torques, mask, inputs)

    def _call(self, dt, count, torques, mask, inputs=None):
        if not self._lock.acquire(False):
            raise Error(_BUSY)
        try:
            pointer = self._open()
            if torques is not None and not self._inputs:
                raise ModelError("no coordinates were named whose torques are set; make the batch with torques=True, or torques=[names]")
            kept = array(torques, (len(self), len(self._inputs)), "torques") if torques is not None else None
            values = array(inputs, (len(self), len(self._built.inputs)), "inputs") if inputs is not None else None
            chosen = self._mask(mask)
            self._arrays.inputs = _doubles(values) if values is not None else ffi.NULL
            self._arrays.forces = _doubles(kept) if kept is not None else ffi.NULL
            self._arrays.mask = ffi.cast("bool *", chosen.ctypes.data) if chosen is not None else ffi.NULL
            lib.trm_batch_step(pointer, dt if dt else 1.0, count, self._arrays)
            return self._failed.copy()
        finally:
            self._lock.release()

    def _mask(self, mask):
        if mask is None:
            return None
        mask = np.ascontiguousarray(mask)
        if mask.dtype != np.bool_:
            raise TypeError(f"the mask has the type {mask.dtype}; give truth values")
        if mask.shape != (len(self),):
            raise ValueError(f"the mask has the shape {mask.shape}; {(len(self),)} is needed")
        return mask

    def error(self, index):
        """Returns why a simulation failed in the last step; None if it did not."""
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} simulations, numbered from 0; {index} is none of them")
        outcome = lib.trm_batch_outcome(self._open(), index)
        return None if outcome.ok else f"t = {outcome.time:.9g} s: {text(outcome.element)}: {text(outcome.why)}"

    def set_coordinates(self, q, qd=None, mask=None):
        """Sets each simulation of the mask, or all, to its own joint coordinates [m, rad] and rates: arrays of shape (n, coordinates), rows
        outside the mask ignored. As Simulation.set_coordinates; all rows are checked before the first is set."""
        shape = (len(self), len(self._built.coordinates))
        given = [None if x is None else np.asarray(x, dtype=np.float64) for x in (q, qd)]
        for x, name in zip(given, ("q", "qd")):
            if x is not None and x.shape != shape:
                raise ValueError(f"{name} has the shape {x.shape}; {shape} is needed")
        chosen = self._mask(mask)
        rows = range(len(self)) if chosen is None else np.flatnonzero(chosen)
        if not self._lock.acquire(False):
            raise Error(_BUSY)
        try:
            states = self._states()
            placings = [Placing(self._built, states[i], given[0][i], None if qd is None else given[1][i]) for i in rows]
            for i, placing in zip(rows, placings):
                placing.make()
                self._restart(int(i))
        finally:
            self._lock.release()
        self._call(0.0, 0, None, None)

    def _restart(self, index):
        """Restarts the account of accuracy of a simulation whose state was set."""
        sim = lib.trm_batch_sim(self._open(), index)
        lib.trm_sim_restart_account(sim)
        outcome = lib.trm_sim_observe(sim)
        if not outcome.ok:
            raise outcome_error(outcome)

    def reset(self, mask=None, state=None):
        """Resets the simulations of the mask, or all, to the start, or to a state of a Simulation with the same options and torques. state
        may be a list of n states, one for each simulation."""
        if isinstance(state, (list, tuple)):
            if len(state) != len(self):
                raise ValueError(f"there are {len(state)} states; {len(self)} are needed, one for each simulation")
            chosen = self._mask(mask)
            for i, one in enumerate(state):
                only = np.zeros(len(self), dtype=bool)
                only[i] = chosen is None or chosen[i]
                self.reset(only, one)
            return
        if state is not None and not isinstance(state, State):
            raise TypeError(f"a state made by sim.state is needed, not {type(state).__name__}")
        if not self._lock.acquire(False):
            raise Error(_BUSY)
        try:
            pointer, chosen = self._open(), self._mask(mask)
            status = lib.trm_batch_reset(pointer, ffi.cast("bool *", chosen.ctypes.data) if chosen is not None else ffi.NULL,
                                         state._pointer if state is not None else ffi.NULL)
        finally:
            self._lock.release()
        if status == lib.TRM_OUT_OF_MEMORY:
            raise MemoryError("out of memory")
        if status != lib.TRM_OK:
            raise ModelError("the state belongs to another model, other options or other torques")
        self._call(0.0, 0, None, None)

    # ---- Reading

    @property
    def q(self):
        """Joint coordinates [m, rad], shape (n, coordinates)."""
        self._open()
        return self._views["q"]

    @property
    def qd(self):
        """Rates of the joint coordinates [m/s, rad/s], shape (n, coordinates)."""
        self._open()
        return self._views["qd"]

    @property
    def times(self):
        """Simulated time of each [s], shape (n,)."""
        return np.array([lib.trm_state_time(state) for state in self._states()])

    @property
    def positions(self):
        """Origins of all body frames [m], shape (n, bodies, 3)."""
        return self._bodies("positions")

    @property
    def orientations(self):
        """Unit quaternions w, x, y, z of all bodies, shape (n, bodies, 4)."""
        return self._bodies("orientations")

    @property
    def velocities(self):
        """Velocities of the origins of all body frames [m/s], shape (n, bodies, 3)."""
        return self._bodies("velocities")

    @property
    def angular_velocities(self):
        """Angular velocities of all bodies [rad/s], shape (n, bodies, 3)."""
        return self._bodies("angular_velocities")

    def _states(self):
        pointer = self._open()
        return [lib.trm_sim_state(lib.trm_batch_sim(pointer, i)) for i in range(len(self))]

    def _bodies(self, name):
        setattr(self._arrays.out, name, _doubles(self._numbers[name]))
        try:
            self._call(0.0, 0, None, None)
        finally:
            setattr(self._arrays.out, name, ffi.NULL)
        return self._views[name]

    def sensor(self, name):
        """Returns the last sample of a sensor in each simulation, shape (n,) or (n, numbers); NaN before the first."""
        names, pointer = self._built.sensors, self._open()
        index = find("sensor", name, names, {key: i for i, key in enumerate(names)})
        values, rows = ffi.new("double[]", lib.TRM_SENSOR_NUMBERS), []
        for i in range(len(self)):
            count = lib.trm_sim_sensor(lib.trm_batch_sim(pointer, i), index, values)
            rows.append(list(values)[:count])
        return np.array(rows)[:, 0] if count == 1 else np.array(rows)

    def contacts(self, index):
        """Returns the closed contacts of one simulation, a list of Contact."""
        if not 0 <= index < len(self):
            raise IndexError(f"there are {len(self)} simulations, numbered from 0; {index} is none of them")
        return [contact for contact in list_contacts(self._built, lib.trm_batch_sim(self._open(), index)) if not contact.impact]

    def hashes(self):
        """Returns a hash of each state."""
        return [lib.trm_state_hash(state) for state in self._states()]

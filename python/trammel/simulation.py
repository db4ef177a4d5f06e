# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Simulations: stepped by the caller or run to their end. SI units and radians throughout."""

import json
import math
import sys
import threading
import time as clock
from typing import NamedTuple, Tuple

import numpy as np

from ._lib import collect, ffi, lib, sized, text
from .errors import ClosedError, Error, Messages, ModelError, NotPickled, UnknownName, outcome_error, warn
from .model import Model, number
from .named import Inputs, Sensors, Targets
from .placing import Placing
from .result import Report, Result

# Keys of the struct that are not options of a run.
_NOT_OPTIONS = ("place", "options", "option_count")
_FIELDS = {name: field.type.cname for name, field in ffi.typeof("trm_simulation_def").fields if name not in _NOT_OPTIONS}

# s of wall-clock time between two checks of progress and interrupts
_PERIOD = 0.05
# Steps made by one call of the library.
_AT_ONCE = 256
_BUSY = "the simulation is being stepped, by another thread or by the caller of this callback; each needs its own, see copy()"


def array(values, shape, what):
    """Returns a contiguous array of finite doubles of this shape. Raises TypeError or ValueError naming its use."""
    try:
        numbers = np.asarray(values)
        if numbers.dtype.kind not in "fiub":
            raise TypeError
        numbers = np.ascontiguousarray(numbers, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{what} is not an array of real numbers") from None
    if numbers.shape != shape:
        raise ValueError(f"{what} has the shape {numbers.shape}; {shape} is needed")
    if not np.isfinite(numbers).all():
        raise ValueError(f"{what} has numbers that are not finite")
    return numbers


def _doubles(numbers):
    return ffi.cast("double *", numbers.ctypes.data)


def _vector(v):
    return np.array([v.x, v.y, v.z])


class Options:
    """A trm_simulation_def of keywords, which replace those of the model, with the memory to which it points. The names and kinds of
    options are those of the struct, options={...} are those of the method."""

    def __init__(self, built, keywords):
        keywords = dict(keywords)
        self.kept = []
        self.struct = ffi.new("trm_simulation_def *", lib.trm_model_simulation(built.pointer)[0])
        own = dict(keywords.pop("options", None) or {})
        if isinstance(keywords.get("method"), str) and ":" in keywords["method"]:
            keywords["method"], own = _method_with_options(keywords["method"], own)
        if "dt" in keywords:
            raise UnknownName("option", "dt", ["step"])
        if "tolerance" in keywords:
            keywords["position_tolerance"] = keywords["angle_tolerance"] = keywords["velocity_tolerance"] = \
                keywords.pop("tolerance")
        for name, value in keywords.items():
            if name not in _FIELDS:
                raise UnknownName("option", name, [*_FIELDS, "tolerance", "options"])
            setattr(self.struct, name, self.convert(name, value))
        self.take_method_options(own)

    def convert(self, name, value):
        kind = _FIELDS[name]
        if kind == "double":
            return number(value, name)
        if kind == "_Bool":
            if not isinstance(value, (bool, np.bool_)):
                raise TypeError(f"{name} is {value!r}; give True or False")
            return bool(value)
        if not isinstance(value, str):
            raise TypeError(f"{name} is {value!r}; give a text")
        return self.keep(value)

    def keep(self, value):
        self.kept.append(ffi.new("char[]", value.encode()))
        return self.kept[-1]

    def take_method_options(self, own):
        given = [self.struct.options[i] for i in range(self.struct.option_count)]
        options = ffi.new("trm_option[]", len(given) + len(own) + 1)
        for i, option in enumerate(given):
            options[i] = option
        for i, (name, value) in enumerate(own.items(), len(given)):
            is_text = isinstance(value, str)
            options[i].method, options[i].name = self.struct.method, self.keep(name)
            options[i].text = self.keep(value) if is_text else ffi.NULL
            options[i].number = math.nan if is_text else number(value, f"option {name}")
        self.kept.append(options)
        self.struct.options, self.struct.option_count = options, len(given) + len(own)


def _method_with_options(method, own):
    """The method and options of "minimal:integrator=rk4,cut=A", as the program writes them; those of options={...} win."""
    method, _, pairs = method.partition(":")
    found = {}
    for pair in pairs.split(","):
        name, equals, value = pair.partition("=")
        if not equals:
            raise ValueError(f"method: {pair!r} is not NAME=VALUE")
        try:
            found[name] = float(value)
        except ValueError:
            found[name] = value
    return method, {**found, **own}


class Contact(NamedTuple):
    """A closed contact, or an impact. time [s], point [m] and normal (from the first body to the second) in the world, gap [m], force on
    the second body [N]; for an impact its impulse [N s]."""

    time: float
    impact: bool
    bodies: Tuple[str, str]
    point: np.ndarray
    normal: np.ndarray
    gap: float
    force: np.ndarray

    def force_on(self, body):
        """Returns the force [N], or for an impact the impulse [N s], on one of the two bodies; that on the other is opposite."""
        if body not in self.bodies:
            raise UnknownName("body of this contact", body, self.bodies)
        return self.force if body == self.bodies[1] else -self.force


def list_contacts(built, pointer):
    """Returns the impacts since the last call, then the closed contacts: a list of Contact."""
    room, found = 64, []
    while True:
        rows = ffi.new("trm_contact_row[]", room)
        count = min(lib.trm_sim_contacts(pointer, rows, room), room)
        found = [c for c in found if c.impact]
        for row in (rows[i] for i in range(count)):
            found.append(Contact(row.time, bool(row.impact), (built.bodies[row.body[0]], built.bodies[row.body[1]]), _vector(row.point),
                                 _vector(row.normal), row.gap, _vector(row.force)))
        if count < room:
            return found
        room *= 8


class State(NotPickled):
    """All data that determine how a simulation continues; obtained by sim.state and restored by sim.state = state."""

    _instead = "it does not change, so it can be shared; keep sim.q and sim.qd for another process"

    def __init__(self, simulation):
        self._built, self._inputs, self._options = simulation._built, list(simulation._inputs), simulation._options
        self._pointer = simulation._new_pointer()
        _copy(self._pointer, simulation._still())
        self.time = lib.trm_state_time(lib.trm_sim_state(self._pointer))

    def hash(self):
        """A hash of all bits of the state."""
        return lib.trm_state_hash(lib.trm_sim_state(self._pointer))

    def __copy__(self):
        return self

    def __deepcopy__(self, _memo):
        return self

    def __eq__(self, other):
        return isinstance(other, State) and other._built is self._built and other.hash() == self.hash()

    __hash__ = None

    def __repr__(self):
        return f"<trammel.State at t = {self.time:.6g} s>"


def _copy(to, from_):
    status = lib.trm_sim_copy(to, from_)
    if status == lib.TRM_OUT_OF_MEMORY:
        raise MemoryError("out of memory")
    if status != lib.TRM_OK:
        raise ModelError("the state belongs to another model, other options or other torques")


class Simulation(NotPickled):
    """A simulation: a state of a model, and a method that steps it.

    Made by model.simulation(step=0.005, order=4, method="impulse", ...). q and qd, and all other arrays, are views of buffers that every
    step overwrites: copy arrays that you want to keep. A simulation is used by one thread at a time; different simulations run in parallel,
    because the interpreter lock is released during steps. torques: coordinates or joints whose torques will be set, or True for all; others
    are added when they are first set."""

    _instead = "pickle its model and make the simulation in the other process"

    def __init__(self, model, *, torques=(), **options):
        self._pointer = None
        self._why_closed = "the simulation was closed"
        built = self._built = model._build()
        self._options = Options(built, options)
        names = built.coordinate_names if torques is True else [torques] if isinstance(torques, str) else torques
        self._begin([built.coordinate(name) for name in names])
        self._pointer = self._new_pointer(quiet=False)
        built.simulations.add(self)
        self._take_pointer()
        self.observe()

    def _begin(self, inputs):
        self._inputs = inputs
        self._lock = threading.Lock()
        self._acquire, self._release, self._steps = self._lock.acquire, self._lock.release, lib.trm_sim_steps
        self._controllers, self._forces, self._impacts = [], [], []
        self._callback_thread = None
        self._hook = ffi.NULL
        self._error, self._status = None, "ok"
        self._outcome = ffi.new("trm_outcome *")
        self._make_arrays()

    def _new_pointer(self, quiet=True):
        """A new simulation of the library with the same options and inputs."""
        made = ffi.new("trm_sim **")
        with Messages(quiet) as messages:
            status = lib.trm_sim_create_sized(self._built.pointer, sized(self._options.struct), ffi.NULL, messages.list, made)
            messages.check(status, "the simulation cannot be made")
        pointer = ffi.gc(made[0], lib.trm_sim_destroy)
        for index in self._inputs:
            if lib.trm_sim_add_joint_force(pointer, *self._built.coordinates[index]) != lib.TRM_OK:
                raise MemoryError("out of memory")
        for name, body, callback in self._forces:
            if lib.trm_sim_add_force(pointer, name, body, callback, ffi.NULL) != lib.TRM_OK:
                raise MemoryError("out of memory")
        return pointer

    def _take_pointer(self):
        chosen = lib.trm_sim_options(self._pointer)
        self._step, self._time = chosen.step, chosen.time
        self._input_values = lib.trm_sim_joint_forces(self._pointer)
        lib.trm_sim_set_hooks(self._pointer, self._hook, ffi.NULL, ffi.NULL)

    def _rebuild(self, inputs):
        """Continues with a new simulation of the library, to which inputs and forces can be added."""
        if self._lock.locked():
            raise Error("torques and forces are added before a step, not during one; name them when the simulation is made")
        old, torques, before = self._open(), self.torques, self._inputs
        self._inputs = inputs
        try:
            new = self._new_pointer()
        except BaseException:
            self._inputs = before
            raise
        lib.trm_sim_take_over(new, old)
        self._pointer = new
        self._take_pointer()
        for i, value in enumerate(torques):
            self._input_values[i] = value

    def _make_arrays(self):
        bodies, coordinates = len(self._built.bodies), len(self._built.coordinates)
        shapes = {"q": (coordinates,), "qd": (coordinates,), "positions": (bodies, 3), "orientations": (bodies, 4),
                  "velocities": (bodies, 3), "angular_velocities": (bodies, 3)}
        self._numbers = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._addresses = {name: ffi.cast("double *", array.ctypes.data) for name, array in self._numbers.items()}
        self._views = {}
        for name, array in self._numbers.items():
            self._views[name] = array.view()
            self._views[name].setflags(write=False)
        self._q, self._qd = self._views["q"], self._views["qd"]
        self._step_arrays = ffi.new("trm_arrays *", {"q": self._addresses["q"], "qd": self._addresses["qd"]})

    # ---- Closing, copies

    @property
    def closed(self):
        """Whether the simulation or its model was closed."""
        return self._pointer is None

    def close(self, why="the simulation was closed"):
        """Frees the simulation."""
        if self._lock.locked():
            raise Error("a simulation cannot be closed while it is stepped")
        self._pointer, self._why_closed = None, why

    def _open(self):
        if self._pointer is None:
            raise ClosedError(self._why_closed)
        return self._pointer

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _state(self):
        return lib.trm_sim_state(self._open())

    def copy(self):
        """Returns another simulation that continues bit-identically, without the callbacks of this one."""
        old = self._still()
        new = object.__new__(Simulation)
        new._why_closed = "the simulation was closed"
        new._built, new._options = self._built, self._options
        new._begin(list(self._inputs))
        new._pointer = new._new_pointer()
        _copy(new._pointer, old)
        new._take_pointer()
        new._built.simulations.add(new)
        lib.trm_get_arrays(new._state(), new._step_arrays)
        return new

    __copy__ = copy

    def __deepcopy__(self, _memo):
        return self.copy()

    def model(self):
        """Returns a model that starts at the present state, with time 0."""
        self._still()
        return Model._starting_at(self._built, self._state())

    def view(self, *arguments):
        """Opens the live page of the machine from its present state on, as Model.view does; the page runs a separate simulation."""
        return self.model().view(*arguments)

    @property
    def state(self):
        """All data that determine how the simulation continues; after assigning it the simulation continues bit-identically from there."""
        return State(self)

    @state.setter
    def state(self, state):
        if not isinstance(state, State):
            raise TypeError(f"a state made by sim.state is needed, not {type(state).__name__}")
        self._change()
        if state._inputs != self._inputs:
            raise ModelError("torques were added since this state was saved; name them when the simulation is made: torques=[...]")
        _copy(self._pointer, state._pointer)
        self._status = "ok"
        lib.trm_get_arrays(self._state(), self._step_arrays)

    def _still(self):
        """Gives access to the library's simulation while no other thread steps it; a callback of its own step may read it."""
        if self._lock.locked() and self._callback_thread != threading.get_ident():
            raise Error(_BUSY)
        return self._open()

    def _change(self):
        self._open()
        if self._lock.locked():
            raise Error("the state cannot be set during a step")

    # ---- Stepping

    def step(self, dt=None, count=1):
        """Makes count steps of dt [s]; default: the step of the options. Velocities satisfy the joints afterwards. Raises SimulationError
        if a step fails; the state is then that of the last good step."""
        if not self._acquire(False):
            raise Error(_BUSY)
        try:
            if count == 1:
                good = self._steps(self._pointer, self._step if dt is None else dt, 1, self._step_arrays, self._outcome)
            else:
                good = self._make_steps(self._step if dt is None else dt, count)
        except TypeError:
            self._open()
            raise
        finally:
            self._release()
        if not good:
            self._fail(dt)

    def _make_steps(self, dt, count):
        if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
            raise ValueError(f"count is {count!r}; give a whole number of steps")
        good = True
        while good and count > 0:  # interrupts are raised between these calls
            good = self._steps(self._pointer, dt, min(count, _AT_ONCE), self._step_arrays, self._outcome)
            count -= _AT_ONCE
        return good

    def _fail(self, dt=None):
        error, self._error = self._error, None
        if error is not None:
            raise error
        if dt is not None and (not math.isfinite(dt) or dt == 0):
            raise ValueError(f"dt is {dt}; give a finite number of seconds other than 0")
        failure = outcome_error(self._outcome)
        self._status = str(failure)
        raise failure

    def observe(self):
        """Projects velocities onto the joints after the state was changed, and updates q and qd."""
        self._change()
        self._outcome[0] = lib.trm_sim_observe(self._pointer)
        lib.trm_get_arrays(self._state(), self._step_arrays)
        if not self._outcome.ok:
            raise outcome_error(self._outcome)

    # ---- Reading

    @property
    def time(self):
        """Simulated time, s."""
        return lib.trm_state_time(self._state())

    @property
    def q(self):
        """Joint coordinates [m, rad], in the order of model.coordinates: a view that cannot be written to. Assigning sim.q = values sets
        them as set_coordinates does, rates kept."""
        self._open()
        return self._q

    @q.setter
    def q(self, values):
        self.set_coordinates(values, self.qd.copy())

    @property
    def qd(self):
        """Rates of the joint coordinates [m/s, rad/s]; assigning sim.qd = values sets them."""
        self._open()
        return self._qd

    @qd.setter
    def qd(self, values):
        self.set_coordinates(self.q.copy(), values)

    @property
    def positions(self):
        """Origins of all body frames [m], shape (bodies, 3), the ground first."""
        lib.trm_get_poses(self._state(), self._addresses["positions"], ffi.NULL)
        return self._views["positions"]

    @property
    def orientations(self):
        """Unit quaternions w, x, y, z of all bodies, shape (bodies, 4)."""
        lib.trm_get_poses(self._state(), ffi.NULL, self._addresses["orientations"])
        return self._views["orientations"]

    @property
    def poses(self):
        """positions and orientations of all bodies, read together."""
        lib.trm_get_poses(self._state(), self._addresses["positions"], self._addresses["orientations"])
        return self._views["positions"], self._views["orientations"]

    @property
    def velocities(self):
        """Velocities of the origins of all body frames [m/s], shape (bodies, 3)."""
        lib.trm_get_velocities(self._state(), self._addresses["velocities"], ffi.NULL)
        return self._views["velocities"]

    @property
    def angular_velocities(self):
        """Angular velocities of all bodies [rad/s], world axes, shape (bodies, 3)."""
        lib.trm_get_velocities(self._state(), ffi.NULL, self._addresses["angular_velocities"])
        return self._views["angular_velocities"]

    @property
    def sensors(self):
        """The last samples of the sensors, by name."""
        return Sensors(self)

    def contacts(self):
        """The closed contacts, a list of Contact. Reading changes nothing; impacts() returns impacts."""
        return [contact for contact in self._list_contacts() if not contact.impact]

    def impacts(self):
        """Returns the impacts since the last call, a list of Contact whose force is the impulse [N s]."""
        self._list_contacts()
        found, self._impacts = self._impacts, []
        return found

    def _list_contacts(self):
        """Lists impacts and contacts by the library, which removes listed impacts; they are stored here."""
        found = list_contacts(self._built, self._still())
        self._impacts += [contact for contact in found if contact.impact]
        return found

    def energy(self):
        """Kinetic and potential energy [J] as a tuple."""
        energy = lib.trm_state_energy(self._state())
        return energy.kinetic, energy.potential

    def hash(self):
        """A hash of all bits of the state."""
        return lib.trm_state_hash(self._state())

    @property
    def report(self):
        """The accuracy report so far. After a failed step its status says why and its verdict is bad, until the state is set again."""
        self._still()
        return Report(self._report(self._status, 0.0))

    def _report(self, status, wall):
        pointer = self._open()
        data = json.loads(collect(lambda sink: lib.trm_write_report_json(pointer, status.encode(), wall, sink)))
        if status not in ("ok", "interrupted"):
            data["verdict"] = "bad"
            data["reasons"] = [f"a step failed: {status}", *data["reasons"]]
        return data

    def __repr__(self):
        if self.closed:
            return f"<trammel.Simulation: {self._why_closed}>"
        return f"<trammel.Simulation of {text(lib.trm_model_name(self._built.pointer))!r} at t = {self.time:.6g} s>"

    # ---- Setting

    def set_poses(self, positions, orientations=None):
        """Sets the frames of all bodies that can move [m; w, x, y, z]; rows of the others are ignored. The poses must satisfy the joints:
        see observe."""
        self._change()
        bodies = len(self._built.bodies)
        positions = array(positions, (bodies, 3), "positions")
        orientations = array(self.orientations if orientations is None else orientations, (bodies, 4), "orientations")
        if not np.all(np.linalg.norm(orientations, axis=1) > 0):
            raise ValueError("orientations has a quaternion of length 0; give unit quaternions w, x, y, z")
        lib.trm_set_poses(self._state(), _doubles(positions), _doubles(orientations))
        self._restart()

    def set_velocities(self, velocities, angular_velocities=None):
        """Sets velocities [m/s] and angular velocities [rad/s] of all bodies that can move; they are projected onto the joints."""
        self._change()
        bodies = len(self._built.bodies)
        velocities = array(velocities, (bodies, 3), "velocities")
        angular = array(self.angular_velocities if angular_velocities is None else angular_velocities, (bodies, 3), "angular_velocities")
        lib.trm_set_velocities(self._state(), _doubles(velocities), _doubles(angular))
        self._restart()

    def set_coordinates(self, q, qd=None):
        """Sets joint coordinates [m, rad] and rates, in the order of model.coordinates; default rates: 0. Either may be a dict of names and
        values. Raises ValueError if q is outside the limits of a joint.

        In machines with loops, given coordinates that differ from the present ones are held exactly. Coordinates that are nan, not named in
        a dict, or unchanged are computed from them. Raises ModelError, with the state unchanged, if they cannot be held."""
        self._change()
        Placing(self._built, self._state(), q, qd).make()
        self._restart()

    def reset(self):
        """Resets the simulation to the start of the model, with time and torques 0. To return to another state, store sim.state."""
        self._change()
        _copy(self._pointer, self._new_pointer())
        self._take_pointer()
        self._status = "ok"
        self.observe()

    def assemble(self):
        """Moves bodies to the nearest poses and velocities that satisfy the joints, after the state was changed."""
        self._change()
        with Messages(quiet=True) as messages:
            messages.check(lib.trm_assemble(self._state(), ffi.NULL, messages.list, ffi.NULL), "the joints cannot be closed")
        self._restart()

    def _restart(self):
        """Restarts the account of energies in the report."""
        self._status = "ok"
        lib.trm_sim_restart_account(self._pointer)
        self.observe()

    # ---- Controllers

    @property
    def targets(self):
        """Targets of servos, motors, actuators and efforts, set by name: sim.targets["s1"] = 0.3."""
        return Targets(self)

    @property
    def inputs(self):
        """The inputs of the model by name, on which functions of time of the model may depend."""
        return Inputs(self)

    @property
    def torques(self):
        """The torques and forces [N m, N], in the order in which their coordinates were named."""
        self._open()
        return np.array([self._input_values[i] for i in range(len(self._inputs))])

    @torques.setter
    def torques(self, values):
        self._open()
        if not self._inputs:
            raise ModelError("no coordinates were named whose torques are set; make the simulation with torques=True, or torques=[names]")
        values = array(values, (len(self._inputs),), "torques")
        if len(values):
            ffi.memmove(self._input_values, _doubles(values), values.nbytes)

    def set_torque(self, name, value):
        """Sets the torque [N m], or force [N], along a coordinate: arm.q, or the name of a joint with one coordinate. It holds until it is
        set again."""
        value = number(value, f"the torque on {name}")
        self._open()
        index = self._built.coordinate(name)
        if index not in self._inputs:
            self._rebuild([*self._inputs, index])
        self._input_values[self._inputs.index(index)] = value

    def add_force(self, body, function, name=None):
        """Adds a force of the caller on a body: function(t, position, orientation, velocity, angular_velocity) of the body frame returns
        the force [N] at the centre of mass, or a pair (force, torque [N m]), world axes. It is called several times in a step and must not
        depend on anything else."""
        index = self._built.body(body)
        if not callable(function):
            raise TypeError("add_force takes a function")
        if index == 0:
            raise ModelError("the ground does not move; name another body")

        def call(_context, state):
            X, V = lib.trm_body_pose(state, index), lib.trm_body_velocity(state, index)
            value = function(lib.trm_state_time(state), _vector(X.p), np.array([X.q.w, X.q.x, X.q.y, X.q.z]), _vector(V.lin),
                             _vector(V.ang))
            force, torque = value if isinstance(value, tuple) and len(value) == 2 else (value, (0.0, 0.0, 0.0))
            F = ffi.new("trm_spatial *")
            F.lin.x, F.lin.y, F.lin.z = array(force, (3,), "the force")
            F.ang.x, F.ang.y, F.ang.z = array(torque, (3,), "the torque")
            return F[0]

        wrong = ffi.new("trm_spatial *")
        wrong.lin.x = math.nan  # a force that is not finite ends the step
        callback = ffi.callback("trm_spatial(void *, trm_state *)", call, error=wrong[0], onerror=self._keep_error)
        self._forces.append((ffi.new("char[]", (name or f"force on {body}").encode()), index, callback))
        self._rebuild(self._inputs)
        return function

    def on_step(self, callback):
        """Calls callback(sim) before each step, with velocities that satisfy the joints. It may read the simulation and set torques that
        were named. An exception ends the step or run, which raises it. Returns the callback, so that it can be a decorator."""
        if not callable(callback):
            raise TypeError("on_step takes a function of the simulation")
        self._open()
        self._controllers.append(callback)
        if len(self._controllers) == 1:
            self._hook = ffi.callback("bool(void *, trm_sim *)", self._call_controllers, error=False, onerror=self._keep_error)
            lib.trm_sim_set_hooks(self._pointer, self._hook, ffi.NULL, ffi.NULL)
        return callback

    def _call_controllers(self, _context, _sim):
        lib.trm_get_arrays(lib.trm_sim_state(self._pointer), self._step_arrays)
        self._callback_thread = threading.get_ident()
        try:
            for controller in self._controllers:
                controller(self)
        finally:
            self._callback_thread = None
        return True

    def _keep_error(self, _kind, error, trace):
        """Of a callback, where exceptions cannot pass through C: raised again behind the call. The first one counts."""
        if self._error is None:
            self._error = error.with_traceback(trace)

    # ---- Runs

    def run(self, until=None, *, every=None, columns=None, progress=None, replay=True):
        """Runs to the time `until` [s] (default: that of the options) and returns a Result; see Model.run."""
        if not self._lock.acquire(False):
            raise Error(_BUSY)
        try:
            self._open()
            return _Run(self, until, every, columns, progress, replay).make()
        finally:
            self._lock.release()


class _Run:
    """One run and its data."""

    def __init__(self, sim, until, every, columns, progress, replay):
        self.sim = sim
        chosen = lib.trm_sim_options(sim._open())
        self.until = number(sim._time if until is None else until, "the time of the run")
        self.every = chosen.every if every is None else number(every, "every")
        if self.every <= 0:
            raise ValueError(f"every is {every}; give the time between rows in seconds, more than 0")
        if self.until < sim.time:
            raise ValueError(f"the run is to end at {self.until} s, before the present time of {sim.time} s")
        self.columns = _columns(sim._built, columns)
        self.table = _owned(lib.trm_table_create(self.columns, ffi.NULL), lib.trm_table_destroy)
        self.kept = {}
        self.replay = replay
        self.bar = _Bar(progress, sim.time, self.until)

    def make(self):
        sim = self.sim
        pointer = sim._pointer
        lib.trm_results_enable(self.columns, pointer)
        if self.replay:
            self.kept = {
                "animation": _owned(lib.trm_animation_create(sim._state(), ffi.NULL), lib.trm_animation_destroy),
                "report": _owned(lib.trm_report_create(pointer, ffi.NULL), lib.trm_report_destroy),
                "simulation": pointer,  # the report reads it when it is written, even after sim was closed
                "model": sim._built,
            }
        may_continue = ffi.callback("bool(void *)", self.look, error=False, onerror=sim._keep_error)
        definition = ffi.new("trm_record_def *", {
            "until": self.until, "every": self.every, "table": self.table,
            "animation": self.kept.get("animation", ffi.NULL), "report": self.kept.get("report", ffi.NULL),
            "may_continue": may_continue, "period": _PERIOD})
        started = clock.perf_counter()
        try:
            outcome = lib.trm_sim_record_sized(pointer, sized(definition))
        finally:
            self.bar.end()
        wall = clock.perf_counter() - started
        lib.trm_get_arrays(sim._state(), sim._step_arrays)
        return self.finish(outcome, wall)

    def look(self, _context):
        """Called now and then between steps: shows progress and lets the interpreter raise interrupts."""
        self.bar.show(lib.trm_state_time(lib.trm_sim_state(self.sim._pointer)))
        return True

    def finish(self, outcome, wall):
        sim = self.sim
        error, sim._error = sim._error, None
        interrupted = isinstance(error, KeyboardInterrupt)
        status = "ok" if outcome.ok else "interrupted" if interrupted else \
            f"{type(error).__name__} in a callback" if error else text(outcome.why)
        result = self.result(status, wall)
        if error is not None and not interrupted:
            error.result = result
            raise error
        if interrupted:
            warn(f"interrupted at t = {sim.time:.6g} s; the rows up to there are kept")
        elif not outcome.ok:
            sim._status = status
            raise outcome_error(outcome, result)
        return result

    def result(self, status, wall):
        sim, columns = self.sim, self.columns
        count, rows = lib.trm_result_count(columns), lib.trm_table_rows(self.table)
        data = np.empty((rows, count))
        if rows:
            ffi.memmove(ffi.cast("char *", data.ctypes.data), lib.trm_table_numbers(self.table), data.nbytes)
        names = [text(lib.trm_result_name(columns, i)) for i in range(count)]
        units = [text(lib.trm_result_unit(columns, i)) for i in range(count)]
        header = collect(lambda sink: lib.trm_write_csv_header(columns, sim._pointer, sink))
        return Result(names, units, data, sim._report(status, wall), self.kept, header)


def _columns(built, selection):
    if selection is not None and not isinstance(selection, str):
        selection = ",".join(selection)
    made = ffi.new("trm_results **")
    with Messages() as messages:
        status = lib.trm_results_create(built.pointer, ffi.NULL if selection is None else selection.encode(), ffi.NULL,
                                        messages.list, made)
        messages.check(status, "the columns cannot be given")
    return ffi.gc(made[0], lib.trm_results_destroy)


def _owned(pointer, destroy):
    if not pointer:
        raise MemoryError("out of memory")
    return ffi.gc(pointer, destroy)


class _Bar:
    """A progress bar on stderr, shown after a second, in terminals and notebooks."""

    WIDTH = 30

    def __init__(self, wanted, start, until):
        self.wanted = _is_watched() if wanted is None else bool(wanted)
        self.start, self.until = start, until
        self.begun = clock.monotonic()
        self.shown = False

    def show(self, now):
        if not self.wanted or clock.monotonic() - self.begun < 1:
            return
        share = (now - self.start) / (self.until - self.start) if self.until > self.start else 1.0
        full = int(share * self.WIDTH)
        sys.stderr.write(f"\r[{'#' * full}{'.' * (self.WIDTH - full)}] {100 * share:3.0f} %  t = {now:.4g} s ")
        sys.stderr.flush()
        self.shown = True

    def end(self):
        if self.shown:
            sys.stderr.write("\n")


def _is_watched():
    return (hasattr(sys.stderr, "isatty") and sys.stderr.isatty()) or "ipykernel" in sys.modules

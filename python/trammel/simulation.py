# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Simulations: a machine that moves, stepped by hand or run to its end. SI units and radians throughout."""

import json
import math
import sys
import threading
import time as clock

import numpy as np

from ._lib import collect, ffi, lib, text
from .errors import ClosedError, Error, Messages, UnknownName, outcome_error, warn
from .model import number
from .result import Result

# Keys of the struct that are not options of a run.
_NOT_OPTIONS = ("place", "options", "option_count")
_FIELDS = {name: field.type.cname for name, field in ffi.typeof("trm_simulation_def").fields if name not in _NOT_OPTIONS}
_FROM = ffi.typeof("trm_simulation_def")

# s of the wall between two looks at progress and interrupts
_PERIOD = 0.05


class Options:
    """trm_simulation_def of keywords over the model's own; keeps what the struct points to. The names and kinds of
    options are those of the struct, options={...} are those of the method."""

    def __init__(self, built, keywords):
        keywords = dict(keywords)
        self.kept = []
        self.struct = ffi.new("trm_simulation_def *", lib.trm_model_simulation(built.pointer)[0])
        own = keywords.pop("options", None) or {}
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


class Simulation:
    """A machine that moves: one state of a model, and a method that steps it.

    Made by model.simulation(step=0.005, order=4, method="impulse", ...). q and qd, and all other arrays, are views of
    buffers that every step fills anew: copy what is to be kept. A simulation is used by one thread at a time; different
    simulations run in parallel, because the interpreter is released while steps are made."""

    def __init__(self, model, **options):
        self._pointer = None
        self._why_closed = "the simulation was closed"
        built = self._built = model._build()
        self._lock = threading.RLock()
        self._running = False
        self._controllers = []
        self._error = None
        self._options = Options(built, options)
        self._pointer = self._create()
        built.simulations.add(self)
        chosen = lib.trm_sim_options(self._pointer)
        self._step, self._time = chosen.step, chosen.time
        self._outcome = ffi.new("trm_outcome *")
        self._make_arrays()
        self.observe()

    def _create(self):
        made = ffi.new("trm_sim **")
        with Messages() as messages:
            status = lib.trm_sim_create(self._built.pointer, self._options.struct, ffi.NULL, messages.list, made)
            messages.check(status, "the simulation cannot be made")
        return ffi.gc(made[0], lib.trm_sim_destroy)

    def _make_arrays(self):
        bodies, coordinates = len(self._built.bodies), len(self._built.coordinates)
        shapes = {"q": (coordinates,), "qd": (coordinates,), "positions": (bodies, 3), "orientations": (bodies, 4),
                  "velocities": (bodies, 3), "angular_velocities": (bodies, 3)}
        self._numbers = {name: np.zeros(shape) for name, shape in shapes.items()}
        self._step_arrays = ffi.new("trm_arrays *")
        self._views = {}
        for name, array in self._numbers.items():
            view = array.view()
            view.setflags(write=False)
            self._views[name] = view
        self._q, self._qd = self._views["q"], self._views["qd"]
        self._step_arrays.q = self._address("q")
        self._step_arrays.qd = self._address("qd")

    def _address(self, name):
        return ffi.cast("double *", self._numbers[name].ctypes.data)

    # ---- Closing and sharing

    @property
    def closed(self):
        return self._pointer is None

    def close(self, why="the simulation was closed"):
        """Frees the simulation."""
        if self._running:
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

    # ---- Stepping

    def step(self, dt=None, count=1):
        """Makes count steps of dt [s]; default: the step of the options. Velocities fit the joints afterwards. Raises SimulationError where
        a step cannot be made; the state is then that of the last good step."""
        lock = self._lock
        if not lock.acquire(False):
            raise Error("the simulation is used by another thread; each thread needs its own, see copy()")
        try:
            if self._running:
                raise Error("a simulation cannot be stepped from its own callback")
            if dt is None:
                dt = self._step
            elif dt != dt or dt in (math.inf, -math.inf) or dt == 0:
                raise ValueError(f"dt is {dt}; give a finite number of seconds other than 0")
            self._running = True
            good = lib.trm_sim_steps(self._pointer, dt, count, self._step_arrays, self._outcome)
        except TypeError:
            self._open()
            raise
        finally:
            self._running = False
            lock.release()
        if self._error is not None:
            self._raise_error()
        if not good:
            raise outcome_error(self._outcome)

    def _raise_error(self):
        error, self._error = self._error, None
        raise error

    def observe(self):
        """Makes velocities fit the joints after the state was changed, and refreshes q and qd."""
        self._outcome[0] = lib.trm_sim_observe(self._open())
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
        """Joint coordinates [m, rad], in the order of model.coordinates."""
        self._open()
        return self._q

    @property
    def qd(self):
        """Rates of the joint coordinates [m/s, rad/s]."""
        self._open()
        return self._qd

    @property
    def positions(self):
        """Origins of all body frames [m], shape (bodies, 3), the ground first."""
        lib.trm_get_poses(self._state(), self._address("positions"), ffi.NULL)
        return self._views["positions"]

    @property
    def orientations(self):
        """Unit quaternions w, x, y, z of all bodies, shape (bodies, 4)."""
        lib.trm_get_poses(self._state(), ffi.NULL, self._address("orientations"))
        return self._views["orientations"]

    @property
    def velocities(self):
        """Velocities of the origins of all body frames [m/s], shape (bodies, 3)."""
        lib.trm_get_velocities(self._state(), self._address("velocities"), ffi.NULL)
        return self._views["velocities"]

    @property
    def angular_velocities(self):
        """Angular velocities of all bodies [rad/s], world axes, shape (bodies, 3)."""
        lib.trm_get_velocities(self._state(), ffi.NULL, self._address("angular_velocities"))
        return self._views["angular_velocities"]

    def energy(self):
        """Kinetic and potential energy [J] as a tuple."""
        energy = lib.trm_state_energy(self._state())
        return energy.kinetic, energy.potential

    def hash(self):
        """A hash of all bits of the state."""
        return lib.trm_state_hash(self._state())

    @property
    def report(self):
        """The accuracy report so far."""
        from .result import Report

        return Report(self._report("ok", 0.0))

    def _report(self, status, wall):
        pointer = self._open()
        return json.loads(collect(lambda sink: lib.trm_write_report_json(pointer, status.encode(), wall, sink)))

    def __repr__(self):
        if self.closed:
            return f"<trammel.Simulation: {self._why_closed}>"
        return f"<trammel.Simulation of {text(lib.trm_model_name(self._built.pointer))!r} at t = {self.time:.6g} s>"

    # ---- Controllers

    def on_step(self, callback):
        """Calls callback(sim) before each step, with velocities that fit. It may read the simulation and set inputs. An exception ends
        the step or run and is raised there. Returns the callback, so that it can be a decorator."""
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
        for controller in self._controllers:
            controller(self)
        return True

    def _keep_error(self, _kind, error, trace):
        """Of a callback, where exceptions cannot pass through C: raised again behind the call. The first one counts."""
        if self._error is None:
            self._error = error.with_traceback(trace)

    # ---- Runs

    def run(self, until=None, *, every=None, columns=None, progress=None, replay=True):
        """Runs to the time until [s], default: that of the options, and returns a Result; see Model.run."""
        if not self._lock.acquire(False):
            raise Error("the simulation is used by another thread; each thread needs its own, see copy()")
        try:
            self._open()
            if self._running:
                raise Error("a simulation cannot be run from its own callback")
            return _Run(self, until, every, columns, progress, replay).make()
        finally:
            self._lock.release()


class _Run:
    """One run and what it keeps."""

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
        lib.trm_sim_want_reactions(pointer, lib.trm_results_need_reactions(self.columns))
        if self.replay:
            self.kept = {
                "animation": _owned(lib.trm_animation_create(sim._state(), ffi.NULL), lib.trm_animation_destroy),
                "report": _owned(lib.trm_report_create(pointer, ffi.NULL), lib.trm_report_destroy),
            }
        goes_on = ffi.callback("bool(void *)", self.look, error=False, onerror=sim._keep_error)
        definition = ffi.new("trm_record_def *", {
            "until": self.until, "every": self.every, "table": self.table,
            "animation": self.kept.get("animation", ffi.NULL), "report": self.kept.get("report", ffi.NULL),
            "goes_on": goes_on, "period": _PERIOD})
        started = clock.perf_counter()
        sim._running = True
        try:
            outcome = lib.trm_sim_record(pointer, definition)
        finally:
            sim._running = False
            self.bar.end()
        wall = clock.perf_counter() - started
        lib.trm_get_arrays(sim._state(), sim._step_arrays)
        return self.finish(outcome, wall)

    def look(self, _context):
        """Between steps, now and then: shows progress; an interrupt is raised in here, where the interpreter runs."""
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
        return Result(names, units, data, sim._report(status, wall), sim, self.kept, header)


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
    """A line on stderr that grows; shown after a second, in terminals and notebooks."""

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

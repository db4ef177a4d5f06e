# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Models: descriptions of machines. SI units and radians throughout."""

import atexit
import contextlib
import json
import math
import os
import shutil
import subprocess
import tempfile
import weakref

import numpy as np

from ._lib import HERE, collect, default, ffi, lib, text
from .errors import ClosedError, Error, Messages, ModelError, UnknownName


def _choices(enum, prefix):
    """The words of an enumeration of the headers: TRM_WITHOUT_GRAVITY is gravity."""
    return {name[len(prefix):].lower(): value for name, value in ffi.typeof(enum).relements.items()}


_INERTIA = _choices("trm_inertia_policy", "TRM_INERTIA_")
_WITHOUT = _choices("trm_without", "TRM_WITHOUT_")


# Fraction of the limit, or of 1 m or 1 rad if that is larger: coordinates read at a stop are outside by rounding.
_LIMIT_ROUNDING = 1e-9


class Element(str):
    """The name of an element of a model; it can be given wherever a name is expected."""

    @property
    def name(self):
        return str(self)


def plain(value, where):
    """Returns the value in plain types of JSON. Raises ModelError if it is of another type or not finite."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    elif isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, dict):
        return {str(key): plain(item, f"{where}.{key}" if where else str(key)) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, float) and not math.isfinite(value):
        raise ModelError(f"{where} is {value}; give a finite number, or None for an end of a range without a bound")
    if value is None or isinstance(value, (str, bool, int, float)):
        return value
    raise ModelError(f"{where} is of type {type(value).__name__}; give a number, a text, a list or a dict")


def _pair(bodies):
    if isinstance(bodies, str):
        raise TypeError(f"bodies are two names, such as ['ground', {str(bodies)!r}], not one text")
    return list(bodies)


class _ReadOptions:
    """trm_read_options of keywords; keeps what the struct points to."""

    KNOWN = ("strict", "base", "free_base", "self_collision", "inertia", "paths", "without", "with_", "density")

    def __init__(self, constants=None, **options):
        for name in options:
            if name not in self.KNOWN:
                raise UnknownName("option of load", name, self.KNOWN)
        self.read(constants, **options)

    def read(self, constants, strict=False, base=None, free_base=False, self_collision=False, inertia="keep", paths=(), without=(),
             with_=(), density=None):
        if base is not None:
            free_base = choose("base", base, {"fixed": False, "free": True})
        self.struct = ffi.new("trm_read_options *")
        self.kept = []
        constants = constants or {}
        values = ffi.new("trm_constant[]", max(len(constants), 1))
        for i, (name, value) in enumerate(constants.items()):
            values[i].name = self.keep(name)
            values[i].value = number(value, f"constant '{name}'")
        folders, added = self.keep_paths(paths), self.keep_paths(with_)
        self.kept += [values, folders[0], added[0]]
        self.struct.set, self.struct.set_count = values, len(constants)
        self.struct.strict, self.struct.free_base, self.struct.self_collision = strict, free_base, self_collision
        self.struct.inertia = choose("inertia", inertia, _INERTIA)
        self.struct.paths, self.struct.path_count = folders
        setattr(self.struct, "with", added[0])
        self.struct.with_count = added[1]
        if density is not None:
            self.struct.density = number(density, "density")
            if self.struct.density <= 0:
                raise ValueError(f"density is {density}; give kg/m^3, more than 0")
        for part in [without] if isinstance(without, str) else without:
            self.struct.without |= choose("without", part, _WITHOUT)

    def keep_paths(self, paths):
        paths = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        return ffi.new("char *[]", [self.keep(os.fspath(path)) for path in paths] or 1), len(paths)

    def keep(self, name):
        self.kept.append(ffi.new("char[]", str(name).encode()))
        return self.kept[-1]


def choose(option, value, known):
    if value not in known:
        raise UnknownName(f"value of {option}", value, known)
    return known[value]


def number(value, what):
    """Returns a finite float. Raises TypeError or ValueError naming its use."""
    try:
        value = float(value)
    except (TypeError, ValueError):
        raise TypeError(f"{what} is {value!r}; give a number") from None
    if not math.isfinite(value):
        raise ValueError(f"{what} is {value}; give a finite number")
    return value


def input_name(model, index):
    info = default("input")
    lib.trm_input_info_sized(model, index, info, ffi.sizeof("trm_input_def"))
    return text(info.name)


class _Built:
    """A trm_model with its names. Simulations hold it, so it is freed after the last of them."""

    def __init__(self, definition):
        made = ffi.new("trm_model **")
        with Messages() as messages:
            messages.check(lib.trm_model_create(definition, ffi.NULL, messages.list, made), "the model is not acceptable")
        self.definition = definition
        self.pointer = model = ffi.gc(made[0], lib.trm_model_destroy)
        self.simulations = weakref.WeakSet()
        self.space = None  # a JointSpace, after coordinates of loops were set
        self.bodies = [text(lib.trm_body_info_of(model, i).name) for i in range(lib.trm_body_count(model))]
        self.joints = [text(lib.trm_joint_info_of(model, i).name) for i in range(lib.trm_joint_count(model))]
        self.sensors = [text(lib.trm_sensor_name(model, i)) for i in range(lib.trm_sensor_count(model))]
        self.inputs = [input_name(model, i) for i in range(lib.trm_input_count(model))]
        self.settings = [text(lib.trm_setting_info_of(model, i).name) for i in range(lib.trm_setting_count(model))]
        self.coordinate_names, self.coordinates = [], []
        for joint, name in enumerate(self.joints):
            count = lib.trm_joint_info_of(model, joint).coordinates
            self.coordinate_names += [f"{name}.q" if count == 1 else f"{name}.q{k + 1}" for k in range(count)]
            self.coordinates += [(joint, k) for k in range(count)]
        self.limits = np.array([list(lib.trm_joint_info_of(model, joint).limits[k]) for joint, k in self.coordinates]).reshape(-1, 2)
        self.body_index = {name: i for i, name in enumerate(self.bodies)}
        self.joint_index = {name: i for i, name in enumerate(self.joints)}

    def body(self, name):
        """Returns the number of a body given by name or number."""
        if isinstance(name, str) and name not in self.body_index:
            with contextlib.suppress(UnknownName):
                body = self.bodies[self.frame(name)[0]]
                raise ModelError(f"'{name}' is a frame of the body '{body}', not a body of its own; name '{body}'")
        return find("body", name, self.bodies, self.body_index)

    def frame(self, name):
        """Returns body and pose in its frame, for a body, BODY.POINT, or a point, site or merged link by its own name."""
        body, pose = ffi.new("int *"), ffi.new("trm_pose *")
        if isinstance(name, str):
            if not lib.trm_find_frame(self.pointer, name.encode(), body, pose):
                raise UnknownName("body or frame", name, [*self.bodies, *self.frames()])
            return body[0], pose[0]
        pose.q.w = 1
        return self.body(name), pose[0]

    def frames(self):
        """Names of all points and frames of bodies: BODY.POINT."""
        infos = [lib.trm_body_info_of(self.pointer, i) for i in range(len(self.bodies))]
        return [f"{body}.{text(info.points[k].name)}" for body, info in zip(self.bodies, infos) for k in range(info.point_count)]

    def check_limits(self, q):
        """Raises ValueError naming the coordinates that are outside their limits; nan counts as inside."""
        room = _LIMIT_ROUNDING * np.maximum(1, np.abs(self.limits, where=np.isfinite(self.limits), out=np.zeros_like(self.limits)))
        beyond = np.flatnonzero((q < self.limits[:, 0] - room[:, 0]) | (q > self.limits[:, 1] + room[:, 1]))
        if len(beyond):
            raise ValueError("; ".join(f"q[{i}] = {q[i]:.9g} of {self.coordinate_names[i]} is beyond its limits "
                                       f"{self.limits[i, 0]:.9g} .. {self.limits[i, 1]:.9g}" for i in beyond)
                             + "; give values within the limits, or load the model with without=\"limits\"")

    def joint(self, name):
        return find("joint", name, self.joints, self.joint_index)

    def coordinate(self, name):
        """Returns the number of a coordinate given by its name (arm.q), the name of a joint with one coordinate, or its number."""
        if isinstance(name, str) and name in self.coordinate_names:
            return self.coordinate_names.index(name)
        if isinstance(name, str):
            joint = self.joint_index.get(name)
            own = [i for i, (j, _) in enumerate(self.coordinates) if j == joint]
            if len(own) == 1:
                return own[0]
            if joint is not None and not own:
                raise ModelError(f"joint '{name}' has no coordinates")
            if own:
                raise ModelError(f"joint '{name}' has {len(own)} coordinates; name one: "
                                 + ", ".join(self.coordinate_names[i] for i in own))
        return find("coordinate", name, self.coordinate_names, {})


def find(kind, name, names, index):
    if isinstance(name, (int, np.integer)) and not isinstance(name, bool):
        if not 0 <= name < len(names):
            raise IndexError(f"there are {len(names)} of kind {kind}, numbered from 0; {name} is none of them")
        return int(name)
    found = index.get(name)
    if found is None:
        raise UnknownName(kind, name, names)
    return found


class Model:
    """A machine: bodies, joints, forces, contacts, events, sensors.

    Made by trammel.load, Model.from_dict, or empty and then by the add_ functions, whose keywords are the keys of the model file
    (docs/model-format.md). It is checked when it is first used. If it is changed later, it is built again, and earlier simulations keep the
    old one. gravity: m/s^2."""

    def __init__(self, name="", gravity=(0, 0, -9.81)):
        self._definition = None
        self._built = None
        self._closed = False
        self._constants = {}
        self._file = None
        self._dict = {"trammel": 1, "name": name, "gravity": plain(gravity, "gravity")}

    # ---- Reading and writing

    @classmethod
    def from_dict(cls, data, constants=None, **options):
        """Returns a model with the keys and values of a model file. constants: values that replace the model's constants."""
        if not isinstance(data, dict):
            raise TypeError(f"from_dict takes a dict, not {type(data).__name__}")
        model = cls()
        model._dict = plain({"trammel": 1, **data}, "")
        model._constants, model._options = dict(constants or {}), options
        model._build()
        return model

    @classmethod
    def from_text(cls, data, name="text", constants=None, **options):
        """Returns a model from the text of a file of any format that trammel.load reads."""
        model = cls()
        model._dict = None
        model._definition = _read_text(data, name, _ReadOptions(constants, **options))
        model._build()
        return model

    _options = {}

    @classmethod
    def _starting_at(cls, built, state):
        """Returns a copy of the built model whose start is the state."""
        model = cls()
        model._dict = None
        data = collect(lambda sink: lib.trm_write_model(built.definition, sink))
        model._definition = _read_text(data, "model", _ReadOptions(None))
        with Messages() as messages:
            messages.check(lib.trm_start_at(model._definition, state, messages.list), "the state cannot be written as a model")
        model._build()
        return model

    def to_dict(self):
        """Returns the model with the keys of the model file, with numbers instead of expressions and without default values."""
        self._build()
        return json.loads(collect(lambda sink: lib.trm_write_model(self._definition, sink)))

    def save(self, path):
        """Writes the model file (.json)."""
        self._build()
        data = collect(lambda sink: lib.trm_write_model(self._definition, sink))
        with open(path, "wb") as file:
            file.write(data)

    # ---- Building

    def add_body(self, name, **keys):
        """Adds a body, e.g. add_body("rod", mass=1, inertia=[..], position=[0, 0, 1]). kg, kg m^2, m. Returns its name."""
        return self._add("bodies", name, keys)

    def add_joint(self, name, type, bodies=None, **keys):
        """Adds a joint, e.g. add_joint("knee", "hinge", ["thigh", "shank"], anchor=[0, 0, 1], axis=[0, 1, 0]). A gear, coupling
        or tendon has no bodies: add_joint("mesh", "gear", joints=["a", "b"], ratio=-2)."""
        return self._add("joints", name, {"type": type, **({} if bodies is None else {"bodies": _pair(bodies)}), **keys})

    def add_force(self, type, name=None, **keys):
        """Adds a force, drive, motor or servo, e.g. add_force("servo", "s1", joint="knee", target=0.3, kp=50, kd=5)."""
        return self._add("forces", name, {"type": type, **keys})

    def add_sensor(self, name, type, **keys):
        """Adds a sensor, e.g. add_sensor("imu", "accelerometer", body="trunk", rate=100)."""
        return self._add("sensors", name, {"type": type, **keys})

    def add_input(self, name, **keys):
        """Adds an input, e.g. add_input("u1", range=[-1, 1], start=0); functions of time may name it, sim.inputs sets it."""
        self._edit()
        if not isinstance(name, str):
            raise TypeError(f"the name of an input is a text, not {type(name).__name__}")
        self._dict.setdefault("inputs", {})[str(name)] = plain(keys, f"inputs.{name}")
        return Element(name)

    def add_contact(self, bodies, **keys):
        """Sets friction and restitution of a pair of bodies."""
        return self._add("contacts", None, {"bodies": _pair(bodies), **keys})

    def add_event(self, **keys):
        """Adds an event, e.g. add_event(at=2, detach="cord")."""
        return self._add("events", None, keys)

    def _add(self, kind, name, keys):
        self._edit()
        if name is not None and not isinstance(name, str):
            raise TypeError(f"the name of an element is a text, not {type(name).__name__}")
        item = {"name": str(name), **keys} if name is not None else dict(keys)
        self._dict.setdefault(kind, []).append(plain(item, f"{kind}[{len(self._dict.get(kind, []))}]"))
        return Element(name) if name is not None else None

    def set_gravity(self, gravity):
        """Sets the acceleration of gravity, m/s^2."""
        self._edit()
        self._dict["gravity"] = plain(gravity, "gravity")

    def _edit(self):
        """The model as a dict that may be changed."""
        if self._closed:
            raise ClosedError("the model was closed")
        if self._dict is None:
            self._dict = self.to_dict()
        self._built = self._definition = self._file = None

    def _build(self):
        if self._closed:
            raise ClosedError("the model was closed")
        if self._built:
            return self._built
        if self._definition is None:
            self._definition = _read_text(json.dumps(self._dict, indent=1), "model", _ReadOptions(self._constants, **self._options))
        self._built = _Built(self._definition)
        return self._built

    # ---- Asking

    @property
    def name(self):
        return text(lib.trm_model_name(self._build().pointer))

    @property
    def bodies(self):
        """Names of all bodies, the ground first: the rows of positions, orientations and velocities."""
        return list(self._build().bodies)

    @property
    def joints(self):
        return list(self._build().joints)

    @property
    def sensors(self):
        return list(self._build().sensors)

    @property
    def inputs(self):
        """Names of the inputs."""
        return list(self._build().inputs)

    @property
    def targets(self):
        """Names for sim.targets: "s1.target" of a servo, "m1.velocity" of a motor, "a1.value" of an actuator or effort."""
        return list(self._build().settings)

    @property
    def coordinates(self):
        """Names of all joint coordinates, in the order of q and qd: arm.q, or ball.q1 where a joint has several."""
        return list(self._build().coordinate_names)

    @property
    def limits(self):
        """Lower and upper stop of each coordinate [m, rad], shape (coordinates, 2); infinite: none."""
        return self._build().limits.copy()

    @property
    def frames(self):
        """Names of the points and frames of bodies, BODY.POINT: sites, and links that are part of a body because of fixed joints."""
        return self._build().frames()

    @property
    def coordinate_units(self):
        """The unit of each coordinate: m or rad."""
        built = self._build()
        return [text(lib.trm_coordinate_unit(built.pointer, i)) for i in range(len(built.coordinates))]

    def masses(self):
        """Mass of each body, kg; 0 for fixed and moving ones."""
        built = self._build()
        return np.array([lib.trm_body_info_of(built.pointer, i).mass for i in range(len(built.bodies))])

    def __repr__(self):
        if self._closed:
            return "<trammel.Model, closed>"
        built = self._build()
        return f"<trammel.Model {self.name!r}: {len(built.bodies) - 1} bodies, {len(built.joints)} joints>"

    # ---- Using

    def simulation(self, **options):
        """Returns a simulation for stepping; options as in run."""
        from .simulation import Simulation

        return Simulation(self, **options)

    def run(self, time=None, *, every=None, columns=None, progress=None, on_step=None, replay=True, **options):
        """Runs the model from its start and returns a Result.

        time [s], step [s], order, method and all other keys of "simulation" in the model file default to the values of the model. every
        [s]: interval of rows, default: that of the model, or each step. columns: patterns such as "t,arm.*", default: all. on_step(sim):
        called before each step. progress: a bar; default: if stderr is a terminal and the run takes longer than a second. replay=False
        stores no poses for .glb, .html and notebooks. KeyboardInterrupt ends the run; the result has the rows computed so far, and a
        warning is issued."""
        simulation = self.simulation(**({} if time is None else {"time": time}), **options)
        try:
            if on_step is not None:
                simulation.on_step(on_step)
            return simulation.run(every=every, columns=columns, progress=progress, replay=replay)
        except BaseException:
            simulation.close()
            raise

    def view(self, *arguments):
        """Opens the live page of the model in a browser (docs/view.md), by the program trammel, found by TRAMMEL, in PATH, or in the build.
        arguments: options of `trammel view`. Returns the process; its terminate() ends it."""
        beside = HERE.parents[1] / "trammel"
        program = os.environ.get("TRAMMEL") or shutil.which("trammel") or (str(beside) if beside.is_file() else None)
        if not program:
            raise Error("the program trammel was not found; put it on the PATH or name it in TRAMMEL")
        with tempfile.NamedTemporaryFile(suffix=".json", prefix="trammel-", delete=False) as file:
            self.save(file.name)
        process = subprocess.Popen([program, "view", file.name, *arguments])
        atexit.register(_remove, file.name)
        return process

    def close(self):
        """Frees the model. Its simulations can no longer be used."""
        built, self._built, self._definition, self._closed = self._built, None, None, True
        if built:
            for simulation in list(built.simulations):
                simulation.close("the model of this simulation was closed")

    def __reduce__(self):
        """For copy and pickle: the keys and values of the model file, numbers instead of expressions where it was read from a file."""
        if self._closed:
            raise ClosedError("the model was closed")
        if self._dict is None:
            return _restored, (self.to_dict(), {}, {})
        return _restored, (json.loads(json.dumps(self._dict)), self._constants, self._options)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def _restored(data, constants, options):
    model = Model()
    model._dict, model._constants, model._options = data, constants, options
    return model


def _remove(path):
    with contextlib.suppress(OSError):
        os.remove(path)


def _read_text(data, name, options):
    data = data.encode() if isinstance(data, str) else bytes(data)
    made = ffi.new("trm_model_def **")
    with Messages() as messages:
        status = lib.trm_read_model_text(data, len(data), name.encode(), options.struct, ffi.NULL, messages.list, made)
        messages.check(status, f"{name} is not a model that can be used")
    return ffi.gc(made[0], lib.trm_model_def_destroy)


def load(path, constants=None, **options):
    """Reads a model file of any format that Trammel knows: its own JSON, URDF, ... (docs/import.md).

    constants: dict of values that replace the model's constants. For imported formats: strict (unused input is an error), base ("fixed", or
    "free": the root link moves freely; free_base=True is the same), self_collision, inertia ("keep", "repair", "refuse"), density (kg/m^3:
    links without mass get the mass of their shapes), paths (folders in which packages are searched). Of all formats: with_ (model files
    whose elements are added, a path or several); without: parts to leave out, of "actuators", "contacts", "damping", "friction", "gravity",
    "limits". Raises ModelError with all messages, each with file, line and column; OSError if the file cannot be read. Warnings are passed
    to the warnings module."""
    name = os.fsdecode(path)
    if not os.path.exists(name):
        raise FileNotFoundError(2, "there is no such model file", name)
    model = Model()
    model._dict = None
    made = ffi.new("trm_model_def **")
    kept = _ReadOptions(constants, **options)
    with Messages() as messages:
        status = lib.trm_read_model_file(name.encode(), kept.struct, ffi.NULL, messages.list, made)
        messages.check(status, f"{name} is not a model that can be used")
    model._definition = ffi.gc(made[0], lib.trm_model_def_destroy)
    model._file, model._constants, model._options = name, dict(constants or {}), options
    model._build()
    return model

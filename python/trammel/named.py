# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Access to sensors, inputs and targets of a simulation by name."""

import math
from collections.abc import Mapping, MutableMapping

import numpy as np

from ._lib import ffi, lib
from .errors import outcome_error
from .model import find, number


class Sensors(Mapping):
    """The last sample of each sensor by its name: a number, or an array if a sensor gives several; NaN before the first."""

    def __init__(self, simulation):
        self._simulation = simulation

    def __getitem__(self, name):
        sim = self._simulation
        built = sim._built
        index = find("sensor", name, built.sensors, {key: i for i, key in enumerate(built.sensors)})
        values = ffi.new("double[]", lib.TRM_SENSOR_NUMBERS)
        count = lib.trm_sim_sensor(sim._still(), index, values)
        return values[0] if count == 1 else np.array(list(values)[:count])

    def __iter__(self):
        return iter(self._simulation._built.sensors)

    def __len__(self):
        return len(self._simulation._built.sensors)

    def __repr__(self):
        return f"<trammel.Sensors: {dict(self)}>"


class Inputs(MutableMapping):
    """The inputs of the model by name: sim.inputs["u1"] = 0.3. Values are clipped to the range of the input and hold from then on."""

    def __init__(self, simulation):
        self._simulation = simulation

    def _index(self, name):
        names = self._simulation._built.inputs
        return find("input", name, names, {key: i for i, key in enumerate(names)})

    def __getitem__(self, name):
        return lib.trm_input_value(self._simulation._state(), self._index(name))

    def __setitem__(self, name, value):
        self.update({name: value})

    def update(self, values=(), **others):
        """Sets several at once."""
        sim, given = self._simulation, dict(values, **others)
        numbers = ffi.new("double[]", [math.nan] * max(len(sim._built.inputs), 1))
        for name, value in given.items():
            numbers[self._index(name)] = number(value, f"input {name}")
        outcome = lib.trm_sim_inputs(sim._open(), numbers)
        if not outcome.ok:
            raise outcome_error(outcome)

    def __delitem__(self, name):
        raise TypeError("inputs of a model cannot be deleted")

    def __iter__(self):
        return iter(self._simulation._built.inputs)

    def __len__(self):
        return len(self._simulation._built.inputs)

    def __repr__(self):
        return f"<trammel.Inputs: {dict(self)}>"


class Targets(MutableMapping):
    """Functions of time of servos, motors, actuators and efforts, each of which can be replaced by a number: sim.targets["s1"] = 0.3, in
    rad, rad/s, N m, or m, m/s, N. del sim.targets["s1"] restores the function of the model. Names are those of the elements, or those of
    model.targets ("s1.target")."""

    def __init__(self, simulation):
        self._simulation = simulation

    def _index(self, name):
        names = self._simulation._built.settings
        return find("target", name, names, {**{key.rpartition(".")[0]: i for i, key in enumerate(names)},
                                            **{key: i for i, key in enumerate(names)}})

    def _set(self, name, value):
        outcome = lib.trm_sim_set(self._simulation._open(), self._index(name), value)
        if not outcome.ok:
            raise outcome_error(outcome)

    def __getitem__(self, name):
        return lib.trm_setting_value(self._simulation._state(), self._index(name))

    def __setitem__(self, name, value):
        self._set(name, number(value, f"target {name}"))

    def __delitem__(self, name):
        self._set(name, math.nan)

    def __iter__(self):
        return iter(self._simulation._built.settings)

    def __len__(self):
        return len(self._simulation._built.settings)

    def __repr__(self):
        return f"<trammel.Targets: {dict(self)}>"

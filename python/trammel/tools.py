# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Comparing methods, sweeping constants, inverse dynamics: numpy in, numpy out."""

import itertools
import os
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from ._lib import default, ffi, lib, sized, text
from .errors import Error, Messages, ModelError, outcome_error
from .model import Model, load, number
from .simulation import _doubles, array


class Comparison:
    """Runs of one model with several methods, orders and steps. rows: a structured array with method, order, step [s], error [m]
    at the end against the reference, energy_error [J], wall [s] and verdict."""

    def __init__(self, rows, reference):
        self.rows, self.reference = rows, reference

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, name):
        return self.rows[name]

    def __str__(self):
        lines = ["method    order  step [s]    error [m]  energy [J]   wall [s]  verdict"]
        for r in self.rows:
            lines.append(f"{r['method']:9} {r['order']:5g} {r['step']:9.4g} {r['error']:12.3g} {r['energy_error']:11.3g} "
                         f"{r['wall']:10.3g}  {r['verdict']}")
        return "\n".join(lines)

    __repr__ = __str__


_COMPARED = [("method", "U16"), ("order", float), ("step", float), ("error", float), ("energy_error", float), ("wall", float),
             ("verdict", "U8")]


def compare(model, methods=("impulse",), orders=(2, 4), steps=None, time=None, **options):
    """Runs a model with each method, order and step. The error is the largest distance [m] at the end between a body frame and the same
    frame in a reference run by impulse with the highest order and half the smallest step. A run that is not possible has error NaN and the
    verdict "refused"."""
    step = lib.trm_model_simulation(model._build().pointer).step
    steps = [step, step / 2] if steps is None else [number(s, "a step") for s in steps]
    if not steps or not methods or not orders:
        raise ValueError("give at least one method, order and step")
    keywords = {**options, **({} if time is None else {"time": time})}

    def end_of(**chosen):
        with model.simulation(**{**keywords, **chosen}) as sim:
            result = sim.run(columns="t", replay=False)
            return sim.positions.copy(), result.report

    reference, _ = end_of(method="impulse", order=max([*orders, 4]), step=min(steps) / 2)
    rows = []
    for method, order, h in itertools.product(methods, orders, steps):
        try:
            end, report = end_of(method=method, order=order, step=h)
        except Error:
            rows.append((method, order, h, np.nan, np.nan, np.nan, "refused"))
            continue
        error = np.linalg.norm(end - reference, axis=1).max()
        rows.append((method, report.order, h, error, report.energy.max_error, report.wall_s, report.verdict))
    return Comparison(np.array(rows, dtype=_COMPARED), reference)


def sweep(model, constants, output, *, together=False, threads=None, **options):
    """Runs a model for all combinations of its constants; returns a structured array, one row per run.

    model: a path, or a Model made by load or from_dict. constants: dict of names and values; with together=True the n-th values of all
    constants are combined. output: names of columns, whose last values are stored, or a function of the Result that returns a dict of
    numbers. threads: default: all cores. options as in Model.run. ok is False for a run that failed; its numbers are NaN."""
    if not constants:
        raise ValueError("name the constants to change, e.g. {'l': [0.5, 1.0]}")
    names = list(constants)
    values = [array(np.atleast_1d(constants[name]), np.atleast_1d(constants[name]).shape, f"constant '{name}'") for name in names]
    if together and len({len(v) for v in values}) != 1:
        raise ValueError("together=True needs as many values of each constant")
    designs = list(zip(*values) if together else itertools.product(*values))
    columns = [output] if isinstance(output, str) else output
    chosen = {} if callable(output) else {"columns": ["t", *columns]}

    def one(design):
        try:
            with _with_constants(model, dict(zip(names, design))) as changed:
                result = changed.run(**{"replay": False, **chosen, **options})
                return output(result) if callable(output) else {name: result[name][-1] for name in columns}
        except (ModelError, ArithmeticError):
            return None

    first = _with_constants(model, dict(zip(names, designs[0])))  # an unknown constant is an error, not a failed run
    first.close()
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        found = list(pool.map(one, designs))
    outputs = list(next((f for f in found if f is not None), {}))
    table = np.full(len(designs), np.nan, dtype=[(n, float) for n in [*names, *outputs]] + [("ok", bool)])
    for row, design, numbers in zip(table, designs, found):
        row["ok"] = numbers is not None
        for name, value in [*zip(names, design), *(numbers or {}).items()]:
            row[name] = value
    return table


def _with_constants(model, constants):
    if not isinstance(model, Model):
        return load(model, constants)
    if model._dict is not None:
        return Model.from_dict(model._dict, {**model._constants, **constants}, **model._options)
    if model._file is None:
        raise ModelError("the model was read from a text; give load's or from_dict's")
    return load(model._file, {**model._constants, **constants}, **model._options)


def inverse_dynamics(model, t, q, qd, qdd, driven=None):
    """Computes the forces along joint coordinates that produce a motion (docs/inverse.md), with closed loops.

    t: shape (rows,) [s]; q, qd, qdd: shape (rows, coordinates), of the driven coordinates. driven: their names; default: those on which
    drives, motors and servos act, or independent ones. Returns (names, forces), forces of shape (rows, coordinates) [N, N m]."""
    built = model._build()
    wanted = [built.coordinates[built.coordinate(name)] for name in driven or ()]
    definition = default("inverse")
    chosen = ffi.new("trm_coordinate_name[]", [{"joint": j, "coordinate": k} for j, k in wanted] or 1)
    definition.driven, definition.driven_count = chosen, len(wanted)
    made = ffi.new("trm_inverse **")
    with Messages() as messages:
        messages.check(lib.trm_inverse_create_sized(built.pointer, sized(definition), ffi.NULL, messages.list, made),
                       "the forces of this model do not follow from its motion")
    inverse = ffi.gc(made[0], lib.trm_inverse_destroy)
    count = lib.trm_inverse_count(inverse)
    sought = [lib.trm_inverse_driven(inverse, i) for i in range(count)]
    names = [built.coordinate_names[built.coordinates.index((s.joint, s.coordinate))] for s in sought]
    t = array(np.atleast_1d(t), (np.size(t),), "t")
    for x, name in ((q, "q"), (qd, "qd"), (qdd, "qdd")):
        if np.size(x) != len(t) * count:
            raise ValueError(f"{name} has the shape {np.shape(x)}; {(len(t), count)} is needed, one column per driven coordinate: "
                             f"{', '.join(names)}; JointSpace.inverse_dynamics takes all coordinates at once")
    motion = [array(np.reshape(x, (len(t), -1)), (len(t), count), name)
              for x, name in ((q, "q"), (qd, "qd"), (qdd, "qdd"))]
    state = ffi.gc(lib.trm_state_create(built.pointer, ffi.NULL), lib.trm_state_destroy)
    if not state:
        raise MemoryError("out of memory")
    forces = np.zeros((len(t), count))
    for i, time in enumerate(t):
        outcome = lib.trm_inverse_close(inverse, time, *[_doubles(x[i]) for x in motion], state)
        if outcome.ok:
            outcome = lib.trm_inverse_at(inverse, state, _doubles(forces[i]))
        if not outcome.ok:
            raise outcome_error(outcome)
    return names, forces


def methods(model):
    """Returns a dict of the names of all methods, with None if it can run the model, else the reason why not."""
    built = model._build()
    state = ffi.gc(lib.trm_state_create(built.pointer, ffi.NULL), lib.trm_state_destroy)
    analysis = ffi.gc(lib.trm_analyse(state, ffi.NULL), lib.trm_analysis_destroy) if state else None
    if not analysis:
        raise MemoryError("out of memory")
    verdict, room, found = ffi.new("trm_method_verdict *"), ffi.new("char[]", 400), {}
    while lib.trm_judge_method(state, analysis, len(found), room, 400, verdict):
        found[text(verdict.name)] = None if verdict.could_run else text(verdict.why)
    return found

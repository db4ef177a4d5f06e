# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Results: the rows of a run as arrays, and the accuracy report."""

import datetime
import fnmatch
import html
import json
import os
import re

import numpy as np

from ._lib import HERE, collect, ffi, lib, sized
from .errors import Error, UnknownName


class Report:
    """The accuracy report of a run; every key of `trammel run --json` is an attribute, e.g. report.verdict,
    report.energy.max_error [J], report.gap.position [m], report.steps, report.wall_s [s]."""

    def __init__(self, data):
        self._data = data

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self._data:
            raise AttributeError(str(UnknownName("part of the report", name, self._data)))
        value = self._data[name]
        return Report(value) if isinstance(value, dict) else value

    def __getitem__(self, name):
        return self._data[name]

    def __dir__(self):
        return [*super().__dir__(), *self._data]

    def to_dict(self):
        return dict(self._data)

    def __str__(self):
        d = self._data
        if "verdict" not in d:
            return json.dumps(d)
        lines = [
            f"{d['model'] or 'model'}: {d['method']}, solver {d['solver']}, order {d['order']}, step {d['step']:.6g} s",
            f"time      {d['time']:.9g} s in {d['steps']} steps; wall-clock time {d['wall_s']:.3g} s, status {d['status']}",
            f"energy    {_short(d['energy']['start'])} J at the start, {_short(d['energy']['end'])} J at the end, "
            f"|E - E0 - W| at most {_short(d['energy']['max_error'])} J",
            f"joints    open by at most {_short(d['gap']['position'])} m, {_short(d['gap']['angle'])} rad",
            f"verdict   {d['verdict']}: {', '.join(d['reasons'])}",
        ]
        return "\n".join(lines)

    __repr__ = __str__


def _short(value):
    return "?" if value is None else f"{value:.3g}"


# Columns of joints: knee.q, ball.q1
_COORDINATE, _RATE = re.compile(r".*\.q\d*"), re.compile(r".*\.qd\d*")


def _is_pattern(name):
    return isinstance(name, str) and any(c in name for c in "*?")


class Result:
    """The rows of a run. result["arm.q"] is a column as an array, result.t the times [s], result.report the report.

    ok: the end was reached; otherwise status says why not, and result has the rows up to that time."""

    def __init__(self, names, units, data, report, kept=None, header=b""):
        self.names = list(names)
        self.units = dict(zip(names, units))
        self.data = data
        self.data.setflags(write=False)
        self.report = Report(report)
        self._index = {name: i for i, name in enumerate(self.names)}
        self._kept, self._header = kept or {}, header

    @property
    def ok(self):
        return self.report.status == "ok"

    @property
    def status(self):
        return self.report.status

    @property
    def t(self):
        """Times of the rows, s."""
        return self["t"]

    def __getitem__(self, name):
        """Returns a column, or, for a list of names or a pattern such as "*.q", several columns as an array of shape (rows, names)."""
        if isinstance(name, (list, tuple)) or _is_pattern(name):
            return self.data[:, [self._index[one] for one in self.columns(name)]]
        if name not in self._index:
            raise UnknownName("column", name, self.names)
        return self.data[:, self._index[name]]

    def columns(self, *names):
        """Returns the names of the columns that names, patterns such as "a*.q" and lists of these select, in this order."""
        found = []
        for name in names:
            if isinstance(name, (list, tuple)):
                found += self.columns(*name)
                continue
            fitting = [one for one in self.names if fnmatch.fnmatchcase(one, name)] if _is_pattern(name) else [name]
            if not fitting or fitting[0] not in self._index:
                raise UnknownName("column", name, self.names)
            found += fitting
        return found

    @property
    def q(self):
        """All columns of joint coordinates [m, rad], shape (rows, coordinates), in the order of model.coordinates."""
        return self[[name for name in self.names if _COORDINATE.fullmatch(name)]]

    @property
    def qd(self):
        """All columns of their rates [m/s, rad/s], shape (rows, coordinates)."""
        return self[[name for name in self.names if _RATE.fullmatch(name)]]

    def __contains__(self, name):
        return name in self._index

    def __iter__(self):
        return iter(self.names)

    def keys(self):
        return list(self.names)

    def __len__(self):
        """The number of rows."""
        return len(self.data)

    def __repr__(self):
        return f"<trammel.Result: {len(self)} rows of {len(self.names)} columns, {self.status}, verdict {self.report.verdict}>"

    def __reduce__(self):
        """For pickle: without the poses of the replay."""
        return Result, (self.names, list(self.units.values()), np.array(self.data), self.report.to_dict(), None, self._header)

    def __copy__(self):
        return self

    def to_dataframe(self):
        """Returns a pandas DataFrame with the times as its index."""
        import pandas

        frame = pandas.DataFrame(np.array(self.data), columns=self.names)
        return frame.set_index("t") if "t" in self._index else frame

    def plot(self, *columns, ax=None):
        """Plots columns, also patterns such as "*.q", over time with matplotlib; returns the axes. Columns of several units get one label each."""
        import matplotlib.pyplot as plt

        if not columns:
            raise ValueError("name the columns to plot, e.g. result.plot('arm.q')")
        columns = self.columns(*columns)
        values = [self[name] for name in columns]
        ax = ax if ax is not None else plt.subplots()[1]
        for name, column in zip(columns, values):
            unit = self.units[name]
            ax.plot(self.t, column, label=f"{name} [{unit}]" if unit else name)
        ax.set_xlabel("t [s]")
        ax.legend()
        return ax

    # ---- Files

    def save(self, path):
        """Writes .csv (as `trammel run --out`), .npz, .json (the report), .glb (animation) or .html (replay with plots)."""
        path = os.fspath(path)
        kind = os.path.splitext(path)[1].lower()
        writers = {".csv": self._csv, ".npz": None, ".json": self._json, ".glb": self._glb, ".html": self.to_html}
        if kind not in writers:
            raise UnknownName("kind of file", kind, writers)
        if kind == ".npz":
            np.savez_compressed(path, **{name: self[name] for name in self.names})
            return
        data = writers[kind]()
        with open(path, "wb") as file:
            file.write(data if isinstance(data, bytes) else data.encode())

    def _csv(self):
        data = np.ascontiguousarray(self.data)
        numbers = ffi.cast("double *", data.ctypes.data)
        return self._header + collect(lambda sink: lib.trm_write_csv_numbers(numbers, *data.shape, sink))

    def _json(self):
        return json.dumps(self.report.to_dict(), indent=2)

    def _kept_part(self, part):
        pointer = self._kept.get(part)
        if not pointer:
            raise Error("this result keeps no poses; run with replay=True")
        return pointer

    def _glb(self):
        animation = self._kept_part("animation")
        return collect(lambda sink: lib.trm_write_gltf(animation, sink))

    def to_html(self):
        """Returns the run as one page with a replay and plots, which needs no network."""
        report = self._kept_part("report")
        page = HERE / "report.html"
        if not page.exists():
            raise Error("this build has no report page; build Trammel with node and npm installed")
        data = self.report.to_dict()
        texts = {"page": page.read_bytes(), "title": data["model"].encode(), "status": self.status.encode(),
                 "model": b"", "command": b"trammel.Model.run",
                 "date": datetime.datetime.now().strftime("%Y-%m-%d %H:%M").encode()}
        kept = {key: ffi.new("char[]", value) for key, value in texts.items()}
        definition = ffi.new("trm_report_def *", {**kept, "wall": data["wall_s"]})
        return collect(lambda sink: lib.trm_write_report_html_sized(report, sized(definition), sink)).decode()

    def _repr_html_(self):
        """Returns HTML for notebooks: the replay in a frame, or the report if there is none."""
        try:
            page = self.to_html()
        except Error:
            return f"<pre>{html.escape(str(self.report))}</pre>"
        return f'<iframe srcdoc="{html.escape(page)}" width="100%" height="600" style="border:0"></iframe>'

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""A four-bar linkage: a run whose columns are plotted, then the motion is given and the torque that makes it is sought.

Usage: four_bar.py [PICTURE]"""

import sys
from pathlib import Path

import numpy as np

import trammel

ROOT = Path(__file__).resolve().parents[2]


def main(picture=None):
    model = trammel.load(ROOT / "examples" / "four-bar.json")
    result = model.run(time=2, step=0.002, order=4)
    print(result.report)
    driven = model.coordinates[0]
    rate, h = result[driven + "d"], result.t[1] - result.t[0]
    qdd = (8 * (rate[3:-1] - rate[1:-3]) - (rate[4:] - rate[:-4])) / (12 * h)  # differences of order 4
    t, q, qd = result.t[2:-2], result[driven][2:-2], rate[2:-2]
    names, torque = trammel.inverse_dynamics(model, t[::10], q[::10], qd[::10], qdd[::10], driven=[driven])
    worst = np.abs(torque).max()
    print(f"it falls freely: the torque along {names[0]} is at most {worst:.1e} N m")
    if picture:
        import matplotlib

        matplotlib.use("Agg")
        axes = result.plot(driven, driven + "d")
        axes.figure.savefig(picture)
    return worst


if __name__ == "__main__":
    main(*sys.argv[1:])

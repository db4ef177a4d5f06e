# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""An arm of seven hinges follows a motion by computed torque: tau = M(q) (qdd + kp e + kd de/dt) + bias.

Usage: computed_torque.py [MODEL]"""

import sys
from pathlib import Path

import numpy as np

import trammel

ROOT = Path(__file__).resolve().parents[2]


def wanted(t):
    """The motion of all joints: q, qd, qdd."""
    amplitude, w = np.linspace(0.2, 0.8, 7), 2.0
    return amplitude * np.sin(w * t), amplitude * w * np.cos(w * t), -amplitude * w * w * np.sin(w * t)


def main(path):
    model = trammel.load(path)
    space = trammel.JointSpace(model)
    sim = model.simulation(step=0.002, torques=True)
    q, qd, _ = wanted(0)
    sim.set_coordinates(q + 0.05, qd)
    worst = []

    @sim.on_step
    def control(sim):
        q, qd, qdd = wanted(sim.time)
        error, rate = q - sim.q, qd - sim.qd
        sim.torques = space.inverse_dynamics(sim.q, sim.qd, qdd + 400 * error + 40 * rate)
        worst.append(np.abs(error).max())

    result = sim.run(2, columns="t,j*.q", every=0.01)
    print(f"error at the start {worst[0]:.3f} rad, at the end {worst[-1]:.1e} rad, verdict {result.report.verdict}")
    return worst[-1]


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else ROOT / "python" / "bench" / "arm.xml")

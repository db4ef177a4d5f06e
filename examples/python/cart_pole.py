# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""A pole is balanced on a cart: the machine is linearised by differences of forward dynamics, scipy solves the Riccati equation for the
gains, and a batch of 200 starts shows from how far they balance it."""

import numpy as np
from scipy.linalg import solve_continuous_are

import trammel


def cart_pole():
    model = trammel.Model("cart and pole", gravity=(0, 0, -9.81))
    cart = model.add_body("cart", mass=1.0, inertia=[0.01, 0.01, 0.01])
    pole = model.add_body("pole", mass=0.2, inertia=[0.0042, 0.0042, 0.0001], position=[0, 0, 0.25])
    model.add_joint("rail", "slider", ["ground", cart], anchor=[0, 0, 0], axis=[1, 0, 0])
    model.add_joint("pivot", "hinge", [cart, pole], anchor=[0, 0, 0], axis=[0, 1, 0])
    return model


def linearise(space):
    """A and B of d(q, qd)/dt = A (q, qd) + B force, about the upright start."""

    def rate(x, force):
        return np.concatenate([x[2:], space.forward_dynamics(x[:2], x[2:], [force, 0])])

    h = 1e-5
    A = np.stack([(rate(h * e, 0) - rate(-h * e, 0)) / (2 * h) for e in np.eye(4)], axis=1)
    B = (rate(np.zeros(4), h) - rate(np.zeros(4), -h)) / (2 * h)
    return A, B[:, None]


def main(n=200):
    model = cart_pole()
    A, B = linearise(trammel.JointSpace(model))
    P = solve_continuous_are(A, B, np.diag([1.0, 10, 0.1, 0.1]), np.eye(1) * 0.1)
    K = (B.T @ P / 0.1)[0]
    print("gains", np.round(K, 2))

    angles = np.linspace(0, 1.2, n)
    batch = trammel.Batch(model, n, torques=["rail"], step=0.01)
    sim = model.simulation(torques=["rail"], step=0.01)
    for i, angle in enumerate(angles):
        sim.set_coordinates([0, angle])
        batch.reset(np.arange(n) == i, sim.state)
    for _ in range(400):
        batch.step(torques=-(np.hstack([batch.q, batch.qd]) @ K)[:, None])
    balanced = np.abs(batch.q[:, 1]) < 0.05
    limit = angles[balanced].max()
    print(f"{balanced.sum()} of {n} balanced, from up to {limit:.2f} rad")
    return limit


if __name__ == "__main__":
    main()

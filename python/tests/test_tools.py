# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import trammel

# Relative rounding of sums of a few products.
ROUNDING = 1e-10


def test_mass_matrix_and_bias_of_a_pendulum(pendulum):
    space = trammel.JointSpace(pendulum)
    assert space.names == ["pin.q"] and space.size == 1
    inertia = 1 / 12 + 0.25
    for q in (0.0, 0.7):
        assert space.mass_matrix([q])[0, 0] == pytest.approx(inertia, rel=ROUNDING)
        assert space.gravity_force([q])[0] == pytest.approx(-9.81 / 2 * np.cos(q), rel=ROUNDING)
        assert space.forward_dynamics([q])[0] == pytest.approx(9.81 / 2 * np.cos(q) / inertia, rel=ROUNDING)
        assert space.inverse_dynamics([q], [1.0], [2.0])[0] == pytest.approx(2 * inertia - 9.81 / 2 * np.cos(q), rel=ROUNDING)
    assert trammel.mass_matrix(pendulum).shape == (1, 1)


def test_jacobian_is_the_velocity_of_the_point(examples):
    model = trammel.load(examples / "arm.json", without="gravity")
    space = trammel.JointSpace(model)
    sim = model.simulation()
    own = [space.names.index(name) for name in model.coordinates]
    q, qd = space.start.copy(), np.zeros(space.size)
    q[own], qd[own] = np.linspace(-0.5, 0.5, 7), np.linspace(1, 2, 7)
    sim.set_coordinates(q[own], qd[own])
    J = space.jacobian("hand", (0, 0, 0), q)
    assert np.allclose(J[3:] @ qd, sim.velocities[model.bodies.index("hand")], atol=1e-8)
    assert np.allclose(J[:3] @ qd, sim.angular_velocities[model.bodies.index("hand")], atol=1e-8)
    assert np.array_equal(trammel.jacobian(model, "hand", q=q), J)
    with pytest.raises(trammel.UnknownName, match="'hand'"):
        space.jacobian("hnd")
    with pytest.raises(ValueError, match="shape"):
        space.mass_matrix([1, 2])


def test_forward_and_inverse_dynamics_agree(examples):
    space = trammel.JointSpace(trammel.load(examples / "arm.json"))
    random = np.random.default_rng(3)
    q, qd, tau = random.normal(size=(3, space.size))
    if space.constraints == 0:
        qdd = space.forward_dynamics(q, qd, tau)
        assert np.allclose(space.inverse_dynamics(q, qd, qdd), tau, atol=1e-7)
    assert np.allclose(space.mass_matrix(q), space.mass_matrix(q).T)


def test_inverse_dynamics_of_a_motion(pendulum):
    t = np.linspace(0, 1, 20)
    q, qd, qdd = np.sin(t), np.cos(t), -np.sin(t)
    names, torque = trammel.inverse_dynamics(pendulum, t, q, qd, qdd, driven=["pin"])
    assert names == ["pin.q"] and torque.shape == (20, 1)
    assert np.allclose(torque[:, 0], (1 / 12 + 0.25) * qdd - 9.81 / 2 * np.cos(q), atol=1e-9)
    with pytest.raises(ValueError):
        trammel.inverse_dynamics(pendulum, t, q[:3], qd, qdd, driven=["pin"])


def test_inverse_dynamics_drives_the_simulation_along_the_motion(pendulum):
    sim = pendulum.simulation(torques="pin", step=0.001)
    sim.set_coordinates([0.0], [1.0])
    space = trammel.JointSpace(pendulum)
    for i in range(500):
        t = (i + 0.5) * 0.001
        sim.set_torque("pin", space.inverse_dynamics([np.sin(t)], [np.cos(t)], [-np.sin(t)])[0])
        sim.step()
    assert sim.q[0] == pytest.approx(np.sin(0.5), abs=1e-6)


def test_compare_finds_the_higher_order_closer(pendulum):
    table = trammel.compare(pendulum, methods=["impulse", "lagrange"], orders=[2, 4], steps=[0.02, 0.01], time=1)
    assert len(table) == 8
    error = {(r["method"], r["order"], r["step"]): r["error"] for r in table.rows}
    assert error["impulse", 4, 0.01] < error["impulse", 2, 0.01] / 10
    assert error["impulse", 2, 0.02] / error["impulse", 2, 0.01] == pytest.approx(4, rel=0.2)
    assert "impulse" in str(table)
    refused = trammel.compare(pendulum, methods=["taylor"], orders=[2], steps=[0.01], time=0.1, solver="iterative")
    assert refused["verdict"][0] in ("refused", "good", "check")


def test_sweep_runs_all_combinations(examples):
    model = trammel.load(examples / "arm.json")
    table = trammel.sweep(model, {"m": [1, 2], "w": [20, 30, 40]}, ["a2.q"], time=0.2)
    assert len(table) == 6 and table["ok"].all()
    assert table.dtype.names == ("m", "w", "a2.q", "ok")
    assert np.array_equal(np.unique(table["w"]), [20, 30, 40])
    alone = trammel.load(examples / "arm.json", {"m": 2, "w": 30}).run(time=0.2, columns="t,a2.q")
    row = table[(table["m"] == 2) & (table["w"] == 30)]
    assert row["a2.q"][0] == alone["a2.q"][-1]
    together = trammel.sweep(examples / "arm.json", {"m": [1, 2], "w": [20, 30]}, lambda r: {"rows": len(r)}, time=0.1, together=True)
    assert len(together) == 2 and together["rows"][0] > 2
    with pytest.raises(trammel.ModelError, match="mm"):
        trammel.sweep(model, {"mm": [1]}, "a2.q")
    with pytest.raises(ValueError):
        trammel.sweep(model, {}, "a2.q")


def test_methods_say_what_they_cannot(examples):
    found = trammel.methods(trammel.load(examples / "stack.json"))
    assert found["impulse"] is None and any(found.values())

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Equilibria and linear models against the closed forms of a compound pendulum: I phi'' = -m g l sin phi - d phi' + tau."""

import numpy as np
import pytest

import trammel

M, L, G, I_C, DAMPING = 2.0, 0.4, 9.81, 0.05, 0.3
I = I_C + M * L * L


@pytest.fixture
def swing():
    model = trammel.Model("swing", gravity=(0, 0, -G))
    model.add_body("bob", mass=M, inertia=[I_C, I_C, I_C], position=[L, 0, 0])
    model.add_joint("pin", "hinge", ["ground", "bob"], anchor=[0, 0, 0], axis=[0, 1, 0], damping=DAMPING)
    return model


def test_a_pendulum_rests_below_its_pin(swing):
    rest = trammel.equilibrium(swing)
    assert rest.stable and rest.freedoms == 1 and not rest.neutral and not rest.unstable
    assert rest.q[0] == pytest.approx(np.pi / 2, abs=1e-9)
    assert rest.positions[1] == pytest.approx([0, 0, -L], abs=1e-9)
    assert np.linalg.norm(rest.reactions["pin"][3:]) == pytest.approx(M * G, rel=1e-9)
    again = trammel.equilibrium(rest.model())
    assert again.iterations <= 1 and again.q[0] == pytest.approx(np.pi / 2, abs=1e-9)
    assert "stable" in repr(rest)


def test_what_falls_has_no_equilibrium():
    model = trammel.Model(gravity=(0, 0, -G))
    model.add_body("ball", mass=1, inertia=[1, 1, 1])
    with pytest.raises(trammel.Error, match="ball"):
        trammel.equilibrium(model)
    with pytest.raises(trammel.Error, match="ball"):
        trammel.modes(model)


def test_modes_are_those_of_the_damped_pendulum(swing):
    (mode,) = trammel.modes(swing)
    decay = DAMPING / (2 * I)
    natural = np.sqrt(M * G * L / I)
    assert mode.eigenvalue == pytest.approx(complex(-decay, np.sqrt(natural**2 - decay**2)), rel=1e-8)
    assert mode.frequency == pytest.approx(natural / (2 * np.pi), rel=1e-8)
    assert mode.damping == pytest.approx(decay / natural, rel=1e-8)
    assert mode.shape.shape == (2, 6) and not mode.zero and "pin" in mode.text
    with pytest.raises(trammel.UnknownName):
        trammel.modes(swing, at="end")


def test_the_linear_model_answers_torques_as_its_transfer_function(swing):
    linear = trammel.linearise(swing, inputs="pin.force", outputs=["pin.q", "pin.qd"])
    assert linear.inputs == ["pin.force"] and linear.outputs == ["pin.q", "pin.qd"] and linear.names == ["pin.q"]
    assert linear.M == pytest.approx(np.array([[I]]), rel=1e-9) and linear.K == pytest.approx(np.array([[M * G * L]]), rel=1e-7)
    assert linear.D == pytest.approx(np.array([[DAMPING]]), rel=1e-8) and linear.A.shape == (2, 2) and linear.C.shape == (2, 2)
    assert linear.start == pytest.approx([np.pi / 2, 0], abs=1e-9)
    omega = np.array([0.5, 3.0, 20.0])
    exact = 1 / (M * G * L - I * omega**2 + 1j * DAMPING * omega)
    assert linear.frequency_response(omega) == pytest.approx(exact, rel=1e-7)
    assert linear.frequency_response(3.0, "pin.force", "pin.qd") == pytest.approx(3j * exact[1], rel=1e-7)
    with pytest.raises(trammel.UnknownName):
        linear.frequency_response(1.0, "pin.torque")
    with pytest.raises(trammel.ModelError):
        trammel.linearise(swing, inputs="nobody.fx")


def test_a_simulation_is_a_model_that_starts_where_it_is(swing):
    sim = swing.simulation(step=0.01)
    sim.step(count=40)
    rest = trammel.equilibrium(sim)
    assert rest.q[0] == pytest.approx(np.pi / 2, abs=1e-9) and sim.time == pytest.approx(0.4)
    later = sim.model().simulation(step=0.01)
    assert later.q == pytest.approx(sim.q, abs=1e-12) and later.qd == pytest.approx(sim.qd, abs=1e-12) and later.time == 0
    sim.step(count=20)
    later.step(count=20)
    assert later.q == pytest.approx(sim.q, abs=1e-9)


def test_the_live_page_is_opened_from_the_present_state(swing, tmp_path, monkeypatch):
    program = tmp_path / "trammel"
    program.write_text('#!/bin/sh\ncp "$2" "$(dirname "$0")/seen.json"\n')
    program.chmod(0o755)
    monkeypatch.setenv("TRAMMEL", str(program))
    sim = swing.simulation(step=0.01)
    sim.step(count=10)
    assert sim.view("--paused").wait() == 0
    seen = trammel.load(tmp_path / "seen.json").simulation()
    assert seen.q == pytest.approx(sim.q, abs=1e-12)


def test_the_loop_rests_with_its_rods_free_to_spin(examples):
    loop = trammel.load(examples / "8-loop.json")
    rest = trammel.equilibrium(loop)
    assert rest.stable and len(rest.neutral) == 8 and rest.freedoms == 21 and rest.residual < 1e-9
    assert abs(rest.reactions["j0"][4]) == pytest.approx(4 * 9.81, rel=1e-9)
    found = trammel.modes(loop)
    assert len(found) == 21 and sum(not mode.zero for mode in found) == 13


def test_a_damped_spring_has_its_damping_ratio(examples):
    linear = trammel.linearise(trammel.load(examples / "spring-mass.json"), inputs="rail.force", outputs="rail.q")
    assert linear.names == ["rail.q"] and linear.A.shape == (2, 2) and linear.B.shape == (2, 1)
    (mode,) = linear.modes
    assert sorted(np.linalg.eigvals(linear.A).imag) == pytest.approx([-mode.eigenvalue.imag, mode.eigenvalue.imag])
    assert mode.damping == pytest.approx(0.1, rel=1e-9)


def two_links():
    model = trammel.Model("arm")
    model.add_body("upper", mass=1, inertia=[1, 1, 1], position=[0.5, 0, 0])
    model.add_body("lower", mass=1, inertia=[1, 1, 1], position=[1.4, 0, 0], points={"tip": [0.4, 0, 0]})
    model.add_joint("shoulder", "hinge", ["ground", "upper"], anchor=[0, 0, 0], axis=[0, 0, 1])
    model.add_joint("elbow", "hinge", ["upper", "lower"], anchor=[1, 0, 0], axis=[0, 0, 1], limits=[0, 2.5])
    return model


def test_inverse_kinematics_is_that_of_the_cosine_theorem():
    pose = trammel.inverse_kinematics(two_links(), bring={"lower.tip": (0.9, 0.6, np.nan)})
    elbow = np.arccos((0.9**2 + 0.6**2 - 1 - 0.8**2) / 1.6)
    assert pose.found and pose.distance < 1e-9 and pose.joint is None and pose.q[1] == pytest.approx(elbow, abs=1e-9)
    again = trammel.inverse_kinematics(pose.model(), bring={"lower.tip": (0.9, 0.6, 0)}, hold=["elbow"])
    assert again.found and again.iterations <= 1 and again.q == pytest.approx(pose.q, abs=1e-9) and "reached" in repr(again)
    turned = trammel.inverse_kinematics(two_links(), turn={"lower": (np.cos(0.6), 0, 0, np.sin(0.6))}, hold="shoulder")
    assert turned.found and turned.q == pytest.approx([0, 1.2], abs=1e-9)


def test_a_goal_out_of_reach_has_its_distance_left():
    pose = trammel.inverse_kinematics(two_links(), bring={"lower.tip": (3, 0, 0)}, starts=5)
    assert not pose.found and pose.distance == pytest.approx(1.2, abs=1e-9) and pose.left["lower.tip"][0] == pose.distance
    assert "1.2 m" in repr(pose)


def test_bad_goals_are_exceptions():
    with pytest.raises(trammel.UnknownName):
        trammel.inverse_kinematics(two_links(), bring={"hand": (0, 0, 0)})
    with pytest.raises(trammel.UnknownName):
        trammel.inverse_kinematics(two_links(), bring={"lower": (0, 0, 0)}, hold=["knee"])
    with pytest.raises(ValueError, match="3 numbers"):
        trammel.inverse_kinematics(two_links(), bring={"lower": (0, 0)})
    with pytest.raises(trammel.Error, match="goals"):
        trammel.inverse_kinematics(two_links())


def shapes():
    model = trammel.Model("shapes", gravity=(0, 0, -10))
    model.add_body("ball", position=[0, 0, 2], shapes=[{"type": "sphere", "radius": 0.5, "density": 1}])
    model.add_body("post", position=[3, 0, 0], shapes=[{"type": "cylinder", "radius": 0.25, "length": 8, "density": 1}])
    model.add_body("floor", fixed=True, shapes=[{"type": "plane", "normal": [0, 0, 1], "offset": -6}])
    return model


def test_rays_and_nearest_points_are_those_of_the_shapes():
    geometry = trammel.Geometry(shapes())
    hit = geometry.ray((-5, 0, 2), (2, 0, 0))
    assert (hit.body, hit.shape) == ("ball", 0) and abs(hit.distance - 4.5) < 1e-12
    assert np.allclose(hit.point, [-0.5, 0, 2]) and np.allclose(hit.normal, [-1, 0, 0])
    assert geometry.ray((-5, 0, 2), (1, 0, 0), farthest=4) is None
    assert geometry.ray((-5, 0, 2), (1, 0, 0), ignore="ball").body == "post"
    assert geometry.ray((-5, 0, 2), (0, 0, 1)) is None
    nearest = geometry.nearest("ball", "post")
    assert abs(nearest.distance - 2.25) < 1e-12 and np.allclose(nearest.points, [[0.5, 0, 2], [2.75, 0, 2]], atol=1e-9)
    assert geometry.nearest("ball", "ground") is None
    for wrong in (lambda: geometry.ray((0, 0), (1, 0, 0)), lambda: geometry.ray((0, 0, 0), (0, 0, 0)),
                  lambda: geometry.ray((0, 0, np.nan), (0, 0, 1)), lambda: geometry.nearest("ball", "ball")):
        with pytest.raises(ValueError):
            wrong()
    with pytest.raises(trammel.UnknownName):
        geometry.nearest("ball", "pole")


def test_geometry_of_a_simulation_is_at_its_present_state():
    sim = shapes().simulation(step=0.01)
    geometry = trammel.Geometry(sim)
    assert abs(geometry.nearest("ball", "floor").distance - 7.5) < 1e-12
    sim.run(0.5)
    assert abs(geometry.nearest("ball", "floor").distance - 6.25) < 1e-9


def test_linear_models_are_at_the_present_state_of_a_simulation(swing):
    sim = swing.simulation()
    sim.set_coordinates([np.pi / 2 + 0.3])
    with pytest.warns(trammel.TrammelWarning, match="not in equilibrium"):
        linear = trammel.linearise(sim, inputs=True)
    assert linear.inputs == ["pin.force"] and linear.q == pytest.approx([np.pi / 2 + 0.3], abs=1e-9)
    assert linear.K[0, 0] == pytest.approx(M * G * L * np.cos(0.3), rel=1e-6)
    with pytest.warns(trammel.TrammelWarning, match="not in equilibrium"):
        assert trammel.linearise(swing, at=[np.pi / 2 + 0.3]).K == pytest.approx(linear.K, rel=1e-9)
    assert trammel.linearise(swing).q == pytest.approx([np.pi / 2], abs=1e-9)


def test_limits_that_take_freedoms_are_named():
    model = trammel.Model(gravity=(0, 0, -G))
    model.add_body("bob", mass=M, inertia=[I_C, I_C, I_C], position=[L, 0, 0])
    model.add_joint("pin", "hinge", ["ground", "bob"], anchor=[0, 0, 0], axis=[0, 1, 0], limits=[-1, 0.5])
    model.add_body("other", mass=M, inertia=[I_C, I_C, I_C], position=[L, 1, 0])
    model.add_joint("free", "hinge", ["ground", "other"], anchor=[0, 1, 0], axis=[0, 1, 0])
    with pytest.warns(trammel.TrammelWarning, match="pin"):
        assert trammel.linearise(model).names == ["free.q"]

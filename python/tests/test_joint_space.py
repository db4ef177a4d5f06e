# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Joint space next to simulations: the same order of coordinates, poses and signs."""

import re

import numpy as np
import pytest

import trammel

G = 9.81


def coordinates_of_file(path):
    """The joints of a URDF that move, in the order of its lines."""
    return [f"{name}.q" for name, kind in re.findall(r'<joint name="(\w+)" type="(\w+)"', path.read_text()) if kind != "fixed"]


def test_coordinates_have_the_order_of_the_file_everywhere(examples):
    path = examples / "robots" / "quadruped.urdf"
    robot = trammel.load(path)
    expected = coordinates_of_file(path)
    assert len(expected) == 12
    assert robot.coordinates == expected
    assert trammel.JointSpace(robot).names == expected
    assert trammel.linearise(robot, at="start").names == expected


def test_the_free_base_comes_before_the_joints(examples):
    robot = trammel.load(examples / "robots" / "quadruped.urdf", free_base=True)
    names = trammel.JointSpace(robot).names
    assert names[6:] == robot.coordinates
    assert names[:6] == [f"trunk.{part}" for part in ("x", "y", "z", "rx", "ry", "rz")]


def test_gravity_forces_hold_a_machine_with_branches(examples):
    # four legs: torques in another order than that of the joints let them fall
    robot = trammel.load(examples / "robots" / "quadruped.urdf", without=("limits", "friction", "contacts"))
    space, sim = trammel.JointSpace(robot), robot.simulation(step=0.002, torques=True)
    q = np.linspace(-0.7, 0.7, 12)
    sim.set_coordinates(q)
    sim.torques = space.gravity_force(sim.q)
    sim.step(count=100)
    assert np.abs(sim.q - q).max() < 1e-9


def test_poses_at_q_are_those_of_a_simulation_there(examples):
    robot = trammel.load(examples / "robots" / "arm.urdf")
    space, sim = trammel.JointSpace(robot), robot.simulation()
    q = np.linspace(-0.6, 0.7, 6)
    sim.set_coordinates(q)
    for i, body in enumerate(robot.bodies):
        position, orientation = space.pose(body, q)
        assert position == pytest.approx(sim.positions[i], abs=1e-12)
        assert abs(orientation @ sim.orientations[i]) == pytest.approx(1, abs=1e-12)


def test_links_that_were_merged_are_named_everywhere(examples):
    robot = trammel.load(examples / "robots" / "arm.urdf")
    assert robot.frames == ["flange.hand", "flange.tool_centre"]
    space = trammel.JointSpace(robot)
    q, h = np.linspace(-0.6, 0.7, 6), 1e-6
    for name in ("tool_centre", "flange.tool_centre"):
        J = space.jacobian(name, (0.01, 0, 0.02), q)
        for k, step in enumerate(h * np.eye(6)):
            slope = (_tip(space, name, q + step) - _tip(space, name, q - step)) / (2 * h)
            assert J[3:, k] == pytest.approx(slope, abs=1e-8)
    found = trammel.inverse_kinematics(robot, bring={"tool_centre": space.pose("tool_centre", q)[0]})
    assert found.found
    with pytest.raises(trammel.UnknownName, match="tool_centre"):
        space.pose("tool_center")
    with pytest.raises(trammel.ModelError, match="'hand' is a frame of the body 'flange'"):
        robot.simulation().add_force("hand", lambda *_: (0, 0, 0))


def _tip(space, name, q):
    position, (w, x, y, z) = space.pose(name, q)
    u, v = np.array([x, y, z]), np.array([0.01, 0, 0.02])
    return position + v + 2 * np.cross(u, np.cross(u, v) + w * v)


def test_the_equation_of_motion_has_the_documented_signs(examples):
    robot = trammel.load(examples / "robots" / "arm.urdf", without=("limits", "friction"))
    space = trammel.JointSpace(robot)
    q, qd, tau = np.linspace(-0.6, 0.7, 6), np.linspace(0.1, 0.5, 6), np.linspace(3, -2, 6)
    qdd = space.forward_dynamics(q, qd, tau)
    assert space.mass_matrix(q) @ qdd + space.bias_force(q, qd) == pytest.approx(tau + space.model_force(q, qd), rel=1e-9)
    assert space.inverse_dynamics(q, qd, qdd) == pytest.approx(tau, rel=1e-9)
    assert space.gravity_force(q) == pytest.approx(space.bias_force(q, 0 * qd), rel=1e-9, abs=1e-12)
    assert np.abs(space.model_force(q, qd)).max() > 0.1  # the dampers of the file


def test_jacobians_and_momenta_have_rates(examples):
    robot = trammel.load(examples / "robots" / "quadruped.urdf", base="free")
    space = trammel.JointSpace(robot)
    q, qd, h = space.start + 0.1, np.linspace(-1, 1, space.size), 1e-5
    foot = "front_left_shank"
    slope = (space.jacobian(foot, (0, 0, -0.1), q + h * qd) - space.jacobian(foot, (0, 0, -0.1), q - h * qd)) @ qd / (2 * h)
    assert space.jacobian_bias(foot, (0, 0, -0.1), q, qd) == pytest.approx(slope, abs=1e-6)
    speed = (space.centre_of_mass(q + h * qd) - space.centre_of_mass(q - h * qd)) / (2 * h)
    assert (space.momentum_matrix(q) @ qd)[3:] == pytest.approx(robot.masses().sum() * speed, abs=1e-6)


def test_free_bases_are_read_and_written_with_the_joints(examples):
    robot = trammel.load(examples / "robots" / "quadruped.urdf", base="free")
    space, sim = trammel.JointSpace(robot), robot.simulation()
    q, qd = space.read(sim)
    q[:3] += (1, 2, 3)
    q[7] += 0.1
    qd[2] = 0.5
    before = sim.positions[1].copy()
    space.write(sim, q, qd)
    assert sim.positions[1] == pytest.approx(before + (1, 2, 3), abs=1e-9)
    assert sim.velocities[1] == pytest.approx((0, 0, 0.5), abs=1e-9) and sim.q[1] == pytest.approx(q[7], abs=1e-9)
    assert space.read(sim)[0] == pytest.approx(q, abs=1e-9)
    assert "18 coordinates" in repr(space)


CHEETAH = """<mujoco><worldbody><body name="torso">
<joint name="rootx" type="slide" axis="1 0 0"/><joint name="rootz" type="slide" axis="0 0 1"/><joint name="rooty" axis="0 1 0"/>
<geom type="capsule" size="0.05" fromto="-0.5 0 0 0.5 0 0" mass="14"/></body></worldbody></mujoco>"""


def test_joints_on_one_body_keep_the_order_of_the_file():
    model = trammel.Model.from_text(CHEETAH, "cheetah.xml")
    assert model.coordinate_units == ["m", "m", "rad"]
    space = trammel.JointSpace(model)
    assert space.gravity_force() == pytest.approx([0, 14 * G, 0], abs=1e-9)
    sim = model.simulation(step=0.001)
    sim.step(count=50)
    assert sim.q == pytest.approx([0, -G / 2 * 0.05**2, 0], rel=1e-2, abs=1e-9)


def test_constraint_forces_close_the_equation_of_motion(examples):
    space = trammel.JointSpace(trammel.load(examples / "four-bar.json"))
    tau = np.linspace(1, 2, space.size)
    qdd, forces = space.forward_dynamics(space.start, None, tau), space.constraint_forces(space.start, None, tau)
    left = space.mass_matrix() @ qdd + space.bias_force() - tau - space.model_force()
    assert left == pytest.approx(space.constraint_rows()[1].T @ forces, abs=1e-8)


TURNED = """<robot name="r"><link name="base"/><joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="f" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/></joint>
<link name="tool"/>{more}</robot>"""


def test_merged_links_keep_their_axes():
    model = trammel.Model.from_text(TURNED.format(more=""), "r.urdf")
    position, orientation = trammel.JointSpace(model).pose("tool")
    assert position == pytest.approx([0, 0, 1]) and orientation == pytest.approx([np.sqrt(0.5), 0, np.sqrt(0.5), 0])
    # a link of the name of an axis of that frame: the model is not refused
    other = '<joint name="g" type="fixed"><parent link="arm"/><child link="tool_x"/></joint><link name="tool_x"/>'
    model = trammel.Model.from_text(TURNED.format(more=other), "r.urdf")
    assert sorted(model.frames) == ["arm.tool", "arm.tool_x"]

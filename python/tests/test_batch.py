# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

import numpy as np
import pytest

import trammel


def test_a_batch_has_the_bits_of_single_simulations(examples):
    model = trammel.load(examples / "arm.json")
    torques = np.random.default_rng(1).normal(size=(5, 7))
    batch = trammel.Batch(model, 5, torques=True, step=0.005)
    assert not batch.step(count=20, torques=torques).any()
    for i in range(5):
        sim = model.simulation(torques=True, step=0.005)
        sim.torques = torques[i]
        sim.step(count=20)
        assert sim.hash() == batch.hashes()[i]
        assert np.array_equal(sim.q, batch.q[i]) and np.array_equal(sim.qd, batch.qd[i])
        assert np.array_equal(sim.positions, batch.positions[i]) and np.array_equal(sim.velocities, batch.velocities[i])
        assert np.array_equal(sim.orientations, batch.orientations[i])
        assert np.array_equal(sim.angular_velocities, batch.angular_velocities[i])


def test_the_number_of_threads_does_not_change_bits(pendulum):
    hashes = []
    for threads in (1, 2, 5):
        batch = trammel.Batch(pendulum, 9, threads=threads, torques="pin")
        batch.step(0.01, 30, torques=np.linspace(-1, 1, 9).reshape(9, 1))
        hashes.append(batch.hashes())
    assert hashes[0] == hashes[1] == hashes[2] and len(set(hashes[0])) == 9


def test_masked_steps_and_resets(pendulum):
    batch = trammel.Batch(pendulum, 4)
    start = batch.hashes()
    mask = np.array([True, False, True, False])
    batch.step(0.01, 5, mask=mask)
    assert np.allclose(batch.times, [0.05, 0, 0.05, 0]) and batch.q[0, 0] > 0 and batch.q[1, 0] == 0
    batch.reset(mask)
    assert batch.hashes() == start and np.all(batch.q == 0)
    sim = pendulum.simulation()
    sim.step(0.01, 7)
    batch.reset(mask, sim.state)
    assert batch.hashes()[0] == sim.hash() and batch.q[2, 0] == sim.q[0] and batch.times[1] == 0
    batch.step(0.01, 3)
    sim.step(0.01, 3)
    assert batch.hashes()[2] == sim.hash()


def test_one_that_fails_does_not_stop_the_others():
    model = trammel.Model(gravity=(0, 0, 0))
    model.add_body("a", mass=1, inertia=[1, 1, 1])
    model.add_joint("rail", "slider", ["ground", "a"], anchor=[0, 0, 0], axis=[0, 0, 1])
    batch = trammel.Batch(model, 3, torques="rail")
    failed = batch.step(0.01, 2, torques=[[0], [1e308], [1]])
    assert list(failed) == [False, True, False] and "rail" in batch.error(1)
    assert batch.positions.shape == (3, 2, 3) and "rail" in batch.error(1)  # reading forgets nothing
    assert batch.error(0) is None and batch.times[2] == pytest.approx(0.02)


def test_inputs_of_the_model_are_rows(pendulum):
    pendulum.add_input("goal")
    pendulum.add_force("servo", "s1", joint="pin", target="goal", kp=500, kd=20)
    batch = trammel.Batch(pendulum, 3, step=0.005)
    goals = np.array([[-0.5], [0.0], [0.5]])
    assert not batch.step(count=400, inputs=goals).any()
    assert np.allclose(batch.q, goals, atol=0.02)
    sim = pendulum.simulation(step=0.005)
    sim.inputs["goal"] = 0.5
    sim.step(count=400)
    assert sim.hash() == batch.hashes()[2]
    with pytest.raises(ValueError, match="inputs"):
        batch.step(inputs=[1, 2, 3])


def test_bad_input(pendulum):
    for n in (0, -1, 1.5, "x", True):
        with pytest.raises(ValueError):
            trammel.Batch(pendulum, n)
    with pytest.raises(trammel.UnknownName, match="'pin.q'"):
        trammel.Batch(pendulum, 2, torques="pin.p")
    batch = trammel.Batch(pendulum, 2, torques="pin")
    for torques, error in (([1, 2], ValueError), ([[1], [np.nan]], ValueError), ([["x"], ["y"]], TypeError)):
        with pytest.raises(error):
            batch.step(0.01, torques=torques)
    for mask, error in (([1, 0], TypeError), ([True], ValueError)):
        with pytest.raises(error):
            batch.step(0.01, mask=np.array(mask))
    for dt in (0, float("nan")):
        with pytest.raises(ValueError):
            batch.step(dt)
    with pytest.raises(IndexError):
        batch.error(2)
    with pytest.raises(trammel.ModelError, match="torques"):
        batch.reset(state=pendulum.simulation().state)
    with pytest.raises(ValueError):
        batch.q[0, 0] = 1
    assert np.all(batch.times == 0)
    pendulum.close()
    with pytest.raises(trammel.ClosedError):
        batch.step(0.01)


def test_each_simulation_has_coordinates_of_its_own(pendulum):
    batch = trammel.Batch(pendulum, 5, step=0.01)
    q, qd = np.linspace(-1, 1, 5)[:, None], np.linspace(0, 2, 5)[:, None]
    batch.set_coordinates(q, qd)
    assert batch.q == pytest.approx(q, abs=1e-12) and batch.qd == pytest.approx(qd, abs=1e-12)
    batch.step(count=10)
    for i in range(5):
        alone = pendulum.simulation(step=0.01)
        alone.set_coordinates(q[i], qd[i])
        alone.step(count=10)
        assert batch.q[i] == pytest.approx(alone.q, abs=1e-12)
    moved = batch.q.copy()
    batch.set_coordinates(q, mask=np.arange(5) == 2)
    assert batch.q[2] == pytest.approx(q[2]) and (batch.q[[0, 1, 3, 4]] == moved[[0, 1, 3, 4]]).all()
    with pytest.raises(ValueError, match="shape"):
        batch.set_coordinates(q[0])


def test_each_simulation_is_reset_to_its_own_state(pendulum):
    sim, states = pendulum.simulation(step=0.01), []
    for _ in range(3):
        sim.step()
        states.append(sim.state)
    batch = trammel.Batch(pendulum, 3, step=0.01)
    batch.reset(None, states)
    assert batch.hashes() == [state.hash() for state in states]
    with pytest.raises(ValueError, match="2 states"):
        batch.reset(None, states[:2])


def test_batches_of_floating_bases_are_read_and_written(examples):
    robots = examples / "robots"
    dog = trammel.load(robots / "quadruped.urdf", base="free", with_=robots / "quadruped-stand.json")
    batch, space = trammel.Batch(dog, 3, step=0.002), trammel.JointSpace(dog)
    q, qd = space.read(batch)
    assert q.shape == (3, space.size) and q[1] == pytest.approx(space.read(dog.simulation(step=0.002))[0], abs=1e-9)
    q[:, 2] += (0.1, 0.2, 0.3)
    qd[:, 0] = (1, 2, 3)
    before = batch.positions[:, dog.bodies.index("trunk")].copy()
    space.write(batch, q, qd, mask=np.array([True, False, True]))
    moved = batch.positions[:, dog.bodies.index("trunk")] - before
    assert moved[:, 2] == pytest.approx([0.1, 0, 0.3], abs=1e-9)
    assert batch.velocities[:, dog.bodies.index("trunk"), 0] == pytest.approx([1, 0, 3], abs=1e-9)


def test_batches_have_sensors_and_contacts():
    model = trammel.Model(gravity=(0, 0, -10))
    model.add_body("floor", fixed=True, shapes=[{"type": "plane", "normal": [0, 0, 1], "offset": 0}])
    model.add_body("box", mass=2, inertia=[0.4, 0.4, 0.4], position=[0, 0, 0.5], shapes=[{"type": "box", "size": [1, 1, 1]}])
    model.add_sensor("imu", "accelerometer", body="box")
    batch = trammel.Batch(model, 2, step=0.005)
    batch.step(count=100)
    assert batch.sensor("imu").shape == (2, 3) and batch.sensor("imu")[:, 2] == pytest.approx([10, 10], rel=1e-3)
    assert sum(c.force_on("box")[2] for c in batch.contacts(1)) == pytest.approx(20, rel=1e-3)
    with pytest.raises(IndexError, match="numbered from 0"):
        batch.contacts(2)
    with pytest.raises(trammel.UnknownName, match="imu"):
        batch.sensor("imo")

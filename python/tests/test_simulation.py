# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

import copy
import gc
import os
import pickle
import threading

import numpy as np
import pytest

import trammel


def test_steps_are_those_of_a_run(pendulum):
    sim = pendulum.simulation(step=0.01)
    for _ in range(10):
        sim.step()
    result = pendulum.run(time=0.1, step=0.01, columns="t,pin.q")
    assert sim.time == pytest.approx(0.1)
    assert sim.q[0] == pytest.approx(result["pin.q"][-1], abs=1e-13)


def test_many_steps_have_the_bits_of_single_ones(pendulum):
    one, many = pendulum.simulation(), pendulum.simulation()
    for _ in range(600):
        one.step(0.001)
    many.step(0.001, 600)
    assert one.hash() == many.hash()


def test_buffers_are_refreshed_by_steps_and_read_only(pendulum):
    sim = pendulum.simulation()
    q, qd = sim.q, sim.qd
    sim.step(0.1)
    assert q[0] > 0 and qd[0] > 0 and q is sim.q
    with pytest.raises(ValueError):
        q[0] = 1
    assert sim.positions.shape == (2, 3) and sim.orientations.shape == (2, 4)
    assert sim.velocities.shape == (2, 3) and sim.angular_velocities.shape == (2, 3)
    assert np.allclose(np.linalg.norm(sim.orientations, axis=1), 1)
    assert sim.positions[1, 0] == pytest.approx(0.5 * np.cos(q[0]))
    assert sim.angular_velocities[1, 1] == pytest.approx(qd[0])


def test_energy_is_that_of_the_columns(pendulum):
    sim = pendulum.simulation()
    sim.step(0.05, 10)
    kinetic, potential = sim.energy()
    assert kinetic + potential == pytest.approx(0, abs=0.1) and kinetic > 1


# ---- State


@pytest.mark.parametrize("file, options", [("eight-loop", {}), ("four-bar", {"method": "minimal"}), ("bouncing-ball", {}), ("arm", {})])
def test_saved_state_and_copies_continue_bit_identically(examples, file, options):
    sim = trammel.load(examples / f"{file}.json").simulation(step=0.005, **options)
    sim.step(count=60)
    state, copy = sim.state, sim.copy()
    sim.step(count=60)
    end = sim.hash()
    copy.step(count=60)
    assert copy.hash() == end
    sim.state = state
    assert sim.time == state.time and sim.hash() == state.hash()
    sim.step(count=60)
    assert sim.hash() == end


def test_state_of_another_model_is_refused(pendulum, examples):
    sim = pendulum.simulation()
    with pytest.raises(trammel.ModelError, match="another model"):
        sim.state = trammel.load(examples / "pendulum.json").simulation().state
    with pytest.raises(TypeError):
        sim.state = 3


def test_coordinates_can_be_set(examples):
    model = trammel.load(examples / "arm.json")
    sim = model.simulation()
    q = np.linspace(-0.3, 0.4, 7)
    part = sim.positions[-1].copy()
    sim.set_coordinates(q, 0.1 * q)
    assert np.allclose(sim.q, q, atol=1e-9) and np.allclose(sim.qd, 0.1 * q, atol=1e-9)
    assert np.allclose(sim.positions[-1], part)
    loop = trammel.load(examples / "four-bar.json").simulation()
    start = loop.q.copy()
    wanted = start.copy()
    wanted[0] += 0.1
    loop.set_coordinates(wanted)
    assert loop.q[0] == pytest.approx(wanted[0], abs=1e-9)  # held; the others follow, with the loop closed
    assert np.abs(loop.q - start)[1:].min() > 0.01
    loop.step(0.001, 20)
    assert loop.report.energy.max_error < 1e-3 and loop.report.verdict != "bad"  # its account begins there
    assert loop.report.gap.position < 1e-8


def test_coordinates_of_joints_with_armature_can_be_set():
    model = trammel.Model()
    model.add_body("rod", mass=1.0, inertia=[0.001, 1 / 12, 1 / 12], position=[0.5, 0, 0])
    model.add_joint("pin", "hinge", ["ground", "rod"], anchor=[0, 0, 0], axis=[0, 1, 0], armature=0.5)
    sim = model.simulation()
    sim.set_coordinates([0.3], [0.1])
    assert sim.q[0] == pytest.approx(0.3, abs=1e-9) and sim.qd[0] == pytest.approx(0.1, abs=1e-9)
    sim.step(1e-4)
    acceleration = 9.81 / 2 * np.cos(0.3) / (1 / 12 + 0.25 + 0.5)
    assert (sim.qd[0] - 0.1) / 1e-4 == pytest.approx(acceleration, rel=1e-3)


def test_poses_and_velocities_can_be_set(examples):
    model = trammel.Model(gravity=(0, 0, 0))
    model.add_body("a", mass=1, inertia=[1, 1, 1])
    sim = model.simulation()
    sim.set_poses([[0, 0, 0], [1, 2, 3]])
    sim.set_velocities([[0, 0, 0], [1, 0, 0]])
    sim.step(0.5)
    assert np.allclose(sim.positions[1], [1.5, 2, 3])
    for bad, error in (([[0, 0, 0]], ValueError), (np.full((2, 3), np.nan), ValueError), ([["x"] * 3] * 2, TypeError),
                       (np.zeros((2, 3), dtype=complex), TypeError), (None, TypeError)):
        with pytest.raises(error):
            sim.set_poses(bad)
        with pytest.raises(error):
            sim.set_velocities(bad)
    with pytest.raises(ValueError, match="quaternion"):
        sim.set_poses(np.zeros((2, 3)), np.zeros((2, 4)))


# ---- Inputs


def test_torque_holds_the_pendulum(pendulum):
    sim = pendulum.simulation(step=0.001)
    sim.set_torque("pin", -9.81 / 2)
    sim.step(count=100)
    assert abs(sim.q[0]) < 1e-10
    sim.set_torque("pin.q", 0)
    sim.step(count=100)
    assert sim.q[0] > 0.01


def test_torques_are_set_together(examples):
    sim = trammel.load(examples / "arm.json", without="gravity").simulation(torques=True)
    sim.torques = np.arange(7.0)
    assert np.array_equal(sim.torques, np.arange(7.0))
    sim.step(0.001)
    for bad, error in (([1, 2], ValueError), ([np.nan] * 7, ValueError), ("x", TypeError)):
        with pytest.raises(error):
            sim.torques = bad


def test_bad_torques_are_named(pendulum):
    sim = pendulum.simulation()
    with pytest.raises(ValueError, match="pin"):
        sim.set_torque("pin", float("nan"))
    with pytest.raises(TypeError):
        sim.set_torque("pin", "much")
    with pytest.raises(trammel.UnknownName, match="'pin.q'"):
        sim.set_torque("pim.q", 1)
    with pytest.raises(IndexError):
        sim.set_torque(7, 1)


def test_torque_added_later_continues_from_the_present(pendulum):
    sim = pendulum.simulation()
    sim.step(0.01, 10)
    before, time = sim.q.copy(), sim.time
    state = sim.state
    sim.set_torque("pin", 0)
    assert sim.time == time and np.array_equal(sim.q, before)
    with pytest.raises(trammel.ModelError, match="torques"):
        sim.state = state


def test_controller_balances_the_pendulum_upright(pendulum):
    sim = pendulum.simulation(torques="pin", step=0.005)

    @sim.on_step
    def hold(s):
        s.set_torque("pin", 80 * (-np.pi / 2 - s.q[0]) - 12 * s.qd[0] - 9.81 / 2 * np.cos(s.q[0]))

    sim.step(count=600)
    assert sim.q[0] == pytest.approx(-np.pi / 2, abs=1e-3)


def test_force_of_the_caller_acts(pendulum):
    sim = pendulum.simulation()
    sim.add_force("rod", lambda t, x, o, v, w: [0, 0, 9.81])
    sim.step(0.01, 20)
    assert abs(sim.q[0]) < 1e-10
    with pytest.raises(trammel.ModelError, match="ground"):
        sim.add_force("ground", lambda *_: [0, 0, 0])
    with pytest.raises(trammel.UnknownName, match="'rod'"):
        sim.add_force("rot", lambda *_: [0, 0, 0])


@pytest.mark.parametrize("wrong, error", [(lambda *_: [1, 2], ValueError), (lambda *_: "x", TypeError),
                                          (lambda *_: 1 / 0, ZeroDivisionError)])
def test_errors_of_forces_are_raised_by_the_step(pendulum, wrong, error):
    sim = pendulum.simulation()
    sim.add_force("rod", wrong)
    with pytest.raises(error):
        sim.step(0.01)
    assert sim.time == 0


def test_errors_of_controllers_are_raised_by_the_step(pendulum):
    sim = pendulum.simulation()
    sim.step(0.01)
    calls = []

    def fail(s):
        calls.append(1)
        if len(calls) == 3:
            raise KeyError("third")

    sim.on_step(fail)
    with pytest.raises(KeyError, match="third"):
        sim.step(0.01, 10)
    assert sim.time == pytest.approx(0.03)
    sim.step(0.01)  # it continues


def test_a_callback_may_read_everything(pendulum):
    sim, seen = pendulum.simulation(), []
    sim.on_step(lambda s: seen.append((s.contacts(), s.copy().hash() == s.hash(), s.state.time == s.time, s.report.steps)))
    sim.step(0.01, 2)
    assert seen == [([], True, True, 0), ([], True, True, 1)]


def test_a_simulation_is_not_stepped_or_closed_by_its_own_callback(pendulum):
    for use in (lambda s: s.step(0.01), lambda s: s.run(1), lambda s: s.close(), lambda s: setattr(s, "state", s.state),
                lambda s: s.set_torque("pin", 1)):
        sim = pendulum.simulation()
        sim.on_step(use)
        with pytest.raises(trammel.Error):
            sim.step(0.01)
        sim.close()


def test_inputs_move_the_target_of_a_servo(pendulum):
    pendulum.add_input("goal", range=[-2, 2], start=0)
    pendulum.add_force("servo", "s1", joint="pin", target="goal", kp=500, kd=20)
    sim = pendulum.simulation(step=0.005)
    assert pendulum.inputs == ["goal"] == list(sim.inputs) and sim.inputs["goal"] == 0
    sim.inputs["goal"] = 0.7
    state = sim.state
    sim.step(count=400)
    assert sim.q[0] == pytest.approx(0.7, abs=0.02)
    end = sim.hash()
    sim.inputs.update(goal=5)
    assert sim.inputs["goal"] == 2  # clipped
    sim.state = state
    assert sim.inputs["goal"] == 0.7
    sim.step(count=400)
    assert sim.hash() == end
    with pytest.raises(trammel.UnknownName, match="'goal'"):
        sim.inputs["gaol"] = 1
    with pytest.raises(ValueError, match="goal"):
        sim.inputs["goal"] = float("nan")
    with pytest.raises(TypeError):
        del sim.inputs["goal"]


# ---- Sensors and contacts


def test_sensors_by_name():
    model = trammel.Model(gravity=(0, 0, -9.81))
    model.add_body("a", mass=1, inertia=[1, 1, 1])
    model.add_joint("rail", "slider", ["ground", "a"], anchor=[0, 0, 0], axis=[0, 0, 1])
    model.add_sensor("height", "angle", joint="rail")
    model.add_sensor("imu", "accelerometer", body="a")
    sim = model.simulation()
    sim.step(0.01, 100)
    assert sim.sensors["height"] == pytest.approx(-9.81 / 2, rel=1e-6)
    assert sim.sensors["imu"].shape == (3,) and np.allclose(sim.sensors["imu"], 0, atol=1e-6)
    assert list(sim.sensors) == ["height", "imu"] and len(sim.sensors) == 2
    with pytest.raises(trammel.UnknownName, match="'height'"):
        sim.sensors["hight"]


def test_contacts_have_names_and_forces():
    model = trammel.Model(gravity=(0, 0, -10))
    model.add_body("floor", fixed=True, shapes=[{"type": "plane", "normal": [0, 0, 1], "offset": 0}])
    model.add_body("box", mass=2, inertia=[1, 1, 1], position=[0, 0, 0.5], shapes=[{"type": "box", "size": [1, 1, 1]}])
    sim = model.simulation(step=0.005)
    sim.step(count=100)
    contacts = sim.contacts()
    holding = [c for c in contacts if not c.impact]
    assert holding and {name for c in holding for name in c.bodies} == {"floor", "box"}
    assert abs(sum(c.force[2] for c in holding)) == pytest.approx(20, rel=1e-3)
    assert sum(c.force_on("box")[2] for c in holding) == pytest.approx(20, rel=1e-3)
    assert sum(c.force_on("floor")[2] for c in holding) == pytest.approx(-20, rel=1e-3)
    with pytest.raises(trammel.UnknownName, match="ground"):
        holding[0].force_on("ground")


def test_reading_contacts_changes_nothing_and_impacts_are_listed_once():
    model = trammel.Model(gravity=(0, 0, -10))
    model.add_body("floor", fixed=True, shapes=[{"type": "plane", "normal": [0, 0, 1], "offset": 0}])
    model.add_body("ball", mass=1, inertia=[1, 1, 1], position=[0, 0, 0.6], shapes=[{"type": "sphere", "radius": 0.5}])
    sim = model.simulation(step=0.005)
    sim.step(count=100)
    first, second = sim.contacts(), sim.contacts()
    assert len(first) == len(second) == 1 and not first[0].impact
    impacts = sim.impacts()
    assert impacts and all(c.impact for c in impacts)  # reading contacts has not lost them
    assert sum(c.force_on("ball")[2] for c in impacts) == pytest.approx(np.sqrt(2 * 10 * 0.1), rel=0.05)
    assert sim.impacts() == []


# ---- Setting coordinates


def test_coordinates_beyond_limits_are_refused_by_name(examples):
    model = trammel.load(examples / "robots" / "arm.urdf")
    sim = model.simulation()
    before = sim.q.copy()
    with pytest.raises(ValueError, match=r"q\[1\] = 2.25 of shoulder.q is beyond its limits -2.2 .. 2.2"):
        sim.set_coordinates([0, 2.25, 0, 0, 0, 0])
    with pytest.raises(ValueError, match="shoulder.q"):
        sim.q = [0, 9, 0, 0, 0, 0]
    assert (sim.q == before).all()
    sim.set_coordinates([0, 2.2, 0, 0.5, 0, 0])
    assert sim.q == pytest.approx([0, 2.2, 0, 0.5, 0, 0], abs=1e-12)


def test_loops_close_around_what_is_held(examples):
    model = trammel.load(examples / "four-bar.json")
    sim = model.simulation()
    for name in model.coordinates:  # one of them is a joint that closes the loop
        i = model.coordinates.index(name)
        target = sim.q[i] + 0.15
        sim.set_coordinates({name: target}, {name: 0.4})
        assert sim.q[i] == pytest.approx(target, abs=1e-9) and sim.qd[i] == pytest.approx(0.4, abs=1e-7)
        assert sim.report.gap.position < 1e-9
    q = sim.q.copy()
    with pytest.raises(trammel.ModelError, match="instead of"):
        sim.set_coordinates({model.coordinates[0]: q[0] + 0.3, model.coordinates[1]: q[1] + 0.3})
    assert (sim.q == q).all()
    sim.reset()
    sim.set_coordinates(q)  # all of them, as they were read
    assert sim.q == pytest.approx(q, abs=1e-8)


def test_free_bodies_follow_where_they_must():
    model = trammel.Model(gravity=(0, 0, 0))
    model.add_body("slide", mass=1, inertia=[1, 1, 1])
    model.add_body("bob", mass=1, inertia=[1, 1, 1], position=[1, 0, 0])
    model.add_joint("rail", "slider", ["ground", "slide"], anchor=[0, 0, 0], axis=[1, 0, 0])
    model.add_joint("rod", "distance", ["slide", "bob"], anchors=[[0, 0, 0], [0, 0, 0]])
    sim = model.simulation()
    sim.set_coordinates([0.3])
    assert sim.q == pytest.approx([0.3], abs=1e-12) and sim.positions[2] == pytest.approx([1.3, 0, 0], abs=1e-9)


def test_a_simulation_can_be_reset_and_assigned(pendulum):
    sim = pendulum.simulation(step=0.01, torques=True)
    start = sim.hash()
    sim.torques = [2.0]
    sim.step(count=10)
    sim.reset()
    assert sim.hash() == start and sim.time == 0 and sim.torques == [0]
    sim.qd = [1.5]
    sim.q = [0.3]
    assert sim.q == pytest.approx([0.3]) and sim.qd == pytest.approx([1.5])
    with pytest.raises(trammel.ModelError, match="torques=True"):
        pendulum.simulation().torques = [1.0]


def test_methods_take_their_options_as_the_program_writes_them(pendulum):
    plain = pendulum.simulation(step=0.01, method="minimal", options={"integrator": "rk4"})
    short = pendulum.simulation(step=0.01, method="minimal:integrator=rk4")
    for sim in (plain, short):
        sim.step(count=20)
    assert plain.hash() == short.hash()
    with pytest.raises(trammel.UnknownName, match="'step'"):
        pendulum.simulation(dt=0.01)


# ---- Bad input, threads, memory


def test_bad_steps(pendulum):
    sim = pendulum.simulation()
    for dt in (0, float("nan"), float("inf"), -float("inf")):
        with pytest.raises(ValueError, match="dt"):
            sim.step(dt)
    for dt in ("x", [1], 1j):
        with pytest.raises(TypeError):
            sim.step(dt)
    for count in (-1, 1.5, "x", True and None):
        with pytest.raises((ValueError, TypeError)):
            sim.step(0.01, count)
    assert sim.time == 0
    sim.step(np.float32(0.25))
    assert sim.time == 0.25


def test_two_threads_do_not_share_a_simulation(pendulum):
    sim = pendulum.simulation()
    inside, leave, errors = threading.Event(), threading.Event(), []

    def wait(_):
        inside.set()
        leave.wait(60)

    sim.on_step(wait)
    thread = threading.Thread(target=lambda: sim.step(0.01))
    thread.start()
    assert inside.wait(60)
    for use in (lambda: sim.step(0.01), sim.close, lambda: sim.run(1), sim.contacts, sim.copy, lambda: sim.state, lambda: sim.report):
        with pytest.raises(trammel.Error):
            use()
    leave.set()
    thread.join()
    assert not errors and sim.time == pytest.approx(0.01)


def test_the_interpreter_is_released_while_steps_are_made(pendulum):
    """While one thread makes steps, this one runs on: it counts until the other is done."""
    sim = pendulum.simulation(step=1e-4)
    ready = threading.Event()

    def work():
        ready.set()
        sim.run(5, columns="t", every=1, replay=False)

    thread = threading.Thread(target=work)
    thread.start()
    ready.wait()
    counted = 0
    while thread.is_alive():
        counted += 1
    thread.join()
    assert counted > 1000


def test_two_threads_have_the_bits_of_one(examples):
    model = trammel.load(examples / "eight-loop.json")
    alone = model.simulation()
    alone.step(count=200)
    sims = [model.simulation() for _ in range(3)]
    threads = [threading.Thread(target=sim.step, kwargs={"count": 200}) for sim in sims]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {sim.hash() for sim in sims} == {alone.hash()}


def test_cycles_are_collected_in_any_order(examples):
    """Whatever the collector frees first, nothing reads what is gone; the sanitisers watch."""
    for _ in range(5):
        model = trammel.load(examples / "four-bar.json")
        sim, batch, space = model.simulation(), trammel.Batch(model, 2), trammel.JointSpace(model)
        parts = [model, sim, batch, space, sim.state, model._built]
        sim.on_step(lambda s, parts=parts: None)
        parts.append(sim.run(0.02))
        for part in parts:
            part.cycle = parts
        del model, sim, batch, space, parts, part
        assert gc.collect() > 0


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_memory_does_not_grow(pendulum):
    def cycle():
        sim = pendulum.simulation(step=0.01)
        sim.step(count=2)
        state = sim.state
        sim.step()
        sim.state = state
        sim.copy().step()
        sim.on_step(lambda s: None)
        result = pendulum.run(time=0.02, step=0.01)
        return result.t[-1]

    for _ in range(30):
        cycle()
    gc.collect()
    before = resident()
    for _ in range(150):
        cycle()
    gc.collect()
    assert resident() - before < 4e6  # 150 cycles that kept what they made would be tens of megabytes


# ---- Targets


def test_targets_of_servos_are_set_and_given_back(examples):
    model = trammel.load(examples / "arm.json")
    sim = model.simulation(step=0.005)
    name = next(key for key in model.targets if key.endswith(".target"))
    short = name.rpartition(".")[0]
    own = sim.targets[name]
    sim.targets[short] = own + 0.25
    assert sim.targets[name] == own + 0.25 and set(sim.targets) == set(model.targets)
    sim.step(count=10)
    assert sim.targets[short] == own + 0.25
    del sim.targets[short]
    assert sim.targets[short] != own + 0.25
    with pytest.raises(trammel.UnknownName, match="there are s1.target"):
        sim.targets[short + "x"] = 1
    with pytest.raises(ValueError):
        sim.targets[short] = np.inf
    with pytest.raises(TypeError):
        sim.targets[short] = "up"


# ---- Controllers that diverge


def hold_arm(examples, kp, kd, steps, step=0.001):
    """PD control of all joints of the arm at 1 kHz with gravity compensation; the wrist is light."""
    arm = trammel.load(examples / "robots" / "arm.urdf")
    space, sim = trammel.JointSpace(arm), arm.simulation(step=step, torques=True)
    sim.set_coordinates([0.2] * 6)
    for _ in range(steps):
        sim.torques = -kp * sim.q - kd * sim.qd + space.gravity_force(sim.q)
        sim.step()
    return sim


# Under the sanitisers the last of these takes half a minute, in the code of the others.
@pytest.mark.parametrize("kp, kd", [(100, 20), (3000, 1)] + ([] if "SANITIZED" in os.environ else [(1e6, 0)]))
def test_gains_that_are_too_large_are_an_error_not_a_hang(examples, kp, kd):
    with pytest.raises(trammel.SimulationError, match="diverge.*smaller gains or shorter steps") as failure:
        hold_arm(examples, kp, kd, 2000)
    assert failure.value.time < 2


def test_gains_that_hold_are_no_divergence(examples):
    sim = hold_arm(examples, 2, 0.05, 500)
    assert np.isfinite(sim.q).all() and sim.report.status == "ok"


def test_a_strong_torque_from_rest_is_no_divergence():
    # 3 rad per step in the end: fast, but the motion of the machine
    model = trammel.Model(gravity=(0, 0, 0))
    model.add_body("wheel", mass=1, inertia=[0.01, 0.01, 0.01])
    model.add_joint("axle", "hinge", ["ground", "wheel"], anchor=[0, 0, 0], axis=[0, 0, 1])
    sim = model.simulation(step=0.001, torques=True)
    for n in range(1000):
        sim.torques = [30 * (n / 1000) ** 2]
        sim.step()
    assert sim.qd[0] == pytest.approx(1000, rel=0.01)


def test_a_failed_step_makes_the_verdict_bad_until_the_state_is_set(examples):
    arm = trammel.load(examples / "robots" / "arm.urdf")
    sim = arm.simulation(step=0.001, torques=True)
    start = sim.state
    with pytest.raises(trammel.SimulationError, match="diverge"):
        for _ in range(1000):
            sim.torques = -1e4 * sim.q - 50 * sim.qd + 0.01
            sim.step()
    assert sim.report.verdict == "bad" and "diverge" in sim.report.status and "a step failed" in sim.report.reasons[0]
    sim.state = start
    assert sim.report.status == "ok" and sim.report.verdict != "bad"
    sim.step()


def test_copies_share_nothing_with_the_original(examples):
    sim = trammel.load(examples / "arm.json").simulation()
    sim.step(count=5)
    others = [copy.copy(sim), copy.deepcopy(sim)]
    for other in others:
        assert other.hash() == sim.hash()
    sim.step(count=5)
    for other in others:
        assert other.time < sim.time
        other.step(count=5)
        assert other.hash() == sim.hash()
    assert copy.deepcopy(sim.state) == sim.state


def test_what_lives_in_the_library_is_not_pickled_and_says_what_to_do(examples):
    model = trammel.load(examples / "arm.json")
    sim = model.simulation()
    for thing in (sim, sim.state, trammel.Batch(model, 2), trammel.JointSpace(model)):
        with pytest.raises(TypeError, match="cannot be copied or pickled; "):
            pickle.dumps(thing)
    for thing in (trammel.Batch(model, 2), trammel.JointSpace(model)):
        with pytest.raises(TypeError, match="cannot be copied or pickled; "):
            copy.copy(thing)

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

import copy
import pickle
import re
import warnings

import numpy as np
import pytest

import trammel


def test_every_example_loads(examples):
    for path in sorted(examples.glob("*.json")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert len(trammel.load(path).bodies) > 1, path


def test_names_are_those_of_the_file(examples):
    model = trammel.load(examples / "arm.json")
    assert model.name == "robot arm with seven servo axes"
    assert model.bodies[:2] == ["ground", "link1"]
    assert model.coordinates == [f"a{i}.q" for i in range(1, 8)]
    assert set(model.coordinate_units) == {"rad"}


def test_urdf_loads_and_its_warnings_point_to_the_caller(examples, tmp_path):
    path = tmp_path / "arm.urdf"
    text = (examples / "robots" / "arm.urdf").read_text()
    path.write_text(text.replace("</robot>", "<transmission name='t'/></robot>"))
    with pytest.warns(trammel.TrammelWarning, match=r"arm.urdf:\d+:\d+: ") as caught:
        model = trammel.load(path)
    assert model.joints
    assert {warning.filename for warning in caught} == {__file__}


def test_copies_of_models_are_models_of_their_own(examples):
    for model in (trammel.load(examples / "arm.json", {"m": 2.5}), trammel.load(examples / "robots" / "quadruped.urdf", base="free")):
        for other in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            assert other.run(time=0.05, replay=False).data.tobytes() == model.run(time=0.05, replay=False).data.tobytes()
    model = trammel.Model("m")
    model.add_body("a", mass=1, inertia=[1, 1, 1])
    copy.copy(model).add_body("b", mass=1, inertia=[1, 1, 1])
    assert model.bodies == ["ground", "a"]


def test_results_are_pickled_without_the_replay(examples):
    result = trammel.load(examples / "arm.json").run(time=0.05)
    other = pickle.loads(pickle.dumps(result))
    assert np.array_equal(other.data, result.data) and other.names == result.names and other.units == result.units
    assert other.report.verdict == result.report.verdict
    with pytest.raises(trammel.Error, match="no poses"):
        other.to_html()
    assert copy.copy(result).to_html


def test_keyframes_place_the_robot_and_set_its_controls(tmp_path):
    path = tmp_path / "robot.xml"
    path.write_text("""<mujoco><worldbody><body name="trunk" pos="0 0 1"><freejoint/><geom size="0.1"/>
      <body name="leg" pos="0 0 -0.1"><joint name="hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0 0 -0.3" size="0.02"/></body></body></worldbody>
      <actuator><position name="u" joint="hip" kp="10"/></actuator>
      <keyframe><key name="home" qpos="1 2 3 0 1 0 0 45" ctrl="0.5"/></keyframe></mujoco>""".replace("45", "0.7"))
    sim = trammel.load(path).simulation(start="home")
    for _ in range(2):
        assert np.allclose(sim.positions[1], [1, 2, 3]) and np.allclose(sim.orientations[1], [0, 1, 0, 0])
        assert np.allclose(sim.q, [0.7]) and sim.inputs["u"] == 0.5
        sim.step(count=5)
        sim.reset()


def test_all_errors_of_a_file_are_in_one_exception_with_their_places(tmp_path):
    path = tmp_path / "bad.json"
    path.write_text('{\n "trammel": 1,\n "bodies": [\n  {"name": "a", "mas": 1},\n  {"name": "b", "mass": "x"}\n ]\n}\n')
    with pytest.raises(trammel.ModelError) as caught:
        trammel.load(path)
    messages = caught.value.messages
    assert len(messages) >= 2
    assert {m.line for m in messages} >= {4, 5}
    assert all(m.file == str(path) and m.column > 0 for m in messages)
    assert str(messages[0]) in str(caught.value)


def test_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        trammel.load(tmp_path / "none.json")
    with pytest.raises(OSError):
        trammel.load(tmp_path)


def test_warnings_come_through_warnings(tmp_path):
    path = tmp_path / "soft.json"
    path.write_text('{"trammel": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}], "joints": [{"name": "j",'
                    '"type": "hinge", "bodies": ["ground", "a"], "anchor": [0, 0, 0], "axis": [0, 0, 1], "erp": 0.2}]}')
    with pytest.warns(trammel.TrammelWarning, match="lcp"):
        trammel.load(path).simulation()


def test_built_model_equals_the_same_dict(pendulum):
    copy = trammel.Model.from_dict(pendulum.to_dict())
    assert copy.to_dict() == pendulum.to_dict()
    assert copy.simulation().hash() == pendulum.simulation().hash()


def test_joints_of_coordinates_need_no_bodies():
    model = trammel.Model("gears")
    for name in ("a", "b"):
        model.add_body(name, mass=1, inertia=[1, 1, 1], angular_velocity=[0, 0, -2 if name == "a" else 1])
        model.add_joint(name, "hinge", ["ground", name], anchor=[0, 0, 0], axis=[0, 0, 1])
    model.add_joint("mesh", "gear", joints=["a", "b"], ratio=-2)
    model.add_joint("twice", "tendon", terms=[{"joint": "a", "factor": 2}], damping=1)
    result = model.run(time=1)
    assert np.allclose(result["a.q"], -2 * result["b.q"]) and np.allclose(result["twice.q"], 2 * result["a.q"])


def test_none_in_limits_is_no_stop():
    model = trammel.Model("door", gravity=(0, 0, -9.81))
    model.add_body("leaf", mass=1, inertia=[0.1, 0.1, 0.1], position=[0.5, 0, 0])
    model.add_joint("hinge", "hinge", ["ground", "leaf"], anchor=[0, 0, 0], axis=[0, 1, 0], limits=[None, 0.2])
    assert model.limits.tolist() == [[-np.inf, 0.2]]
    assert abs(model.run(time=2)["hinge.q"].max() - 0.2) < 1e-9
    assert trammel.Model.from_dict(model.to_dict()).limits.tolist() == model.limits.tolist()


def test_one_text_is_no_pair_of_bodies(pendulum):
    with pytest.raises(TypeError, match="two names"):
        pendulum.add_joint("second", "hinge", "rod", anchor=[0, 0, 0], axis=[0, 0, 1])
    with pytest.raises(TypeError, match="two names"):
        pendulum.add_contact("rod", friction=1)


def test_a_loaded_model_can_be_extended(examples):
    model = trammel.load(examples / "pendulum.json")
    count = len(model.bodies)
    model.add_body("guest", mass=1, inertia=np.array([1.0, 1, 1]), position=np.array([3, 0, 0]))
    assert model.bodies[-1] == "guest" and len(model.bodies) == count + 1


def test_constants_replace_those_of_the_model(examples):
    model = trammel.load(examples / "arm.json", {"m": 4})
    assert model.masses()[1] == 4
    with pytest.raises(trammel.ModelError, match="mm"):
        trammel.load(examples / "arm.json", {"mm": 4})


@pytest.mark.parametrize("keys, what", [
    (dict(mass=float("nan")), "bodies[0].mass is nan"),
    (dict(mass=1, position=[0, float("inf"), 0]), "bodies[0].position[1] is inf"),
    (dict(mass=object()), "bodies[0].mass is of type object"),
])
def test_bad_values_are_named(keys, what):
    model = trammel.Model()
    with pytest.raises(trammel.ModelError, match=re.escape(what)):
        model.add_body("a", **keys)


def test_unknown_key_names_the_element(pendulum):
    pendulum.add_body("b", masss=1)
    with pytest.raises(trammel.ModelError, match="mass"):
        pendulum.simulation()


def test_unknown_choices_suggest_the_nearest(examples):
    with pytest.raises(trammel.UnknownName, match="'gravity'"):
        trammel.load(examples / "pendulum.json", without="gravty")
    with pytest.raises(trammel.UnknownName, match="'order'"):
        trammel.load(examples / "pendulum.json").run(ordr=4)


def test_text_of_a_model_is_read():
    model = trammel.Model.from_text('{"trammel": 1, "bodies": [{"name": "a", "mass": 1, "inertia": [1, 1, 1]}]}')
    assert model.bodies == ["ground", "a"]


def test_closed_model_cannot_be_used(pendulum):
    with pendulum:
        simulation = pendulum.simulation()
        simulation.step(0.01)
    for use in (lambda: pendulum.bodies, lambda: simulation.step(0.01), lambda: simulation.q,
                lambda: simulation.positions, lambda: simulation.run(1), simulation.hash, lambda: simulation.time,
                pendulum.simulation, lambda: pendulum.add_body("b", mass=1)):
        with pytest.raises(trammel.ClosedError):
            use()
    assert "closed" in repr(simulation)


def test_simulation_keeps_its_model_alive(examples):
    import gc

    simulation = trammel.load(examples / "pendulum.json").simulation()
    gc.collect()
    simulation.step(0.01)
    assert simulation.time == 0.01


def test_view_starts_the_program_with_the_model(pendulum, tmp_path, monkeypatch):
    program = tmp_path / "trammel"
    program.write_text(f'#!/bin/sh\necho "$1 $3" >{tmp_path}/said\ncp "$2" {tmp_path}/model.json\n')
    program.chmod(0o755)
    monkeypatch.setenv("TRAMMEL", str(program))
    assert pendulum.view("--paused").wait(60) == 0
    assert (tmp_path / "said").read_text() == "view --paused\n"
    assert trammel.load(tmp_path / "model.json").to_dict() == pendulum.to_dict()
    monkeypatch.delenv("TRAMMEL")
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    monkeypatch.setattr(trammel.model, "HERE", tmp_path / "x" / "a" / "b")
    with pytest.raises(trammel.Error, match="PATH"):
        pendulum.view()


def test_bodies_are_placed_in_the_frames_of_joints():
    model = trammel.Model("arm")
    model.add_body("fore", parent="elbow", rod={"from": [0, 0, 0], "to": [0.3, 0, 0], "mass": 1})
    shoulder = model.add_joint("shoulder", "hinge", ["ground", "upper"], anchor=[0, 0, 1], axis=[0, 1, 0], x_axis=[1, 0, 0])
    model.add_body("upper", parent=shoulder, rod={"from": [0, 0, 0], "to": [0.4, 0, 0], "mass": 1})
    model.add_joint("elbow", "hinge", ["upper", "fore"], parent=shoulder, anchor=[0.4, 0, 0], axis=[0, 0, 1])
    result = model.run(time=0)
    assert abs(result["upper.x"][0] - 0.2) < 1e-15 and abs(result["fore.x"][0] - 0.55) < 1e-15


def test_robots_are_loaded_with_other_files_and_densities(examples, tmp_path):
    robots = examples / "robots"
    dog = trammel.load(robots / "quadruped.urdf", base="free", with_=robots / "quadruped-stand.json")
    assert dog.targets and "floor" in dog.bodies and len(dog.joints) >= 12
    assert trammel.load(robots / "quadruped.urdf").targets == []
    path = tmp_path / "box.urdf"
    path.write_text('<robot name="r"><link name="a"/><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
                    '<link name="b"><collision><geometry><box size="1 2 3"/></geometry></collision></link></robot>')
    assert trammel.load(path, density=10).masses()[-1] == pytest.approx(60)
    for options, name in (({"bas": "free"}, "base"), ({"base": "fre"}, "free"), ({"density": 0}, "density")):
        with pytest.raises(ValueError if "density" in options else trammel.UnknownName, match=name):
            trammel.load(path, **options)

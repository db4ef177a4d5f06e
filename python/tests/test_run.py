# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

import gc
import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest

import trammel

CLI = os.environ.get("TRAMMEL")


def test_report_has_the_verdict_and_its_parts(examples):
    report = trammel.load(examples / "8-loop.json").run(time=0.5).report
    assert report.verdict == "good" and report.status == "ok"
    assert report.energy.max_error >= 0 and report.gap.position < 1e-9
    assert "verdict   good" in str(report)
    with pytest.raises(AttributeError, match="verdict"):
        report.verdct


def test_columns_are_arrays_by_name(examples):
    result = trammel.load(examples / "pendulum.json").run(time=1, every=0.1)
    assert result.ok and len(result) == 11
    assert np.array_equal(result.t, result["t"]) and np.allclose(result.t, np.arange(11) / 10)
    assert result[["t", "E_kin"]].shape == (11, 2)
    name = result.names[1]
    assert name in result and result.units[name] == "m"
    with pytest.raises(trammel.UnknownName, match="E_kin"):
        result["E_kn"]
    with pytest.raises(ValueError):
        result.t[0] = 1


def test_selected_columns_only(examples):
    result = trammel.load(examples / "pendulum.json").run(time=0.1, columns=["t", "E_*"])
    assert result.names == ["t", "E_kin", "E_pot"]
    with pytest.raises(trammel.ModelError, match="nothing"):
        trammel.load(examples / "pendulum.json").run(time=0.1, columns="nothing.*")


def test_energy_of_a_pendulum_is_kept(pendulum):
    result = pendulum.run(time=2, step=0.005, order=4)
    total = result["E_kin"] + result["E_pot"]
    assert np.ptp(total) < 1e-6
    assert result["pin.q"].max() > 3  # it swings to the other side


@pytest.mark.skipif(not CLI, reason="the program is not built")
def test_csv_is_that_of_the_program(examples, tmp_path):
    trammel.load(examples / "four-bar.json").run(time=0.2).save(tmp_path / "py.csv")
    subprocess.run([CLI, "run", examples / "four-bar.json", "--time", "0.2", "--out", tmp_path / "c.csv"], check=True,
                   stdout=subprocess.DEVNULL)
    assert (tmp_path / "py.csv").read_bytes() == (tmp_path / "c.csv").read_bytes()


def test_files(examples, tmp_path):
    result = trammel.load(examples / "double-pendulum.json").run(time=0.5)
    result.save(tmp_path / "run.glb")
    assert (tmp_path / "run.glb").read_bytes()[:4] == b"glTF"
    result.save(tmp_path / "run.json")
    assert json.loads((tmp_path / "run.json").read_text())["verdict"] == result.report.verdict
    result.save(tmp_path / "run.npz")
    assert np.array_equal(np.load(tmp_path / "run.npz")["t"], result.t)
    with pytest.raises(trammel.UnknownName, match=".html"):
        result.save(tmp_path / "run.htm")
    try:
        result.save(tmp_path / "run.html")
    except trammel.Error as error:
        assert "node" in str(error)
    else:
        assert b"<script" in (tmp_path / "run.html").read_bytes()
        assert result._repr_html_().startswith("<iframe")


def test_without_replay_no_poses_are_kept(pendulum, tmp_path):
    result = pendulum.run(time=0.1, replay=False)
    with pytest.raises(trammel.Error, match="replay"):
        result.save(tmp_path / "run.glb")
    assert result._repr_html_().startswith("<pre>")


def test_a_result_outlives_its_simulation_and_model(pendulum, tmp_path):
    sim = pendulum.simulation()
    result = sim.run(0.2)
    sim.set_torque("pin", 1)  # another simulation of the library takes over
    sim.close()
    pendulum.close()
    del sim
    gc.collect()
    result.save(tmp_path / "run.glb")
    assert result._repr_html_() and result.report.verdict == "good"


def test_dataframe_and_plot(pendulum):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("matplotlib")
    result = pendulum.run(time=0.5)
    frame = result.to_dataframe()
    assert isinstance(frame, pandas.DataFrame) and frame.index.name == "t"
    assert np.array_equal(frame["pin.q"], result["pin.q"])
    axes = result.plot("pin.q", "pin.qd")
    assert len(axes.lines) == 2


def test_bad_options_are_named(pendulum):
    for bad in (dict(step=float("nan")), dict(time=float("inf"))):
        with pytest.raises(ValueError, match="finite"):
            pendulum.run(**bad)
    for bad in (dict(step="x"), dict(method=3), dict(simultaneous=1)):
        with pytest.raises(TypeError):
            pendulum.run(**bad)
    for bad in (dict(step=-1), dict(order=3), dict(method="impulses")):
        with pytest.raises(trammel.ModelError):
            pendulum.run(time=1, **bad)
    for bad in (dict(every=0), dict(every=-1), dict(time=-1)):
        with pytest.raises(ValueError):
            pendulum.run(**bad)


def test_controller_is_called_before_each_step(pendulum):
    seen = []
    pendulum.run(time=0.1, step=0.01, on_step=lambda sim: seen.append((sim.time, sim.q[0])))
    assert len(seen) == 10 and seen[0] == (0, 0) and seen[-1][1] > 0


def test_exception_in_a_controller_ends_the_run_and_keeps_the_rows(pendulum):
    def controller(sim):
        if sim.time > 0.055:
            raise LookupError("no more")

    with pytest.raises(LookupError, match="no more") as caught:
        pendulum.run(time=1, step=0.01, on_step=controller)
    assert len(caught.value.result) == 7
    assert "LookupError" in caught.value.result.status


@pytest.mark.parametrize("in_callback", [False, True])
def test_interrupt_keeps_the_rows(pendulum, monkeypatch, in_callback):
    def interrupt(*_):
        os.kill(os.getpid(), signal.SIGINT)

    def controller(sim):
        if sim.time > 0.05:
            interrupt()

    if not in_callback:  # between steps, where progress is shown
        monkeypatch.setattr(trammel.simulation._Bar, "show", interrupt)
    with pytest.warns(trammel.TrammelWarning, match="interrupted"):
        result = pendulum.run(time=1e9, step=1e-3, every=0.01, columns="t,pin.q", on_step=controller if in_callback else None)
    assert result.status == "interrupted" and len(result) > 1


def test_a_run_that_fails_has_its_rows():
    model = trammel.Model()
    model.add_body("a", mass=1, inertia=[1, 1, 1])
    model.add_force("force", body="a", value=["1/(0.5-t)^400", 0, 0])
    with pytest.raises(trammel.SimulationError) as caught:
        model.run(time=1, step=0.01)
    assert caught.value.time > 0 and len(caught.value.result) > 1 and caught.value.why


def test_progress_bar_goes_to_stderr(examples):
    code = ("import trammel, sys; m = trammel.load(sys.argv[1]); t = iter(range(100, 10**9));\n"
            "from trammel import simulation; simulation.clock.monotonic = lambda: next(t); simulation._PERIOD = 0.0\n"
            "m.run(time=1, progress=True)")
    done = subprocess.run([sys.executable, "-c", code, examples / "pendulum.json"], capture_output=True, text=True, check=True)
    assert "[####" in done.stderr and "%" in done.stderr


def test_patterns_choose_columns_and_coordinates_are_one_array(examples):
    result = trammel.load(examples / "arm.json").run(time=0.1, every=0.02)
    names = [name for name in result.names if name.startswith("a") and name.endswith(".q")]
    assert len(names) == 7 and result.columns("a*.q") == names
    assert (result["a*.q"] == result[names]).all() and (result.q == result[names]).all()
    assert result.qd.shape == (6, 7) and (result.qd[:, 1] == result["a2.qd"]).all()
    assert result.columns("t", ["a2.q", "a1.q"]) == ["t", "a2.q", "a1.q"]
    for wrong in ("*.nothing", "a9.q"):
        with pytest.raises(trammel.UnknownName, match="column"):
            result[wrong]
    assert len(result.plot("a*.q").lines) == 7


def test_what_is_named_shows_its_values(examples):
    sim = trammel.load(examples / "robots" / "quadruped.urdf", with_=examples / "robots" / "quadruped-stand.json").simulation()
    assert "Targets" in repr(sim.targets) and list(sim.targets)[0] in repr(sim.targets)
    assert "Sensors" in repr(sim.sensors) and "Inputs" in repr(sim.inputs)

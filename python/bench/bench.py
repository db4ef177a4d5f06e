# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""What the binding costs: a step, reading poses, batches, next to the same loops in C and MuJoCo's step of the same arm.

Usage: PYTHONPATH=build/python python3 python/bench/bench.py BUILD. Best of several rounds, in microseconds of the processor, so that
other programs count little; the loops in C are compiled with $CC or cc. Cycles of create, run, destroy are counted too: --cycles N (default: 2000) prints how memory grows."""

import argparse
import gc
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import trammel

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def best(action, number, rounds=15, clock=time.process_time):
    took = []
    for _ in range(rounds):
        start = clock()
        for _ in range(number):
            action()
        took.append((clock() - start) / number)
    return 1e6 * min(took)


def compile_loop(build, folder):
    command = [os.environ.get("CC", "cc"), "-O2", str(HERE / "loop.c"), "-I", str(ROOT / "include"), "-o", f"{folder}/loop",
               f"-L{build}", f"-Wl,-rpath,{build}", "-ltrammel"]
    if subprocess.run([*command, "-DMUJOCO", "-lmujoco"], stderr=subprocess.DEVNULL).returncode != 0:
        subprocess.run(command, check=True)
    return f"{folder}/loop"


def in_c(loop, model, method, step, steps, count, rounds):
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    printed = subprocess.run([loop, model, method, str(step), str(steps), str(count), str(rounds)], check=True, capture_output=True,
                             text=True, env=environment).stdout
    return [float(word) for word in printed.split()]


def bench_step(loop):
    path, step = str(ROOT / "examples" / "pendulum.json"), 0.001
    sim = trammel.load(path).simulation(step=step)
    sim.step(count=1000)
    python, c = best(sim.step, 5000), in_c(loop, path, "impulse", step, 5000, 1, 15)[0]
    call = best(lambda: sim._steps(sim._pointer, step, 0, sim._step_arrays, sim._outcome), 5000)
    print(f"step of the pendulum, q and qd read     {c:8.2f} us in C  {python:8.2f} us in Python  {python - c:6.2f} us more "
          f"(of which {call:.2f} the call)")


def bench_poses():
    model = trammel.Model()
    for i in range(1000):
        model.add_body(f"b{i}", mass=1, inertia=[1, 2, 2.5], com=[0.1, 0, 0], position=[i, 0, 0])
    sim = model.simulation()
    print(f"poses of 1000 bodies                    {best(lambda: sim.poses, 200):8.2f} us")


def bench_batch(loop, n=1024, steps=10):
    path = str(HERE / "arm.xml")
    model = trammel.load(path)
    for method in ("impulse", "minimal"):
        c, mujoco = in_c(loop, path, method, 0.002, steps, n, 5)
        cpu, wall = {}, {}
        for threads in (1, 2):
            batch = trammel.Batch(model, n, threads=threads, method=method, step=0.002)
            batch.step(count=2)
            cpu[threads] = best(batch.step, steps, 5) / n
            wall[threads] = best(batch.step, steps, 5, time.perf_counter) / n
        print(f"batch of {n} arms, {method:8}            {c:8.2f} us in C  {cpu[1]:8.2f} us in Python per arm and step "
              f"({100 * (cpu[1] / c - 1):+.0f} %)\n"
              f"    on 2 threads                        {wall[1] / wall[2]:.2f} times as fast on the wall now, "
              f"{2 * cpu[1] / cpu[2]:.2f} by time of the processor")
    if mujoco:
        print(f"mj_step of the same arm                 {mujoco:8.2f} us (semi-implicit Euler, order 1)")


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096 / 1e6


def bench_cycles(cycles):
    model = trammel.load(ROOT / "examples" / "pendulum.json")

    def cycle():
        model.run(time=0.01, step=0.005, columns="t", replay=False)

    marks = []
    for part in range(5):
        for _ in range(cycles // 5):
            cycle()
        gc.collect()
        marks.append(resident())
    print(f"{cycles} cycles of create, run, destroy    resident {', '.join(f'{m:.1f}' for m in marks)} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--cycles", type=int, default=2000)
    arguments = parser.parse_args()
    np.seterr(all="raise")
    with tempfile.TemporaryDirectory() as folder:
        loop = compile_loop(os.path.abspath(arguments.build), folder)
        bench_step(loop)
        bench_poses()
        bench_batch(loop)
    bench_cycles(arguments.cycles)
    sys.stdout.flush()

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
os.environ.setdefault("MPLBACKEND", "Agg")


@pytest.fixture
def examples():
    return ROOT / "examples"


@pytest.fixture
def root():
    return ROOT


@pytest.fixture
def pendulum():
    """A rod of 1 m on a hinge at its end, horizontal at the start."""
    import trammel

    model = trammel.Model("pendulum", gravity=(0, 0, -9.81))
    rod = model.add_body("rod", mass=1.0, inertia=[0.001, 1 / 12, 1 / 12], position=[0.5, 0, 0])
    model.add_joint("pin", "hinge", ["ground", rod], anchor=[0, 0, 0], axis=[0, 1, 0])
    return model

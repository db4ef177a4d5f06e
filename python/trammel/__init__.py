# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Trammel: rigid multibody dynamics with joints that do not open.

    import trammel
    result = trammel.load("examples/pendulum.json").run(time=10)
    print(result.report)
    result.plot("bar.q")

SI units and radians throughout. The tutorial is docs/python.md."""

from ._lib import version as __version__
from .analysis import Equilibrium, Linearisation, Mode, Pose, equilibrium, inverse_kinematics, linearise, modes
from .batch import Batch
from .errors import ClosedError, Error, FileError, Message, ModelError, SimulationError, TrammelWarning, UnknownName
from .geometry import Geometry, Nearest, RayHit
from .joint_space import JointSpace, jacobian, mass_matrix
from .model import Element, Model, load
from .result import Report, Result
from .simulation import Contact, Inputs, Sensors, Simulation, State, Targets
from .tools import Comparison, compare, inverse_dynamics, methods, sweep

__all__ = ["Batch", "ClosedError", "Comparison", "Contact", "Element", "Equilibrium", "Error", "FileError", "Geometry", "Inputs",
           "JointSpace", "Linearisation", "Message", "Mode", "Model", "ModelError", "Nearest", "Pose", "RayHit", "Report", "Result", "Sensors", "Simulation",
           "SimulationError", "State", "Targets", "TrammelWarning", "UnknownName", "compare", "equilibrium", "inverse_dynamics",
           "inverse_kinematics", "jacobian", "linearise", "load", "mass_matrix", "methods", "modes", "sweep"]

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Trammel: rigid multibody dynamics with joints that do not open.

    import trammel
    result = trammel.load("examples/pendulum.json").run(time=10)
    print(result.report)
    result.plot("bar.q")

SI units and radians throughout. The tutorial is docs/python.md."""

from ._lib import version as __version__
from .errors import ClosedError, Error, FileError, Message, ModelError, SimulationError, TrammelWarning, UnknownName
from .model import Element, Model, load
from .result import Report, Result
from .simulation import Simulation

__all__ = ["ClosedError", "Element", "Error", "FileError", "Message", "Model", "ModelError", "Report", "Result", "Simulation",
           "SimulationError", "TrammelWarning", "UnknownName", "load"]

# SPDX-FileCopyrightText: The Trammel authors
# SPDX-License-Identifier: MIT

"""Rays and nearest points of shapes (trammel/geometry.h). SI units, world axes."""

from typing import NamedTuple, Tuple

import numpy as np

from ._lib import ffi, lib
from .analysis import _state_of, _vector
from .simulation import Simulation


class RayHit(NamedTuple):
    """The first shape on a ray: body and number of its shape, distance [m], point [m], unit normal out of the shape. If the ray starts
    inside a shape, the distance is 0."""

    body: str
    shape: int
    distance: float
    point: np.ndarray
    normal: np.ndarray


class Nearest(NamedTuple):
    """The nearest points [m] of two bodies, one each, the numbers of their shapes, and the unit normal from the second body to the first. A
    negative distance [m] is the depth of an overlap."""

    distance: float
    points: np.ndarray
    normal: np.ndarray
    shapes: Tuple[int, int]


def _array(v):
    return np.array([v.x, v.y, v.z])


class Geometry:
    """The shapes of a Model at its start, or of a Simulation at its present state. Shapes are those of contacts: a mesh of a free body is its
    convex hull, and shapes with "collide": false do not count."""

    def __init__(self, what):
        self._what = what
        self._built, self._state = _state_of(what)
        made = ffi.new("trm_shape_set **")
        if lib.trm_shape_set_create(self._built.pointer, ffi.NULL, made) != lib.TRM_OK:
            raise MemoryError("out of memory")
        self._geometry = ffi.gc(made[0], lib.trm_shape_set_destroy)

    def _now(self):
        if isinstance(self._what, Simulation):
            lib.trm_state_copy(self._state, lib.trm_sim_state(self._what._still()))
        return self._state

    def ray(self, origin, direction, farthest=np.inf, ignore=None):
        """Returns the first shape on a ray from a point along a direction, at most `farthest` m away; None if there is none. ignore: a body
        that does not count, such as the one that carries the sensor."""
        start, along = _vector(origin, 3, "origin"), _vector(direction, 3, "direction")
        if not np.all(np.isfinite(start)) or not np.all(np.isfinite(along)) or not np.any(along):
            raise ValueError("origin and direction must be finite, and direction not zero")
        if np.isnan(farthest):
            raise ValueError("farthest is nan; give a distance in m")
        hit = ffi.new("trm_ray_hit *")
        except_for = -1 if ignore is None else self._built.body(ignore)
        if not lib.trm_ray_cast(self._geometry, self._now(), tuple(start), tuple(along), float(farthest), except_for, hit):
            return None
        return RayHit(self._built.bodies[hit.body], hit.shape, hit.distance, _array(hit.point), _array(hit.normal))

    def nearest(self, first, second):
        """Returns the nearest points of two bodies, by name or number; None if one has no shapes, or if the shapes have no distance (two
        planes)."""
        a, b = self._built.body(first), self._built.body(second)
        if a == b:
            raise ValueError("nearest takes two different bodies")
        found, points = ffi.new("bool *"), ffi.new("trm_nearest_points *")
        if lib.trm_find_nearest_points(self._geometry, self._now(), a, b, found, points) != lib.TRM_OK:
            raise MemoryError("out of memory")
        if not found[0]:
            return None
        return Nearest(points.distance, np.array([_array(points.point[0]), _array(points.point[1])]), _array(points.normal),
                       (points.shape[0], points.shape[1]))

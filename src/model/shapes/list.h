/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All shape types, one line each. Include it with TRM_SHAPE_TYPE(name) defined. */

TRM_SHAPE_TYPE(sphere)
TRM_SHAPE_TYPE(box)
TRM_SHAPE_TYPE(capsule)
TRM_SHAPE_TYPE(cylinder)
TRM_SHAPE_TYPE(ellipsoid)
TRM_SHAPE_TYPE(hull)
TRM_SHAPE_TYPE(plane)
TRM_SHAPE_TYPE(mesh)

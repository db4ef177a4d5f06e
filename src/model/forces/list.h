/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All force types, one line each. Include it with TRM_FORCE_TYPE(name) defined. */

TRM_FORCE_TYPE(gravity)
TRM_FORCE_TYPE(spring)
TRM_FORCE_TYPE(force)
TRM_FORCE_TYPE(torque)
TRM_FORCE_TYPE(actuator)
TRM_FORCE_TYPE(torsion)
TRM_FORCE_TYPE(effort)
TRM_FORCE_TYPE(servo)
TRM_FORCE_TYPE(drag)
TRM_FORCE_TYPE(swivel)

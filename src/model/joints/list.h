/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* All joint types, one line each. Include it with TRM_JOINT_TYPE(name) defined. */

TRM_JOINT_TYPE(ball)
TRM_JOINT_TYPE(hinge)
TRM_JOINT_TYPE(universal)
TRM_JOINT_TYPE(gimbal)
TRM_JOINT_TYPE(slider)
TRM_JOINT_TYPE(cylinder)
TRM_JOINT_TYPE(screw)
TRM_JOINT_TYPE(planar)
TRM_JOINT_TYPE(fixed)
TRM_JOINT_TYPE(chain)
TRM_JOINT_TYPE(rail)
TRM_JOINT_TYPE(slot)
TRM_JOINT_TYPE(distance)
TRM_JOINT_TYPE(span)
TRM_JOINT_TYPE(curve)
TRM_JOINT_TYPE(surface)
TRM_JOINT_TYPE(drive)
TRM_JOINT_TYPE(motor)
TRM_JOINT_TYPE(gear)
TRM_JOINT_TYPE(coupling)
TRM_JOINT_TYPE(tendon)

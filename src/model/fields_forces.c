/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of forces. */

#include "model/fields.h"
#include "model/force.h"

static const trm_field force_fields[] = {
    KEY(trm_force_def, "name", own_name, name, 0, EVERY, "name of the force (optional)"),
    MUST(trm_force_def, "type", text, type, 0, EVERY, "type of the force"),
    MUST(trm_force_def, "bodies", body_names, bodies, 0, TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_SWIVEL,
         "the two bodies"),
    KEY(trm_force_def, "anchors", vec3_pair, anchors, NOT_GIVEN, TRM_FORCE_TAKES_BODIES,
        "[m] points in the frames of the two bodies"),
    MUST(trm_force_def, "joint", joint_name, joint, 0, TRM_FORCE_TAKES_JOINT,
         "name of the joint on whose coordinate the force acts"),
    KEY(trm_force_def, "coordinate", number, coordinate, NOT_GIVEN, TRM_FORCE_TAKES_JOINT,
        "number of the coordinate, from 1, of a joint with several"),
    KEY(trm_force_def, "rest", number, rest, NOT_GIVEN, TRM_FORCE_TAKES_SPRING,
        "[m] length without force (default: the initial length); of a coordinate [m or rad] (default: 0)"),
    MUST(trm_force_def, "stiffness", number, stiffness, NOT_GIVEN, TRM_FORCE_TAKES_SPRING, "[N/m or N m] stiffness"),
    KEY(trm_force_def, "damping", number, damping, 0, TRM_FORCE_TAKES_SPRING | TRM_FORCE_TAKES_SWIVEL,
        "[N s/m or N m s] damping (default: 0)"),
    KEY(trm_force_def, "implicit", flag, implicit, 0, TRM_FORCE_TAKES_SPRING,
        "true: the same as the treatment implicit (default: false)"),
    WORD(trm_force_def, "treatment", treatment, 0, TRM_FORCE_TAKES_SPRING, ONE_OF("explicit", "implicit", "integral"),
         "how the method impulse integrates the spring (default: explicit)"),
    MUST(trm_force_def, "body", body_name, body, 0, TRM_FORCE_TAKES_BODY, "name of the body on which the force acts"),
    KEY(trm_force_def, "at", vec3, at, NOT_GIVEN, TRM_FORCE_TAKES_POINT, "[m] point in the body frame"),
    MUST(trm_force_def, "value", functions, value, 0, TRM_FORCE_TAKES_VECTOR,
         "[N or N m] vector of functions of time"),
    MUST(trm_force_def, "value", function, value[0], 0, TRM_FORCE_TAKES_PULL,
         "[N or N m] force, a function of time; a positive actuator force pushes the points apart"),
    KEY(trm_force_def, "value", function, value[0], 0, TRM_FORCE_TAKES_TARGET,
        "[N or N m] force added to that of the servo, a function of time (default: 0)"),
    KEY(trm_force_def, "gear", number, gear, NUMBER(1), TRM_FORCE_TAKES_GEAR,
        "ratio: the force acts on gear q, so its force along q is multiplied by gear (default: 1)"),
    KEY(trm_force_def, "range", range, range, UNBOUNDED, TRM_FORCE_TAKES_RANGE,
        "[N or N m] range to which value is clipped (default: no limits)"),
    KEY(trm_force_def, "frame", frame, in_body_frame, 0, TRM_FORCE_TAKES_VECTOR,
        "axes in which value is given (default: world)"),
    KEY(trm_force_def, "target", function, target, 0, TRM_FORCE_TAKES_TARGET,
        "[m or rad] target of the coordinate, a function of time (default: 0)"),
    KEY(trm_force_def, "velocity", aimed_rate, velocity, 0, TRM_FORCE_TAKES_TARGET,
        "[m/s or rad/s] target of the rate (default: the rate of target)"),
    KEY(trm_force_def, "kp", number, kp, 0, TRM_FORCE_TAKES_TARGET,
        "[N/m or N m] gain of the position error (default: 0)"),
    KEY(trm_force_def, "kd", number, kd, 0, TRM_FORCE_TAKES_TARGET,
        "[N s/m or N m s] gain of the rate error (default: 0)"),
    KEY(trm_force_def, "ki", number, ki, 0, TRM_FORCE_TAKES_TARGET,
        "[N/(m s) or N m/s] gain of the integral of the position error (default: 0)"),
    KEY(trm_force_def, "lag", number, lag, 0, TRM_FORCE_TAKES_TARGET, "[s] time constant of the force (default: 0)"),
    KEY(trm_force_def, "max", number_or_function, max, NUMBER(INFINITY), TRM_FORCE_TAKES_TARGET,
        "[N or N m] limit of the force, a number or a function of time (default: no limit)"),
    KEY(trm_force_def, "brake", number_or_function, brake, 0, TRM_FORCE_TAKES_TARGET,
        "[N s/m or N m s] additional damping, a number or a function of time (default: 0)"),
    KEY(trm_force_def, "linear", number, linear, 0, TRM_FORCE_TAKES_DRAG,
        "[N s/m] coefficient of the velocity (default: 0)"),
    KEY(trm_force_def, "angular", number, angular, 0, TRM_FORCE_TAKES_DRAG,
        "[N m s] coefficient of the angular velocity (default: 0)"),
    HIDDEN(trm_force_def, flag, has_velocity, 0),
    HIDDEN(trm_force_def, function, max_law, 0),
    HIDDEN(trm_force_def, function, brake_law, 0),
};

/* What the file may list under "forces": the forces, then the drives, which are joints. */
static trm_variant force_variant(int index)
{
    for (int i = 0; trm_force_type_at(i); i++) {
        const trm_force_type *type = trm_force_type_at(i);
        if (!type->built_in && index-- == 0) return (trm_variant){type->name, type->takes, NULL};
    }
    return trm_form_drive.variant(index);
}

const trm_form trm_form_force = {
    .name = "force",
    .size = sizeof(trm_force_def),
    FIELDS(force_fields),
    .has_place = true,
    .repeats = true,
    .variant = force_variant,
};

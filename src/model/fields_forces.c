/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of forces. */

#include "model/fields.h"
#include "model/force.h"

static const trm_field force_fields[] = {
    KEY(trm_force_def, "name", own_name, name, 0, EVERY, "may be left out"),
    MUST(trm_force_def, "type", text, type, 0, EVERY, "what force"),
    MUST(trm_force_def, "bodies", body_names, bodies, 0, TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_SWIVEL,
         "the two bodies"),
    KEY(trm_force_def, "anchors", vec3_pair, anchors, NOT_GIVEN, TRM_FORCE_TAKES_BODIES,
        "m, in the frames of the two bodies"),
    MUST(trm_force_def, "joint", joint_name, joint, 0, TRM_FORCE_TAKES_JOINT, "the joint on whose coordinate it acts"),
    KEY(trm_force_def, "coordinate", number, coordinate, NOT_GIVEN, TRM_FORCE_TAKES_JOINT,
        "which one, from 1, of a joint with several"),
    KEY(trm_force_def, "rest", number, rest, NOT_GIVEN, TRM_FORCE_TAKES_SPRING,
        "m; without it the length at the start; of a coordinate m or rad, 0"),
    MUST(trm_force_def, "stiffness", number, stiffness, NOT_GIVEN, TRM_FORCE_TAKES_SPRING, "N/m or N m"),
    KEY(trm_force_def, "damping", number, damping, 0, TRM_FORCE_TAKES_SPRING | TRM_FORCE_TAKES_SWIVEL,
        "N s/m or N m s"),
    KEY(trm_force_def, "implicit", flag, implicit, 0, TRM_FORCE_TAKES_SPRING, "true: treatment implicit; false"),
    WORD(trm_force_def, "treatment", treatment, 0, TRM_FORCE_TAKES_SPRING, ONE_OF("explicit", "implicit", "integral"),
         "how the impulse method applies it; explicit"),
    MUST(trm_force_def, "body", body_name, body, 0, TRM_FORCE_TAKES_BODY, "on which body"),
    KEY(trm_force_def, "at", vec3, at, NOT_GIVEN, TRM_FORCE_TAKES_POINT, "m, in the body frame"),
    MUST(trm_force_def, "value", functions, value, 0, TRM_FORCE_TAKES_VECTOR, "N or N m"),
    MUST(trm_force_def, "value", function, value[0], 0, TRM_FORCE_TAKES_PULL,
         "N or N m; of an actuator positive pushes apart"),
    KEY(trm_force_def, "value", function, value[0], 0, TRM_FORCE_TAKES_TARGET,
        "N or N m, added to what the servo does; 0"),
    KEY(trm_force_def, "gear", number, gear, NUMBER(1), TRM_FORCE_TAKES_GEAR,
        "ratio: it sees gear q and acts gear-fold; 1"),
    KEY(trm_force_def, "range", range, range, UNBOUNDED, TRM_FORCE_TAKES_RANGE, "N or N m: value is clipped to it"),
    KEY(trm_force_def, "frame", frame, in_body_frame, 0, TRM_FORCE_TAKES_VECTOR, "axes of value"),
    KEY(trm_force_def, "target", function, target, 0, TRM_FORCE_TAKES_TARGET, "m or rad; 0"),
    KEY(trm_force_def, "velocity", aimed_rate, velocity, 0, TRM_FORCE_TAKES_TARGET,
        "m/s or rad/s: rate that it aims at; without it that of target"),
    KEY(trm_force_def, "kp", number, kp, 0, TRM_FORCE_TAKES_TARGET, "N/m or N m; 0"),
    KEY(trm_force_def, "kd", number, kd, 0, TRM_FORCE_TAKES_TARGET, "N s/m or N m s"),
    KEY(trm_force_def, "ki", number, ki, 0, TRM_FORCE_TAKES_TARGET,
        "N/(m s) or N m/s: of the integral of the error; 0"),
    KEY(trm_force_def, "lag", number, lag, 0, TRM_FORCE_TAKES_TARGET, "s: time constant of the force; 0"),
    KEY(trm_force_def, "max", number_or_function, max, NUMBER(INFINITY), TRM_FORCE_TAKES_TARGET,
        "N or N m, at most, function of time; without it no limit"),
    KEY(trm_force_def, "brake", number_or_function, brake, 0, TRM_FORCE_TAKES_TARGET,
        "N s/m or N m s, function of time; 0"),
    KEY(trm_force_def, "linear", number, linear, 0, TRM_FORCE_TAKES_DRAG, "N s/m"),
    KEY(trm_force_def, "angular", number, angular, 0, TRM_FORCE_TAKES_DRAG, "N m s"),
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

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of forces. */

#include "model/fields.h"
#include "model/force.h"

#define OF trm_force_def

static const trm_field force_fields[] = {
    KEY(name, own_name, 0, EVERY, "name of the force (optional)"),
    MUST(type, text, 0, EVERY, "type of the force"),
    MUST(bodies, body_names, 0, TRM_FORCE_TAKES_BODIES | TRM_FORCE_TAKES_SWIVEL, "the two bodies"),
    KEY(anchors, vec3_pair, NOT_GIVEN, TRM_FORCE_TAKES_BODIES, "[m] points in the frames of the two bodies"),
    MUST(joint, joint_name, 0, TRM_FORCE_TAKES_JOINT, "name of the joint on whose coordinate the force acts"),
    KEY(coordinate, number, NOT_GIVEN, TRM_FORCE_TAKES_JOINT,
        "number of the coordinate, from 1, of a joint with several"),
    KEY(rest, number, NOT_GIVEN, TRM_FORCE_TAKES_SPRING,
        "[m] length without force (default: the initial length); of a coordinate [m or rad] (default: 0)"),
    MUST(stiffness, number, NOT_GIVEN, TRM_FORCE_TAKES_SPRING, "[N/m or N m] stiffness"),
    KEY(damping, number, 0, TRM_FORCE_TAKES_SPRING | TRM_FORCE_TAKES_SWIVEL, "[N s/m or N m s] damping (default: 0)"),
    KEY(implicit, flag, 0, TRM_FORCE_TAKES_SPRING, "true: the same as the treatment implicit (default: false)"),
    WORD(treatment, 0, TRM_FORCE_TAKES_SPRING, ONE_OF("explicit", "implicit", "integral"),
         "how the method impulse integrates the spring (default: explicit)"),
    MUST(body, body_name, 0, TRM_FORCE_TAKES_BODY, "name of the body on which the force acts"),
    KEY(at, vec3, NOT_GIVEN, TRM_FORCE_TAKES_POINT, "[m] point in the body frame"),
    MUST(value, functions, 0, TRM_FORCE_TAKES_VECTOR, "[N or N m] vector of functions of time"),
    MUST_AS("value", value[0], function, 0, TRM_FORCE_TAKES_PULL,
            "[N or N m] force, a function of time; a positive actuator force pushes the points apart"),
    KEY_AS("value", value[0], function, 0, TRM_FORCE_TAKES_TARGET,
           "[N or N m] force added to that of the servo, a function of time (default: 0)"),
    KEY(gear, number, NUMBER(1), TRM_FORCE_TAKES_GEAR,
        "ratio: the force acts on gear q, so its force along q is multiplied by gear (default: 1)"),
    KEY(range, range, UNBOUNDED, TRM_FORCE_TAKES_RANGE,
        "[N or N m] range to which value is clipped (default: no limits)"),
    KEY_AS("frame", in_body_frame, frame, 0, TRM_FORCE_TAKES_VECTOR, "axes in which value is given (default: world)"),
    KEY(target, function, 0, TRM_FORCE_TAKES_TARGET,
        "[m or rad] target of the coordinate, a function of time (default: 0)"),
    KEY(velocity, aimed_rate, 0, TRM_FORCE_TAKES_TARGET,
        "[m/s or rad/s] target of the rate (default: the rate of target)"),
    KEY(kp, number, 0, TRM_FORCE_TAKES_TARGET, "[N/m or N m] gain of the position error (default: 0)"),
    KEY(kd, number, 0, TRM_FORCE_TAKES_TARGET, "[N s/m or N m s] gain of the rate error (default: 0)"),
    KEY(ki, number, 0, TRM_FORCE_TAKES_TARGET,
        "[N/(m s) or N m/s] gain of the integral of the position error (default: 0)"),
    KEY(lag, number, 0, TRM_FORCE_TAKES_TARGET, "[s] time constant of the force (default: 0)"),
    KEY(max, number_or_function, NUMBER(INFINITY), TRM_FORCE_TAKES_TARGET,
        "[N or N m] limit of the force, a number or a function of time (default: no limit)"),
    KEY(brake, number_or_function, 0, TRM_FORCE_TAKES_TARGET,
        "[N s/m or N m s] additional damping, a number or a function of time (default: 0)"),
    KEY(linear, number, 0, TRM_FORCE_TAKES_DRAG, "[N s/m] coefficient of the velocity (default: 0)"),
    KEY(angular, number, 0, TRM_FORCE_TAKES_DRAG, "[N m s] coefficient of the angular velocity (default: 0)"),
    HIDDEN(has_velocity, flag, 0),
    HIDDEN(max_law, function, 0),
    HIDDEN(brake_law, function, 0),
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

const trm_form trm_form_force = {ELEMENT("force", force_fields), .repeats = true, .variant = force_variant};

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of joints. */

#include "model/fields.h"
#include "model/joint.h"

#define OF trm_joint_def

static const trm_field break_fields[] = {
    KEY_AS("force", break_force, number, NUMBER(INFINITY), EVERY, "[N] force"),
    KEY_AS("torque", break_torque, number, NUMBER(INFINITY), EVERY, "[N m] torque"),
};

static const trm_form form_break = {.name = "break", FIELDS(break_fields)};

static const trm_field spring_fields[] = {
    MUST_AS("k", spring_stiffness, number, NOT_GIVEN, EVERY, "[N/m or N m/rad] stiffness"),
    KEY_AS("d", spring_damping, number, NOT_GIVEN, EVERY, "[N s/m or N m s/rad] damping (default: 0)"),
};

static const trm_form form_spring = {.name = "spring", FIELDS(spring_fields)};

#undef OF
#define OF trm_round_def

#define ORIGIN     MUST(origin, vec3, NOT_GIVEN, EVERY, "[m] centre, in the world at the start")
#define AXIS       MUST(axis, vec3, NOT_GIVEN, EVERY, "direction in the world at the start")
#define RADIUS     MUST(radius, number, NOT_GIVEN, EVERY, "[m] radius")
#define NO_AXIS    HIDDEN(axis, vec3, NOT_GIVEN)
#define NO(member) HIDDEN(member, number, NOT_GIVEN)

static const trm_field sphere_fields[] = {ORIGIN, RADIUS, NO_AXIS, NO(pitch), NO(major), NO(minor)};
static const trm_field circle_fields[] = {ORIGIN, RADIUS, AXIS, NO(pitch), NO(major), NO(minor)};

static const trm_field helix_fields[] = {
    ORIGIN,    RADIUS,
    AXIS,      MUST(pitch, number, NOT_GIVEN, EVERY, "[m] advance per turn, right-handed if positive"),
    NO(major), NO(minor),
};

static const trm_field torus_fields[] = {
    ORIGIN,
    AXIS,
    MUST(major, number, NOT_GIVEN, EVERY, "[m] distance from the axis to the core"),
    MUST(minor, number, NOT_GIVEN, EVERY, "[m] distance from the core to the surface"),
    NO(radius),
    NO(pitch),
};

static const trm_form form_circle = {.name = "circle", FIELDS(circle_fields)};
static const trm_form form_helix = {.name = "helix", FIELDS(helix_fields)};
static const trm_form form_sphere = {.name = "sphere", FIELDS(sphere_fields)};
static const trm_form form_cylinder = {.name = "cylinder", FIELDS(circle_fields)};
static const trm_form form_torus = {.name = "torus", FIELDS(torus_fields)};

#undef OF
#define OF trm_curve_def

static const trm_field curve_fields[] = {
    COUNTED(points, vec3_list, point_count, EVERY, "[m] points of a cubic spline, in the frame of the first body"),
    KEY(closed, flag, 0, EVERY, "whether the spline returns to its first point (default: false)"),
    OBJECT(circle, EVERY, &form_circle, "instead of points"),
    OBJECT(helix, EVERY, &form_helix, "instead of points"),
};

static const trm_form form_curve = {.name = "curve", FIELDS(curve_fields)};

#undef OF
#define OF trm_surface_def

static const trm_field surface_fields[] = {
    OBJECT(sphere, EVERY, &form_sphere, "exactly one of the three is given"),
    OBJECT(cylinder, EVERY, &form_cylinder, "exactly one of the three is given"),
    OBJECT(torus, EVERY, &form_torus, "exactly one of the three is given"),
};

static const trm_form form_surface = {.name = "surface", FIELDS(surface_fields)};

/* What acts on one coordinate, of a joint with one or in the list of one with several. */
#define COORDINATE_KEYS(when)                                                                                        \
    KEY(limits, range, UNBOUNDED, when, "[m or rad] stops, lower and upper"),                                        \
        KEY(friction, number, 0, when, "[N or N m] Coulomb friction"),                                               \
        KEY(mu, number, 0, when,                                                                                     \
            "friction as a fraction of the joint force perpendicular to the axis (default: 0)"),                     \
        KEY(radius, number, NOT_GIVEN, when,                                                                         \
            "[m] radius of the bearing, at which mu acts on an angular coordinate"),                                 \
        KEY(static_friction, number, NOT_GIVEN, when, "[N or N m] friction at rest (default: friction)"),            \
        KEY(stribeck_velocity, number, NOT_GIVEN, when,                                                              \
            "[m/s or rad/s] speed at which static_friction - friction has fallen to 1/e"),                           \
        KEY(stiffness, number, 0, when, "[N/m or N m/rad] stiffness of a spring on the coordinate (default: 0)"),    \
        KEY(spring_reference, number, 0, when,                                                                       \
            "[m or rad] coordinate at which the spring has no force (default: 0)"),                                  \
        KEY(damping, number, 0, when, "[N s/m or N m s/rad] damping (default: 0)"),                                  \
        KEY(armature, number, 0, when, "[kg or kg m^2] reflected inertia of a rotor (default: 0)"),                  \
        KEY(effort, number, NUMBER(INFINITY), when, "[N or N m] rated force, for controllers"),                      \
        KEY(max_velocity, number, NUMBER(INFINITY), when, "[m/s or rad/s] rated speed, for controllers")

#define ALL_COORDINATE_KEYS                                                                                          \
    COORDINATE_KEYS(EVERY),                                                                                          \
        KEY(limit_restitution, number, 0, EVERY, "coefficient of restitution, 0 (no bounce) to 1 (elastic)")

#undef OF
#define OF trm_coordinate_law

static const trm_field law_fields[] = {ALL_COORDINATE_KEYS};

const trm_form trm_form_law = {.name = "law", .size = sizeof(trm_coordinate_law), FIELDS(law_fields)};

#undef OF
#define OF trm_coordinate_def

static const trm_field coordinate_fields[] = {
    ALL_COORDINATE_KEYS,
    HIDDEN(type, text, 0), /* keys of a link */
    HIDDEN(anchor, vec3, NOT_GIVEN),
    HIDDEN(axis, vec3, NOT_GIVEN),
};

const trm_form trm_form_coordinate = {ELEMENT("coordinate", coordinate_fields)};

static const trm_field link_fields[] = {
    MUST_WORD(type, 0, EVERY, ONE_OF("hinge", "slider"), "type of the link"),
    KEY(anchor, vec3, NOT_GIVEN, EVERY, "[m] point of the axis of a hinge, in the world at the start"),
    MUST(axis, vec3, NOT_GIVEN, EVERY, "direction in the world at the start"),
    ALL_COORDINATE_KEYS,
};

static const trm_form form_link = {ELEMENT("link", link_fields)};

#undef OF
#define OF trm_term_def

static const trm_field term_fields[] = {
    MUST(joint, joint_name, 0, EVERY, "name of the joint"),
    KEY(coordinate, number, NOT_GIVEN, EVERY, "number of the coordinate, from 1, of a joint with several"),
    KEY(factor, number, NUMBER(1), EVERY, "factor of the coordinate (default: 1)"),
    COUNTED(polynomial, numbers, polynomial_count, EVERY, "coefficients of q, q^2, ..., instead of factor"),
};

const trm_form trm_form_term = {ELEMENT("term", term_fields)};

#undef OF
#define OF trm_joint_def

static const trm_field joint_fields[] = {
    KEY(name, own_name, 0, EVERY, "unique among joints"),
    MUST(type, text, 0, EVERY, "type of the joint"),
    MUST(bodies, body_names, 0, TRM_TAKES_BODIES, "the two bodies"),
    KEY(parent, parent_name, 0, TRM_TAKES_ANCHOR | TRM_TAKES_CHAIN,
        "BODY, BODY.POINT or JOINT in whose frame points and axes are given (default: the world)"),
    KEY(anchor, vec3, NOT_GIVEN, TRM_TAKES_ANCHOR, "[m] position in the world at the start"),
    KEY(axis, vec3, NOT_GIVEN, TRM_TAKES_AXIS, "direction in the world at the start"),
    KEY(x_axis, vec3, NOT_GIVEN, TRM_TAKES_X_AXIS,
        "x axis of the joint's frame, a direction in the world at the start, not parallel to axis"),
    KEY(axis2, vec3, NOT_GIVEN, TRM_TAKES_AXIS2, "direction in the world at the start, perpendicular to axis"),
    KEY(anchors, vec3_pair, NOT_GIVEN, TRM_TAKES_ANCHOR | TRM_TAKES_LENGTH | TRM_TAKES_SPAN,
        "[m] points in the frames of the two bodies, instead of anchor"),
    KEY(axes, vec3_pair, NOT_GIVEN, TRM_TAKES_AXIS, "directions in the frames of the two bodies, instead of axis"),
    KEY(length, number, NOT_GIVEN, TRM_TAKES_LENGTH, "[m] length (default: the initial distance)"),
    KEY(rope, flag, 0, TRM_TAKES_LENGTH | TRM_TAKES_TERMS,
        "whether the length, or the offset of a coupling, is an upper limit (default: false)"),
    OBJECT(curve, TRM_TAKES_CURVE, &form_curve, "carried by the first body"),
    OBJECT(surface, TRM_TAKES_SURFACE, &form_surface, "carried by the first body"),
    MUST(pitch, number, NOT_GIVEN, TRM_TAKES_PITCH, "[m/rad] advance"),
    KEY(q0, coordinates, 0, TRM_TAKES_COORDINATE, "[m or rad] values of the coordinates at the start"),
    COORDINATE_KEYS(TRM_TAKES_LIMITS),
    KEY(mu, number, 0, TRM_TAKES_TERMS,
        "coefficient of friction of a rope of two spans around its pulley (default: 0)"),
    KEY(wrap, number, NOT_GIVEN, TRM_TAKES_TERMS, "[rad] angle of the rope around its pulley"),
    KEY(damping, number, 0, TRM_TAKES_DAMPING,
        "[N m s/rad] damping of the relative angular velocity of the two bodies (default: 0)"),
    SIZED_LIST(coordinates, coordinate_count, coordinate_size, TRM_TAKES_EACH, &trm_form_coordinate,
               "limits, friction, springs and dampers of each coordinate, in order"),
    MUST_SIZED_LIST("chain", coordinates, coordinate_count, coordinate_size, TRM_TAKES_CHAIN, &form_link,
                    "one to six hinges and sliders in a row, from the first body to the second"),
    KEY(limit_restitution, number, 0, TRM_TAKES_LIMITS | TRM_TAKES_LENGTH | TRM_TAKES_TERMS,
        "coefficient of restitution, 0 (no bounce) to 1 (elastic)"),
    GROUP("break", TRM_TAKES_BODIES, &form_break, "force and torque above which the joint breaks"),
    KEY(erp, number, NOT_GIVEN, EVERY,
        "0 .. 1: fraction of the constraint error that lcp removes per step (default: lcp.erp)"),
    KEY(cfm, number, NOT_GIVEN, EVERY, "[(m/s)/N or (rad/s)/(N m)] compliance in the method lcp (default: lcp.cfm)"),
    GROUP("spring", EVERY, &form_spring,
          "makes each row of the joint a spring with a damper, instead of erp and cfm"),
    KEY(attached, flag, YES, TRM_TAKES_BODIES | TRM_TAKES_JOINTS | TRM_TAKES_TERMS | TRM_TAKES_SUM,
        "whether the joint is attached at the start (default: true)"),
    WORD(align, TEXT("start"), TRM_TAKES_BODIES, ONE_OF("start", "now"),
         "for a fixed joint: the relative pose that it keeps, that of the start or that of its attachment"),
    KEY(collide, flag, 0, TRM_TAKES_BODIES, "whether the two bodies collide with each other (default: false)"),
    MUST(joint, joint_name, 0, TRM_TAKES_JOINT, "name of the joint on whose coordinate it acts"),
    KEY(coordinate, number, NOT_GIVEN, TRM_TAKES_JOINT, "number of the coordinate, from 1, of a joint with several"),
    MUST(motion, function, 0, TRM_TAKES_MOTION, "[m or rad] coordinate as a function of time"),
    MUST(velocity, function, 0, TRM_TAKES_VELOCITY, "[m/s or rad/s] requested rate, a function of time"),
    KEY_AS("max", max_force, number, NUMBER(INFINITY), TRM_TAKES_VELOCITY,
           "[N or N m] limit of the force (default: no limit)"),
    MUST(joints, joint_names, 0, TRM_TAKES_JOINTS, "the two joints whose coordinates are coupled"),
    KEY_AS("coordinates", geared, range, NOT_GIVEN, TRM_TAKES_JOINTS,
           "numbers of the coordinates, from 1, of joints with several"),
    MUST(ratio, number, NOT_GIVEN, TRM_TAKES_JOINTS, "ratio in q1 = ratio q2 + offset"),
    MUST_SIZED_LIST("terms", terms, term_count, term_size, TRM_TAKES_TERMS | TRM_TAKES_SUM, &trm_form_term,
                    "coordinates whose functions are added"),
    KEY(offset, number, NOT_GIVEN, TRM_TAKES_JOINTS | TRM_TAKES_TERMS,
        "[m or rad] value of q1 - ratio q2, or of the sum of the terms (default: the initial value)"),
};

/* Types listed under "joints", or those listed under "forces". */
static trm_variant variant_among(bool among_forces, int index)
{
    for (int i = 0; trm_joint_type_at(i); i++) {
        const trm_joint_type *type = trm_joint_type_at(i);
        if (type->among_forces == among_forces && index-- == 0) return (trm_variant){type->name, type->takes, NULL};
    }
    return (trm_variant){NULL, 0, NULL};
}

static trm_variant joint_variant(int index)
{
    return variant_among(false, index);
}

static trm_variant drive_variant(int index)
{
    return variant_among(true, index);
}

/* The model has joints and drives in one list. */
static trm_variant variant_of_joint(const void *joint)
{
    const char *name = ((const trm_joint_def *)joint)->type;
    const trm_joint_type *type = name ? trm_find_joint_type(name) : NULL;
    return type ? (trm_variant){type->name, type->takes, NULL} : (trm_variant){NULL, ~0u, NULL};
}

const trm_form trm_form_joint = {ELEMENT("joint", joint_fields), .repeats = true, .variant = joint_variant,
                                 .variant_of = variant_of_joint};

const trm_form trm_form_drive = {ELEMENT("drive", joint_fields), .repeats = true, .variant = drive_variant,
                                 .variant_of = variant_of_joint};

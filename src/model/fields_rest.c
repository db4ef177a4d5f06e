/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of all else: inputs, poses, contacts, events, sensors, outputs, and of the model that contains them. */

#include "model/fields.h"

/* ---- Contacts, events, sensors ------------------------------------------------------------ */

#define OF trm_contact_def

static const trm_field contact_fields[] = {
    MUST(bodies, body_names, 0, EVERY, "the two bodies"),
    KEY(friction, friction, NOT_GIVEN, EVERY, "Coulomb coefficient, or a table of it by slip speed [m/s]"),
    KEY(restitution, number, NOT_GIVEN, EVERY, "coefficient of restitution, 0 (no bounce) to 1 (elastic)"),
    KEY(rolling, number, NOT_GIVEN, EVERY, "[m] lever arm of rolling friction"),
    KEY(torsional, number, NOT_GIVEN, EVERY, "[m] lever arm of torsional friction"),
    WORD(law, TEXT("poisson"), EVERY, ONE_OF("poisson", "stronge"), "law of restitution"),
    HIDDEN_LIST(speeds, numbers, speed_count, NULL),
    HIDDEN_LIST(mus, numbers, speed_count, NULL),
};

const trm_form trm_form_contact = {ELEMENT("contact", contact_fields), .repeats = true};

#undef OF
#define OF trm_event_def

static const trm_field event_fields[] = {
    KEY(at, number, NOT_GIVEN, EVERY, "[s] time of the event"),
    KEY(when, condition, 0, EVERY, "instead of at: \"contact\", or a condition that becomes true"),
    KEY(bodies, body_names, 0, EVERY, "names of the two bodies whose contact is the event"),
    KEY(delay, number, 0, EVERY, "[s] from the event until it acts (default: 0)"),
    KEY(stop, flag, 0, EVERY, "whether the event ends the run (default: false)"),
    KEY(attach, joint_name, 0, EVERY, "name of a joint"),
    KEY(detach, joint_name, 0, EVERY, "name of a joint"),
    COUNTED_AS("set", settings, settings, setting_count, EVERY, "functions of time by name, such as servo1.target"),
};

const trm_form trm_form_event = {ELEMENT("event", event_fields), .repeats = true};

#undef OF
#define OF trm_sensor_def

static const trm_field sensor_fields[] = {
    MUST(name, own_name, 0, EVERY, "unique among sensors"),
    MUST_WORD(type, 0, EVERY, ONE_OF("accelerometer", "gyro", "angle", "rate", "force", "distance", "contact"),
              "accelerometer, gyro, angle, rate, force, distance or contact"),
    KEY(body, frame_name, 0, EVERY, "BODY, or BODY.POINT of a point or frame, that carries the sensor"),
    KEY(joint, joint_name, 0, EVERY, "name of the joint"),
    KEY(coordinate, number, NOT_GIVEN, EVERY, "number of the coordinate, from 1, of a joint with several"),
    KEY(bodies, frame_names, 0, EVERY, "names of two bodies; for a distance also BODY.POINT"),
    KEY(at, vec3, 0, EVERY, "[m] position in the frame of the body or point"),
    KEY(orientation, orientation, IDENTITY, EVERY, "orientation of the sensor in that frame"),
    KEY(anchors, vec3_pair, NOT_GIVEN, EVERY,
        "[m] for a distance: points in the frames of the bodies (default: their origins)"),
    KEY(rate, number, 0, EVERY, "[Hz] sampling rate (default: 0, every step)"),
    KEY(noise, number, 0, EVERY, "standard deviation of the noise, in the unit of the sensor (default: 0)"),
};

const trm_form trm_form_sensor = {ELEMENT("sensor", sensor_fields), .repeats = true};

/* ---- What has its name as key ------------------------------------------------------------- */

#undef OF
#define OF trm_input_def

static const trm_field input_fields[] = {
    KEY(range, range, UNBOUNDED, EVERY, "range to which values are clipped (default: no limits)"),
    KEY(start, number, 0, EVERY, "initial value (default: 0)"),
    HIDDEN(name, own_name, 0),
    HIDDEN(in_motions, flag, 0),
};

const trm_form trm_form_input = {ELEMENT("input", input_fields)};

#undef OF
#define OF trm_output_def

static const trm_field output_fields[] = {
    KEY(value, formula, 0, EVERY, "expression of quantities"),
    KEY(unit, text, 0, EVERY, "unit of the value, for display only"),
    KEY(of, frame_name, 0, EVERY, "BODY or BODY.POINT: frame whose pose is given"),
    KEY(in, frame_name, 0, EVERY, "BODY or BODY.POINT: frame in which the pose is given"),
    HIDDEN(name, own_name, 0),
};

const trm_form trm_form_output = {ELEMENT("output", output_fields)};

#undef OF
#define OF trm_pose_def

static const trm_field pose_fields[] = {
    HIDDEN(name, own_name, 0),
    HIDDEN_LIST(values, joint_values, value_count, NULL),
    COUNTED(bodies, body_frames, body_count, EVERY, "frames in the world of bodies that no joint carries"),
    COUNTED(inputs, input_values, input_count, EVERY, "values of inputs"),
};

const trm_form trm_form_pose = {ELEMENT("pose", pose_fields)};

/* ---- Simulation --------------------------------------------------------------------------- */

#undef OF
#define OF trm_simulation_def

static const trm_field tolerance_fields[] = {
    KEY_AS("position", position_tolerance, number, NOT_GIVEN, EVERY, "[m] D_max (default: by the order)"),
    KEY_AS("angle", angle_tolerance, number, NOT_GIVEN, EVERY, "[rad] D_max of angles (default: by the order)"),
    KEY_AS("velocity", velocity_tolerance, number, NOT_GIVEN, EVERY, "[m/s, rad/s] V_max (default: by the order)"),
};

const trm_form trm_form_tolerance = {.name = "tolerance", FIELDS(tolerance_fields)};

static const trm_field simulation_fields[] = {
#include "model/fields_simulation.h"
    HIDDEN_LIST(options, options, option_count, NULL),
};

const trm_form trm_form_simulation = {ELEMENT("simulation", simulation_fields)};

/* ---- The model ---------------------------------------------------------------------------- */

#undef OF
#define OF trm_model_def

static const trm_field default_fields[] = {
    KEY(friction, number, NUMBER(0.5), EVERY, "Coulomb coefficient of shapes (default: 0.5)"),
    KEY(restitution, number, 0, EVERY, "coefficient of restitution, 0 (no bounce) to 1 (elastic) (default: 0)"),
};

static const trm_form form_defaults = {.name = "defaults", FIELDS(default_fields)};

static const trm_field model_fields[] = {
    {.key = "trammel", .kind = TRM_VALUE_version, .required = true, .apart = true, .help = "version of the format"},
    APART(name, text, 0, EVERY, "name of the model"),
    COUNTED(constants, constants, constant_count, EVERY, "named numbers for expressions"),
    ELEMENTS(inputs, inputs, input_count, &trm_form_input, "named numbers that can be set during the run"),
    KEY(gravity, vec3, 0, EVERY, "[m/s^2] gravity (default: [0, 0, 0])"),
    {.key = "include", .kind = TRM_VALUE_include, .apart = true, .help = "models that are part of this one"},
    GROUP("defaults", EVERY, &form_defaults, "default properties of shapes"),
    ELEMENTS(bodies, list, body_count, &trm_form_body, "rigid bodies and point masses, free, moving or fixed"),
    ELEMENTS(joints, joints, joint_count, &trm_form_joint, "joints, drives, motors, gears and couplings"),
    ELEMENTS(forces, forces, force_count, &trm_form_force, "forces, torques, springs, dampers, servos and actuators"),
    ELEMENTS(contacts, list, contact_count, &trm_form_contact, "friction and bounce of pairs"),
    ELEMENTS(events, list, event_count, &trm_form_event, "changes during the run"),
    ELEMENTS(sensors, list, sensor_count, &trm_form_sensor, "sensors"),
    ELEMENTS(outputs, outputs, output_count, &trm_form_output, "quantities computed from results"),
    COUNTED(no_collide, pairs, no_collide_count, EVERY, "pairs that do not collide"),
    ELEMENTS(poses, poses, pose_count, &trm_form_pose, "named sets of joint coordinates"),
    {.key = "simulation",
     .kind = TRM_VALUE_simulation,
     .offset = offsetof(trm_model_def, simulation),
     .apart = true,
     .form = &trm_form_simulation,
     .help = "defaults for trammel run"},
};

const trm_form trm_form_model = {
    .name = "model",
    .size = sizeof(trm_model_def),
    FIELDS(model_fields),
};

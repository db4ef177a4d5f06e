/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The fields of all else: inputs, poses, contacts, events, sensors, outputs, and of the model that contains them. */

#include "model/fields.h"

/* ---- Contacts, events, sensors ------------------------------------------------------------ */

static const trm_field contact_fields[] = {
    MUST(trm_contact_def, "bodies", body_names, bodies, 0, EVERY, "the two bodies"),
    KEY(trm_contact_def, "friction", friction, friction, NOT_GIVEN, EVERY,
        "Coulomb coefficient, or a table of it by slip speed [m/s]"),
    KEY(trm_contact_def, "restitution", number, restitution, NOT_GIVEN, EVERY,
        "coefficient of restitution, 0 (no bounce) to 1 (elastic)"),
    KEY(trm_contact_def, "rolling", number, rolling, NOT_GIVEN, EVERY, "[m] lever arm of rolling friction"),
    KEY(trm_contact_def, "torsional", number, torsional, NOT_GIVEN, EVERY, "[m] lever arm of torsional friction"),
    WORD(trm_contact_def, "law", law, TEXT("poisson"), EVERY, ONE_OF("poisson", "stronge"), "law of restitution"),
    HIDDEN_LIST(trm_contact_def, numbers, speeds, speed_count, NULL),
    HIDDEN_LIST(trm_contact_def, numbers, mus, speed_count, NULL),
};

const trm_form trm_form_contact = {
    .name = "contact",
    .size = sizeof(trm_contact_def),
    FIELDS(contact_fields),
    .has_place = true,
    .repeats = true,
};

static const trm_field event_fields[] = {
    KEY(trm_event_def, "at", number, at, NOT_GIVEN, EVERY, "[s] time of the event"),
    KEY(trm_event_def, "when", condition, when, 0, EVERY,
        "instead of at: \"contact\", or a condition that becomes true"),
    KEY(trm_event_def, "bodies", body_names, bodies, 0, EVERY, "names of the two bodies whose contact is the event"),
    KEY(trm_event_def, "delay", number, delay, 0, EVERY, "[s] from the event until it acts (default: 0)"),
    KEY(trm_event_def, "stop", flag, stop, 0, EVERY, "whether the event ends the run (default: false)"),
    KEY(trm_event_def, "attach", joint_name, attach, 0, EVERY, "name of a joint"),
    KEY(trm_event_def, "detach", joint_name, detach, 0, EVERY, "name of a joint"),
    COUNTED(trm_event_def, "set", settings, settings, setting_count, EVERY,
            "functions of time by name, such as servo1.target"),
};

const trm_form trm_form_event = {
    .name = "event",
    .size = sizeof(trm_event_def),
    FIELDS(event_fields),
    .has_place = true,
    .repeats = true,
};

static const trm_field sensor_fields[] = {
    MUST(trm_sensor_def, "name", own_name, name, 0, EVERY, "unique among sensors"),
    MUST_WORD(trm_sensor_def, "type", type, 0, EVERY,
              ONE_OF("accelerometer", "gyro", "angle", "rate", "force", "distance", "contact"),
              "accelerometer, gyro, angle, rate, force, distance or contact"),
    KEY(trm_sensor_def, "body", frame_name, body, 0, EVERY,
        "BODY, or BODY.POINT of a point or frame, that carries the sensor"),
    KEY(trm_sensor_def, "joint", joint_name, joint, 0, EVERY, "name of the joint"),
    KEY(trm_sensor_def, "coordinate", number, coordinate, NOT_GIVEN, EVERY,
        "number of the coordinate, from 1, of a joint with several"),
    KEY(trm_sensor_def, "bodies", frame_names, bodies, 0, EVERY,
        "names of two bodies; for a distance also BODY.POINT"),
    KEY(trm_sensor_def, "at", vec3, at, 0, EVERY, "[m] position in the frame of the body or point"),
    KEY(trm_sensor_def, "orientation", orientation, orientation, IDENTITY, EVERY,
        "orientation of the sensor in that frame"),
    KEY(trm_sensor_def, "anchors", vec3_pair, anchors, NOT_GIVEN, EVERY,
        "[m] for a distance: points in the frames of the bodies (default: their origins)"),
    KEY(trm_sensor_def, "rate", number, rate, 0, EVERY, "[Hz] sampling rate (default: 0, every step)"),
    KEY(trm_sensor_def, "noise", number, noise, 0, EVERY,
        "standard deviation of the noise, in the unit of the sensor (default: 0)"),
};

const trm_form trm_form_sensor = {
    .name = "sensor",
    .size = sizeof(trm_sensor_def),
    FIELDS(sensor_fields),
    .has_place = true,
    .repeats = true,
};

/* ---- What has its name as key ------------------------------------------------------------- */

static const trm_field input_fields[] = {
    KEY(trm_input_def, "range", range, range, UNBOUNDED, EVERY,
        "range to which values are clipped (default: no limits)"),
    KEY(trm_input_def, "start", number, start, 0, EVERY, "initial value (default: 0)"),
    HIDDEN(trm_input_def, own_name, name, 0),
    HIDDEN(trm_input_def, flag, in_motions, 0),
};

const trm_form trm_form_input = {
    .name = "input",
    .size = sizeof(trm_input_def),
    FIELDS(input_fields),
    .has_place = true,
};

static const trm_field output_fields[] = {
    KEY(trm_output_def, "value", formula, value, 0, EVERY, "expression of quantities"),
    KEY(trm_output_def, "unit", text, unit, 0, EVERY, "unit of the value, for display only"),
    KEY(trm_output_def, "of", frame_name, of, 0, EVERY, "BODY or BODY.POINT: frame whose pose is given"),
    KEY(trm_output_def, "in", frame_name, in, 0, EVERY, "BODY or BODY.POINT: frame in which the pose is given"),
    HIDDEN(trm_output_def, own_name, name, 0),
};

const trm_form trm_form_output = {
    .name = "output",
    .size = sizeof(trm_output_def),
    FIELDS(output_fields),
    .has_place = true,
};

static const trm_field pose_fields[] = {
    HIDDEN(trm_pose_def, own_name, name, 0),
    HIDDEN_LIST(trm_pose_def, joint_values, values, value_count, NULL),
    COUNTED(trm_pose_def, "bodies", body_frames, bodies, body_count, EVERY,
            "frames in the world of bodies that no joint carries"),
    COUNTED(trm_pose_def, "inputs", input_values, inputs, input_count, EVERY, "values of inputs"),
};

const trm_form trm_form_pose = {
    .name = "pose",
    .size = sizeof(trm_pose_def),
    FIELDS(pose_fields),
    .has_place = true,
};

/* ---- Simulation --------------------------------------------------------------------------- */

static const trm_field tolerance_fields[] = {
    KEY(trm_simulation_def, "position", number, position_tolerance, NOT_GIVEN, EVERY,
        "[m] D_max (default: by the order)"),
    KEY(trm_simulation_def, "angle", number, angle_tolerance, NOT_GIVEN, EVERY,
        "[rad] D_max of angles (default: by the order)"),
    KEY(trm_simulation_def, "velocity", number, velocity_tolerance, NOT_GIVEN, EVERY,
        "[m/s, rad/s] V_max (default: by the order)"),
};

const trm_form trm_form_tolerance = {.name = "tolerance", FIELDS(tolerance_fields)};

static const trm_field simulation_fields[] = {
#include "model/fields_simulation.h"
    HIDDEN_LIST(trm_simulation_def, options, options, option_count, NULL),
};

const trm_form trm_form_simulation = {
    .name = "simulation",
    .size = sizeof(trm_simulation_def),
    FIELDS(simulation_fields),
    .has_place = true,
};

/* ---- The model ---------------------------------------------------------------------------- */

static const trm_field default_fields[] = {
    KEY(trm_model_def, "friction", number, friction, NUMBER(0.5), EVERY,
        "Coulomb coefficient of shapes (default: 0.5)"),
    KEY(trm_model_def, "restitution", number, restitution, 0, EVERY,
        "coefficient of restitution, 0 (no bounce) to 1 (elastic) (default: 0)"),
};

static const trm_form form_defaults = {.name = "defaults", FIELDS(default_fields)};

static const trm_field model_fields[] = {
    {.key = "trammel", .kind = TRM_VALUE_version, .required = true, .apart = true, .help = "version of the format"},
    APART(trm_model_def, "name", text, name, 0, EVERY, "name of the model"),
    COUNTED(trm_model_def, "constants", constants, constants, constant_count, EVERY, "named numbers for expressions"),
    ELEMENTS(trm_model_def, "inputs", inputs, inputs, input_count, &trm_form_input,
             "named numbers that can be set during the run"),
    KEY(trm_model_def, "gravity", vec3, gravity, 0, EVERY, "[m/s^2] gravity (default: [0, 0, 0])"),
    {.key = "include", .kind = TRM_VALUE_include, .apart = true, .help = "models that are part of this one"},
    GROUP("defaults", EVERY, &form_defaults, "default properties of shapes"),
    ELEMENTS(trm_model_def, "bodies", list, bodies, body_count, &trm_form_body,
             "rigid bodies and point masses, free, moving or fixed"),
    ELEMENTS(trm_model_def, "joints", joints, joints, joint_count, &trm_form_joint,
             "joints, drives, motors, gears and couplings"),
    ELEMENTS(trm_model_def, "forces", forces, forces, force_count, &trm_form_force,
             "forces, torques, springs, dampers, servos and actuators"),
    ELEMENTS(trm_model_def, "contacts", list, contacts, contact_count, &trm_form_contact,
             "friction and bounce of pairs"),
    ELEMENTS(trm_model_def, "events", list, events, event_count, &trm_form_event, "changes during the run"),
    ELEMENTS(trm_model_def, "sensors", list, sensors, sensor_count, &trm_form_sensor, "sensors"),
    ELEMENTS(trm_model_def, "outputs", outputs, outputs, output_count, &trm_form_output,
             "quantities computed from results"),
    COUNTED(trm_model_def, "no_collide", pairs, no_collide, no_collide_count, EVERY, "pairs that do not collide"),
    ELEMENTS(trm_model_def, "poses", poses, poses, pose_count, &trm_form_pose, "named sets of joint coordinates"),
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

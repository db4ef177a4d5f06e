/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sensors and keyframes of MJCF.
 *
 *     accelerometer, gyro   at a site            jointpos, jointvel   angle, rate
 *     tendonpos             distance of two sites, or the coordinate of a fixed tendon; tendonvel   rate of the latter
 *     key                   a pose: qpos holds one number of each hinge and slide, 4 of a ball, 7 of a free joint, in the order of the
 *                           joints in the file */

#include <math.h>
#include <string.h>

#include "io/mjcf.h"
#include "math/rotation.h"

/* ---- Sensors ------------------------------------------------------------------------------ */

static bool is_taken(const trm_model_def *def, const char *name)
{
    for (int i = 0; i < def->sensor_count; i++)
        if (strcmp(def->sensors[i].name, name) == 0) return true;
    for (int i = 0; i < def->body_count; i++)
        if (strcmp(def->bodies[i].name, name) == 0) return true;
    for (int i = 0; i < def->joint_count; i++)
        if (strcmp(def->joints[i].name, name) == 0) return true;
    return false;
}

static trm_sensor_def sensor_of(trm_mjcf *m, trm_xml *element, const char *type)
{
    trm_sensor_def def = trm_default_sensor_def();
    const trm_mjcf_at at = {m, element, "sensor", -1};
    const char *given = trm_xml_value(element, "name");
    const char *name = given ? trm_robot_keep_name(&m->robot, given) : NULL;
    trm_arena *arena = m->in->def->arena;
    def.place = element->place;
    def.type = type;
    def.name = name ? name : trm_arena_format(arena, "sensor #%d", m->in->def->sensor_count);
    for (int k = 1; def.name && is_taken(m->in->def, def.name); k++)
        def.name = k == 1 ? trm_arena_format(arena, "%s sensor", name ? name : "")
                          : trm_arena_format(arena, "%s sensor %d", name ? name : "", k);
    def.noise = fmax(trm_mjcf_number(&at, "noise", 0), 0);
    return def;
}

static bool put_sensor(trm_mjcf *m, const trm_sensor_def *def)
{
    return def->name && trm_add_sensor(m->in->def, def) == TRM_OK;
}

static bool read_inertial_sensor(trm_mjcf *m, trm_xml *element, const char *type)
{
    const char *name = trm_xml_value(element, "site");
    const trm_mjcf_site *site = name ? trm_mjcf_find_site(m, element, name) : NULL;
    if (!site) return true;
    if (site->part < 0 || m->robot.parts[m->robot.parts[site->part].body].fixed) {
        trm_add_warning(m->in->messages, element->place, "<%s> is not used: its site does not move", element->name);
        return true;
    }
    trm_sensor_def def = sensor_of(m, element, type);
    const trm_robot_part *body = &m->robot.parts[m->robot.parts[site->part].body];
    const trm_pose X = trm_pose_mul(trm_pose_inverse(body->world), site->world);
    def.body = trm_robot_body_name(&m->robot, site->part);
    def.at = X.p;
    def.orientation = X.q;
    return def.body && put_sensor(m, &def);
}

static bool read_joint_sensor(trm_mjcf *m, trm_xml *element, const char *type)
{
    const char *name = trm_xml_value(element, "joint");
    const trm_mjcf_joint *joint = name ? trm_mjcf_find_joint(m, element, name) : NULL;
    const trm_robot_coordinate *q = joint ? trm_robot_coordinate_of(&m->robot, joint->name) : NULL;
    if (!q) {
        trm_add_warning(m->in->messages, element->place,
                        "<%s> is not used: its joint has no coordinate of its own here", element->name);
        return true;
    }
    trm_sensor_def def = sensor_of(m, element, type);
    def.joint = trm_arena_text(m->in->def->arena, q->joint);
    if (q->count > 1) def.coordinate = q->index + 1;
    return def.joint && put_sensor(m, &def);
}

/* Adds a sensor of the coordinate of a fixed tendon, or of the rate of that coordinate. Returns false if out of
 * memory. */
static bool read_sum_sensor(trm_mjcf *m, trm_xml *element, trm_mjcf_tendon *tendon, bool rate)
{
    trm_mjcf_line line;
    if (!trm_mjcf_tendon_line(m, tendon, &line)) return false;
    if (!line.q || line.gear != 1 || (!rate && line.offset != 0)) {
        trm_add_warning(m->in->messages, element->place, "<%s> is not used: %s", element->name,
                        line.q ? "the length of its tendon is not the coordinate of a joint here" : line.why);
        return true;
    }
    trm_sensor_def def = sensor_of(m, element, rate ? "rate" : "angle");
    def.joint = trm_arena_text(m->in->def->arena, line.q->joint);
    if (line.q->count > 1) def.coordinate = line.q->index + 1;
    return def.joint && put_sensor(m, &def);
}

static bool read_tendon_sensor(trm_mjcf *m, trm_xml *element)
{
    const char *name = trm_xml_value(element, "tendon");
    const bool rate = strcmp(element->name, "tendonvel") == 0;
    trm_mjcf_tendon *tendon = name ? trm_mjcf_find_tendon(m, element, name) : NULL;
    if (tendon && tendon->term_count > 0) return read_sum_sensor(m, element, tendon, rate);
    if (!tendon || !tendon->straight || rate) {
        trm_add_warning(
            m->in->messages, element->place,
            "<%s> is not used: only the length of a tendon between two sites is measured, and length and rate "
            "of a fixed one",
            element->name);
        return true;
    }
    trm_sensor_def def = sensor_of(m, element, "distance");
    const int parts[2] = {tendon->sites[0]->part, tendon->sites[1]->part};
    const trm_vec3 ends[2] = {tendon->sites[0]->world.p, tendon->sites[1]->world.p};
    for (int k = 0; k < 2; k++) def.bodies[k] = trm_robot_body_name(&m->robot, parts[k]);
    trm_robot_set_ends(&m->robot, parts, ends, def.anchors);
    return put_sensor(m, &def);
}

static bool read_sensor(trm_mjcf *m, trm_xml *e)
{
    static const char *const KINDS[][2] = {
        {"accelerometer", "accelerometer"}, {"gyro", "gyro"}, {"jointpos", "angle"}, {"jointvel", "rate"}};
    for (int i = 0; i < 4; i++) {
        if (strcmp(e->name, KINDS[i][0]) != 0) continue;
        e->used = true;
        return i < 2 ? read_inertial_sensor(m, e, KINDS[i][1]) : read_joint_sensor(m, e, KINDS[i][1]);
    }
    if (strcmp(e->name, "tendonpos") != 0 && strcmp(e->name, "tendonvel") != 0) return true;
    e->used = true;
    return read_tendon_sensor(m, e);
}

bool trm_mjcf_read_sensors(trm_mjcf *m, trm_xml *root)
{
    for (trm_xml *list = trm_xml_child(root, "sensor"); list; list = trm_xml_again(list))
        for (trm_xml *e = list->first_child; e; e = e->next)
            if (!read_sensor(m, e)) return false;
    return true;
}

/* ---- Keyframes ---------------------------------------------------------------------------- */

static int width_of(const trm_mjcf *m, const trm_mjcf_joint *joint)
{
    const char *type = m->robot.connections[joint->connection].type;
    if (joint->freedom >= 0 || !type) return 1;
    return strcmp(type, "free") == 0 ? 7 : 4;
}

/* Returns the entry for the coordinates of a joint, which is added if necessary. Returns NULL if out of memory. */
static trm_joint_value *value_of(trm_mjcf *m, trm_pose_def *pose, const char *joint)
{
    trm_joint_value *values = (trm_joint_value *)(uintptr_t)pose->values; /* in the definition's arena */
    for (int i = 0; joint && i < pose->value_count; i++)
        if (strcmp(values[i].joint, joint) == 0) return &values[i];
    trm_joint_value *made = joint ? TRM_ADD(m->in->def->arena, pose->values, pose->value_count) : NULL;
    if (!made) return NULL;
    made->joint = trm_arena_text(m->in->def->arena, joint);
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) made->q[k] = NAN;
    return made;
}

/* Turns w x y z of a ball joint, which is 1 0 0 0 in the reference pose, into the rotation vector of our ball joint, whose
 * frames have the axes of the first body. */
static void set_ball(const trm_mjcf *m, const trm_connection *c, const double *wxyz, double *q)
{
    const trm_robot_part *parts = m->robot.parts;
    const trm_quat turn = trm_quat_unit((trm_quat){wxyz[0], wxyz[1], wxyz[2], wxyz[3]});
    const trm_quat A = c->parts[0] < 0 ? trm_quat_identity() : parts[parts[c->parts[0]].body].world.q;
    const trm_vec3 r = trm_rotate_back(A, trm_rotate(parts[c->parts[1]].world.q, trm_quat_log(turn)));
    q[0] = r.x, q[1] = r.y, q[2] = r.z;
}

/* Adds the frame of the body that a free joint moves. Returns false if out of memory. */
static bool place_body(trm_mjcf *m, trm_pose_def *pose, int part, const double *qpos)
{
    const trm_robot_part *p = &m->robot.parts[part];
    trm_named_frame *made = TRM_ADD(m->in->def->arena, pose->bodies, pose->body_count);
    const trm_pose own = {trm_quat_unit((trm_quat){qpos[3], qpos[4], qpos[5], qpos[6]}), {qpos[0], qpos[1], qpos[2]}};
    const trm_pose X = trm_pose_mul(own, trm_pose_inverse(p->in_body));
    if (!made) return false;
    *made = (trm_named_frame){.name = trm_robot_body_name(&m->robot, part), .position = X.p, .orientation = X.q};
    return made->name != NULL;
}

/* Adds what the numbers of one joint say. Returns false if out of memory. */
static bool pose_joint(trm_mjcf *m, trm_pose_def *pose, const trm_mjcf_joint *joint, const double *qpos)
{
    const trm_connection *c = &m->robot.connections[joint->connection];
    const trm_robot_coordinate *own = joint->freedom >= 0 ? trm_robot_coordinate_of(&m->robot, joint->name) : NULL;
    const bool ball = joint->freedom < 0 && c->type && strcmp(c->type, "ball") == 0;
    if (joint->freedom < 0 && !ball) return place_body(m, pose, c->parts[1], qpos);
    if (!own && !ball) return true;
    trm_joint_value *value = value_of(m, pose, own ? own->joint : trm_robot_keep_name(&m->robot, c->name));
    if (value && own) value->q[own->index] = *qpos - own->shift;
    if (value && ball) set_ball(m, c, qpos, value->q);
    return value != NULL;
}

/* Adds the controls of a keyframe, within the ranges of the inputs. Returns false if out of memory. */
static bool pose_inputs(trm_mjcf *m, trm_pose_def *pose, trm_xml *element)
{
    const char *text = trm_xml_value(element, "ctrl");
    double *ctrl = TRM_NEW_ARRAY(m->in->scratch, double, m->controls.count + 1);
    trm_constant *inputs = TRM_NEW_ARRAY(m->in->def->arena, trm_constant, m->controls.count);
    if (!ctrl || !inputs) return false;
    if (!text) return true;
    const int count = trm_xml_list(element, "ctrl", text, ctrl, m->controls.count + 1, m->in->messages);
    if (count >= 0 && count != m->controls.count)
        trm_add_warning(m->in->messages, element->place,
                        "<key>: ctrl does not have %d numbers, one for each actuator; it is not used",
                        m->controls.count);
    for (int i = 0; count == m->controls.count && i < count; i++) {
        const int input = m->controls.input[i];
        if (input < 0) continue; /* its actuator is not used, which is said */
        const trm_input_def *def = &m->in->def->inputs[input];
        inputs[pose->input_count++] = (trm_constant){def->name, fmax(def->range[0], fmin(def->range[1], ctrl[i]))};
    }
    pose->inputs = inputs;
    return true;
}

/* Adds a pose of the numbers of all joints, with the controls. Returns false if out of memory. */
static bool add_pose(trm_mjcf *m, const char *name, trm_xml *element, const double *qpos)
{
    trm_pose_def pose = {.place = element->place, .name = trm_arena_text(m->in->def->arena, name)};
    if (!pose.name || !pose_inputs(m, &pose, element)) return false;
    for (int i = 0; i < m->joint_count; i++) {
        if (!pose_joint(m, &pose, &m->joints[i], qpos)) return false;
        qpos += width_of(m, &m->joints[i]);
    }
    return trm_add_pose(m->in->def, &pose) == TRM_OK;
}

static bool read_key(trm_mjcf *m, trm_xml *element, int number)
{
    const char *text = trm_xml_value(element, "qpos"), *name = trm_xml_value(element, "name");
    int needed = 0;
    for (int i = 0; i < m->joint_count; i++) needed += width_of(m, &m->joints[i]);
    double *qpos = TRM_NEW_ARRAY(m->in->scratch, double, needed + 1);
    if (!name) name = trm_arena_format(m->in->scratch, "key %d", number);
    if (!qpos || !name) return false;
    if (!text) return true;
    const int count = trm_xml_list(element, "qpos", text, qpos, needed + 1, m->in->messages);
    if (count == needed) return add_pose(m, name, element, qpos);
    if (count >= 0)
        trm_add_warning(m->in->messages, element->place,
                        "<key>: qpos has %s%d numbers, and the joints have %d; it is not used",
                        count > needed ? "more than " : "", count > needed ? needed : count, needed);
    return true;
}

bool trm_mjcf_read_keyframes(trm_mjcf *m, trm_xml *root)
{
    int number = 0;
    for (trm_xml *list = trm_xml_child(root, "keyframe"); list; list = trm_xml_again(list))
        for (trm_xml *e = trm_xml_child(list, "key"); e; e = trm_xml_again(e))
            if (!read_key(m, e, number++)) return false;
    return true;
}

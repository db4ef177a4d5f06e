/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sensors and keyframes of MJCF.
 *
 *     accelerometer, gyro   at a site            jointpos, jointvel   angle, rate            tendonpos   distance of two sites
 *     key                   a pose: qpos holds one number of each hinge and slide, 4 of a ball, 7 of a free joint, in the order of the
 *                           joints in the file */

#include <math.h>
#include <string.h>

#include "io/mjcf.h"

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
        trm_add_message(m->in->messages, TRM_WARNING, element->place, "", "<%s> is not used: its site does not move",
                        element->name);
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
        trm_add_message(m->in->messages, TRM_WARNING, element->place, "",
                        "<%s> is not used: its joint has no coordinate of its own here", element->name);
        return true;
    }
    trm_sensor_def def = sensor_of(m, element, type);
    def.joint = trm_arena_text(m->in->def->arena, q->joint);
    if (q->count > 1) def.coordinate = q->index + 1;
    return def.joint && put_sensor(m, &def);
}

static bool read_tendon_sensor(trm_mjcf *m, trm_xml *element)
{
    const char *name = trm_xml_value(element, "tendon");
    const trm_mjcf_tendon *tendon = name ? trm_mjcf_find_tendon(m, element, name) : NULL;
    if (!tendon || !tendon->straight) {
        trm_add_message(m->in->messages, TRM_WARNING, element->place, "",
                        "<tendonpos> is not used: only the length of a tendon between two sites is measured");
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
    if (strcmp(e->name, "tendonpos") != 0) return true;
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
static trm_joint_value *value_of(trm_mjcf *m, trm_joint_value **values, int *count, const char *joint)
{
    for (int i = 0; i < *count; i++)
        if (strcmp((*values)[i].joint, joint) == 0) return &(*values)[i];
    trm_joint_value *grown = trm_arena_grow(m->in->def->arena, *values, *count, sizeof *grown);
    if (!grown) return NULL;
    *values = grown;
    grown[*count] = (trm_joint_value){.joint = trm_arena_text(m->in->def->arena, joint)};
    for (int k = 0; k < TRM_JOINT_COORDINATES; k++) grown[*count].q[k] = NAN;
    return &grown[(*count)++];
}

/* Adds a pose from the numbers of all joints. Returns false if out of memory. */
static bool add_pose(trm_mjcf *m, const char *name, trm_place place, const double *qpos)
{
    trm_joint_value *values = NULL;
    int count = 0, left_out = 0;
    for (int i = 0; i < m->joint_count; i++) {
        const trm_mjcf_joint *joint = &m->joints[i];
        const trm_robot_coordinate *q = joint->freedom >= 0 ? trm_robot_coordinate_of(&m->robot, joint->name) : NULL;
        trm_joint_value *value = q ? value_of(m, &values, &count, q->joint) : NULL;
        if (q && !value) return false;
        if (value) value->q[q->index] = *qpos - q->shift;
        left_out += !q;
        qpos += width_of(m, joint);
    }
    if (left_out > 0 && m->in->def->pose_count == 0)
        trm_add_message(m->in->messages, TRM_WARNING, place, "",
                        "poses hold the coordinates of hinges and slides; %d other joints stay as at the start",
                        left_out);
    const trm_pose_def pose = {
        .place = place, .name = trm_arena_text(m->in->def->arena, name), .values = values, .value_count = count};
    return pose.name && trm_add_pose(m->in->def, &pose) == TRM_OK;
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
    if (count == needed) return add_pose(m, name, element->place, qpos);
    if (count >= 0)
        trm_add_message(m->in->messages, TRM_WARNING, element->place, "",
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

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Shapes, loops, couplings, springs and actuators of a model as MJCF (mjcf_write.c).
 *
 *     spring -> spatial tendon between two sites      gear -> equality of joints         effort, servo of an input -> motor, position */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/mjcf_write.h"
#include "math/rotation.h"

/* ---- Shapes ------------------------------------------------------------------------------- */

static bool is_type(const char *type, const char *name)
{
    return type && strcmp(type, name) == 0;
}

static bool has_points(const trm_shape_def *s)
{
    return is_type(s->type, "hull") || is_type(s->type, "mesh");
}

static void put_points(trm_mjcf_writer *w, const trm_shape_def *s)
{
    const bool mesh = is_type(s->type, "mesh");
    trm_mjcf_put(w, " vertex=\"");
    for (int i = 0; i < s->point_count; i++) {
        char numbers[3][TRM_NUMBER_TEXT], line[3 * TRM_NUMBER_TEXT + 4];
        trm_format_number(numbers[0], s->points[i].x * (mesh ? s->scale.x : 1));
        trm_format_number(numbers[1], s->points[i].y * (mesh ? s->scale.y : 1));
        trm_format_number(numbers[2], s->points[i].z * (mesh ? s->scale.z : 1));
        snprintf(line, sizeof line, "%s %s %s ", numbers[0], numbers[1], numbers[2]);
        trm_mjcf_put(w, line);
    }
    trm_mjcf_put(w, "\"");
    if (!mesh) return;
    trm_mjcf_put(w, " face=\"");
    const bool mirrored = s->scale.x * s->scale.y * s->scale.z < 0;
    for (int i = 0; i < s->triangle_count; i++) {
        char line[60];
        const int *t = s->triangles[i];
        snprintf(line, sizeof line, "%d %d %d ", t[mirrored ? 1 : 0], t[mirrored ? 0 : 1], t[2]);
        trm_mjcf_put(w, line);
    }
    trm_mjcf_put(w, "\"");
}

static const char *mesh_name(trm_mjcf_writer *w, const trm_body_def *body, int shape)
{
    return trm_arena_format(w->scratch, "%s mesh %d", body->name, shape);
}

void trm_mjcf_put_assets(trm_mjcf_writer *w)
{
    trm_mjcf_put(w, "<asset>\n");
    for (int b = 0; b < w->def->body_count; b++)
        for (int i = 0; i < w->def->bodies[b].shape_count; i++) {
            if (!has_points(&w->def->bodies[b].shapes[i])) continue;
            trm_mjcf_put(w, "<mesh");
            trm_mjcf_put_name(w, "name", mesh_name(w, &w->def->bodies[b], i));
            put_points(w, &w->def->bodies[b].shapes[i]);
            trm_mjcf_put(w, "/>\n");
        }
    trm_mjcf_put(w, "</asset>\n");
}

static void put_size(trm_mjcf_writer *w, const trm_shape_def *s)
{
    const bool box = is_type(s->type, "box") || is_type(s->type, "ellipsoid");
    const double half[3] = {s->size.x / 2, s->size.y / 2, s->size.z / 2}, round[2] = {s->radius, s->length / 2};
    const double plane[3] = {0, 0, 1};
    if (box) trm_mjcf_put_numbers(w, "size", half, 3);
    if (is_type(s->type, "sphere")) trm_mjcf_put_numbers(w, "size", round, 1);
    if (is_type(s->type, "capsule") || is_type(s->type, "cylinder")) trm_mjcf_put_numbers(w, "size", round, 2);
    if (is_type(s->type, "plane")) trm_mjcf_put_numbers(w, "size", plane, 3);
}

/* Writes a colour "#rrggbb" as rgba. */
static void put_color(trm_mjcf_writer *w, const trm_shape_def *s)
{
    unsigned rgb[3] = {128, 128, 128};
    const bool given = s->color && sscanf(s->color, "#%2x%2x%2x", &rgb[0], &rgb[1], &rgb[2]) == 3;
    const double rgba[4] = {rgb[0] / 255.0, rgb[1] / 255.0, rgb[2] / 255.0, s->hidden ? 0 : 1};
    if (given || s->hidden) trm_mjcf_put_numbers(w, "rgba", rgba, 4);
}

static void put_geom(trm_mjcf_writer *w, const trm_body_def *body, int index)
{
    const trm_shape_def *s = &body->shapes[index];
    const bool plane = is_type(s->type, "plane");
    const trm_quat turned = plane ? trm_quat_between(trm_axis(2), trm_v3_unit(s->normal)) : s->orientation;
    const double q[4] = {turned.w, turned.x, turned.y, turned.z};
    const double group = s->collide ? s->group : 0, mask = s->collide ? s->mask : 0;
    const double friction[3] = {isnan(s->friction) ? w->def->friction : s->friction, s->torsional, s->rolling};
    const double condim = s->rolling > 0 ? 6 : s->torsional > 0 ? 4 : 3;
    trm_mjcf_put(w, "<geom");
    trm_mjcf_put_name(w, "type", has_points(s) ? "mesh" : s->type);
    if (has_points(s)) trm_mjcf_put_name(w, "mesh", mesh_name(w, body, index));
    put_size(w, s);
    trm_mjcf_put_vector(w, "pos", plane ? trm_v3_scale(s->offset, trm_v3_unit(s->normal)) : s->position);
    if (q[0] != 1) trm_mjcf_put_numbers(w, "quat", q, 4);
    trm_mjcf_put_numbers(w, "contype", &group, 1);
    trm_mjcf_put_numbers(w, "conaffinity", &mask, 1);
    trm_mjcf_put_numbers(w, "friction", friction, condim > 3 ? 3 : 1);
    if (condim > 3) trm_mjcf_put_numbers(w, "condim", &condim, 1);
    if (s->priority != 0) trm_mjcf_put_numbers(w, "priority", &s->priority, 1);
    put_color(w, s);
    trm_mjcf_put(w, "/>\n");
}

void trm_mjcf_put_geoms(trm_mjcf_writer *w, const trm_body_def *body)
{
    for (int i = 0; i < body->shape_count; i++) put_geom(w, body, i);
}

/* ---- Sites -------------------------------------------------------------------------------- */

static void put_site(trm_mjcf_writer *w, const char *name, trm_vec3 at)
{
    trm_mjcf_put(w, "<site");
    trm_mjcf_put_name(w, "name", name);
    trm_mjcf_put_vector(w, "pos", at);
    trm_mjcf_put(w, "/>\n");
}

static bool is_spring(const trm_force_def *f)
{
    return is_type(f->type, "spring") && f->bodies[0] && f->bodies[1];
}

static const char *site_name(trm_mjcf_writer *w, int force, int end)
{
    return trm_arena_format(w->scratch, "spring %d end %d", force, end + 1);
}

/* Writes sites for the points of a body and the ends of springs on it; -1: the ground. */
void trm_mjcf_put_sites(trm_mjcf_writer *w, int body)
{
    for (int i = 0; body >= 0 && i < w->def->bodies[body].point_count; i++)
        put_site(w, w->def->bodies[body].points[i].name, w->def->bodies[body].points[i].position);
    for (int i = 0; i < w->def->force_count; i++) {
        const trm_force_def *f = &w->def->forces[i];
        for (int k = 0; is_spring(f) && k < 2; k++)
            if (trm_mjcf_body_of(w, f->bodies[k]) == body)
                put_site(w, site_name(w, i, k), isnan(f->anchors[k].x) ? trm_v3(0, 0, 0) : f->anchors[k]);
    }
}

/* ---- Constraints -------------------------------------------------------------------------- */

static void put_bodies(trm_mjcf_writer *w, const trm_joint_def *joint, int first)
{
    trm_mjcf_put_name(w, "body1", joint->bodies[first]);
    if (trm_mjcf_body_of(w, joint->bodies[1 - first]) >= 0) trm_mjcf_put_name(w, "body2", joint->bodies[1 - first]);
}

static void put_connect(trm_mjcf_writer *w, const trm_joint_def *joint, const char *name, trm_vec3 world)
{
    const int first = trm_mjcf_body_of(w, joint->bodies[0]) >= 0 ? 0 : 1;
    const trm_pose X = trm_mjcf_frame_of(w, trm_mjcf_body_of(w, joint->bodies[first]));
    trm_mjcf_put(w, "<connect");
    trm_mjcf_put_name(w, "name", name);
    put_bodies(w, joint, first);
    trm_mjcf_put_vector(w, "anchor", trm_pose_point_back(X, world));
    if (!joint->attached) trm_mjcf_put_name(w, "active", "false");
    trm_mjcf_put(w, "/>\n");
}

/* Writes a joint that closes a loop. Returns false if MJCF cannot represent it. */
static bool put_loop(trm_mjcf_writer *w, const trm_joint_def *joint)
{
    const trm_vec3 anchor = trm_mjcf_end_of(w, joint, 0);
    const int first = trm_mjcf_body_of(w, joint->bodies[0]) >= 0 ? 0 : 1;
    if (is_type(joint->type, "ball")) {
        put_connect(w, joint, joint->name, anchor);
        return true;
    }
    if (is_type(joint->type, "hinge")) {
        put_connect(w, joint, joint->name, anchor);
        put_connect(w, joint, trm_arena_format(w->scratch, "%s 2", joint->name),
                    trm_v3_add(anchor, trm_mjcf_axis_of(w, joint, 0)));
        return true;
    }
    if (!is_type(joint->type, "fixed")) return false;
    trm_mjcf_put(w, "<weld");
    trm_mjcf_put_name(w, "name", joint->name);
    put_bodies(w, joint, first);
    if (!joint->attached) trm_mjcf_put_name(w, "active", "false");
    trm_mjcf_put(w, "/>\n");
    return true;
}

static const trm_joint_def *joint_named(const trm_mjcf_writer *w, const char *name)
{
    for (int i = 0; name && i < w->def->joint_count; i++)
        if (w->def->joints[i].name && strcmp(w->def->joints[i].name, name) == 0 && w->in_tree[i])
            return &w->def->joints[i];
    return NULL;
}

static int index_of(double coordinate)
{
    return isnan(coordinate) ? 0 : (int)coordinate - 1;
}

static double start_of(const trm_joint_def *joint, int index)
{
    return isnan(joint->q0[index]) ? 0 : joint->q0[index];
}

/* Writes q1 - ref1 = a0 + ratio (q2 - ref2). Returns false if MJCF cannot represent it. */
static bool put_gear(trm_mjcf_writer *w, const trm_joint_def *gear)
{
    const trm_joint_def *j[2] = {joint_named(w, gear->joints[0]), joint_named(w, gear->joints[1])};
    if (!j[0] || !j[1]) return false;
    const int k[2] = {index_of(gear->geared[0]), index_of(gear->geared[1])};
    const double q1 = start_of(j[0], k[0]), q2 = start_of(j[1], k[1]);
    const double a0 = isnan(gear->offset) ? 0 : gear->ratio * q2 + gear->offset - q1;
    const double a[5] = {a0, gear->ratio, 0, 0, 0};
    trm_mjcf_put(w, "<joint");
    trm_mjcf_put_name(w, "name", gear->name);
    trm_mjcf_put_name(w, "joint1", trm_mjcf_link_name(w, j[0], k[0]));
    trm_mjcf_put_name(w, "joint2", trm_mjcf_link_name(w, j[1], k[1]));
    trm_mjcf_put_numbers(w, "polycoef", a, 5);
    if (!gear->attached) trm_mjcf_put_name(w, "active", "false");
    trm_mjcf_put(w, "/>\n");
    return true;
}

static void put_spring(trm_mjcf_writer *w, int index)
{
    const trm_force_def *f = &w->def->forces[index];
    trm_mjcf_put(w, "<spatial");
    if (f->name) trm_mjcf_put_name(w, "name", f->name);
    trm_mjcf_put_numbers(w, "stiffness", &f->stiffness, 1);
    if (f->damping != 0) trm_mjcf_put_numbers(w, "damping", &f->damping, 1);
    if (!isnan(f->rest)) trm_mjcf_put_numbers(w, "springlength", &f->rest, 1);
    trm_mjcf_put(w, ">");
    for (int k = 0; k < 2; k++) {
        trm_mjcf_put(w, "<site");
        trm_mjcf_put_name(w, "site", site_name(w, index, k));
        trm_mjcf_put(w, "/>");
    }
    trm_mjcf_put(w, "</spatial>\n");
}

void trm_mjcf_put_constraints(trm_mjcf_writer *w)
{
    trm_mjcf_put(w, "<equality>\n");
    for (int i = 0; i < w->def->joint_count; i++) {
        const trm_joint_def *joint = &w->def->joints[i];
        if (w->in_tree[i]) continue;
        const bool written = is_type(joint->type, "gear")           ? put_gear(w, joint)
                             : joint->bodies[0] && joint->bodies[1] ? put_loop(w, joint)
                                                                    : false;
        if (!written) trm_mjcf_lost(w, joint->place, "joint", joint->name, "MJCF has no such joint here");
    }
    trm_mjcf_put(w, "</equality>\n<tendon>\n");
    for (int i = 0; i < w->def->force_count; i++)
        if (is_spring(&w->def->forces[i])) put_spring(w, i);
    trm_mjcf_put(w, "</tendon>\n");
}

/* ---- Actuators ---------------------------------------------------------------------------- */

/* Returns the input of which a function is the value. Returns NULL for other functions. */
static const trm_input_def *input_of(const trm_mjcf_writer *w, const trm_function_def *f)
{
    for (int i = 0; f->kind == TRM_FUNCTION_EXPRESSION && i < w->def->input_count; i++)
        if (strcmp(w->def->inputs[i].name, f->expression) == 0) return &w->def->inputs[i];
    return NULL;
}

/* Writes a force as an actuator. Returns false if MJCF cannot represent it. */
static bool put_actuator(trm_mjcf_writer *w, const trm_force_def *f)
{
    const bool effort = is_type(f->type, "effort"), servo = is_type(f->type, "servo");
    const trm_joint_def *joint = joint_named(w, f->joint);
    const trm_input_def *input = effort ? input_of(w, &f->value[0]) : servo ? input_of(w, &f->target) : NULL;
    const bool still = f->has_velocity && f->velocity.kind == TRM_FUNCTION_CONSTANT && f->velocity.value == 0;
    if (!joint || !input || (servo && (!still || f->brake != 0 || f->value[0].value != 0))) return false;
    const double max[2] = {-f->max, f->max};
    trm_mjcf_put(w, effort ? "<motor" : "<position");
    trm_mjcf_put_name(w, "name", input->name);
    trm_mjcf_put_name(w, "joint", trm_mjcf_link_name(w, joint, index_of(f->coordinate)));
    trm_mjcf_put_numbers(w, "gear", &f->gear, 1);
    if (isfinite(input->range[0]) && isfinite(input->range[1])) trm_mjcf_put_numbers(w, "ctrlrange", input->range, 2);
    if (servo) trm_mjcf_put_numbers(w, "kp", &f->kp, 1);
    if (servo) trm_mjcf_put_numbers(w, "kv", &f->kd, 1);
    if (servo && isfinite(f->max)) trm_mjcf_put_numbers(w, "forcerange", max, 2);
    if (effort && isfinite(f->range[0]) && isfinite(f->range[1])) trm_mjcf_put_numbers(w, "forcerange", f->range, 2);
    trm_mjcf_put(w, "/>\n");
    return true;
}

void trm_mjcf_put_actuators(trm_mjcf_writer *w)
{
    trm_mjcf_put(w, "<actuator>\n");
    for (int i = 0; i < w->def->force_count; i++) {
        const trm_force_def *f = &w->def->forces[i];
        if (is_spring(f) || put_actuator(w, f)) continue;
        trm_mjcf_lost(w, f->place, "force", f->name ? f->name : f->type, "MJCF has no such force here");
    }
    trm_mjcf_put(w, "</actuator>\n");
    if (w->def->event_count + w->def->sensor_count + w->def->contact_count + w->def->pose_count > 0)
        trm_mjcf_lost(w, (trm_place){w->def->file, 0, 0}, "model", w->def->name,
                      "events, sensors, contacts and poses are not written");
}

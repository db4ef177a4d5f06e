/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes a model as MJCF. Messages report what is lost.
 *
 * The bodies form a spanning tree of the joints, which begins at the ground and the fixed bodies. A body without a
 * joint is free. A joint between a body and its parent is written as hinges, slides or a ball in the frame of the
 * body, with ref its coordinate at the start. If the second body of the joint is the parent, the links are written in
 * reverse order with opposite axes, so that coordinates keep their signs. Joints outside of the tree close loops:
 * ball -> connect, fixed -> weld, hinge -> connect at two points of its axis. */

#include <math.h>
#include <string.h>

#include "io/mjcf_write.h"
#include "math/rotation.h"
#include "model/fields.h"

/* ---- Text --------------------------------------------------------------------------------- */

void trm_mjcf_put(trm_mjcf_writer *w, const char *text)
{
    w->failed = w->failed || !trm_put_text(w->sink, text);
}

void trm_mjcf_put_name(trm_mjcf_writer *w, const char *attribute, const char *name)
{
    trm_mjcf_put(w, " "), trm_mjcf_put(w, attribute), trm_mjcf_put(w, "=\"");
    for (const char *c = name ? name : ""; *c; c++) {
        const char one[2] = {*c, 0};
        trm_mjcf_put(w, *c == '&' ? "&amp;" : *c == '<' ? "&lt;" : *c == '"' ? "&quot;" : one);
    }
    trm_mjcf_put(w, "\"");
}

void trm_mjcf_put_numbers(trm_mjcf_writer *w, const char *attribute, const double *values, int count)
{
    char number[TRM_NUMBER_TEXT];
    trm_mjcf_put(w, " "), trm_mjcf_put(w, attribute), trm_mjcf_put(w, "=\"");
    for (int i = 0; i < count; i++) {
        trm_format_number(number, values[i]);
        if (i > 0) trm_mjcf_put(w, " ");
        trm_mjcf_put(w, number);
    }
    trm_mjcf_put(w, "\"");
}

void trm_mjcf_put_vector(trm_mjcf_writer *w, const char *attribute, trm_vec3 v)
{
    const double values[3] = {v.x, v.y, v.z};
    trm_mjcf_put_numbers(w, attribute, values, 3);
}

static void put_number(trm_mjcf_writer *w, const char *attribute, double value)
{
    trm_mjcf_put_numbers(w, attribute, &value, 1);
}

static void put_pose(trm_mjcf_writer *w, trm_pose X)
{
    const double q[4] = {X.q.w, X.q.x, X.q.y, X.q.z};
    trm_mjcf_put_vector(w, "pos", X.p);
    if (q[0] != 1) trm_mjcf_put_numbers(w, "quat", q, 4);
}

void trm_mjcf_lost(const trm_mjcf_writer *w, trm_place place, const char *what, const char *name, const char *why)
{
    trm_add_warning(w->messages, place, "%s '%s' is lost: %s", what, name ? name : "", why);
}

/* ---- The tree of bodies ------------------------------------------------------------------- */

int trm_mjcf_body_of(const trm_mjcf_writer *w, const char *name)
{
    return name ? trm_names_find(&w->names, name) : -1;
}

trm_pose trm_mjcf_frame_of(const trm_mjcf_writer *w, int body)
{
    return body < 0 ? trm_pose_identity() : w->frames[body];
}

trm_vec3 trm_mjcf_end_of(const trm_mjcf_writer *w, const trm_joint_def *joint, int k)
{
    if (!isnan(joint->anchor.x)) return joint->anchor;
    const trm_vec3 at = isnan(joint->anchors[k].x) ? trm_v3(0, 0, 0) : joint->anchors[k];
    return trm_pose_point(trm_mjcf_frame_of(w, trm_mjcf_body_of(w, joint->bodies[k])), at);
}

trm_vec3 trm_mjcf_axis_of(const trm_mjcf_writer *w, const trm_joint_def *joint, int k)
{
    const trm_vec3 given = k == 0 ? joint->axis : joint->axis2;
    if (!isnan(given.x)) return trm_v3_unit(given);
    return trm_v3_unit(trm_rotate(trm_mjcf_frame_of(w, trm_mjcf_body_of(w, joint->bodies[k])).q, joint->axes[k]));
}

static void set_link(trm_mjcf_link *link, const char *type, trm_vec3 axis, trm_vec3 anchor)
{
    link->law.type = type;
    link->law.axis = axis;
    link->law.anchor = anchor;
}

/* Lists the hinges and slides that represent a joint, from its first body to its second. Returns their number, or -1
 * if the joint cannot be represented. */
static int links_of(const trm_mjcf_writer *w, const trm_joint_def *joint, trm_mjcf_link *links)
{
    const char *type = joint->type;
    const bool chain = strcmp(type, "chain") == 0, gimbal = strcmp(type, "gimbal") == 0;
    const bool two = strcmp(type, "universal") == 0 || strcmp(type, "cylinder") == 0;
    const bool one = strcmp(type, "hinge") == 0 || strcmp(type, "slider") == 0;
    const int count = chain ? joint->coordinate_count : gimbal ? 3 : two ? 2 : one ? 1 : -1;
    if (count < 0 || joint->spring_stiffness > 0) return -1;
    for (int k = 0; k < count; k++) {
        links[k] = (trm_mjcf_link){.law = trm_default_coordinate_def(), .q0 = isnan(joint->q0[k]) ? 0 : joint->q0[k]};
        if (one) trm_form_copy(&trm_form_joint, joint, &trm_form_coordinate, &links[k].law);
        if (!one && joint->coordinate_count > k) links[k].law = joint->coordinates[k];
    }
    if (chain) return count;
    const trm_vec3 anchor = trm_mjcf_end_of(w, joint, 0), axis = trm_mjcf_axis_of(w, joint, 0);
    const bool cylinder = strcmp(type, "cylinder") == 0;
    set_link(&links[0], strcmp(type, "slider") == 0 ? "slider" : "hinge", axis, anchor);
    if (cylinder) set_link(&links[1], "slider", axis, anchor);
    if (two && !cylinder) set_link(&links[1], "hinge", trm_mjcf_axis_of(w, joint, 1), anchor);
    if (gimbal) {
        const trm_vec3 last = trm_mjcf_axis_of(w, joint, 1);
        set_link(&links[1], "hinge", trm_v3_unit(trm_v3_cross(axis, last)), anchor);
        set_link(&links[2], "hinge", last, anchor);
    }
    return count;
}

static bool is_of_tree(const trm_mjcf_writer *w, const trm_joint_def *joint)
{
    trm_mjcf_link links[TRM_JOINT_COORDINATES];
    if (!joint->attached) return false;
    if (strcmp(joint->type, "ball") == 0 || strcmp(joint->type, "fixed") == 0)
        return joint->spring_stiffness <= 0 || isnan(joint->spring_stiffness);
    return links_of(w, joint, links) > 0;
}

static bool is_placed(const trm_mjcf_writer *w, int body)
{
    return body < 0 || w->placed[body];
}

/* Adds bodies to the tree that are connected by joints to bodies in the tree, in rounds until none is left. */
static void grow_tree(trm_mjcf_writer *w)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (int j = 0; j < w->def->joint_count; j++) {
            const trm_joint_def *joint = &w->def->joints[j];
            if (!joint->bodies[0] || !joint->bodies[1]) continue;
            const int a = trm_mjcf_body_of(w, joint->bodies[0]), b = trm_mjcf_body_of(w, joint->bodies[1]);
            if (is_placed(w, a) == is_placed(w, b) || !is_of_tree(w, joint)) continue;
            const int child = is_placed(w, a) ? b : a;
            w->parent[child] = is_placed(w, a) ? a : b;
            w->joint[child] = j;
            w->placed[child] = w->in_tree[j] = changed = true;
        }
    }
}

static void plant_tree(trm_mjcf_writer *w)
{
    for (int i = 0; i < w->def->body_count; i++) {
        w->parent[i] = w->joint[i] = -1;
        w->placed[i] = w->def->bodies[i].kind == TRM_BODY_FIXED || w->def->bodies[i].kind == TRM_BODY_MOVING;
    }
    grow_tree(w);
    for (int i = 0; i < w->def->body_count; i++) {
        if (w->placed[i]) continue;
        w->placed[i] = w->is_free[i] = true;
        grow_tree(w);
    }
}

/* ---- Joints ------------------------------------------------------------------------------- */

static void put_law(trm_mjcf_writer *w, const trm_mjcf_link *link)
{
    const trm_coordinate_def *law = &link->law;
    const double effort[2] = {-law->effort, law->effort};
    const double range[2] = {isfinite(law->limits[0]) ? law->limits[0] : -1e10,
                             isfinite(law->limits[1]) ? law->limits[1] : 1e10};
    if (link->q0 != 0) put_number(w, "ref", link->q0);
    if (isfinite(law->limits[0]) || isfinite(law->limits[1])) trm_mjcf_put_numbers(w, "range", range, 2);
    if (law->stiffness != 0) put_number(w, "stiffness", law->stiffness);
    if (law->stiffness != 0) put_number(w, "springref", law->spring_reference);
    if (law->damping != 0) put_number(w, "damping", law->damping);
    if (law->friction != 0) put_number(w, "frictionloss", law->friction);
    if (law->armature != 0) put_number(w, "armature", law->armature);
    if (isfinite(law->effort)) trm_mjcf_put_numbers(w, "actuatorfrcrange", effort, 2);
}

const char *trm_mjcf_link_name(trm_mjcf_writer *w, const trm_joint_def *joint, int index)
{
    return index == 0 ? joint->name : trm_arena_format(w->scratch, "%s %d", joint->name, index + 1);
}

static void put_links(trm_mjcf_writer *w, int body, const trm_joint_def *joint)
{
    trm_mjcf_link links[TRM_JOINT_COORDINATES];
    const int count = links_of(w, joint, links);
    const trm_pose X = w->frames[body];
    const bool back = trm_mjcf_body_of(w, joint->bodies[0]) == body;
    for (int i = 0; i < count; i++) {
        const int k = back ? count - 1 - i : i;
        const trm_vec3 axis = trm_rotate_back(X.q, links[k].law.axis);
        const bool slide = strcmp(links[k].law.type, "slider") == 0;
        trm_mjcf_put(w, "<joint");
        trm_mjcf_put_name(w, "name", trm_mjcf_link_name(w, joint, k));
        trm_mjcf_put_name(w, "type", slide ? "slide" : "hinge");
        trm_mjcf_put_vector(w, "axis", back ? trm_v3_neg(axis) : axis);
        if (!slide) trm_mjcf_put_vector(w, "pos", trm_pose_point_back(X, links[k].law.anchor));
        put_law(w, &links[k]);
        if (links[k].law.mu > 0 || links[k].law.static_friction > links[k].law.friction)
            trm_mjcf_lost(w, joint->place, "a part of the friction of", joint->name,
                          "MJCF has none that depends on load or speed");
        trm_mjcf_put(w, "/>\n");
    }
}

static void put_joint(trm_mjcf_writer *w, int body)
{
    if (w->is_free[body]) trm_mjcf_put(w, "<freejoint/>\n");
    if (w->joint[body] < 0) return;
    const trm_joint_def *joint = &w->def->joints[w->joint[body]];
    if (strcmp(joint->type, "fixed") == 0) return;
    if (strcmp(joint->type, "ball") != 0) {
        put_links(w, body, joint);
        return;
    }
    trm_mjcf_put(w, "<joint");
    trm_mjcf_put_name(w, "name", joint->name);
    trm_mjcf_put_name(w, "type", "ball");
    trm_mjcf_put_vector(w, "pos", trm_pose_point_back(w->frames[body], trm_mjcf_end_of(w, joint, 0)));
    trm_mjcf_put(w, "/>\n");
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static void put_inertial(trm_mjcf_writer *w, const trm_body *body)
{
    const trm_mat3 R = trm_quat_matrix(body->X_BP.q);
    const trm_mat3 I = trm_mat_mul(trm_mat_mul(R, trm_diag(body->inertia)), trm_transpose(R));
    const double moments[6] = {I.m[0][0], I.m[1][1], I.m[2][2], I.m[0][1], I.m[0][2], I.m[1][2]};
    trm_mjcf_put(w, "<inertial");
    trm_mjcf_put_vector(w, "pos", body->X_BP.p);
    put_number(w, "mass", body->mass);
    trm_mjcf_put_numbers(w, "fullinertia", moments, 6);
    trm_mjcf_put(w, "/>\n");
}

static void put_body(trm_mjcf_writer *w, int index, int depth)
{
    const trm_body_def *def = &w->def->bodies[index];
    const trm_body *body = &w->model->bodies[trm_find_body(w->model, def->name)];
    const trm_pose parent = trm_mjcf_frame_of(w, w->parent[index]);
    trm_mjcf_put(w, "<body");
    trm_mjcf_put_name(w, "name", def->name);
    put_pose(w, trm_pose_mul(trm_pose_inverse(parent), w->frames[index]));
    if (def->gravity_factor != 1) put_number(w, "gravcomp", 1 - def->gravity_factor);
    trm_mjcf_put(w, ">\n");
    put_joint(w, index);
    if (body->mass > 0) put_inertial(w, body);
    trm_mjcf_put_geoms(w, def);
    trm_mjcf_put_sites(w, index);
    for (int i = 0; i < w->def->body_count; i++)
        if (w->parent[i] == index && depth < TRM_XML_DEPTH) put_body(w, i, depth + 1);
    trm_mjcf_put(w, "</body>\n");
}

static void report_lost_bodies(const trm_mjcf_writer *w)
{
    for (int i = 0; i < w->def->body_count; i++) {
        const trm_body_def *b = &w->def->bodies[i];
        if (b->kind == TRM_BODY_POINT)
            trm_mjcf_lost(w, b->place, "the point mass", b->name, "it is a body without moments");
        if (b->kind == TRM_BODY_MOVING) trm_mjcf_lost(w, b->place, "the motion of", b->name, "the body is fixed");
        if (trm_v3_length(b->velocity) > 0 || trm_v3_length(b->angular_velocity) > 0)
            trm_mjcf_lost(w, b->place, "the velocity of", b->name, "MJCF starts at rest");
    }
}

/* ---- The document ------------------------------------------------------------------------- */

static bool prepare(trm_mjcf_writer *w)
{
    const int n = w->def->body_count;
    w->frames = TRM_NEW_ARRAY(w->scratch, trm_pose, n + 1);
    w->parent = TRM_NEW_ARRAY(w->scratch, int, n + 1);
    w->joint = TRM_NEW_ARRAY(w->scratch, int, n + 1);
    w->placed = TRM_NEW_ARRAY(w->scratch, bool, n + 1);
    w->is_free = TRM_NEW_ARRAY(w->scratch, bool, n + 1);
    w->in_tree = TRM_NEW_ARRAY(w->scratch, bool, w->def->joint_count + 1);
    if (!trm_names_init(&w->names, w->scratch, n + 1) || w->scratch->failed) return false;
    for (int i = 0; i < n; i++) {
        const trm_body *body = &w->model->bodies[trm_find_body(w->model, w->def->bodies[i].name)];
        trm_names_add(&w->names, w->def->bodies[i].name, i);
        w->frames[i] = trm_pose_mul(body->start, trm_pose_inverse(body->X_BP));
    }
    return true;
}

static void put_document(trm_mjcf_writer *w)
{
    trm_mjcf_put(w, "<mujoco");
    trm_mjcf_put_name(w, "model", w->def->name);
    trm_mjcf_put(w, ">\n<compiler angle=\"radian\" inertiafromgeom=\"false\"/>\n<option");
    trm_mjcf_put_vector(w, "gravity", w->def->gravity);
    if (w->def->simulation.step > 0) put_number(w, "timestep", w->def->simulation.step);
    trm_mjcf_put(w, "/>\n");
    trm_mjcf_put_assets(w);
    trm_mjcf_put(w, "<worldbody>\n");
    trm_mjcf_put_sites(w, -1);
    for (int i = 0; i < w->def->body_count; i++)
        if (w->parent[i] < 0) put_body(w, i, 3);
    trm_mjcf_put(w, "</worldbody>\n");
    trm_mjcf_put_constraints(w);
    trm_mjcf_put_actuators(w);
    trm_mjcf_put(w, "</mujoco>\n");
}

trm_status trm_write_mjcf(const trm_model_def *def, const trm_model *model, const trm_allocator *allocator,
                          trm_messages *messages, trm_sink sink)
{
    trm_arena scratch;
    trm_arena_init(&scratch, allocator);
    trm_mjcf_writer w = {.def = def, .model = model, .messages = messages, .sink = sink, .scratch = &scratch};
    trm_status status = TRM_OUT_OF_MEMORY;
    trm_model inputs = *model;
    trm_build build = {def, &inputs, messages};
    if (trm_build_places(&build, &scratch) && (w.def = build.def) && prepare(&w)) {
        plant_tree(&w);
        report_lost_bodies(&w);
        put_document(&w);
        const bool untold = trm_messages_status(messages) == TRM_OUT_OF_MEMORY;
        status = scratch.failed || untold ? TRM_OUT_OF_MEMORY : w.failed ? TRM_IO_ERROR : TRM_OK;
    }
    trm_arena_destroy(&scratch);
    return status;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes the scene of a page, as viewer/DATA.md defines it. */

#include <stdio.h>

#include "io/json.h"
#include "io/page.h"
#include "io/scene.h"

static void put_quaternion(trm_json_writer *w, const char *key, trm_quat q)
{
    trm_json_put_numbers(w, key, (double[]){q.w, q.x, q.y, q.z}, 4);
}

/* ---- Parts --------------------------------------------------------------------------------- */

static void put_vertices(trm_json_writer *w, const trm_geometry *g, trm_vec3 scale)
{
    trm_json_open_array_flat(w, "vertices");
    for (int i = 0; i < g->vertex_count; i++) {
        trm_json_put_number(w, NULL, (double)g->positions[i][0] * scale.x);
        trm_json_put_number(w, NULL, (double)g->positions[i][1] * scale.y);
        trm_json_put_number(w, NULL, (double)g->positions[i][2] * scale.z);
    }
    trm_json_close(w);
}

/* Writes the mesh itself, with each vertex once; the page computes normals. */
static void put_mesh(trm_json_writer *w, const trm_mesh *mesh)
{
    trm_json_open_array_flat(w, "vertices");
    for (int i = 0; i < mesh->vertex_count; i++) {
        const trm_vec3 v = mesh->vertices[i];
        const double numbers[3] = {v.x, v.y, v.z};
        for (int k = 0; k < 3; k++) trm_json_put_number(w, NULL, (double)(float)numbers[k]);
    }
    trm_json_close(w);
    trm_json_open_array_flat(w, "faces");
    for (int i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 3; k++) trm_json_put_integer(w, NULL, mesh->triangles[i][k]);
    trm_json_close(w);
}

static void put_appearance(trm_json_writer *w, const trm_scene *scene, const trm_scene_part *part)
{
    static const char *const roles[] = {[TRM_SCENE_PIN] = "pin", [TRM_SCENE_MOTOR] = "motor"};
    char colour[8];
    snprintf(colour, sizeof colour, "#%06x", (unsigned)(scene->materials[part->material].colour & 0xffffff));
    trm_json_put_text(w, "color", colour);
    if (part->role == TRM_SCENE_SKELETON) trm_json_put_bool(w, "drawn", true);
    if (part->role == TRM_SCENE_PIN || part->role == TRM_SCENE_MOTOR) trm_json_put_text(w, "role", roles[part->role]);
}

static void put_part(trm_json_writer *w, const trm_scene *scene, const trm_scene_part *part)
{
    const trm_scene_geometry *g = &scene->geometries[part->geometry];
    static const char *const types[] = {"sphere", "cylinder", "box", "plane", "capsule", "mesh", "line"};
    trm_json_open_object_flat(w, NULL);
    trm_json_put_text(w, "type", types[g->kind]);
    if (g->kind == TRM_SCENE_SPHERE || g->kind == TRM_SCENE_CYLINDER || g->kind == TRM_SCENE_CAPSULE)
        trm_json_put_number(w, "radius", part->scale.x);
    if (g->kind == TRM_SCENE_CYLINDER) trm_json_put_number(w, "length", part->scale.z);
    if (g->kind == TRM_SCENE_CAPSULE) trm_json_put_number(w, "length", g->length * part->scale.z);
    if (g->kind == TRM_SCENE_BOX) trm_json_put_vector(w, "size", part->scale);
    if (g->kind == TRM_SCENE_MESH) put_mesh(w, g->mesh);
    if (g->kind == TRM_SCENE_CURVE) put_vertices(w, &g->triangles, part->scale);
    trm_json_put_vector(w, "p", part->pose.p);
    put_quaternion(w, "q", part->pose.q);
    put_appearance(w, scene, part);
    trm_json_close(w);
}

/* ---- Bodies and joints --------------------------------------------------------------------- */

static void put_body(trm_json_writer *w, const trm_model *model, const trm_scene *scene, int i)
{
    static const char *const kinds[] = {[TRM_BODY_RIGID] = "rigid",
                                        [TRM_BODY_POINT] = "point",
                                        [TRM_BODY_FIXED] = "fixed",
                                        [TRM_BODY_MOVING] = "moving"};
    const trm_body *body = &model->bodies[i];
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "name", body->name);
    trm_json_put_text(w, "kind", i == 0 ? "ground" : kinds[body->kind]);
    trm_json_put_number(w, "mass", body->inverse_mass > 0 ? 1 / body->inverse_mass : 0);
    trm_json_put_vector(w, "com", body->X_BP.p);
    trm_json_open_array(w, "parts");
    for (int p = scene->first_part[i]; p < scene->first_part[i + 1]; p++) put_part(w, scene, &scene->parts[p]);
    trm_json_close(w);
    trm_json_close(w);
}

/* Writes the times at which a joint is detached and attached in turn. It is attached at the start unless the first of
 * them is the time of the first row. */
static void put_changes(trm_json_writer *w, const trm_animation *a, int joint)
{
    bool there = true;
    trm_json_open_array_flat(w, "changes");
    for (int row = 0; row < a->row_count; row++)
        if (trm_animated_joint_is_there(a, row, joint) != there)
            there = !there, trm_json_put_number(w, NULL, a->times[row]);
    trm_json_close(w);
}

static void put_joint(trm_json_writer *w, const trm_animation *a, int index)
{
    const trm_model *model = a->model;
    const trm_joint *joint = &model->joints[index];
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "name", joint->name);
    trm_json_put_text(w, "type", joint->type->name);
    trm_json_put_numbers(w, "bodies", (double[]){joint->body[0], joint->body[1]}, 2);
    trm_json_open_array(w, "anchors");
    for (int k = 0; k < 2; k++)
        trm_json_put_vector(w, NULL, trm_anchor_in_body(model, joint->body[k], joint->frame[k]));
    trm_json_close(w);
    trm_json_put_integer(w, "at", trm_marked_end(joint));
    if (joint->type->takes & TRM_TAKES_AXIS)
        trm_json_put_vector(
            w, "axis",
            trm_rotate(trm_quat_mul(model->bodies[joint->body[0]].X_BP.q, joint->frame[0].q), trm_v3(0, 0, 1)));
    else
        trm_json_put_null(w, "axis");
    put_changes(w, a, index);
    trm_json_close(w);
}

static void put_link(trm_json_writer *w, const trm_animation *a, const trm_scene *scene, int index)
{
    static const char *const kinds[TRM_LINK_KINDS] = {[TRM_LINK_ROD] = "rod",
                                                      [TRM_LINK_ROPE] = "rope",
                                                      [TRM_LINK_SPRING] = "spring",
                                                      [TRM_LINK_DAMPER] = "damper",
                                                      [TRM_LINK_ACTUATOR] = "actuator"};
    const trm_animated_link *link = &a->links[index];
    const trm_scene_link *look = &scene->links[index];
    char colour[8];
    snprintf(colour, sizeof colour, "#%06x", (unsigned)(scene->materials[look->material].colour & 0xffffff));
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "name", link->name ? link->name : "");
    trm_json_put_text(w, "kind", kinds[link->kind]);
    trm_json_put_text(w, "color", colour);
    trm_json_put_number(w, "radius", look->radius);
    if (link->length > 0) trm_json_put_number(w, "length", link->length);
    if (link->damped) trm_json_put_bool(w, "damped", true);
    trm_json_put_numbers(w, "bodies", (double[]){link->body[0], link->body[1]}, 2);
    trm_json_open_array(w, "anchors");
    for (int k = 0; k < 2; k++) trm_json_put_vector(w, NULL, link->anchor[k]);
    trm_json_close(w);
    put_changes(w, a, link->joint);
    trm_json_close(w);
}

/* ---- The scene ----------------------------------------------------------------------------- */

static trm_vec3 up_of(const trm_model *model)
{
    const double g = trm_v3_length(model->gravity);
    return g > 0 ? trm_v3_scale(-1 / g, model->gravity) : trm_v3(0, 0, 1);
}

/* Writes a ball around the whole machine at the start. */
static void put_ball(trm_json_writer *w, const trm_scene *scene)
{
    trm_json_put_vector(w, "centre", scene->centre);
    trm_json_put_number(w, "extent", scene->radius);
}

static void put_scene(trm_json_writer *w, const trm_animation *a, const trm_scene *scene, const char *name)
{
    const trm_model *model = a->model;
    trm_json_open_object(w, NULL);
    trm_json_put_text(w, "trammel", trm_version());
    trm_json_put_text(w, "name", name);
    trm_json_put_vector(w, "up", up_of(model));
    trm_json_put_vector(w, "gravity", model->gravity);
    put_ball(w, scene);
    trm_json_open_array(w, "bodies");
    for (int i = 0; i < model->shown_body_count; i++) put_body(w, model, scene, i);
    trm_json_close(w);
    trm_json_open_array(w, "joints");
    for (int j = 0; j < model->shown_joint_count; j++)
        if (!model->joints[j].host) put_joint(w, a, j);
    trm_json_close(w);
    trm_json_open_array(w, "links");
    for (int i = 0; i < a->link_count; i++) put_link(w, a, scene, i);
    trm_json_close(w);
    trm_json_close(w);
}

trm_status trm_page_write_scene(const trm_animation *animation, const char *name, trm_sink sink)
{
    trm_arena arena;
    trm_scene scene;
    trm_json_writer w = trm_json_begin(sink);
    trm_arena_init(&arena, &animation->arena.allocator);
    trm_status status = trm_scene_make(animation, &arena, &scene) ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        put_scene(&w, animation, &scene, name);
        if (!trm_json_end(&w)) status = TRM_IO_ERROR;
    }
    trm_arena_destroy(&arena);
    return status;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Makes the drawing of a machine. A body with shapes is drawn by these, and by rods to anchors outside of them. A
 * body given as a rod is drawn as that cylinder. Any other body is drawn as a skeleton: rods from the centre of mass
 * to the anchors of its joints and forces and to its named points. A slender body with fewer than two of them is
 * drawn as the uniform rod with its moments, L^2 = 12 I / m, and a body with none as the uniform box with its
 * moments, whose edges are a^2 = 6 (I_b + I_c - I_a) / m. Joints and anchors of fixed bodies are small pins. A servo,
 * motor, drive or spring on a joint is a drum about its axis, or a block on a slider. A plane is a square below (or
 * above) the middle of all motion. The curve of a joint on a curve is drawn. Springs are coils, dampers and actuators
 * pistons, ropes and distances lines. The thickness of rods depends on the extent of the machine at the start, and on
 * the mean length of rods and links if these are short in comparison. */

#include "io/scene.h"

#include <string.h>

#include "math/rotation.h"
#include "model/shape.h"

/* Largest thickness of rods, as a fraction of the diagonal of the machine and of the mean length of its rods. They
 * affect the drawing only: with larger ones rods hide joints, with smaller ones they cannot be seen. */
static const double OF_EXTENT = 0.0095, OF_LENGTH = 0.06;
/* In multiples of the thickness of rods: radius of centres of mass, radius and length of pins and of drums. They
 * affect the drawing only: with larger ones pins and centres hide rods, with smaller ones they vanish in the rods. */
static const double CENTRE = 1.9, PIN = 1.3, PIN_LENGTH = 4.6, DRUM = 2.3, DRUM_LENGTH = 3.4;
/* Radii of links, in multiples of the thickness. They affect the drawing only. */
static const double LINK_RADIUS[TRM_LINK_KINDS] = {[TRM_LINK_ROD] = 0.6,
                                                   [TRM_LINK_ROPE] = 0.35,
                                                   [TRM_LINK_SPRING] = 2.4,
                                                   [TRM_LINK_DAMPER] = 1.3,
                                                   [TRM_LINK_ACTUATOR] = 1.5};
/* Largest radius of a coil, as a fraction of the spring's length: a larger one would hide the direction of short
 * springs, a smaller one draws springs as lines. */
static const double WIDEST_COIL = 0.2;
/* Largest number of joints with pins; more would hide the machine. */
enum { MANY_PINS = 150 };
/* Radius of point masses, also as fractions of the diagonal and of the mean length. They affect the drawing only:
 * with larger ones points overlap, with smaller ones they cannot be seen. */
static const double POINT_OF_EXTENT = 0.015, POINT_OF_LENGTH = 0.2;
/* The square of a plane extends beyond all motion by the factor BEYOND, but at most by FARTHEST times the size of the
 * machine. They affect the drawing only: with a larger plane the machine is small in the picture, a smaller one ends
 * within it. */
static const double BEYOND = 1.3, FARTHEST = 20;
/* A body is slender if its smallest moment is below this fraction of the largest. It affects the drawing only: a
 * larger one draws thick bodies as rods, a smaller one draws rods as flat boxes. */
static const double SLENDER = 0.01;
/* Largest edge of a box that represents the moments of a body, as a fraction of the extent. It affects the drawing
 * only: a larger box hides the machine, a smaller one does not show the moments of heavy bodies. */
static const double LARGEST_BOX = 0.35;
/* Points nearer than this fraction of the extent count as one. A larger one merges the ends of short rods, a smaller
 * one draws joints twice whose anchors differ by the rounding of the file. */
static const double SAME_PLACE = 1e-6;
/* Number of turns of a helix that are drawn to either side. */
enum { TURNS = 3 };

/* Muted colours that also differ in lightness, so that colour-blind people can distinguish them. */
static const uint32_t palette[] = {0x4a7aa9, 0xc9744c, 0x5c9b7e, 0xab7ba3, 0xcda349, 0x7fb0c9, 0x8c8750};
enum { PALETTE = sizeof palette / sizeof palette[0] };
static const uint32_t FIXED_COLOUR = 0x9aa1a8, PIN_COLOUR = 0x69727b, MOTOR_COLOUR = 0x3a444e,
                      CURVE_COLOUR = 0x7d8690;
static const uint32_t LINK_COLOUR[TRM_LINK_KINDS] = {[TRM_LINK_ROD] = 0x7d8690,
                                                     [TRM_LINK_ROPE] = 0x75654e,
                                                     [TRM_LINK_SPRING] = 0xb9913f,
                                                     [TRM_LINK_DAMPER] = 0x5d6872,
                                                     [TRM_LINK_ACTUATOR] = 0x4f6d8c};

typedef struct extent {
    trm_vec3 low, high;
} extent;

typedef enum pin { NO_PIN, ROUND_PIN, LONG_PIN } pin;

/* The end of a rod of a skeleton: an anchor or a named point, in the user's body frame. */
typedef struct rod_end {
    int body;
    trm_vec3 place;
    pin pin;       /* kind of pin of a joint that is drawn here */
    trm_vec3 axis; /* axis of a long pin, unit */
} rod_end;

typedef struct sketch {
    trm_scene *scene;
    const trm_model *model;
    rod_end *ends; /* in the order of bodies, after all were added */
    int end_count;
    int *first_end; /* per body: index of its first end; one more entry after the last body */
    double extent;  /* m: diagonal of the machine at the start */
    double ball;    /* m: radius of point masses */
} sketch;

/* ---- Lists -------------------------------------------------------------------------------- */

static int find_material(trm_scene *s, trm_scene_material look)
{
    for (int i = 0; i < s->material_count; i++) {
        const trm_scene_material *m = &s->materials[i];
        if (m->colour == look.colour && m->two_sided == look.two_sided && m->metal == look.metal) return i;
    }
    return TRM_APPEND(s->arena, s->materials, s->material_count, look) ? s->material_count - 1 : -1;
}

static bool is_same_mesh(const trm_mesh *a, const trm_mesh *b)
{
    if (a == b) return true;
    return a && b && a->vertex_count == b->vertex_count && a->triangle_count == b->triangle_count &&
           memcmp(a->vertices, b->vertices, (size_t)a->vertex_count * sizeof *a->vertices) == 0 &&
           memcmp(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles) == 0;
}

static bool make_triangles(trm_arena *arena, trm_scene_geometry *g)
{
    switch (g->kind) {
    case TRM_SCENE_SPHERE: return trm_sphere_geometry(arena, &g->triangles);
    case TRM_SCENE_CYLINDER: return trm_cylinder_geometry(arena, &g->triangles);
    case TRM_SCENE_BOX: return trm_box_geometry(arena, &g->triangles);
    case TRM_SCENE_SQUARE: return trm_square_geometry(arena, &g->triangles);
    case TRM_SCENE_CAPSULE: return trm_capsule_geometry(arena, g->length, &g->triangles);
    case TRM_SCENE_MESH: return trm_mesh_geometry(arena, g->mesh, &g->triangles);
    case TRM_SCENE_COIL: return trm_coil_geometry(arena, g->length, &g->triangles);
    case TRM_SCENE_PISTON: return trm_piston_geometry(arena, &g->triangles);
    case TRM_SCENE_CURVE: break;
    }
    return true; /* curves have been made already */
}

/* Returns the number of these triangles, which are added if necessary. Returns -1 if out of memory. */
static int find_geometry(trm_scene *s, trm_scene_geometry wanted)
{
    for (int i = 0; i < s->geometry_count; i++) {
        const trm_scene_geometry *g = &s->geometries[i];
        if (g->kind == wanted.kind && g->length == wanted.length && g->curve == wanted.curve &&
            is_same_mesh(g->mesh, wanted.mesh))
            return i;
    }
    if (!make_triangles(s->arena, &wanted)) return -1;
    return TRM_APPEND(s->arena, s->geometries, s->geometry_count, wanted) ? s->geometry_count - 1 : -1;
}

/* Appearance and role of a part. */
typedef struct looks {
    trm_scene_material material;
    trm_scene_role role;
} looks;

static looks matt(uint32_t colour, trm_scene_role role)
{
    return (looks){{.colour = colour}, role};
}

static looks metal(uint32_t colour, trm_scene_role role)
{
    return (looks){{.colour = colour, .metal = true}, role};
}

static bool add_part(trm_scene *s, trm_scene_geometry wanted, looks look, trm_pose pose, trm_vec3 scale)
{
    const int geometry = find_geometry(s, wanted), material = find_material(s, look.material);
    const trm_scene_part part = {geometry, material, look.role, pose, scale};
    return geometry >= 0 && material >= 0 && TRM_APPEND(s->arena, s->parts, s->part_count, part);
}

/* ---- Ends of rods ------------------------------------------------------------------------- */

static void add_end(sketch *k, rod_end end)
{
    if (k->ends) k->ends[k->end_count] = end;
    k->end_count++;
}

/* Returns the end of a rod at a joint in its body b, with a pin at the body where the joint is marked. */
static rod_end end_of_joint(const trm_model *model, const trm_joint *j, int b)
{
    const trm_pose X = trm_pose_mul(model->bodies[j->body[b]].X_BP, j->frame[b]);
    const trm_joint_type *t = j->type;
    const bool turns = t == &trm_joint_hinge || t == &trm_joint_cylinder || t == &trm_joint_screw;
    const bool is_ball = t == &trm_joint_ball || t == &trm_joint_universal || t == &trm_joint_gimbal;
    rod_end end = {.body = j->body[b], .place = X.p, .axis = trm_rotate(X.q, trm_axis(2))};
    if (b == trm_marked_end(j) && model->shown_joint_count <= MANY_PINS)
        end.pin = turns ? LONG_PIN : is_ball ? ROUND_PIN : NO_PIN;
    return end;
}

/* Returns whether a rod leads to the anchor of a joint in its body b. A body that slides on a fixed body gets no rod,
 * because it may be anywhere along the axis, which the anchor of the fixed body marks. Between two moving bodies the
 * rod connects the picture. */
static bool has_anchor(const trm_model *model, const trm_joint *j, int b)
{
    const trm_joint_type *t = j->type;
    const bool slides =
        t == &trm_joint_slider || t == &trm_joint_cylinder || t == &trm_joint_screw || t == &trm_joint_planar;
    if (b < trm_marked_end(j)) return false;
    return !slides || model->bodies[j->body[1 - b]].kind != TRM_BODY_FIXED;
}

/* Adds the ends of all rods, or counts them while no memory is allocated. */
static void visit_ends(sketch *k)
{
    const trm_model *model = k->model;
    k->end_count = 0;
    for (int i = 0; i < model->shown_joint_count; i++) {
        const trm_joint *j = &model->joints[i];
        if (!(j->type->takes & TRM_TAKES_BODIES)) continue;
        for (int b = 0; b < 2; b++)
            if (has_anchor(model, j, b)) add_end(k, end_of_joint(model, j, b));
    }
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *f = &model->forces[i];
        for (int b = 0; b < 2 && (f->type->takes & TRM_FORCE_TAKES_BODIES); b++)
            add_end(k, (rod_end){.body = f->body[b], .place = trm_anchor_in_body(model, f->body[b], f->frame[b])});
    }
    for (int i = 0; i < model->shown_body_count; i++)
        for (int p = 0; p < model->bodies[i].point_count; p++)
            add_end(k, (rod_end){.body = i, .place = model->bodies[i].points[p].position});
}

static bool gather_ends(sketch *k)
{
    trm_arena *arena = k->scene->arena;
    const int bodies = k->model->shown_body_count;
    visit_ends(k);
    rod_end *sorted = TRM_NEW_ARRAY(arena, rod_end, k->end_count);
    k->ends = TRM_NEW_ARRAY(arena, rod_end, k->end_count);
    k->first_end = TRM_NEW_ARRAY(arena, int, bodies + 2);
    if (!sorted || !k->ends || !k->first_end) return false;
    visit_ends(k);
    for (int i = 0; i < k->end_count; i++) k->first_end[k->ends[i].body + 2]++;
    for (int i = 0; i < bodies; i++) k->first_end[i + 2] += k->first_end[i + 1];
    for (int i = 0; i < k->end_count; i++) sorted[k->first_end[k->ends[i].body + 1]++] = k->ends[i];
    k->ends = sorted;
    return true;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

static void widen(extent *e, trm_vec3 p, double by)
{
    e->low = trm_v3(fmin(e->low.x, p.x - by), fmin(e->low.y, p.y - by), fmin(e->low.z, p.z - by));
    e->high = trm_v3(fmax(e->high.x, p.x + by), fmax(e->high.y, p.y + by), fmax(e->high.z, p.z + by));
}

static void widen_by_body(const sketch *k, int index, int row, extent *e)
{
    const trm_body *body = &k->model->bodies[index];
    const trm_pose X = trm_animated_pose(k->scene->animation, row, index);
    if (body->kind != TRM_BODY_FIXED) widen(e, trm_pose_point(X, body->X_BP.p), 0);
    for (int i = k->first_end[index]; i < k->first_end[index + 1]; i++)
        widen(e, trm_pose_point(X, k->ends[i].place), 0);
    for (int i = 0; i < body->shape_count; i++) {
        const double reach = body->shapes[i].type->reach(&body->shapes[i]);
        if (isfinite(reach)) widen(e, trm_pose_point(trm_pose_mul(X, body->X_BP), body->shapes[i].pose.p), reach);
    }
}

/* Returns the frame of a curve in the user's frame of the first body. */
static trm_pose frame_of_curve(const trm_model *model, const trm_joint *joint)
{
    return trm_pose_mul(model->bodies[joint->body[0]].X_BP, joint->frame[0]);
}

/* Computes the range of a curve that is drawn: a whole spline or circle; for a helix some turns around the initial
 * position of the joint. */
static void stretch_of_curve(const sketch *k, const trm_joint *joint, double *from, double *to)
{
    const trm_space_curve *c = joint->curve;
    const trm_pose *start = k->scene->animation->start;
    *from = 0;
    *to = c->radius > 0 ? 2 * TRM_PI : c->s[c->count - 1];
    if (c->radius == 0 || c->rise == 0) return;
    const trm_vec3 in_b = trm_anchor_in_body(k->model, joint->body[1], joint->frame[1]);
    const trm_pose X = trm_pose_mul(start[joint->body[0]], frame_of_curve(k->model, joint));
    const double s = trm_curve_nearest(c, trm_pose_point_back(X, trm_pose_point(start[joint->body[1]], in_b)));
    *from = s - 2 * TRM_PI * TURNS;
    *to = s + 2 * TRM_PI * TURNS;
}

static void widen_by_curve(const sketch *k, const trm_joint *joint, extent *e)
{
    enum { PLACES = 32 };
    const trm_pose X = trm_pose_mul(k->scene->animation->start[joint->body[0]], frame_of_curve(k->model, joint));
    double from, to;
    stretch_of_curve(k, joint, &from, &to);
    for (int i = 0; i <= PLACES; i++)
        widen(e, trm_pose_point(X, trm_curve_at(joint->curve, from + (to - from) * i / PLACES).P), 0);
}

/* Returns the mean length of rods and links; infinite if there are none. */
static double mean_length(const sketch *k)
{
    const trm_animation *a = k->scene->animation;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < k->end_count; i++) {
        const trm_body *body = &k->model->bodies[k->ends[i].body];
        const double length = trm_v3_length(trm_v3_sub(k->ends[i].place, body->X_BP.p));
        if (body->kind == TRM_BODY_FIXED || body->shape_count > 0 || length <= SAME_PLACE * k->extent) continue;
        sum += length, count++;
    }
    for (int i = 0; i < a->link_count; i++) {
        const trm_animated_link *l = &a->links[i];
        sum += trm_v3_length(trm_v3_sub(trm_pose_point(a->start[l->body[0]], l->anchor[0]),
                                        trm_pose_point(a->start[l->body[1]], l->anchor[1])));
        count++;
    }
    return sum > 0 ? sum / count : INFINITY;
}

static void measure(sketch *k)
{
    trm_scene *s = k->scene;
    const trm_vec3 far = trm_v3(INFINITY, INFINITY, INFINITY);
    extent start = {far, trm_v3_neg(far)};
    for (int i = 0; i < k->model->shown_body_count; i++) widen_by_body(k, i, 0, &start);
    for (int i = 0; i < k->model->shown_joint_count; i++)
        if (k->model->joints[i].curve) widen_by_curve(k, &k->model->joints[i], &start);
    extent all = start;
    for (int row = 0; row < s->animation->row_count; row++)
        for (int i = 0; i < k->model->shown_body_count; i++)
            if (s->animation->slot[i] >= 0) widen(&all, trm_animated_pose(s->animation, row, i).p, 0);
    const double size = trm_v3_length(trm_v3_sub(start.high, start.low)),
                 way = trm_v3_length(trm_v3_sub(all.high, all.low));
    k->extent = size > 0 && isfinite(size) ? size : 1;
    s->radius = 0.5 * k->extent;
    s->centre = trm_v3_scale(0.5, trm_v3_add(start.low, start.high));
    if (!trm_v3_is_finite(s->centre)) s->centre = trm_v3(0, 0, 0);
    s->thickness = fmin(OF_EXTENT * k->extent, OF_LENGTH * mean_length(k));
    k->ball = fmin(POINT_OF_EXTENT * k->extent, POINT_OF_LENGTH * mean_length(k));
    s->plane_reach = BEYOND * fmin(way > 0 && isfinite(way) ? 0.5 * way : k->extent, FARTHEST * k->extent);
    s->middle = trm_v3_scale(0.5, trm_v3_add(all.low, all.high));
    if (!trm_v3_is_finite(s->middle)) s->middle = trm_v3(0, 0, 0);
}

/* ---- Shapes ------------------------------------------------------------------------------- */

/* Returns the colour "#rrggbb", or the other one if none is given. */
static uint32_t colour_of(const char *text, uint32_t otherwise)
{
    uint32_t colour = 0;
    if (!text || text[0] != '#' || strspn(text + 1, "0123456789abcdefABCDEF") != 6 || text[7]) return otherwise;
    for (int i = 1; i < 7; i++) {
        const char c = text[i];
        colour = 16 * colour + (uint32_t)(c <= '9' ? c - '0' : (c | 32) - 'a' + 10);
    }
    return colour;
}

/* Returns the colour of the first shape of a body that has one, else one of the palette. */
static uint32_t colour_of_body(const trm_model *model, int index)
{
    const trm_body *body = &model->bodies[index];
    uint32_t colour = body->kind == TRM_BODY_FIXED ? FIXED_COLOUR : palette[(index + PALETTE - 1) % PALETTE];
    for (int i = body->shape_count - 1; i >= 0 && body->kind != TRM_BODY_FIXED; i--)
        if (!body->shapes[i].hidden) colour = colour_of(body->shapes[i].color, colour);
    return colour;
}

/* Returns the place of the square of a plane, below the middle of the motion, for its body at the start. */
static trm_pose place_of_plane(const sketch *k, int body, const trm_shape *shape, trm_pose X_BS)
{
    const trm_pose X = trm_pose_mul(k->scene->animation->start[body], X_BS);
    const trm_vec3 middle = trm_pose_point_back(X, k->scene->middle);
    const double height = trm_v3_dot(middle, shape->normal) - shape->offset;
    const trm_pose in_shape = {trm_quat_between(trm_axis(2), shape->normal),
                               trm_v3_add_scaled(middle, -height, shape->normal)};
    return trm_pose_mul(X_BS, in_shape);
}

static bool draw_shape(sketch *k, int body, const trm_shape *shape)
{
    const trm_shape_geometry is = shape->type->geometry;
    const double r = shape->radius, reach = k->scene->plane_reach;
    const trm_pose X = trm_pose_mul(k->model->bodies[body].X_BP, shape->pose);
    looks look = matt(colour_of(shape->color, colour_of_body(k->model, body)), TRM_SCENE_SHAPE);
    trm_scene_geometry g = {.kind = TRM_SCENE_MESH, .mesh = &shape->mesh};
    if (is == TRM_GEOMETRY_SPHERE)
        return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_SPHERE}, look, X, trm_v3(r, r, r));
    if (is == TRM_GEOMETRY_BOX)
        return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_BOX}, look, X, shape->size);
    if (is == TRM_GEOMETRY_CYLINDER)
        return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_CYLINDER}, look, X,
                        trm_v3(r, r, shape->length));
    if (is == TRM_GEOMETRY_CAPSULE) {
        g = (trm_scene_geometry){.kind = TRM_SCENE_CAPSULE, .length = shape->length / r};
        return add_part(k->scene, g, look, X, trm_v3(r, r, r));
    }
    look.material.two_sided = is == TRM_GEOMETRY_MESH || is == TRM_GEOMETRY_PLANE;
    if (is != TRM_GEOMETRY_PLANE) return add_part(k->scene, g, look, X, trm_v3(1, 1, 1));
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_SQUARE}, look, place_of_plane(k, body, shape, X),
                    trm_v3(reach, reach, 1));
}

/* ---- Skeletons ---------------------------------------------------------------------------- */

static bool draw_ball(sketch *k, looks look, trm_vec3 at, double radius)
{
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_SPHERE}, look,
                    (trm_pose){trm_quat_identity(), at}, trm_v3(radius, radius, radius));
}

static bool draw_rod(sketch *k, looks look, trm_vec3 from, trm_vec3 to, double r)
{
    const trm_vec3 d = trm_v3_sub(to, from);
    const double length = trm_v3_length(d);
    const trm_pose X = {trm_quat_between(trm_axis(2), trm_v3_scale(1 / length, d)), trm_v3_add_scaled(from, 0.5, d)};
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_CYLINDER}, look, X, trm_v3(r, r, length));
}

/* Returns whether an end is the first of its body at its place, and not at the place `away`. */
static bool is_new_end(const sketch *k, int i, trm_vec3 away)
{
    const rod_end *e = &k->ends[i];
    const double near = SAME_PLACE * k->extent;
    if (trm_v3_length(trm_v3_sub(e->place, away)) <= near) return false;
    for (int j = k->first_end[e->body]; j < i; j++)
        if (trm_v3_length(trm_v3_sub(k->ends[j].place, e->place)) <= near) return false;
    return true;
}

static bool draw_pin(sketch *k, const rod_end *e)
{
    const double t = k->scene->thickness;
    const looks look = metal(PIN_COLOUR, TRM_SCENE_PIN);
    if (e->pin != LONG_PIN) return draw_ball(k, look, e->place, 1.15 * PIN * t);
    return draw_rod(k, look, trm_v3_add_scaled(e->place, -0.5 * PIN_LENGTH * t, e->axis),
                    trm_v3_add_scaled(e->place, 0.5 * PIN_LENGTH * t, e->axis), PIN * t);
}

/* Returns whether a pin was already drawn at the place of an end. */
static bool has_pin_before(const sketch *k, int i)
{
    const double near = SAME_PLACE * k->extent;
    const bool fixed = k->model->bodies[k->ends[i].body].kind == TRM_BODY_FIXED;
    for (int j = k->first_end[k->ends[i].body]; j < i; j++)
        if ((fixed || k->ends[j].pin == k->ends[i].pin) &&
            trm_v3_length(trm_v3_sub(k->ends[j].place, k->ends[i].place)) <= near)
            return true;
    return false;
}

/* Draws the pins of a body: at its joints, and on a fixed body at all anchors. Returns false if out of memory. */
static bool draw_pins(sketch *k, int body)
{
    const bool fixed = k->model->bodies[body].kind == TRM_BODY_FIXED;
    for (int i = k->first_end[body]; i < k->first_end[body + 1]; i++)
        if ((fixed || k->ends[i].pin != NO_PIN) && !has_pin_before(k, i) && !draw_pin(k, &k->ends[i])) return false;
    return true;
}

/* Returns whether a point of a body is outside the bounding balls of all its shapes. */
static bool is_outside(const trm_body *body, trm_vec3 place)
{
    for (int i = 0; i < body->shape_count; i++) {
        const trm_vec3 middle = trm_pose_point(body->X_BP, body->shapes[i].pose.p);
        if (trm_v3_length(trm_v3_sub(place, middle)) <= body->shapes[i].type->reach(&body->shapes[i])) return false;
    }
    return true;
}

static looks skeleton_of(const sketch *k, int body)
{
    return matt(colour_of_body(k->model, body), TRM_SCENE_SKELETON);
}

/* Draws rods from the centre of mass to all ends outside of shapes. Returns their number, or -1 if out of memory. */
static int draw_rods(sketch *k, int index)
{
    const trm_body *body = &k->model->bodies[index];
    int rods = 0;
    for (int i = k->first_end[index]; i < k->first_end[index + 1]; i++) {
        if (!is_new_end(k, i, body->X_BP.p) || !is_outside(body, k->ends[i].place)) continue;
        if (!draw_rod(k, skeleton_of(k, index), body->X_BP.p, k->ends[i].place, k->scene->thickness)) return -1;
        rods++;
    }
    return rods;
}

/* Draws the rods of a body with shapes, and, if these begin outside of its shapes, rods to the shapes, so that all
 * parts are connected. Returns false if out of memory. */
static bool draw_stems(sketch *k, int index)
{
    const trm_body *body = &k->model->bodies[index];
    const int rods = draw_rods(k, index);
    if (rods <= 0 || !is_outside(body, body->X_BP.p)) return rods >= 0;
    for (int i = 0; i < body->shape_count; i++) {
        const trm_vec3 middle = trm_pose_point(body->X_BP, body->shapes[i].pose.p);
        if (isfinite(body->shapes[i].type->reach(&body->shapes[i])) &&
            !draw_rod(k, skeleton_of(k, index), body->X_BP.p, middle, k->scene->thickness))
            return false;
    }
    return true;
}

/* Returns the axis of a slender body, that with the smallest moment; -1 for other bodies. */
static int slender_axis(const trm_body *body)
{
    const double I[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    const int least = I[0] <= I[1] ? (I[0] <= I[2] ? 0 : 2) : (I[1] <= I[2] ? 1 : 2);
    return I[least] < SLENDER * fmax(I[0], fmax(I[1], I[2])) ? least : -1;
}

/* Draws a body by its moments only. As the moments of a body that only slides are arbitrary, its box is made smaller
 * if it would hide the machine. Returns false if out of memory. */
static bool draw_moments(sketch *k, const trm_body *body, looks look)
{
    const trm_vec3 I = body->inertia;
    const double m = body->mass, thin = 2 * k->scene->thickness;
    const trm_vec3 squares = trm_v3_scale(6 / m, trm_v3(I.y + I.z - I.x, I.z + I.x - I.y, I.x + I.y - I.z));
    const double largest = sqrt(fmax(squares.x, fmax(squares.y, squares.z))), most = LARGEST_BOX * k->extent;
    const double by = k->end_count > 0 && largest > most ? most / largest : 1;
    const trm_vec3 edges =
        trm_v3(fmax(by * sqrt(fmax(squares.x, 0)), thin), fmax(by * sqrt(fmax(squares.y, 0)), thin),
               fmax(by * sqrt(fmax(squares.z, 0)), thin));
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_BOX}, look, body->X_BP, edges);
}

static bool draw_uniform_rod(sketch *k, const trm_body *body, looks look, int axis)
{
    const double I = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
    const trm_vec3 half = trm_v3_scale(0.5 * sqrt(12 * I / body->mass), trm_axis(axis));
    return draw_rod(k, look, trm_pose_point(body->X_BP, trm_v3_neg(half)), trm_pose_point(body->X_BP, half),
                    k->scene->thickness);
}

/* Returns whether a point is nearer than `near` to the line of a rod, which is along x through the origin. */
static bool is_on_rod(const trm_body *body, trm_vec3 place, double near)
{
    return fabs(place.x) <= 0.5 * body->rod_length + near && sqrt(place.y * place.y + place.z * place.z) <= near;
}

/* Draws a body given as a rod, and rods to ends that are not on it. Returns false if out of memory. */
static bool draw_given_rod(sketch *k, int index)
{
    const trm_body *body = &k->model->bodies[index];
    const double t = k->scene->thickness, r = body->rod_radius > 0 ? body->rod_radius : t;
    const trm_vec3 half = trm_v3(0.5 * body->rod_length, 0, 0);
    looks look = skeleton_of(k, index);
    for (int i = k->first_end[index]; i < k->first_end[index + 1]; i++)
        if (!is_on_rod(body, k->ends[i].place, fmax(r, SAME_PLACE * k->extent)) && is_new_end(k, i, body->X_BP.p) &&
            !draw_rod(k, look, body->X_BP.p, k->ends[i].place, t))
            return false;
    if (body->rod_radius > 0) look.role = TRM_SCENE_SHAPE;
    return draw_rod(k, look, trm_v3_neg(half), half, r);
}

static bool draw_skeleton(sketch *k, int index)
{
    const trm_body *body = &k->model->bodies[index];
    const looks look = skeleton_of(k, index);
    const trm_vec3 centre = body->X_BP.p;
    if (body->kind == TRM_BODY_FIXED) return true; /* a fixed body has pins only */
    if (body->kind == TRM_BODY_POINT) return draw_ball(k, look, centre, k->ball);
    if (body->rod_length > 0) return draw_given_rod(k, index);
    const int rods = draw_rods(k, index);
    if (rods < 0) return false;
    const int axis = body->mass > 0 ? slender_axis(body) : -1;
    if (rods < 2 && axis >= 0 && !draw_uniform_rod(k, body, look, axis)) return false;
    if (rods == 0 && axis < 0 && body->mass > 0) return draw_moments(k, body, look);
    return draw_ball(k, look, centre, (rods == 1 && axis < 0 ? CENTRE : 1) * k->scene->thickness);
}

/* ---- Motors and springs on joints --------------------------------------------------------- */

/* Draws a drum about the axis of the joint, or a block along that of a slider. Returns false if out of memory. */
static bool draw_motor(sketch *k, const trm_joint *host, int coordinate, uint32_t colour)
{
    const double thick = fmax(k->model->bodies[host->body[0]].rod_radius, k->model->bodies[host->body[1]].rod_radius);
    const double t = fmax(k->scene->thickness, 1.3 * thick / DRUM); /* visible next to rods that are thicker */
    const trm_pose X = trm_pose_mul(k->model->bodies[host->body[0]].X_BP, host->frame[0]);
    const bool slides = host->type->kind[coordinate] == TRM_COORDINATE_LENGTH;
    const looks look = metal(colour, TRM_SCENE_MOTOR);
    if (!(host->type->takes & TRM_TAKES_AXIS)) return draw_ball(k, look, X.p, DRUM * t);
    if (slides)
        return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_BOX}, look, X,
                        trm_v3(1.5 * DRUM * t, 1.5 * DRUM * t, 1.6 * DRUM_LENGTH * t));
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_CYLINDER}, look, X,
                    trm_v3(DRUM * t, DRUM * t, DRUM_LENGTH * t));
}

/* Returns whether a joint on whose coordinate an element acts is marked at this body, which is its first one. A span
 * is drawn as a link instead. */
static bool is_marked_at(const trm_joint *host, int body)
{
    return host && host->body[0] == body && host->type != &trm_joint_span && host->body_count == 2;
}

static bool draw_motors(sketch *k, int body)
{
    const trm_model *model = k->model;
    for (int i = 0; i < model->shown_joint_count; i++) {
        const trm_joint *j = &model->joints[i];
        const bool drives = j->type == &trm_joint_motor || j->type == &trm_joint_drive;
        if (drives && is_marked_at(j->host, body) && !draw_motor(k, j->host, j->coordinate, MOTOR_COLOUR))
            return false;
    }
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *f = &model->forces[i];
        const bool springs = f->type == &trm_force_torsion;
        const uint32_t colour = springs ? LINK_COLOUR[TRM_LINK_SPRING] : MOTOR_COLOUR;
        if (springs && !(f->stiffness > 0)) continue; /* a damper without spring is not drawn */
        if (is_marked_at(f->host, body) && !draw_motor(k, f->host, f->coordinate, colour)) return false;
    }
    return true;
}

/* ---- Curves ------------------------------------------------------------------------------- */

static bool draw_curve(sketch *k, const trm_joint *joint)
{
    trm_scene_geometry line = {.kind = TRM_SCENE_CURVE, .curve = joint->curve};
    double from, to;
    stretch_of_curve(k, joint, &from, &to);
    return trm_curve_geometry(k->scene->arena, joint->curve, from, to, &line.triangles) &&
           add_part(k->scene, line, matt(CURVE_COLOUR, TRM_SCENE_SHAPE), frame_of_curve(k->model, joint),
                    trm_v3(1, 1, 1));
}

static bool draw_curves(sketch *k, int body)
{
    for (int i = 0; i < k->model->shown_joint_count; i++) {
        const trm_joint *j = &k->model->joints[i];
        if (j->curve && j->body[0] == body && !draw_curve(k, j)) return false;
    }
    return true;
}

static bool has_curves(const trm_model *model)
{
    for (int i = 0; i < model->shown_joint_count; i++)
        if (model->joints[i].curve) return true;
    return false;
}

/* ---- The scene ---------------------------------------------------------------------------- */

static bool draw_bodies(sketch *k)
{
    trm_scene *s = k->scene;
    const bool curves = has_curves(k->model);
    s->first_part = TRM_NEW_ARRAY(s->arena, int, k->model->shown_body_count + 1);
    if (!s->first_part) return false;
    for (int i = 0; i < k->model->shown_body_count; i++) {
        const trm_body *body = &k->model->bodies[i];
        s->first_part[i] = s->part_count;
        for (int n = 0; n < body->shape_count; n++)
            if (!body->shapes[n].hidden && !draw_shape(k, i, &body->shapes[n])) return false;
        if (body->shape_count > 0 && body->kind != TRM_BODY_FIXED &&
            !(body->rod_length > 0 ? draw_given_rod(k, i) : draw_stems(k, i)))
            return false;
        if (body->shape_count == 0 && !draw_skeleton(k, i)) return false;
        if (!draw_pins(k, i) || !draw_motors(k, i)) return false;
        if (curves && !draw_curves(k, i)) return false;
    }
    s->first_part[k->model->shown_body_count] = s->part_count;
    return true;
}

static double start_length(const trm_animation *a, const trm_animated_link *l)
{
    return trm_v3_length(trm_v3_sub(trm_pose_point(a->start[l->body[0]], l->anchor[0]),
                                    trm_pose_point(a->start[l->body[1]], l->anchor[1])));
}

/* Finds the triangles and the radius of a link. A coil is made for its length at the start, or for its rest length if
 * that is 0. Returns false if out of memory. */
static bool find_link_appearance(trm_scene *s, const trm_animated_link *l, trm_scene_link *made)
{
    double length = start_length(s->animation, l);
    if (!(length > 0)) length = l->length > 0 && isfinite(l->length) ? l->length : 10 * s->thickness;
    made->radius = LINK_RADIUS[l->kind] * s->thickness;
    trm_scene_geometry wanted = {.kind = TRM_SCENE_CYLINDER};
    if (l->kind == TRM_LINK_DAMPER || l->kind == TRM_LINK_ACTUATOR) wanted.kind = TRM_SCENE_PISTON;
    if (l->kind == TRM_LINK_SPRING) {
        made->radius = fmin(made->radius, WIDEST_COIL * length);
        wanted = (trm_scene_geometry){.kind = TRM_SCENE_COIL, .length = round(4 * length / made->radius) / 4};
    }
    made->geometry = find_geometry(s, wanted);
    made->material =
        find_material(s, (trm_scene_material){.colour = LINK_COLOUR[l->kind], .metal = l->kind != TRM_LINK_ROPE});
    return made->geometry >= 0 && made->material >= 0;
}

static bool find_link_appearances(trm_scene *s)
{
    const trm_animation *a = s->animation;
    s->links = TRM_NEW_ARRAY(s->arena, trm_scene_link, a->link_count);
    if (!s->links) return false;
    for (int i = 0; i < a->link_count; i++)
        if (!find_link_appearance(s, &a->links[i], &s->links[i])) return false;
    return true;
}

bool trm_scene_make(const trm_animation *animation, trm_arena *arena, trm_scene *made)
{
    *made = (trm_scene){.arena = arena, .animation = animation};
    sketch k = {.scene = made, .model = animation->model};
    if (!gather_ends(&k)) return false;
    measure(&k);
    return draw_bodies(&k) && find_link_appearances(made);
}

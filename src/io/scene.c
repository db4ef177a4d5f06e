/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What is drawn.
 *
 * Of a body with shapes, these, and rods to anchors that lie outside of them. Of one without, its skeleton: a ball at the
 * centre of mass, rods from there to the anchors of its joints and forces and to its named points; one that is slender
 * and has fewer than two of them is drawn as the uniform rod of its moments, L^2 = 12 I / m, and one that has none at all
 * as the uniform box of its moments, with the edges a^2 = 6 (I_b + I_c - I_a) / m. Bodies that are fixed have a small box
 * at each anchor. A plane is a square below (or above) the middle of all motion. A joint on a curve shows the curve.
 *
 * Thickness follows from the extent of the machine at the start, and from the mean length of rods and links where they
 * are short beside it. */

#include "io/scene.h"

#include <string.h>

#include "math/rotation.h"
#include "model/shape.h"

/* Of the diagonal of the machine, and of the mean length of its rods: no rod is thicker. */
static const double OF_EXTENT = 0.006, OF_LENGTH = 0.06;
/* Of the thickness of rods: radii of centres of mass and edges of anchors that are fixed. */
static const double CENTRE = 1.8, ANCHOR = 4;
/* Radius of point masses, likewise of the diagonal and of the mean length. */
static const double POINT_OF_EXTENT = 0.015, POINT_OF_LENGTH = 0.2;
/* The square of a plane reaches beyond all motion by this factor, but not farther than so many machines. */
static const double BEYOND = 1.3, FARTHEST = 20;
/* Of the largest moment: with a smaller one a body is slender. */
static const double SLENDER = 0.01;
/* Of the extent: the largest edge of the box that stands for the moments of a body of a machine. */
static const double LARGEST_BOX = 0.35;
/* Of the extent: nearer points are one. */
static const double SAME_PLACE = 1e-6;
/* Turns of a helix that are drawn to either side. */
enum { TURNS = 3 };

static const uint32_t palette[] = {0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9, 0xb0a030};
enum { PALETTE = sizeof palette / sizeof palette[0] };
static const uint32_t FIXED_COLOUR = 0x9aa0a6, LINK_COLOUR = 0x5f656b, SPRING_COLOUR = 0xb58900;

typedef struct extent {
    trm_vec3 low, high;
} extent;

/* An anchor, or a named point: where a rod of a skeleton ends. In the frame that the user gave the body. */
typedef struct rod_end {
    int body;
    trm_vec3 place;
} rod_end;

typedef struct sketch {
    trm_scene *scene;
    const trm_model *model;
    rod_end *ends; /* in the order of bodies, once all are there */
    int end_count;
    int *first_end; /* per body, and one more */
    double extent;  /* m: diagonal of the machine at the start */
    double ball;    /* m: radius of point masses */
} sketch;

/* ---- Lists -------------------------------------------------------------------------------- */

static int find_material(trm_scene *s, uint32_t colour, bool two_sided)
{
    for (int i = 0; i < s->material_count; i++)
        if (s->materials[i].colour == colour && s->materials[i].two_sided == two_sided) return i;
    trm_scene_material *list = trm_arena_grow(s->arena, s->materials, s->material_count, sizeof *list);
    if (!list) return -1;
    s->materials = list;
    s->materials[s->material_count] = (trm_scene_material){colour, two_sided};
    return s->material_count++;
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
    case TRM_SCENE_CURVE: break;
    }
    return true; /* a curve comes with its line */
}

/* The number of these triangles, which are made if there are none such yet; -1: out of memory. */
static int find_geometry(trm_scene *s, trm_scene_geometry wanted)
{
    for (int i = 0; i < s->geometry_count; i++) {
        const trm_scene_geometry *g = &s->geometries[i];
        if (g->kind == wanted.kind && g->length == wanted.length && g->curve == wanted.curve &&
            is_same_mesh(g->mesh, wanted.mesh))
            return i;
    }
    trm_scene_geometry *list = trm_arena_grow(s->arena, s->geometries, s->geometry_count, sizeof *list);
    if (!list || !make_triangles(s->arena, &wanted)) return -1;
    s->geometries = list;
    s->geometries[s->geometry_count] = wanted;
    return s->geometry_count++;
}

static bool add_part(trm_scene *s, trm_scene_geometry wanted, trm_scene_material look, trm_pose pose, trm_vec3 scale)
{
    const int geometry = find_geometry(s, wanted), material = find_material(s, look.colour, look.two_sided);
    trm_scene_part *list = trm_arena_grow(s->arena, s->parts, s->part_count, sizeof *list);
    if (geometry < 0 || material < 0 || !list) return false;
    s->parts = list;
    s->parts[s->part_count++] = (trm_scene_part){geometry, material, pose, scale};
    return true;
}

/* ---- Where rods end ----------------------------------------------------------------------- */

static void add_end(sketch *k, int body, trm_vec3 place)
{
    if (k->ends) k->ends[k->end_count] = (rod_end){body, place};
    k->end_count++;
}

/* Whether a rod leads to the anchor of a joint in its body b. One that slides on something fixed may be anywhere along
 * the axis, which the anchor of what is fixed marks; between two that move it holds the picture together. */
static bool has_anchor(const trm_model *model, const trm_joint *j, int b)
{
    const trm_joint_type *t = j->type;
    const bool slides =
        t == &trm_joint_slider || t == &trm_joint_cylinder || t == &trm_joint_screw || t == &trm_joint_planar;
    if (b < trm_marked_end(j)) return false;
    return !slides || model->bodies[j->body[1 - b]].kind != TRM_BODY_FIXED;
}

/* Counts them while there is no room for them. */
static void visit_ends(sketch *k)
{
    const trm_model *model = k->model;
    k->end_count = 0;
    for (int i = 0; i < model->shown_joint_count; i++) {
        const trm_joint *j = &model->joints[i];
        if (!(j->type->takes & TRM_TAKES_BODIES)) continue;
        for (int b = 0; b < 2; b++)
            if (has_anchor(model, j, b)) add_end(k, j->body[b], trm_anchor_in_body(model, j->body[b], j->frame[b]));
    }
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *f = &model->forces[i];
        for (int b = 0; b < 2 && (f->type->takes & TRM_FORCE_TAKES_BODIES); b++)
            add_end(k, f->body[b], trm_anchor_in_body(model, f->body[b], f->frame[b]));
    }
    for (int i = 0; i < model->shown_body_count; i++)
        for (int p = 0; p < model->bodies[i].point_count; p++) add_end(k, i, model->bodies[i].points[p].position);
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

/* ---- Measures ----------------------------------------------------------------------------- */

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

/* In the frame that the user gave the first body. */
static trm_pose frame_of_curve(const trm_model *model, const trm_joint *joint)
{
    return trm_pose_mul(model->bodies[joint->body[0]].X_BP, joint->frame[0]);
}

/* What is drawn of a curve: a whole spline or circle; of a helix some turns about where the joint is at the start. */
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

/* The mean length of rods and links; infinite if there are none. */
static double mean_length(const sketch *k)
{
    const trm_animation *a = k->scene->animation;
    double sum = 0;
    int count = 0;
    for (int i = 0; i < k->end_count; i++) {
        const trm_body *body = &k->model->bodies[k->ends[i].body];
        const double length = trm_length(trm_sub(k->ends[i].place, body->X_BP.p));
        if (body->kind == TRM_BODY_FIXED || body->shape_count > 0 || length <= SAME_PLACE * k->extent) continue;
        sum += length, count++;
    }
    for (int i = 0; i < a->link_count; i++) {
        const trm_animated_link *l = &a->links[i];
        sum += trm_length(trm_sub(trm_pose_point(a->start[l->body[0]], l->anchor[0]),
                                  trm_pose_point(a->start[l->body[1]], l->anchor[1])));
        count++;
    }
    return sum > 0 ? sum / count : INFINITY;
}

static void measure(sketch *k)
{
    trm_scene *s = k->scene;
    const trm_vec3 far = trm_v3(INFINITY, INFINITY, INFINITY);
    extent start = {far, trm_neg(far)};
    for (int i = 0; i < k->model->shown_body_count; i++) widen_by_body(k, i, 0, &start);
    for (int i = 0; i < k->model->shown_joint_count; i++)
        if (k->model->joints[i].curve) widen_by_curve(k, &k->model->joints[i], &start);
    extent all = start;
    for (int row = 0; row < s->animation->row_count; row++)
        for (int i = 0; i < k->model->shown_body_count; i++)
            if (s->animation->slot[i] >= 0) widen(&all, trm_animated_pose(s->animation, row, i).p, 0);
    const double size = trm_length(trm_sub(start.high, start.low)), way = trm_length(trm_sub(all.high, all.low));
    k->extent = size > 0 && isfinite(size) ? size : 1;
    s->radius = 0.5 * k->extent;
    s->centre = trm_scale(0.5, trm_add(start.low, start.high));
    if (!trm_is_finite(s->centre)) s->centre = trm_v3(0, 0, 0);
    s->thickness = fmin(OF_EXTENT * k->extent, OF_LENGTH * mean_length(k));
    k->ball = fmin(POINT_OF_EXTENT * k->extent, POINT_OF_LENGTH * mean_length(k));
    s->plane_reach = BEYOND * fmin(way > 0 && isfinite(way) ? 0.5 * way : k->extent, FARTHEST * k->extent);
    s->middle = trm_scale(0.5, trm_add(all.low, all.high));
    if (!trm_is_finite(s->middle)) s->middle = trm_v3(0, 0, 0);
}

/* ---- Shapes ------------------------------------------------------------------------------- */

/* "#rrggbb", or the colour of the body. */
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

static uint32_t colour_of_body(const trm_model *model, int body)
{
    return model->bodies[body].kind == TRM_BODY_FIXED ? FIXED_COLOUR : palette[(body + PALETTE - 1) % PALETTE];
}

/* Below the middle of the motion, as its body is at the start. */
static trm_pose place_of_plane(const sketch *k, int body, const trm_shape *shape, trm_pose X_BS)
{
    const trm_pose X = trm_pose_mul(k->scene->animation->start[body], X_BS);
    const trm_vec3 middle = trm_pose_point_back(X, k->scene->middle);
    const double height = trm_dot(middle, shape->normal) - shape->offset;
    const trm_pose in_shape = {trm_quat_between(trm_axis(2), shape->normal),
                               trm_add_scaled(middle, -height, shape->normal)};
    return trm_pose_mul(X_BS, in_shape);
}

static bool draw_shape(sketch *k, int body, const trm_shape *shape)
{
    const char *type = shape->type->name;
    const double r = shape->radius, reach = k->scene->plane_reach;
    const trm_pose X = trm_pose_mul(k->model->bodies[body].X_BP, shape->pose);
    trm_scene_material look = {colour_of(shape->color, colour_of_body(k->model, body)), false};
    trm_scene_geometry g = {.kind = TRM_SCENE_MESH, .mesh = &shape->mesh};
    if (strcmp(type, "sphere") == 0)
        return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_SPHERE}, look, X, trm_v3(r, r, r));
    if (strcmp(type, "box") == 0)
        return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_BOX}, look, X, shape->size);
    if (strcmp(type, "cylinder") == 0)
        return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_CYLINDER}, look, X,
                        trm_v3(r, r, shape->length));
    if (strcmp(type, "capsule") == 0) {
        g = (trm_scene_geometry){.kind = TRM_SCENE_CAPSULE, .length = shape->length / r};
        return add_part(k->scene, g, look, X, trm_v3(r, r, r));
    }
    look.two_sided = strcmp(type, "hull") != 0 && !shape->type->corners;
    if (strcmp(type, "plane") != 0) return add_part(k->scene, g, look, X, trm_v3(1, 1, 1));
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_SQUARE}, look, place_of_plane(k, body, shape, X),
                    trm_v3(reach, reach, 1));
}

/* ---- Skeletons ---------------------------------------------------------------------------- */

static bool draw_ball(sketch *k, uint32_t colour, trm_vec3 at, double radius)
{
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_SPHERE}, (trm_scene_material){colour, false},
                    (trm_pose){trm_quat_identity(), at}, trm_v3(radius, radius, radius));
}

static bool draw_rod(sketch *k, uint32_t colour, trm_vec3 from, trm_vec3 to)
{
    const trm_vec3 d = trm_sub(to, from);
    const double length = trm_length(d), r = k->scene->thickness;
    const trm_pose X = {trm_quat_between(trm_axis(2), trm_scale(1 / length, d)), trm_add_scaled(from, 0.5, d)};
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_CYLINDER}, (trm_scene_material){colour, false},
                    X, trm_v3(r, r, length));
}

/* Whether an end is the first of its body at this place, and away from a given one. */
static bool is_new_end(const sketch *k, int i, trm_vec3 away)
{
    const rod_end *e = &k->ends[i];
    const double near = SAME_PLACE * k->extent;
    if (trm_length(trm_sub(e->place, away)) <= near) return false;
    for (int j = k->first_end[e->body]; j < i; j++)
        if (trm_length(trm_sub(k->ends[j].place, e->place)) <= near) return false;
    return true;
}

static bool draw_anchors(sketch *k, int body)
{
    const double a = ANCHOR * k->scene->thickness;
    const trm_vec3 none = trm_v3(INFINITY, INFINITY, INFINITY);
    for (int i = k->first_end[body]; i < k->first_end[body + 1]; i++)
        if (is_new_end(k, i, none) && !add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_BOX},
                                                (trm_scene_material){colour_of_body(k->model, body), false},
                                                (trm_pose){trm_quat_identity(), k->ends[i].place}, trm_v3(a, a, a)))
            return false;
    return true;
}

/* Whether a place of a body lies beyond the balls around all its shapes. */
static bool is_outside(const trm_body *body, trm_vec3 place)
{
    for (int i = 0; i < body->shape_count; i++) {
        const trm_vec3 middle = trm_pose_point(body->X_BP, body->shapes[i].pose.p);
        if (trm_length(trm_sub(place, middle)) <= body->shapes[i].type->reach(&body->shapes[i])) return false;
    }
    return true;
}

/* Rods from the centre of mass to all ends outside of shapes; how many, -1: out of memory. */
static int draw_rods(sketch *k, int index)
{
    const trm_body *body = &k->model->bodies[index];
    int rods = 0;
    for (int i = k->first_end[index]; i < k->first_end[index + 1]; i++) {
        if (!is_new_end(k, i, body->X_BP.p) || !is_outside(body, k->ends[i].place)) continue;
        if (!draw_rod(k, colour_of_body(k->model, index), body->X_BP.p, k->ends[i].place)) return -1;
        rods++;
    }
    return rods;
}

/* Of a body with shapes, so that nothing of it floats: rods, and if they begin outside of its shapes, others to these. */
static bool draw_stems(sketch *k, int index)
{
    const trm_body *body = &k->model->bodies[index];
    const int rods = draw_rods(k, index);
    if (rods <= 0 || !is_outside(body, body->X_BP.p)) return rods >= 0;
    for (int i = 0; i < body->shape_count; i++) {
        const trm_vec3 middle = trm_pose_point(body->X_BP, body->shapes[i].pose.p);
        if (isfinite(body->shapes[i].type->reach(&body->shapes[i])) &&
            !draw_rod(k, colour_of_body(k->model, index), body->X_BP.p, middle))
            return false;
    }
    return true;
}

/* The axis with the smallest moment, of a slender body; -1: it is none. */
static int slender_axis(const trm_body *body)
{
    const double I[3] = {body->inertia.x, body->inertia.y, body->inertia.z};
    const int least = I[0] <= I[1] ? (I[0] <= I[2] ? 0 : 2) : (I[1] <= I[2] ? 1 : 2);
    return I[least] < SLENDER * fmax(I[0], fmax(I[1], I[2])) ? least : -1;
}

/* A body of which nothing but its moments is known. Those of one that only slides may be any number, so that its box is
 * made smaller where it would hide the machine. */
static bool draw_moments(sketch *k, const trm_body *body, uint32_t colour)
{
    const trm_vec3 I = body->inertia;
    const double m = body->mass, thin = 2 * k->scene->thickness;
    const trm_vec3 squares = trm_scale(6 / m, trm_v3(I.y + I.z - I.x, I.z + I.x - I.y, I.x + I.y - I.z));
    const double largest = sqrt(fmax(squares.x, fmax(squares.y, squares.z))), most = LARGEST_BOX * k->extent;
    const double by = k->end_count > 0 && largest > most ? most / largest : 1;
    const trm_vec3 edges =
        trm_v3(fmax(by * sqrt(fmax(squares.x, 0)), thin), fmax(by * sqrt(fmax(squares.y, 0)), thin),
               fmax(by * sqrt(fmax(squares.z, 0)), thin));
    return add_part(k->scene, (trm_scene_geometry){.kind = TRM_SCENE_BOX}, (trm_scene_material){colour, false},
                    body->X_BP, edges);
}

static bool draw_uniform_rod(sketch *k, const trm_body *body, uint32_t colour, int axis)
{
    const double I = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
    const trm_vec3 half = trm_scale(0.5 * sqrt(12 * I / body->mass), trm_axis(axis));
    return draw_rod(k, colour, trm_pose_point(body->X_BP, trm_neg(half)), trm_pose_point(body->X_BP, half));
}

static bool draw_skeleton(sketch *k, int index)
{
    const trm_body *body = &k->model->bodies[index];
    const uint32_t colour = colour_of_body(k->model, index);
    const trm_vec3 centre = body->X_BP.p;
    if (body->kind == TRM_BODY_FIXED) return draw_anchors(k, index);
    if (body->kind == TRM_BODY_POINT) return draw_ball(k, colour, centre, k->ball);
    const int rods = draw_rods(k, index);
    if (rods < 0) return false;
    const int axis = body->mass > 0 ? slender_axis(body) : -1;
    if (rods < 2 && axis >= 0 && !draw_uniform_rod(k, body, colour, axis)) return false;
    if (rods == 0 && axis < 0 && body->mass > 0) return draw_moments(k, body, colour);
    return draw_ball(k, colour, centre, CENTRE * k->scene->thickness);
}

/* ---- Curves ------------------------------------------------------------------------------- */

static bool draw_curve(sketch *k, const trm_joint *joint)
{
    trm_scene_geometry line = {.kind = TRM_SCENE_CURVE, .curve = joint->curve};
    double from, to;
    stretch_of_curve(k, joint, &from, &to);
    return trm_curve_geometry(k->scene->arena, joint->curve, from, to, &line.triangles) &&
           add_part(k->scene, line, (trm_scene_material){LINK_COLOUR, false}, frame_of_curve(k->model, joint),
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

/* ---- The whole ---------------------------------------------------------------------------- */

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
        if (body->shape_count > 0 && body->kind != TRM_BODY_FIXED && !draw_stems(k, i)) return false;
        if (body->shape_count == 0 && !draw_skeleton(k, i)) return false;
        if (curves && !draw_curves(k, i)) return false;
    }
    s->first_part[k->model->shown_body_count] = s->part_count;
    return true;
}

static bool find_link_looks(trm_scene *s)
{
    const trm_animation *a = s->animation;
    if (a->link_count == 0) return true;
    s->link_geometry = find_geometry(s, (trm_scene_geometry){.kind = TRM_SCENE_CYLINDER});
    if (a->joint_link_count > 0) s->link_material = find_material(s, LINK_COLOUR, false);
    if (a->joint_link_count < a->link_count) s->spring_material = find_material(s, SPRING_COLOUR, false);
    return s->link_geometry >= 0 && s->link_material >= 0 && s->spring_material >= 0;
}

bool trm_scene_make(const trm_animation *animation, trm_arena *arena, trm_scene *made)
{
    *made = (trm_scene){.arena = arena, .animation = animation};
    sketch k = {.scene = made, .model = animation->model};
    if (!gather_ends(&k)) return false;
    measure(&k);
    return draw_bodies(&k) && find_link_looks(made);
}

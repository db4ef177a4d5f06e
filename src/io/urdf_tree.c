/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* From the links and joints of URDF to bodies, joints and forces.
 *
 * Links that fixed joints hold together are one body, in the frame of the first of them; the others stay as points with their
 * names. A body without mass that carries nothing becomes part of the body that it hangs on, since nothing could be said
 * about its motion. Poses at the start follow from the root, X_child = X_parent X_origin X_joint(q), with q = 0 or the
 * nearest value that the limits allow; a joint that mimics another follows it. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/urdf.h"
#include "math/rotation.h"

typedef struct urdf_body {
    int link;   /* the first of its links */
    int parent; /* body; -1: none */
    int joint;  /* by which it hangs on it; -1: none */
    trm_mass mass;
    int children;    /* that have not become part of it */
    int merged_into; /* body; -1: it is one of its own */
} urdf_body;

typedef struct tree {
    trm_urdf *u;
    int *order; /* links, parents first */
    int order_count;
    urdf_body *bodies;
    int body_count;
} tree;

static bool is_type(const trm_urdf_joint *joint, const char *type)
{
    return strcmp(joint->type, type) == 0;
}

/* ---- The tree ----------------------------------------------------------------------------- */

static void attach_links(trm_urdf *u)
{
    for (int j = 0; j < u->joint_count; j++) {
        trm_urdf_link *child = &u->links[u->joints[j].child];
        if (child->joint >= 0)
            trm_say(u->in->messages, TRM_ERROR, u->joints[j].place, "",
                    "link '%s' is the child of joint '%s' and of joint '%s'; a loop is closed in a second file",
                    child->name, u->joints[child->joint].name, u->joints[j].name);
        child->joint = j;
    }
}

static int find_root(const trm_urdf *u)
{
    int root = -1;
    for (int i = 0; i < u->link_count; i++) {
        if (u->links[i].joint >= 0) continue;
        if (root >= 0)
            trm_say(u->in->messages, TRM_ERROR, u->links[i].place, "",
                    "link '%s' hangs on nothing, and so does '%s'; a robot has one root: join them by a joint",
                    u->links[i].name, u->links[root].name);
        else
            root = i;
    }
    return root;
}

/* Level by level: children of the links that are in order already. */
static void bring_into_order(tree *t, int root, const int *first_child, const int *next_child)
{
    t->order[t->order_count++] = root;
    for (int i = 0; i < t->order_count; i++)
        for (int j = first_child[t->order[i]]; j >= 0; j = next_child[j])
            t->order[t->order_count++] = t->u->joints[j].child;
}

/* False: out of memory. Links that cannot be reached from the root are in a circle. */
static bool find_order(tree *t, int root)
{
    trm_urdf *u = t->u;
    int *first = TRM_NEW_ARRAY(u->in->scratch, int, u->link_count);
    int *next = TRM_NEW_ARRAY(u->in->scratch, int, u->joint_count);
    t->order = TRM_NEW_ARRAY(u->in->scratch, int, u->link_count);
    if (!first || !next || !t->order) return false;
    for (int i = 0; i < u->link_count; i++) first[i] = -1;
    for (int j = u->joint_count - 1; j >= 0; j--) {
        next[j] = first[u->joints[j].parent];
        first[u->joints[j].parent] = j;
    }
    bring_into_order(t, root, first, next);
    return true;
}

/* ---- The start ---------------------------------------------------------------------------- */

static void find_masters(trm_urdf *u)
{
    for (int j = 0; j < u->joint_count; j++) {
        trm_urdf_joint *joint = &u->joints[j];
        joint->start = fmin(fmax(0, joint->limits[0]), joint->limits[1]);
        if (!joint->mimic) continue;
        joint->master = trm_names_find(&u->joint_names, joint->mimic);
        if (joint->master < 0 || joint->master == j)
            trm_say(u->in->messages, TRM_ERROR, joint->place, "", "joint '%s' mimics '%s', which is no other joint",
                    joint->name, joint->mimic);
    }
}

/* A joint that follows one that follows: as often as there are joints, at most. */
static void find_starts(trm_urdf *u)
{
    bool changed = true;
    find_masters(u);
    for (int round = 0; changed && round < u->joint_count && trm_error_count(u->in->messages) == 0; round++) {
        changed = false;
        for (int j = 0; j < u->joint_count; j++) {
            trm_urdf_joint *joint = &u->joints[j];
            if (joint->master < 0) continue;
            const double start = joint->multiplier * u->joints[joint->master].start + joint->offset;
            changed = changed || start != joint->start;
            joint->start = start;
        }
    }
    for (int j = 0; j < u->joint_count; j++)
        if (u->joints[j].start != 0 && u->joints[j].master < 0)
            trm_say(u->in->messages, TRM_WARNING, u->joints[j].place, "",
                    "joint '%s' starts at %g: 0 is outside of its limits [%g, %g]", u->joints[j].name,
                    u->joints[j].start, u->joints[j].limits[0], u->joints[j].limits[1]);
}

static trm_pose moved(const trm_urdf_joint *joint)
{
    if (is_type(joint, "revolute") || is_type(joint, "continuous"))
        return (trm_pose){trm_quat_from_axis_angle(joint->axis, joint->start), {0, 0, 0}};
    if (is_type(joint, "prismatic")) return (trm_pose){trm_quat_identity(), trm_scale(joint->start, joint->axis)};
    return (trm_pose){trm_quat_identity(), {0, 0, 0}};
}

static void place_links(tree *t)
{
    trm_urdf *u = t->u;
    u->links[t->order[0]].world = (trm_pose){trm_quat_identity(), {0, 0, 0}};
    for (int i = 1; i < t->order_count; i++) {
        trm_urdf_link *link = &u->links[t->order[i]];
        const trm_urdf_joint *joint = &u->joints[link->joint];
        const trm_pose step = trm_pose_mul(joint->origin, moved(joint));
        link->world = trm_pose_mul(u->links[joint->parent].world, step);
        link->world.q = trm_quat_unit(link->world.q);
    }
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static void add_mass(urdf_body *body, trm_mass mass, trm_pose X)
{
    if (!(mass.mass > 0)) return;
    const trm_mass part = trm_mass_moved(mass, X);
    body->mass = body->mass.mass > 0 ? trm_mass_sum(body->mass, part) : part;
}

/* The pose of one link's frame in another's, at the start. */
static trm_pose relative(const trm_urdf_link *in, const trm_urdf_link *of)
{
    return trm_pose_mul(trm_pose_inverse(in->world), of->world);
}

static bool put_together(tree *t)
{
    trm_urdf *u = t->u;
    t->bodies = TRM_NEW_ARRAY(u->in->scratch, urdf_body, u->link_count);
    for (int i = 0; t->bodies && i < t->order_count; i++) {
        trm_urdf_link *link = &u->links[t->order[i]];
        const trm_urdf_joint *joint = link->joint >= 0 ? &u->joints[link->joint] : NULL;
        const int parent = joint ? u->links[joint->parent].body : -1;
        link->body = joint && is_type(joint, "fixed") ? parent : t->body_count;
        if (link->body == t->body_count) {
            t->bodies[t->body_count++] =
                (urdf_body){.link = t->order[i], .parent = parent, .joint = link->joint, .merged_into = -1};
            if (parent >= 0) t->bodies[parent].children++;
        }
        urdf_body *body = &t->bodies[link->body];
        link->in_body = relative(&u->links[body->link], link);
        add_mass(body, link->mass, link->in_body);
    }
    return t->bodies != NULL;
}

static void merge(tree *t, int b)
{
    trm_urdf *u = t->u;
    urdf_body *body = &t->bodies[b];
    const trm_urdf_link *first = &u->links[t->bodies[body->parent].link];
    body->merged_into = body->parent;
    t->bodies[body->parent].children--;
    for (int i = 0; i < u->link_count; i++)
        if (u->links[i].body == b) {
            u->links[i].body = body->parent;
            u->links[i].in_body = relative(first, &u->links[i]);
        }
    trm_say(u->in->messages, TRM_WARNING, u->links[body->link].place, "",
            "link '%s' has no mass and carries nothing: it is a part of '%s', and joint '%s' is left out",
            u->links[body->link].name, first->name, u->joints[body->joint].name);
}

/* From the leaves to the root. */
static void look_for_mass(tree *t)
{
    trm_urdf *u = t->u;
    const bool fixed_base = !u->in->options->free_base;
    for (int b = t->body_count - 1; b >= 0; b--) {
        urdf_body *body = &t->bodies[b];
        if (body->mass.mass > 0 || (b == 0 && fixed_base)) continue;
        if (b > 0 && body->children == 0)
            merge(t, b);
        else
            trm_say(u->in->messages, TRM_ERROR, u->links[body->link].place, "",
                    "link '%s' has no mass but %s; give it an <inertial>, or hold it by a fixed joint",
                    u->links[body->link].name, b > 0 ? "carries others by a joint that moves" : "is a free base");
    }
}

/* ---- Into the definition ------------------------------------------------------------------ */

static const char *name_of(const tree *t, int body)
{
    return t->u->links[t->bodies[body].link].name;
}

static bool gather_parts(tree *t, int b, trm_body_def *def)
{
    trm_urdf *u = t->u;
    trm_arena *arena = u->in->def->arena;
    trm_named_point *points = NULL;
    trm_shape_def *shapes = NULL;
    for (int i = 0; i < u->link_count; i++) {
        const trm_urdf_link *link = &u->links[i];
        if (link->body != b) continue;
        if (i != t->bodies[b].link) {
            points = trm_arena_grow(arena, points, def->point_count, sizeof *points);
            if (!points) return false;
            points[def->point_count++] = (trm_named_point){trm_arena_text(arena, link->name), link->in_body.p};
        }
        for (int k = 0; k < link->shape_count; k++) {
            shapes = trm_arena_grow(arena, shapes, def->shape_count, sizeof *shapes);
            if (!shapes) return false;
            trm_shape_def shape = link->shapes[k];
            const trm_pose X = trm_pose_mul(link->in_body, (trm_pose){shape.orientation, shape.position});
            shape.position = X.p, shape.orientation = X.q;
            shapes[def->shape_count++] = shape;
        }
    }
    def->points = points;
    def->shapes = shapes;
    return true;
}

/* Moments that no body can have: each of the smaller two is raised by half of what is missing. */
static trm_vec3 repaired(trm_vec3 m)
{
    const double largest = fmax(m.x, fmax(m.y, m.z)), missing = 2 * largest - (m.x + m.y + m.z);
    if (missing <= 0) return m;
    return trm_v3(m.x == largest ? m.x : m.x + 0.5 * missing, m.y == largest ? m.y : m.y + 0.5 * missing,
                  m.z == largest ? m.z : m.z + 0.5 * missing);
}

static void check_inertia(const tree *t, int b, trm_mass *mass, trm_body_def *def)
{
    static const double ROUNDING = 1e-6;
    const trm_import *in = t->u->in;
    const trm_principal p = trm_principal_axes(mass->inertia);
    const trm_place place = t->u->links[t->bodies[b].link].place;
    if (trm_inertia_is_possible(p.moments, ROUNDING)) return;
    const bool positive = fmin(p.moments.x, fmin(p.moments.y, p.moments.z)) > 0;
    const bool repair = in->options->inertia == TRM_INERTIA_REPAIR;
    const bool usable = repair || (positive && in->options->inertia == TRM_INERTIA_KEEP);
    if (repair) {
        const trm_mat3 R = trm_quat_matrix(p.axes);
        const trm_vec3 m = repaired(p.moments);
        mass->inertia = trm_mat_mul(trm_mat_mul(R, trm_diag(m)), trm_transpose(R));
    }
    def->impossible_inertia = !repair;
    trm_say(
        in->messages, usable ? TRM_WARNING : TRM_ERROR, place, "",
        "link '%s': no body can have the principal moments %.3g, %.3g, %.3g kg m^2: one exceeds the sum of the other "
        "two; %s",
        name_of(t, b), p.moments.x, p.moments.y, p.moments.z,
        repair   ? "the smaller ones are raised"
        : usable ? "they are used as given (--inertia repair raises the smaller ones)"
                 : "take --inertia repair, which raises the smaller ones");
}

static bool add_body(tree *t, int b)
{
    const urdf_body *body = &t->bodies[b];
    const trm_urdf_link *link = &t->u->links[body->link];
    trm_body_def def = trm_default_body_def();
    def.place = link->place;
    def.name = trm_arena_text(t->u->in->def->arena, link->name);
    def.position = link->world.p;
    def.orientation = link->world.q;
    if (b == 0 && !t->u->in->options->free_base) {
        def.kind = TRM_BODY_FIXED;
    } else {
        trm_mass mass = body->mass;
        check_inertia(t, b, &mass, &def);
        def.mass = mass.mass;
        def.com = mass.com;
        const double(*I)[3] = (const double(*)[3])mass.inertia.m;
        const double moments[6] = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
        memcpy(def.inertia, moments, sizeof moments);
    }
    return gather_parts(t, b, &def) && trm_add_body(t->u->in->def, &def) == TRM_OK;
}

static bool add_damping(tree *t, const trm_urdf_joint *joint)
{
    trm_force_def def = trm_default_force_def();
    if (joint->damping == 0) return true;
    def.place = joint->place;
    def.name = trm_arena_format(t->u->in->def->arena, "%s damping", joint->name);
    def.type = "torsion";
    def.joint = trm_arena_text(t->u->in->def->arena, joint->name);
    def.stiffness = 0;
    def.damping = joint->damping;
    return trm_add_force(t->u->in->def, &def) == TRM_OK;
}

static bool add_joint(tree *t, int b)
{
    static const struct {
        const char *urdf, *ours;
    } TYPES[] = {{"revolute", "hinge"}, {"continuous", "hinge"}, {"prismatic", "slider"}, {"planar", "planar"}};
    trm_urdf *u = t->u;
    const urdf_body *body = &t->bodies[b];
    const trm_urdf_joint *joint = &u->joints[body->joint];
    const trm_pose X = u->links[body->link].world;
    trm_joint_def def = trm_default_joint_def();
    for (size_t i = 0; i < sizeof TYPES / sizeof *TYPES; i++)
        if (is_type(joint, TYPES[i].urdf)) def.type = TYPES[i].ours;
    if (!def.type) return true; /* floating */
    const bool one = !is_type(joint, "planar");
    def.place = joint->place;
    def.name = trm_arena_text(u->in->def->arena, joint->name);
    def.bodies[0] = trm_arena_text(u->in->def->arena, name_of(t, body->parent));
    def.bodies[1] = trm_arena_text(u->in->def->arena, name_of(t, b));
    def.anchor = X.p;
    def.axis = trm_rotate(X.q, joint->axis);
    if (one) {
        def.q0[0] = joint->start;
        memcpy(def.limits, joint->limits, sizeof def.limits);
        if (joint->friction > 0) def.friction = joint->friction;
    }
    return trm_add_joint(u->in->def, &def) == TRM_OK && (!one || add_damping(t, joint));
}

/* Of joints that have a body; those of merged bodies are left out, and that is said there. */
static bool is_kept(const tree *t, int joint)
{
    const int body = t->u->links[t->u->joints[joint].child].body;
    return t->bodies[body].joint == joint;
}

static bool add_gear(tree *t, int j)
{
    const trm_urdf_joint *joint = &t->u->joints[j];
    if (joint->master < 0 || !is_kept(t, j)) return true;
    if (!is_kept(t, joint->master)) {
        trm_say(t->u->in->messages, TRM_WARNING, joint->place, "", "joint '%s' mimics '%s', which does not move",
                joint->name, joint->mimic);
        return true;
    }
    trm_arena *arena = t->u->in->def->arena;
    trm_joint_def def = trm_default_joint_def();
    def.place = joint->place;
    def.name = trm_arena_format(arena, "%s mimic", joint->name);
    def.type = "gear";
    def.joints[0] = trm_arena_text(arena, joint->name);
    def.joints[1] = trm_arena_text(arena, joint->mimic);
    def.ratio = joint->multiplier;
    def.offset = joint->offset;
    return trm_add_joint(t->u->in->def, &def) == TRM_OK;
}

static bool part(trm_model_def *def, const char *a, const char *b)
{
    trm_body_pair *pairs = trm_arena_grow(def->arena, def->no_collide, def->no_collide_count, sizeof *pairs);
    if (!pairs) return false;
    def->no_collide = pairs;
    pairs[def->no_collide_count++] = (trm_body_pair){.bodies = {a, b}};
    return true;
}

static bool has_colliding_shapes(const trm_body_def *body)
{
    for (int i = 0; i < body->shape_count; i++)
        if (body->shapes[i].collide) return true;
    return false;
}

/* Collision shapes of neighbours' neighbours overlap in most files: a robot does not collide with itself unless asked to. */
static bool part_all(const tree *t)
{
    trm_model_def *def = t->u->in->def;
    for (int a = 0; a < def->body_count; a++)
        for (int b = 0; b < a; b++)
            if (has_colliding_shapes(&def->bodies[a]) && has_colliding_shapes(&def->bodies[b]) &&
                !part(def, def->bodies[a].name, def->bodies[b].name))
                return false;
    return true;
}

static bool add_all(tree *t)
{
    bool good = true;
    for (int b = 0; good && b < t->body_count; b++)
        if (t->bodies[b].merged_into < 0) good = add_body(t, b);
    for (int b = 1; good && b < t->body_count; b++)
        if (t->bodies[b].merged_into < 0) good = add_joint(t, b);
    for (int j = 0; good && j < t->u->joint_count; j++) good = add_gear(t, j);
    return good && (t->u->in->options->self_collision || part_all(t));
}

bool trm_urdf_build(trm_urdf *u)
{
    tree t = {.u = u};
    attach_links(u);
    const int root = find_root(u);
    if (root < 0) {
        trm_say(u->in->messages, TRM_ERROR, u->links[0].place, "", "every link hangs on another: there is no root");
        return true;
    }
    if (trm_error_count(u->in->messages) > 0) return true;
    if (!find_order(&t, root)) return false;
    if (t.order_count < u->link_count) {
        trm_say(u->in->messages, TRM_ERROR, u->links[root].place, "",
                "%d links hang on each other in a circle and not on the root '%s'", u->link_count - t.order_count,
                u->links[root].name);
        return true;
    }
    find_starts(u);
    place_links(&t);
    if (!put_together(&t)) return false;
    look_for_mass(&t);
    return trm_error_count(u->in->messages) > 0 || add_all(&t);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The point mass system that moves like a model of rigid bodies (SBP section 3). point_masses.c computes the masses
 * of a body, point_ties.c its distances; this file combines them.
 *
 * A node is a point of one body. A ball and a gimbal have one node on each side. A hinge has two, the second one along
 * the axis; a fixed joint has three. A universal joint has one, and on each side another one along its axis there: the
 * axes z and x stay at right angles if these two keep their distance, |L z - L x| = sqrt(2) L. A spring has a node at
 * each end.
 *
 * Nodes that one or several joints connect form a ring and become one point, whose mass is the sum of theirs. The
 * point is fixed if a fixed body is among them: all fixed bodies together are body 0. The velocity of the point is the
 * mass-weighted mean of theirs. Velocities that violate the joints are then projected as those of the bodies would be.
 *
 * Bodies that translate relative to each other cannot be converted: if b moves by s along the unit vector d, the
 * square of the distance of any two points of a and b is |q - p|^2 + 2 s d . (q - p) + s^2, which is not constant. */

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/message.h"
#include "model/to_points.h"

/* m, rad: a joint that is open by more than this is refused. A larger value merges points that are apart, a smaller
 * one refuses models with nine digits. Tests pass with a tenth and with ten times of it. */
static const double OPEN = 1e-9;

enum { NO_NODE = -1 };

typedef struct node {
    int body;         /* 0: does not move */
    trm_vec3 place;   /* m, in the principal frame of its body */
    double mass;      /* kg */
    const char *name; /* name of the point; only its first node has one */
    int next;         /* next node of the same body */
    int ring;         /* next node of the same point; itself if there is no other */
    int point;        /* index of the point in the definition */
} node;

typedef struct net {
    const trm_model *model;
    trm_point_layout layout;
    trm_messages *messages;
    trm_arena scratch;
    trm_model_def *def;
    trm_names point_names, joint_names;
    node *nodes;
    int node_count;
    int *first, *last; /* first and last node of each body */
    bool *is_tied;     /* whether a body has its distances */
    trm_point_counts *counts;
} net;

static bool is_distance(const trm_joint *joint)
{
    return joint->type == &trm_joint_distance;
}

static bool is_universal(const trm_joint *joint)
{
    return joint->type == &trm_joint_universal;
}

static bool is_spring(const trm_force *force)
{
    return force->type == &trm_force_spring;
}

/* Returns how many points of one body coincide with points of the other; 0: the joint cannot be converted. */
static int shared_points(const trm_joint *joint)
{
    if (joint->type == &trm_joint_ball || joint->type == &trm_joint_gimbal || is_universal(joint)) return 1;
    return joint->type == &trm_joint_hinge ? 2 : joint->type == &trm_joint_fixed ? 3 : 0;
}

/* ---- Elements that cannot be converted ---------------------------------------------------- */

#define REFUSE(net, place, kind, name, ...)                                                                          \
    do {                                                                                                             \
        char element[120];                                                                                           \
        snprintf(element, sizeof element, "%s '%s'", kind, name);                                                    \
        trm_add_message((net)->messages, TRM_ERROR, place, element, __VA_ARGS__);                                    \
    } while (0)

/* Returns the reason why a joint has no counterpart among point masses. */
static const char *reason_of(const trm_joint *joint)
{
    static const struct {
        const trm_joint_type *type;
        const char *why;
    } reasons[] = {
        {&trm_joint_slider, "its bodies shift along each other, and no two of their points keep a distance"},
        {&trm_joint_cylinder, "its bodies shift along each other, and no two of their points keep a distance"},
        {&trm_joint_screw, "its bodies shift along each other, and no two of their points keep a distance"},
        {&trm_joint_planar, "its bodies shift along each other, and no two of their points keep a distance"},
        {&trm_joint_rail, "a point on a line keeps no distance from points of the other body"},
        {&trm_joint_slot, "a point on a line keeps no distance from points of the other body"},
        {&trm_joint_curve, "a point on a curve keeps no distance from points of the other body"},
        {&trm_joint_surface, "a point on a surface keeps no distance from points of the other body"},
        {&trm_joint_span, "it keeps a sum of distances, not each of them"},
        {&trm_joint_chain, "its links have no mass, and points need one; make bodies of them"},
    };
    for (size_t i = 0; i < sizeof reasons / sizeof *reasons; i++)
        if (reasons[i].type == joint->type) return reasons[i].why;
    return "it relates coordinates of joints, which points do not have";
}

static void check_joint(net *n, const trm_joint *joint, const trm_pose *poses)
{
    const trm_place place = joint->source;
    if (shared_points(joint) == 0 && !is_distance(joint)) {
        REFUSE(n, place, "joint", joint->name,
               "a %s cannot be made of point masses: %s; ball, hinge, universal, gimbal, fixed and distance can",
               joint->type->name, reason_of(joint));
        return;
    }
    for (int k = 0; k < joint->coordinates; k++) {
        const trm_coordinate_law *law = &joint->law[k];
        if (isfinite(law->limits[0]) || isfinite(law->limits[1]))
            REFUSE(n, place, "joint", joint->name, "has limits, which point masses do not have");
        if (law->friction > 0 || law->mu > 0 || law->static_friction > 0)
            REFUSE(n, place, "joint", joint->name, "has friction, which point masses do not have");
        if (law->armature > 0) REFUSE(n, place, "joint", joint->name, "has armature, which point masses do not have");
    }
    if (isfinite(joint->break_force) || isfinite(joint->break_torque))
        REFUSE(n, place, "joint", joint->name, "can break, which a point that two bodies share cannot");
    if (!isnan(joint->spring_stiffness) || !isnan(joint->erp) || !isnan(joint->cfm))
        REFUSE(n, place, "joint", joint->name, "is soft, which a point that two bodies share cannot be");
    if (!joint->attached)
        REFUSE(n, place, "joint", joint->name, "is not attached at the start; points are shared permanently");
    const trm_joint_at at = trm_joint_at_poses(joint, poses, NULL, 0, joint->start_memory);
    const trm_gap gap = trm_joint_gap(&at);
    if (gap.position > OPEN || gap.angle > OPEN)
        REFUSE(n, place, "joint", joint->name,
               "is open by %g m and %g rad at the start; move its bodies so that it is closed", gap.position,
               gap.angle);
}

static void check_other_elements(net *n)
{
    const trm_model *model = n->model;
    const trm_place nowhere = {0};
    for (int i = 1; i < model->body_count; i++)
        if (model->bodies[i].kind == TRM_BODY_MOVING)
            REFUSE(n, nowhere, "body", model->bodies[i].name, "its motion is prescribed; point masses move freely");
    for (int i = 0; i < model->force_count; i++) {
        const trm_force *force = &model->forces[i];
        if (force->type->built_in || is_spring(force)) continue;
        REFUSE(n, force->source, "force", force->name ? force->name : force->type->name,
               "a %s has no counterpart among point masses%s; gravity and springs are carried over",
               force->type->name,
               force->host ? ": it acts on the coordinate of a joint, which points do not have" : "");
    }
    if (model->collisions.may_collide)
        REFUSE(n, nowhere, "body", model->collisions.may_collide,
               "its shapes may touch others, and point masses have none; give them \"collide\": false");
    if (model->simulation.start)
        trm_add_message(n->messages, TRM_ERROR, nowhere, "simulation",
                        "starts in the pose '%s' of joints, and points start where the bodies are defined; leave "
                        "\"start\" out",
                        model->simulation.start);
    const struct {
        const char *section;
        int count;
    } naming[] = {{"events", model->schedule.count},
                  {"outputs", model->observed.output_count},
                  {"sensors", model->observed.sensor_count}};
    for (int i = 0; i < 3; i++)
        if (naming[i].count > 0)
            trm_add_message(n->messages, TRM_ERROR, nowhere, naming[i].section,
                            "name bodies and joints that point masses replace");
}

/* Checks that the model can be converted and reports errors. Returns false when out of memory. */
static bool check_model(net *n)
{
    const trm_model *model = n->model;
    trm_pose *poses = TRM_NEW_ARRAY(&n->scratch, trm_pose, model->body_count);
    if (!poses) return false;
    for (int i = 0; i < model->body_count; i++) poses[i] = model->bodies[i].start;
    for (int i = 0; i < model->joint_count; i++) check_joint(n, &model->joints[i], poses);
    check_other_elements(n);
    return true;
}

/* ---- Nodes -------------------------------------------------------------------------------- */

static int add_node(net *n, int body, trm_vec3 place, double mass, const char *name)
{
    const int index = n->node_count;
    const node made = {body, place, mass, name, NO_NODE, index, 0};
    if (!name || !TRM_APPEND(&n->scratch, n->nodes, n->node_count, made)) return NO_NODE;
    if (n->first[body] == NO_NODE)
        n->first[body] = index;
    else
        n->nodes[n->last[body]].next = index;
    n->last[body] = index;
    return index;
}

static double size_of(const trm_body *body)
{
    return body->kind == TRM_BODY_RIGID
               ? sqrt((body->inertia.x + body->inertia.y + body->inertia.z) / (2 * body->mass))
               : 0;
}

/* Returns the node at a place of a body, creating it if needed. */
static int node_at(net *n, int body, trm_vec3 place, const char *name)
{
    const double reach = fmax(size_of(&n->model->bodies[body]), trm_v3_length(place));
    for (int i = n->first[body]; i != NO_NODE; i = n->nodes[i].next)
        if (trm_v3_length(trm_v3_sub(n->nodes[i].place, place)) <= trm_point_nearness * reach) return i;
    return add_node(n, body, place, 0, name);
}

/* Returns the node of any body, free or not, at a place in its principal frame. */
static int node_on(net *n, int index, trm_vec3 place, const char *name)
{
    const trm_body *body = &n->model->bodies[index];
    if (body->kind == TRM_BODY_POINT) return n->first[index];
    if (body->kind == TRM_BODY_FIXED) return node_at(n, 0, trm_pose_point(body->start, place), name);
    return node_at(n, index, place, name);
}

/* Returns the node of side k of a joint at this place in the joint's frame. */
static int node_of_side(net *n, const trm_joint *joint, int k, trm_vec3 at, const char *name)
{
    return node_on(n, joint->body[k], trm_pose_point(joint->frame[k], at), name);
}

/* Returns the node at one end of a spring. */
static int node_of_end(net *n, const trm_force *force, int k)
{
    const char *name = force->name ? force->name : force->type->name;
    return node_on(n, force->body[k], force->frame[k].p, trm_arena_format(&n->scratch, "%s/%d", name, k + 1));
}

static void unite(net *n, int a, int b)
{
    for (int i = n->nodes[a].ring; i != a; i = n->nodes[i].ring)
        if (i == b) return;
    if (a == b) return;
    const int behind = n->nodes[a].ring;
    n->nodes[a].ring = n->nodes[b].ring;
    n->nodes[b].ring = behind;
}

/* Returns the distance of the points of a joint: the size of the smaller body, which separates them best. */
static double spacing_of(const net *n, const trm_joint *joint)
{
    const double a = size_of(&n->model->bodies[joint->body[0]]), b = size_of(&n->model->bodies[joint->body[1]]);
    return a == 0 ? b : b == 0 ? a : fmin(a, b);
}

/* Returns the name of a node: for a distance joint one name per side, otherwise one name for both sides. */
static const char *name_of_node(net *n, const trm_joint *joint, int side, int number)
{
    if (is_distance(joint)) return trm_arena_format(&n->scratch, "%s/%d", joint->name, side + 1);
    return number > 0 ? trm_arena_format(&n->scratch, "%s/%d", joint->name, number + 1) : joint->name;
}

/* Finds the two nodes that a distance of the point system connects: the ends of a distance joint, or a point on each
 * axis of a universal joint, z of a and x of b. Returns false when out of memory. */
static bool ends_of_distance(net *n, const trm_joint *joint, int ends[2])
{
    const double along = is_universal(joint) ? spacing_of(n, joint) : 0;
    for (int k = 0; k < 2; k++) {
        const int number = is_universal(joint) ? k + 1 : 0;
        const trm_vec3 at = trm_v3_scale(along, trm_axis(k == 0 ? 2 : 0));
        ends[k] = node_of_side(n, joint, k, at, name_of_node(n, joint, k, number));
    }
    return ends[0] != NO_NODE && ends[1] != NO_NODE;
}

/* Adds the nodes of a joint: its anchor, one along z, one along x. Returns false when out of memory. */
static bool add_joint_nodes(net *n, const trm_joint *joint)
{
    int ends[2];
    for (int i = 0; i < shared_points(joint); i++) {
        const trm_vec3 at = i == 0 ? trm_v3(0, 0, 0) : trm_v3_scale(spacing_of(n, joint), trm_axis(i == 1 ? 2 : 0));
        const int a = node_of_side(n, joint, 0, at, name_of_node(n, joint, 0, i));
        const int b = node_of_side(n, joint, 1, at, name_of_node(n, joint, 1, i));
        if (a == NO_NODE || b == NO_NODE) return false;
        unite(n, a, b);
    }
    return (!is_distance(joint) && !is_universal(joint)) || ends_of_distance(n, joint, ends);
}

static bool add_force_nodes(net *n, const trm_force *force)
{
    if (!is_spring(force)) return true;
    return node_of_end(n, force, 0) != NO_NODE && node_of_end(n, force, 1) != NO_NODE;
}

static int count_nodes(const net *n, int body)
{
    int count = 0;
    for (int i = n->first[body]; i != NO_NODE; i = n->nodes[i].next) count++;
    return count;
}

static void warn_of_light_points(net *n, const trm_body *body, const trm_mass_points *points)
{
    char element[120];
    snprintf(element, sizeof element, "body '%s'", body->name);
    if (points->is_plane)
        trm_add_message(
            n->messages, TRM_WARNING, (trm_place){0}, element,
            "is plane, and distances cannot keep points in a plane: its moments are off by 4e-9 of the largest");
    else if (points->is_slender)
        trm_add_message(n->messages, TRM_WARNING, (trm_place){0}, element,
                        "is so slender that some of its points are very light; joints of loops may not stay closed");
}

/* Sets the masses of one rigid body, on its nodes and on new ones. Returns false when out of memory. */
static bool add_masses(net *n, int index)
{
    const trm_body *body = &n->model->bodies[index];
    trm_mass_points points;
    const int count = count_nodes(n, index);
    trm_vec3 *references = TRM_NEW_ARRAY(&n->scratch, trm_vec3, count);
    if (!references) return false;
    for (int i = n->first[index], k = 0; i != NO_NODE; i = n->nodes[i].next) references[k++] = n->nodes[i].place;
    if (!trm_spread_mass(&n->scratch, body, n->layout, references, count, &points)) return false;
    for (int i = n->first[index], k = 0; k < count; i = n->nodes[i].next) n->nodes[i].mass = points.list[k++].mass;
    for (int k = count; k < points.count; k++) {
        const char *name = trm_arena_format(&n->scratch, "%s/p%d", body->name, k - count + 1);
        if (add_node(n, index, points.list[k].place, points.list[k].mass, name) == NO_NODE) return false;
    }
    warn_of_light_points(n, body, &points);
    return true;
}

static bool add_nodes(net *n)
{
    const trm_model *model = n->model;
    for (int i = 1; i < model->body_count; i++)
        if (model->bodies[i].kind == TRM_BODY_POINT &&
            add_node(n, i, trm_v3(0, 0, 0), model->bodies[i].mass, model->bodies[i].name) == NO_NODE)
            return false;
    for (int i = 0; i < model->joint_count; i++)
        if (!add_joint_nodes(n, &model->joints[i])) return false;
    for (int i = 0; i < model->force_count; i++)
        if (!add_force_nodes(n, &model->forces[i])) return false;
    for (int i = 1; i < model->body_count; i++)
        if (model->bodies[i].kind == TRM_BODY_RIGID && !add_masses(n, i)) return false;
    return true;
}

/* ---- Points ------------------------------------------------------------------------------- */

/* Returns the name, or a similar one that no other element has; the definition owns it. Returns NULL if out of
 * memory. */
static const char *unique_name(net *n, trm_names *names, const char *name)
{
    char *own = trm_arena_text(n->def->arena, name);
    while (own && trm_names_find(names, own) >= 0) own = trm_arena_format(n->def->arena, "%s~", own);
    if (own) trm_names_add(names, own, 0);
    return own;
}

static bool is_first_of_ring(const net *n, int index)
{
    for (int i = n->nodes[index].ring; i != index; i = n->nodes[i].ring)
        if (i < index) return false;
    return true;
}

static trm_vec3 velocity_of(const net *n, const node *of)
{
    const trm_body *body = &n->model->bodies[of->body];
    const trm_vec3 arm = trm_rotate(body->start.q, of->place);
    return trm_v3_add(body->start_velocity.lin, trm_v3_cross(body->start_velocity.ang, arm));
}

/* Merges all nodes of a ring into one point. */
static bool add_point(net *n, int index)
{
    trm_body_def point = trm_default_body_def();
    bool is_fixed = false;
    int i = index;
    do {
        node *of = &n->nodes[i];
        is_fixed = is_fixed || of->body == 0;
        point.mass += of->mass;
        point.velocity = trm_v3_add_scaled(point.velocity, of->mass, velocity_of(n, of));
        of->point = n->def->body_count;
        i = of->ring;
    } while (i != index);

    const node *first = &n->nodes[index];
    point.kind = is_fixed ? TRM_BODY_FIXED : TRM_BODY_POINT;
    point.velocity = is_fixed ? trm_v3(0, 0, 0) : trm_v3_scale(1 / point.mass, point.velocity);
    if (is_fixed) point.mass = 0;
    point.position = trm_pose_point(n->model->bodies[first->body].start, first->place);
    point.name = unique_name(n, &n->point_names, first->name);
    return point.name && trm_add_body(n->def, &point) == TRM_OK;
}

static bool add_points(net *n)
{
    if (!trm_names_init(&n->point_names, &n->scratch, n->node_count)) return false;
    for (int i = 0; i < n->node_count; i++)
        if (is_first_of_ring(n, i) && !add_point(n, i)) return false;
    return true;
}

/* ---- Distances ---------------------------------------------------------------------------- */

static trm_joint_def distance_between(const net *n, int a, int b)
{
    trm_joint_def distance = trm_default_joint_def();
    distance.type = "distance";
    distance.bodies[0] = n->def->bodies[n->nodes[a].point].name;
    distance.bodies[1] = n->def->bodies[n->nodes[b].point].name;
    distance.anchors[0] = distance.anchors[1] = trm_v3(0, 0, 0);
    return distance;
}

/* Adds the distances of distance joints and of universal joints between points. Returns false when out of memory. */
static bool add_joint_distances(net *n)
{
    for (int i = 0; i < n->model->joint_count; i++) {
        const trm_joint *joint = &n->model->joints[i];
        int ends[2];
        if (!is_distance(joint) && !is_universal(joint)) continue;
        if (!ends_of_distance(n, joint, ends)) return false;
        trm_joint_def distance = distance_between(n, ends[0], ends[1]);
        distance.name = unique_name(n, &n->joint_names, joint->name);
        distance.length = is_distance(joint) ? joint->length : sqrt(2) * spacing_of(n, joint);
        distance.rope = joint->rope;
        distance.limit_restitution = joint->limit_restitution;
        if (!distance.name || trm_add_joint(n->def, &distance) != TRM_OK) return false;
    }
    return true;
}

/* Adds the springs between points. Returns false when out of memory. */
static bool add_springs(net *n)
{
    static const char *const treatments[] = {"explicit", "implicit", "integral"};
    for (int i = 0; i < n->model->force_count; i++) {
        const trm_force *force = &n->model->forces[i];
        if (!is_spring(force)) continue;
        trm_force_def spring = trm_default_force_def();
        spring.type = "spring";
        spring.name = force->name ? trm_arena_text(n->def->arena, force->name) : NULL;
        for (int k = 0; k < 2; k++) {
            const int end = node_of_end(n, force, k);
            if (end == NO_NODE) return false;
            spring.bodies[k] = n->def->bodies[n->nodes[end].point].name;
            spring.anchors[k] = trm_v3(0, 0, 0);
        }
        spring.rest = force->rest, spring.stiffness = force->stiffness, spring.damping = force->damping;
        if (force->treatment != TRM_TREAT_EXPLICIT) spring.treatment = treatments[force->treatment];
        if (trm_add_force(n->def, &spring) != TRM_OK) return false;
    }
    return true;
}

/* Collects the nodes of a body and, for each node, the bodies that share it and already have their distances. Returns
 * false when out of memory. */
static bool gather(net *n, int body, trm_tie_points *points, int *nodes)
{
    const int count = points->count;
    trm_vec3 *places = TRM_NEW_ARRAY(&n->scratch, trm_vec3, count);
    int *group_first = TRM_NEW_ARRAY(&n->scratch, int, count + 1), *groups = NULL, group_count = 0, k = 0;
    if (!places || !group_first) return false;
    for (int i = n->first[body]; i != NO_NODE; i = n->nodes[i].next, k++) {
        nodes[k] = i;
        places[k] = n->nodes[i].place;
        group_first[k] = group_count;
        for (int mate = n->nodes[i].ring; mate != i; mate = n->nodes[mate].ring) {
            const int of = n->nodes[mate].body;
            if (n->is_tied[of] && !TRM_APPEND(&n->scratch, groups, group_count, of)) return false;
        }
    }
    group_first[count] = group_count;
    *points = (trm_tie_points){places, count, groups, group_first};
    return true;
}

static bool add_ties(net *n, int body, const int *nodes, const trm_tie *ties, int count)
{
    for (int i = 0; i < count; i++) {
        trm_joint_def distance = distance_between(n, nodes[ties[i].a], nodes[ties[i].b]);
        const char *name = trm_arena_format(&n->scratch, "%s/d%d", n->model->bodies[body].name, i + 1);
        distance.name = name ? unique_name(n, &n->joint_names, name) : NULL;
        if (!distance.name || trm_add_joint(n->def, &distance) != TRM_OK) return false;
    }
    return true;
}

static bool tie_body(net *n, int body)
{
    trm_tie_points points = {.count = count_nodes(n, body)};
    int *nodes = TRM_NEW_ARRAY(&n->scratch, int, points.count), count;
    trm_tie *ties = TRM_NEW_ARRAY(&n->scratch, trm_tie, 3 * points.count);
    if (!nodes || !ties || !gather(n, body, &points, nodes)) return false;
    const trm_tying tying = trm_choose_ties(&n->scratch, &points, ties, &count);
    if (tying == TRM_TIES_NO_MEMORY) return false;
    if (tying == TRM_TIES_TOO_FLAT)
        REFUSE(n, (trm_place){0}, "body", n->model->bodies[body].name,
               "its points lie too nearly in a plane to be held by distances; are its joints far from it?");
    if (n->counts) n->counts[body] = (trm_point_counts){points.count, count};
    n->is_tied[body] = true;
    return tying == TRM_TIES_TOO_FLAT || add_ties(n, body, nodes, ties, count);
}

static bool add_distances(net *n)
{
    if (!trm_names_init(&n->joint_names, &n->scratch, 3 * n->node_count + n->model->joint_count)) return false;
    n->is_tied[0] = true; /* points of the world are fixed */
    if (!add_joint_distances(n)) return false;
    for (int i = 1; i < n->model->body_count; i++)
        if (n->model->bodies[i].kind == TRM_BODY_RIGID && !tie_body(n, i)) return false;
    return true;
}

static bool begin(net *n, const trm_allocator *allocator)
{
    const int bodies = n->model->body_count;
    n->def = trm_model_def_create(allocator);
    n->first = TRM_NEW_ARRAY(&n->scratch, int, bodies);
    n->last = TRM_NEW_ARRAY(&n->scratch, int, bodies);
    n->is_tied = TRM_NEW_ARRAY(&n->scratch, bool, bodies);
    if (!n->def || !n->first || !n->last || !n->is_tied) return false;
    for (int i = 0; i < bodies; i++) n->first[i] = n->last[i] = NO_NODE;
    if (n->counts) memset(n->counts, 0, (size_t)bodies * sizeof *n->counts);
    n->def->name = trm_arena_text(n->def->arena, n->model->name);
    n->def->gravity = n->model->gravity;
    return n->def->name && trm_copy_simulation(&n->model->simulation, n->def->arena, &n->def->simulation);
}

static trm_status convert(net *n, const trm_allocator *allocator)
{
    const int errors = trm_error_count(n->messages);
    if (!begin(n, allocator) || !check_model(n)) return TRM_OUT_OF_MEMORY;
    if (trm_error_count(n->messages) > errors) return TRM_BAD_INPUT;
    if (!add_nodes(n) || !add_points(n) || !add_distances(n) || !add_springs(n) || n->scratch.failed ||
        n->def->arena->failed)
        return TRM_OUT_OF_MEMORY;
    return trm_error_count(n->messages) > errors ? TRM_BAD_INPUT : TRM_OK;
}

trm_status trm_to_points(const trm_model *model, trm_point_layout layout, const trm_allocator *allocator,
                         trm_messages *messages, trm_point_counts *counts, trm_model_def **points)
{
    TRM_ASSERT(model && messages && points);
    net n = {.model = model, .layout = layout, .messages = messages, .counts = counts};
    *points = NULL;
    trm_arena_init(&n.scratch, allocator);
    const trm_status status = convert(&n, allocator);
    trm_arena_destroy(&n.scratch);
    if (status == TRM_OK)
        *points = n.def;
    else
        trm_model_def_destroy(n.def);
    return status;
}

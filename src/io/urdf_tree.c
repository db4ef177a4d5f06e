/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Makes the parts of a robot (robot.h) from the links and joints of URDF. Joints keep the order of the file, which is
 * the order of the joint coordinates.
 *
 * Poses at the start follow from the root, X_child = X_parent X_origin X_joint(q), with q = 0 or the nearest value
 * within the limits; a joint that mimics another follows that. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/urdf.h"
#include "math/rotation.h"

typedef struct tree {
    trm_urdf *u;
    int *order; /* links, parents first */
    int order_count;
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
            trm_add_error(
                u->in->messages, u->joints[j].place,
                "link '%s' is the child of joint '%s' and of joint '%s'; a link has one parent: remove one of "
                "them, and close a loop by a joint in a second file (--with)",
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
            trm_add_error(u->in->messages, u->links[i].place,
                          "links '%s' and '%s' have no parent; a robot has one root: connect them by a joint",
                          u->links[i].name, u->links[root].name);
        else
            root = i;
    }
    return root;
}

/* Lists the links level by level: the children of the links listed before. */
static void list_levels(tree *t, int root, const int *first_child, const int *next_child)
{
    t->order[t->order_count++] = root;
    for (int i = 0; i < t->order_count; i++)
        for (int j = first_child[t->order[i]]; j >= 0; j = next_child[j])
            t->order[t->order_count++] = t->u->joints[j].child;
}

/* Lists the links, parents first. Links that cannot be reached from the root are in a cycle. Returns false if out of
 * memory. */
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
    list_levels(t, root, first, next);
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
        if (joint->master < 0 || joint->master == j) {
            trm_add_error(u->in->messages, joint->place, "joint '%s' mimics '%s', which is not another joint",
                          joint->name, joint->mimic);
            joint->master = -1;
            continue;
        }
        const char *still = is_type(joint, "fixed")                       ? joint->name
                            : is_type(&u->joints[joint->master], "fixed") ? joint->mimic
                                                                          : NULL;
        if (!still) continue;
        trm_add_warning(u->in->messages, joint->place,
                        "joint '%s' mimics '%s', but '%s' is fixed; <mimic> is ignored", joint->name, joint->mimic,
                        still);
        joint->master = -1;
    }
}

/* Reports an error if joints that mimic each other form a cycle. */
static void check_mimic_cycles(trm_urdf *u)
{
    for (int j = 0; j < u->joint_count; j++) {
        int at = u->joints[j].master;
        for (int steps = 0; at >= 0 && at != j && steps < u->joint_count; steps++) at = u->joints[at].master;
        if (at == j && u->joints[j].master >= 0) {
            trm_add_error(u->in->messages, u->joints[j].place,
                          "joint '%s' mimics '%s', which in turn follows '%s': one joint of a cycle must be free",
                          u->joints[j].name, u->joints[j].mimic, u->joints[j].name);
            return;
        }
    }
}

/* Computes the initial coordinates. A joint may follow one that follows another, so this takes at most as many passes
 * as there are joints. */
static void find_starts(trm_urdf *u)
{
    bool changed = true;
    find_masters(u);
    check_mimic_cycles(u);
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
            trm_add_warning(u->in->messages, u->joints[j].place,
                            "joint '%s' starts at %g: 0 is outside of its limits [%g, %g]", u->joints[j].name,
                            u->joints[j].start, u->joints[j].limits[0], u->joints[j].limits[1]);
}

static trm_pose moved(const trm_urdf_joint *joint)
{
    if (is_type(joint, "revolute") || is_type(joint, "continuous"))
        return (trm_pose){trm_quat_from_axis_angle(joint->axis, joint->start), {0, 0, 0}};
    if (is_type(joint, "prismatic")) return (trm_pose){trm_quat_identity(), trm_v3_scale(joint->start, joint->axis)};
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

/* ---- Parts and connections ---------------------------------------------------------------- */

static bool add_part(tree *t, int index)
{
    trm_urdf *u = t->u;
    trm_urdf_link *link = &u->links[t->order[index]];
    trm_robot_part *part = trm_robot_add_part(&u->robot);
    if (!part) return false;
    link->part = index;
    part->name = link->name;
    part->place = link->place;
    part->world = link->world;
    part->mass = link->mass;
    part->fixed = index == 0 && !u->in->options->free_base;
    part->gravity = link->gravity;
    part->no_self_collision = !link->self_collision;
    for (int k = 0; k < link->shape_count; k++) {
        trm_part_shape *shape = trm_part_add_shape(&u->robot, part);
        if (!shape) return false;
        shape->def = link->shapes[k];
    }
    return true;
}

static bool add_freedom(trm_urdf *u, const trm_urdf_joint *joint, const char *name, trm_vec3 axis, trm_connection *c,
                        trm_pose X)
{
    trm_freedom *f = trm_connection_add_freedom(&u->robot, c);
    if (!f) return false;
    f->name = name;
    f->place = joint->place;
    f->slide = is_type(joint, "prismatic");
    f->axis = trm_rotate(X.q, axis);
    f->anchor = X.p;
    f->start = joint->start;
    memcpy(f->limits, joint->limits, sizeof f->limits);
    f->damping = joint->damping;
    f->friction = joint->friction;
    f->armature = joint->armature;
    f->stiffness = joint->stiffness;
    f->rest = joint->rest;
    f->effort = joint->effort;
    f->max_velocity = joint->velocity;
    return true;
}

/* Adds a universal joint: rotation about x of the joint's frame, then about y. Returns false if out of memory. */
static bool add_universal(trm_urdf *u, const trm_urdf_joint *joint, trm_connection *c, trm_pose X)
{
    const char *second = trm_arena_format(u->in->scratch, "%s axis2", joint->name);
    return second && add_freedom(u, joint, joint->name, trm_axis(0), c, X) &&
           add_freedom(u, joint, second, trm_axis(1), c, X);
}

/* Sets up the joint types of other programs. The damping of a screw, which acts on its angle, is not supported; a
 * warning says so. */
static void set_other(trm_urdf *u, const trm_urdf_joint *joint, trm_connection *c, trm_pose X)
{
    if (is_type(joint, "ball") || is_type(joint, "spherical")) {
        c->type = "ball";
        c->damping = joint->damping;
    }
    if (!is_type(joint, "screw")) return;
    c->type = "screw";
    c->axis = trm_rotate(X.q, joint->axis);
    c->pitch = joint->pitch / (2 * TRM_PI);
    if (joint->damping != 0 || joint->friction != 0)
        trm_add_warning(u->in->messages, joint->place, "joint '%s': dynamics of a screw are not used", joint->name);
}

static bool add_connection(trm_urdf *u, const trm_urdf_joint *joint)
{
    trm_connection *c = trm_robot_add_connection(&u->robot);
    const trm_pose X = u->links[joint->child].world;
    if (!c) return false;
    c->name = joint->name;
    c->place = joint->place;
    c->parts[0] = u->links[joint->parent].part;
    c->parts[1] = u->links[joint->child].part;
    /* a constant, because names of the document do not live long enough */
    if (is_type(joint, "fixed")) c->type = "fixed";
    if (is_type(joint, "planar")) c->type = "planar";
    if (is_type(joint, "floating")) c->type = "free";
    c->anchor = X.p;
    if (is_type(joint, "planar")) c->axis = trm_rotate(X.q, joint->axis);
    set_other(u, joint, c, X);
    if (is_type(joint, "universal")) return add_universal(u, joint, c, X);
    return c->type || add_freedom(u, joint, joint->name, joint->axis, c, X);
}

static bool add_mimic(trm_urdf *u, const trm_urdf_joint *joint)
{
    if (joint->master < 0) return true;
    trm_part_coupling *c = trm_robot_add_coupling(&u->robot);
    if (!c) return false;
    c->name = trm_arena_format(u->in->scratch, "%s mimic", joint->name);
    c->place = joint->place;
    c->of = joint->mimic;
    c->a[0] = joint->offset;
    c->a[1] = joint->multiplier;
    return c->name && trm_coupling_add_term(&u->robot, c, joint->name, 1);
}

/* Adds a joint that closes a loop. Either both frames are given, or that of the child is used for both; they need not
 * coincide at the start. Returns false if out of memory. */
static bool add_loop(trm_urdf *u, const trm_urdf_loop *loop)
{
    trm_connection *c = trm_robot_add_connection(&u->robot);
    if (!c) return false;
    const trm_pose child = trm_pose_mul(u->links[loop->links[1]].world, loop->frames[1]);
    const trm_pose parent = loop->by_child ? child : trm_pose_mul(u->links[loop->links[0]].world, loop->frames[0]);
    c->name = loop->name;
    c->place = loop->place;
    c->loop = true;
    c->parts[0] = u->links[loop->links[0]].part;
    c->parts[1] = u->links[loop->links[1]].part;
    c->anchor = child.p;
    c->ends[0] = parent.p, c->ends[1] = child.p;
    c->has_ends = strcmp(loop->type, "ball") == 0;
    c->type = loop->type;
    if (strcmp(loop->type, "hinge") == 0 || strcmp(loop->type, "slider") == 0)
        c->axis = trm_rotate(child.q, loop->axis);
    if (!c->has_ends && trm_v3_length(trm_v3_sub(parent.p, child.p)) > 1e-6)
        trm_add_warning(
            u->in->messages, c->place,
            "joint '%s': its two ends are %.3g m apart at the start; its anchor on the second link is used", c->name,
            trm_v3_length(trm_v3_sub(parent.p, child.p)));
    return true;
}

static bool assemble(tree *t)
{
    trm_urdf *u = t->u;
    bool good = true;
    u->robot.in = u->in;
    good = trm_robot_reserve(&u->robot, t->order_count, t->order_count + u->loop_count);
    for (int i = 0; good && i < t->order_count; i++) good = add_part(t, i);
    for (int j = 0; good && j < u->joint_count; j++) good = add_connection(u, &u->joints[j]);
    for (int j = 0; good && j < u->joint_count; j++) good = add_mimic(u, &u->joints[j]);
    for (int i = 0; good && i < u->loop_count; i++) good = add_loop(u, &u->loops[i]);
    return good && trm_robot_build(&u->robot);
}

/* Reports the first link that cannot be reached from the root. */
static void refuse_cycle(const tree *t, const char *root)
{
    const trm_urdf *u = t->u;
    int lost = 0;
    for (int i = 0; i < u->link_count; i++) {
        bool reached = false;
        for (int k = 0; k < t->order_count && !reached; k++) reached = t->order[k] == i;
        lost = i;
        if (!reached) break;
    }
    trm_add_error(u->in->messages, u->joints[u->links[lost].joint].place,
                  "link '%s' is its own ancestor: its joints form a cycle that does not reach the root '%s'",
                  u->links[lost].name, root);
}

bool trm_urdf_build(trm_urdf *u)
{
    tree t = {.u = u};
    attach_links(u);
    const int root = find_root(u);
    if (root < 0) {
        trm_add_error(u->in->messages, u->links[0].place,
                      "every link is the child of a joint: there is no root; remove a joint of the cycle");
        return true;
    }
    if (trm_error_count(u->in->messages) > 0) return true;
    if (!find_order(&t, root)) return false;
    if (t.order_count < u->link_count) {
        refuse_cycle(&t, u->links[root].name);
        return true;
    }
    find_starts(u);
    place_links(&t);
    return assemble(&t);
}

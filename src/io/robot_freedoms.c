/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Adds joints to the definition for the connections of a robot.
 *
 * One freedom is a hinge or a slider. Several in series, without masses between them, become the joint that leaves
 * the same motion free, if its coordinates are theirs in the order of the file, with the values of the file.
 *
 *     two hinges at right angles through one point -> universal       hinge, then slide on one axis -> cylinder
 *     three orthogonal hinges through one point, at 0 -> gimbal       three slides and three hinges -> none: free
 *     all others                                   -> chain */

#include <math.h>
#include <string.h>

#include "io/robot.h"
#include "math/rotation.h"

/* ---- Several freedoms in series ----------------------------------------------------------- */

static const double SQUARE =
    1e-9; /* largest cosine of axes that count as orthogonal, and distance of anchors that count as equal, m */

static bool is_square(const trm_freedom *f, const trm_freedom *g)
{
    return fabs(trm_v3_dot(f->axis, g->axis)) < SQUARE;
}

/* Returns whether the axes of two hinges intersect, and writes the point. Parallel axes do not. */
static bool axes_meet(const trm_freedom *f, const trm_freedom *g, trm_vec3 *point)
{
    const trm_vec3 d = trm_v3_sub(g->anchor, f->anchor), n = trm_v3_cross(f->axis, g->axis);
    const double nn = trm_v3_dot(n, n);
    if (nn < SQUARE || fabs(trm_v3_dot(d, n)) > SQUARE * sqrt(nn)) return false;
    *point = trm_v3_add_scaled(f->anchor, trm_v3_dot(trm_v3_cross(d, g->axis), n) / nn, f->axis);
    return true;
}

static bool is_universal(const trm_connection *c, trm_joint_def *def)
{
    const trm_freedom *f = c->freedoms;
    if (c->freedom_count != 2 || f[0].slide || f[1].slide || !is_square(&f[0], &f[1])) return false;
    if (!axes_meet(&f[0], &f[1], &def->anchor)) return false;
    def->type = "universal";
    def->axis = f[0].axis;
    def->axis2 = f[1].axis;
    def->q0[0] = f[0].start, def->q0[1] = f[1].start;
    return true;
}

static bool is_cylinder(const trm_connection *c, trm_joint_def *def)
{
    const trm_freedom *f = c->freedoms;
    if (c->freedom_count != 2 || f[0].slide || !f[1].slide) return false;
    if (trm_v3_length(trm_v3_cross(f[0].axis, f[1].axis)) > SQUARE || trm_v3_dot(f[0].axis, f[1].axis) < 0)
        return false;
    def->type = "cylinder";
    def->anchor = f[0].anchor;
    def->axis = f[0].axis;
    def->q0[0] = f[0].start, def->q0[1] = f[1].start;
    return true;
}

static bool is_bare(const trm_freedom *f)
{
    return !(isfinite(f->limits[0]) || isfinite(f->limits[1]) || f->stiffness > 0 || f->damping > 0 ||
             f->friction > 0 || f->armature > 0);
}

/* Returns whether the freedoms form a gimbal: three hinges through one point, orthogonal to each other, with q2 about
 * axis1 x axis3, and all at 0, where the coordinates of a gimbal start. */
static bool is_gimbal(const trm_connection *c, trm_joint_def *def)
{
    const trm_freedom *f = c->freedoms;
    trm_vec3 other;
    if (c->freedom_count != 3) return false;
    for (int i = 0; i < 3; i++)
        if (f[i].slide || f[i].start != 0 || !is_square(&f[i], &f[(i + 1) % 3])) return false;
    if (!axes_meet(&f[0], &f[1], &def->anchor) || !axes_meet(&f[1], &f[2], &other)) return false;
    if (trm_v3_length(trm_v3_sub(def->anchor, other)) > SQUARE) return false;
    if (trm_v3_dot(trm_v3_cross(f[0].axis, f[2].axis), f[1].axis) < 0) return false;
    def->type = "gimbal";
    def->axis = f[0].axis;
    def->axis2 = f[2].axis;
    return true;
}

static bool is_free(const trm_connection *c)
{
    int slides = 0;
    if (c->freedom_count != 6) return false;
    for (int i = 0; i < 6; i++) slides += c->freedoms[i].slide;
    for (int i = 0; i < 3; i++)
        if (!is_square(&c->freedoms[i], &c->freedoms[(i + 1) % 3])) return false;
    for (int i = 0; i < 6; i++)
        if (!is_bare(&c->freedoms[i])) return false;
    return slides == 3;
}

static trm_coordinate_def law_of(const trm_freedom *f)
{
    trm_coordinate_def law = trm_default_coordinate_def();
    law.place = f->place;
    memcpy(law.limits, f->limits, sizeof law.limits);
    law.friction = fmax(f->friction, 0);
    law.stiffness = f->stiffness;
    if (f->stiffness != 0) law.spring_reference = f->rest;
    law.damping = f->damping;
    law.armature = f->armature;
    law.effort = f->effort;
    law.max_velocity = f->max_velocity;
    return law;
}

static bool keep_coordinate(trm_robot *a, const trm_joint_def *def, const trm_freedom *f, int index, int count,
                            double shift)
{
    if (!f->name) return true;
    return TRM_APPEND(a->in->scratch, a->coordinates, a->coordinate_count,
                      (trm_robot_coordinate){f->name, def->name, index, count, shift});
}

const trm_robot_coordinate *trm_robot_coordinate_of(const trm_robot *a, const char *freedom)
{
    const int index = a->coordinate_names.slot_count > 0 ? trm_names_find(&a->coordinate_names, freedom) : -1;
    return index < 0 ? NULL : &a->coordinates[index];
}

/* Sets the laws of the coordinates, one for each freedom. Returns false if out of memory. */
static bool set_laws(trm_robot *a, const trm_connection *c, trm_joint_def *def)
{
    trm_coordinate_def *laws = TRM_NEW_ARRAY(a->in->def->arena, trm_coordinate_def, c->freedom_count);
    bool bare = true;
    if (!laws) return false;
    for (int k = 0; k < c->freedom_count; k++) {
        const trm_freedom *f = &c->freedoms[k];
        laws[k] = law_of(f);
        bare = bare && is_bare(f);
        if (!keep_coordinate(a, def, f, k, c->freedom_count, 0)) return false;
    }
    if (bare) return true;
    def->coordinates = laws;
    def->coordinate_count = c->freedom_count;
    return true;
}

/* Makes a chain of one to six freedoms. Returns false if out of memory. */
static bool set_chain(trm_robot *a, const trm_connection *c, trm_joint_def *def)
{
    trm_coordinate_def *links = TRM_NEW_ARRAY(a->in->def->arena, trm_coordinate_def, c->freedom_count);
    if (!links) return false;
    def->type = "chain";
    for (int k = 0; k < c->freedom_count; k++) {
        const trm_freedom *f = &c->freedoms[k];
        links[k] = law_of(f);
        links[k].type = f->slide ? "slider" : "hinge";
        links[k].axis = f->axis;
        if (!f->slide) links[k].anchor = f->anchor;
        def->q0[k] = f->start;
        if (!keep_coordinate(a, def, f, k, c->freedom_count, 0)) return false;
    }
    def->coordinates = links;
    def->coordinate_count = c->freedom_count;
    return true;
}

/* Chooses the joint for several freedoms, with the laws of its coordinates. *known: such a joint exists. Returns
 * false if out of memory. */
static bool choose_joint(trm_robot *a, const trm_connection *c, trm_joint_def *def, bool *known)
{
    *known = true;
    if (is_free(c)) return true;
    if (is_universal(c, def) || is_cylinder(c, def)) return set_laws(a, c, def);
    trm_joint_def gimbal = *def; /* a copy, because is_gimbal may set its anchor and then fail */
    if (is_gimbal(c, &gimbal)) {
        *def = gimbal;
        return set_laws(a, c, def);
    }
    *known = c->freedom_count <= TRM_JOINT_COORDINATES;
    if (*known) return set_chain(a, c, def);
    trm_add_error(
        a->in->messages, c->place,
        "joint '%s' and the %d that follow it between the same links are more than the six that a chain can have",
        c->name, c->freedom_count - 1);
    return true;
}

/* ---- Joints ------------------------------------------------------------------------------- */

/* Sets the law of a joint with one coordinate. */
static void set_law(const trm_freedom *f, trm_joint_def *def)
{
    memcpy(def->limits, f->limits, sizeof def->limits);
    def->friction = fmax(f->friction, 0);
    def->stiffness = f->stiffness;
    def->spring_reference = f->stiffness != 0 ? f->rest : def->spring_reference;
    def->damping = f->damping;
    def->armature = f->armature;
    def->effort = f->effort;
    def->max_velocity = f->max_velocity;
}

static bool add_one(trm_robot *a, const trm_freedom *f, trm_joint_def *def)
{
    def->place = f->place;
    def->name = trm_robot_keep_name(a, f->name);
    def->type = f->slide ? "slider" : "hinge";
    def->anchor = f->anchor;
    def->axis = f->axis;
    def->q0[0] = f->start;
    set_law(f, def);
    if (!keep_coordinate(a, def, f, 0, 1, 0)) return false;
    return trm_add_joint(a->in->def, def) == TRM_OK;
}

/* Sets the damping of a ball joint. Warns about a stiffness, which ball joints do not have. */
static void set_ball_law(trm_robot *a, const trm_connection *c, trm_joint_def *def)
{
    if (c->damping > 0) def->damping = c->damping;
    if (c->stiffness != 0)
        trm_add_warning(a->in->messages, c->place, "joint '%s': the stiffness of a ball joint is not used", c->name);
}

/* Adds the damping of a free joint as drag on the velocity of the origin of the part's frame and on its angular
 * velocity. Returns false if out of memory. */
static bool add_drag(trm_robot *a, const trm_connection *c)
{
    trm_force_def def = trm_default_force_def();
    if (!(c->damping > 0)) return true;
    def.place = c->place;
    def.name = trm_robot_force_name(a, c->name);
    def.type = "drag";
    def.body = trm_robot_body_name(a, c->parts[1]);
    def.at = a->parts[c->parts[1]].in_body.p;
    def.linear = def.angular = c->damping;
    return def.name && def.body && trm_add_force(a->in->def, &def) == TRM_OK;
}

void trm_robot_set_ends(const trm_robot *a, const int parts[2], const trm_vec3 world[2], trm_vec3 ends[2])
{
    for (int k = 0; k < 2; k++)
        ends[k] = parts[k] < 0 ? world[k] : trm_pose_point_back(a->parts[a->parts[parts[k]].body].world, world[k]);
}

static bool add_joint(trm_robot *a, const trm_connection *c)
{
    trm_joint_def def = trm_default_joint_def();
    def.place = c->place;
    def.name = trm_robot_keep_name(a, c->name);
    def.bodies[0] = trm_robot_body_name(a, c->parts[0]);
    def.bodies[1] = trm_robot_body_name(a, c->parts[1]);
    def.attached = !c->detached;
    if (c->collide) def.collide = true;
    def.erp = c->erp, def.cfm = c->cfm;
    if (!c->type && c->freedom_count == 1) return add_one(a, &c->freedoms[0], &def);
    if (!c->type) {
        bool known;
        if (!choose_joint(a, c, &def, &known)) return false;
        return !known || !def.type || trm_add_joint(a->in->def, &def) == TRM_OK;
    }
    if (strcmp(c->type, "free") == 0) return add_drag(a, c);
    def.type = c->type;
    if (c->has_ends) trm_robot_set_ends(a, c->parts, c->ends, def.anchors);
    if (!c->has_ends) def.anchor = c->anchor;
    if (strcmp(c->type, "distance") == 0) def.length = c->rope, def.rope = true;
    if (c->axis.x != 0 || c->axis.y != 0 || c->axis.z != 0) def.axis = c->axis;
    if (c->axis2.x != 0 || c->axis2.y != 0 || c->axis2.z != 0) def.axis2 = c->axis2;
    if (strcmp(c->type, "screw") == 0) def.pitch = c->pitch;
    set_ball_law(a, c, &def);
    return trm_add_joint(a->in->def, &def) == TRM_OK;
}

static bool is_inside_a_body(const trm_robot *a, const trm_connection *c)
{
    const int one = c->parts[0] < 0 ? -1 : a->parts[c->parts[0]].body;
    const int other = c->parts[1] < 0 ? -1 : a->parts[c->parts[1]].body;
    if (one == other) return true;
    const bool one_fixed = one < 0 || a->parts[one].fixed, other_fixed = other < 0 || a->parts[other].fixed;
    return one_fixed && other_fixed;
}

bool trm_robot_add_joints(trm_robot *a)
{
    for (int i = 0; i < a->connection_count; i++) {
        const trm_connection *c = &a->connections[i];
        if (c->type && strcmp(c->type, "fixed") == 0 && !c->loop) continue;
        if (is_inside_a_body(a, c))
            trm_add_warning(a->in->messages, c->place,
                            "joint '%s' connects links that cannot move against each other; it is left out", c->name);
        else if (!add_joint(a, c))
            return false;
    }
    if (!trm_names_init(&a->coordinate_names, a->in->scratch, a->coordinate_count)) return false;
    for (int i = 0; i < a->coordinate_count; i++) trm_names_add(&a->coordinate_names, a->coordinates[i].freedom, i);
    return true;
}

/* ---- Couplings ---------------------------------------------------------------------------- */

/* Returns the joint of a coordinate of a gear. *which: number of the coordinate in that joint; NAN: it has only
 * one. */
static const char *host_of(trm_robot *a, const trm_robot_coordinate *q, double *which)
{
    *which = q->count > 1 ? (double)(q->index + 1) : NAN;
    return trm_arena_text(a->in->def->arena, q->joint);
}

/* Adds the gear q1 = ratio q2 + offset. Returns false if out of memory. */
static bool add_gear(trm_robot *a, const trm_part_coupling *c, const trm_robot_coordinate *q[2], double ratio,
                     double offset)
{
    trm_joint_def def = trm_default_joint_def();
    def.place = c->place;
    def.name = trm_robot_keep_name(a, c->name);
    def.type = "gear";
    def.attached = !c->detached;
    for (int k = 0; k < 2; k++) def.joints[k] = host_of(a, q[k], &def.geared[k]);
    if (isnan(def.geared[0]) != isnan(def.geared[1]))
        for (int k = 0; k < 2; k++) def.geared[k] = q[k]->index + 1;
    def.ratio = ratio;
    def.offset = offset + ratio * q[1]->shift - q[0]->shift;
    return trm_add_joint(a->in->def, &def) == TRM_OK;
}

/* Adds a drive that holds a coordinate at a value. Returns false if out of memory. */
static bool add_fixed_coordinate(trm_robot *a, const trm_part_coupling *c, const trm_robot_coordinate *q,
                                 double value)
{
    trm_joint_def def = trm_default_joint_def();
    def.place = c->place;
    def.name = trm_robot_keep_name(a, c->name);
    def.type = "drive";
    def.attached = !c->detached;
    def.joint = host_of(a, q, &def.coordinate);
    def.motion = trm_constant_function(value - q->shift);
    return trm_add_joint(a->in->def, &def) == TRM_OK;
}

/* Returns the coordinate of a freedom. Returns NULL after a warning that there is none. */
static const trm_robot_coordinate *coupled(trm_robot *a, const trm_part_coupling *c, const char *freedom)
{
    const trm_robot_coordinate *q = trm_robot_coordinate_of(a, freedom);
    if (!q)
        trm_add_warning(a->in->messages, c->place,
                        "'%s' couples '%s', which is not an independent coordinate here; it is not used", c->name,
                        freedom);
    return q;
}

/* Converts a0 + a1 x + ... + a4 x^4 with x = q + shift to powers of q. */
static void shift_polynomial(double a[5], double shift)
{
    for (int i = 0; i < 5; i++)
        for (int k = 3; k >= i; k--) a[k] += shift * a[k + 1];
}

static void set_term(trm_robot *a, const trm_robot_coordinate *q, trm_term_def *term)
{
    *term = trm_default_term_def();
    term->joint = host_of(a, q, &term->coordinate);
}

/* Adds the coupling c1 q1 + c2 q2 + ... - (a1 q + ... + a4 q^4) = a0 of joint coordinates. Returns false if out of
 * memory. */
static bool add_sum(trm_robot *a, const trm_part_coupling *c)
{
    trm_joint_def def = trm_default_joint_def();
    trm_term_def *terms = TRM_NEW_ARRAY(a->in->def->arena, trm_term_def, c->term_count + 1);
    double *powers = TRM_NEW_ARRAY(a->in->def->arena, double, 4), p[5];
    if (!terms || !powers) return false;
    def.place = c->place;
    def.name = trm_robot_keep_name(a, c->name);
    def.type = "coupling";
    def.attached = !c->detached;
    def.offset = c->a[0];
    for (int k = 0; k < c->term_count; k++) {
        const trm_robot_coordinate *q = coupled(a, c, c->terms[k].freedom);
        if (!q) return true;
        set_term(a, q, &terms[def.term_count++]);
        terms[k].factor = c->terms[k].factor;
        def.offset -= c->terms[k].factor * q->shift;
    }
    if (c->of) {
        const trm_robot_coordinate *q = coupled(a, c, c->of);
        if (!q) return true;
        memcpy(p, c->a, sizeof p);
        shift_polynomial(p, q->shift);
        def.offset += p[0] - c->a[0];
        int degree = 4;
        for (int k = 0; k < 4; k++) powers[k] = -p[k + 1];
        while (degree > 1 && powers[degree - 1] == 0) degree--;
        set_term(a, q, &terms[def.term_count]);
        terms[def.term_count].polynomial = powers;
        terms[def.term_count++].polynomial_count = degree;
    }
    def.terms = terms;
    return trm_add_joint(a->in->def, &def) == TRM_OK;
}

/* Adds a coupling: a drive for one coordinate, a gear for two in a linear relation, else a coupling joint. Returns
 * false if out of memory. */
static bool add_coupling(trm_robot *a, const trm_part_coupling *c)
{
    const trm_robot_coordinate *q[2] = {NULL, NULL};
    const bool linear = c->a[2] == 0 && c->a[3] == 0 && c->a[4] == 0, line = c->of && c->a[1] != 0;
    if (c->term_count + (c->of ? 1 : 0) > TRM_TERMS) {
        trm_add_warning(a->in->messages, c->place, "'%s' couples more than %d joints; it is not used", c->name,
                        TRM_TERMS);
        return true;
    }
    if (!linear || c->term_count + line > 2) return add_sum(a, c);
    for (int k = 0; k < c->term_count; k++)
        if (!(q[k] = coupled(a, c, c->terms[k].freedom))) return true;
    const double first = c->terms[0].factor, right = c->a[0] / first;
    if (line && !(q[1] = coupled(a, c, c->of))) return true;
    if (line) return add_gear(a, c, q, c->a[1] / first, right);
    if (c->term_count == 2) return add_gear(a, c, q, -c->terms[1].factor / first, right);
    return add_fixed_coordinate(a, c, q[0], right);
}

bool trm_robot_add_couplings(trm_robot *a)
{
    for (int i = 0; i < a->coupling_count; i++)
        if (!add_coupling(a, &a->couplings[i])) return false;
    return true;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies, joints and forces of the definition from the parts of a robot that know their bodies.
 *
 * One freedom is a hinge or a slider. Several in a row, without masses between them, are the joint that leaves the same motion:
 *
 *     two hinges at right angles through one point -> universal       slide and hinge on one axis -> cylinder
 *     two slides in a plane, a hinge on its normal  -> planar         three hinges through one point -> gimbal, or ball
 *     three slides and three hinges                 -> none: the body is free */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/robot.h"
#include "math/rotation.h"

static const char *keep(const trm_robot *a, const char *text)
{
    return trm_arena_text(a->in->def->arena, text);
}

static const char *body_name(const trm_robot *a, int part)
{
    return part < 0 ? "ground" : keep(a, a->parts[a->parts[part].body].name);
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static trm_mass mass_of(const trm_robot *a, int body)
{
    trm_mass sum = {0};
    for (int i = body; i >= 0; i = a->parts[i].next) {
        const trm_part *part = &a->parts[i];
        if (!(part->mass.mass > 0)) continue;
        const trm_mass moved = i == body ? part->mass : trm_mass_moved(part->mass, part->in_body);
        sum = sum.mass > 0 ? trm_mass_sum(sum, moved) : moved;
    }
    return sum;
}

static bool add_point(trm_arena *arena, trm_body_def *def, trm_named_point **points, const char *name, trm_pose X)
{
    if (!name) return true;
    trm_named_point *grown = trm_arena_grow(arena, *points, def->point_count, sizeof *grown);
    if (!grown) return false;
    *points = grown;
    grown[def->point_count++] = (trm_named_point){trm_arena_text(arena, name), X.p};
    def->points = grown;
    return true;
}

static bool add_frames(trm_robot *a, int body, int p, trm_body_def *def, trm_named_point **points)
{
    const trm_part *part = &a->parts[p];
    trm_arena *arena = a->in->def->arena;
    if (p != body && !add_point(arena, def, points, part->name, part->in_body)) return false;
    for (int k = 0; k < part->frame_count; k++)
        if (!add_point(arena, def, points, part->frames[k].name, trm_pose_mul(part->in_body, part->frames[k].pose)))
            return false;
    return true;
}

static bool add_shapes(trm_robot *a, int body, int p, trm_body_def *def, trm_shape_def **shapes)
{
    const trm_part *part = &a->parts[p];
    for (int k = 0; k < part->shape_count; k++) {
        trm_shape_def *grown = trm_arena_grow(a->in->def->arena, *shapes, def->shape_count, sizeof *grown);
        if (!grown) return false;
        trm_shape_def shape = part->shapes[k].def;
        if (p != body) {
            const trm_pose X = trm_pose_mul(part->in_body, (trm_pose){shape.orientation, shape.position});
            shape.position = X.p, shape.orientation = X.q;
        }
        *shapes = grown;
        grown[def->shape_count++] = shape;
        def->shapes = grown;
    }
    return true;
}

static bool gather(trm_robot *a, int body, trm_body_def *def)
{
    trm_named_point *points = NULL;
    trm_shape_def *shapes = NULL;
    for (int p = body; p >= 0; p = a->parts[p].next)
        if (!add_frames(a, body, p, def, &points) || !add_shapes(a, body, p, def, &shapes)) return false;
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

static void check_inertia(const trm_robot *a, int body, trm_mass *mass, trm_body_def *def)
{
    static const double ROUNDING = 1e-6;
    const trm_principal p = trm_principal_axes(mass->inertia);
    if (trm_inertia_is_possible(p.moments, ROUNDING)) return;
    const bool positive = fmin(p.moments.x, fmin(p.moments.y, p.moments.z)) > 0;
    const bool repair = a->in->options->inertia == TRM_INERTIA_REPAIR;
    const bool usable = repair || (positive && a->in->options->inertia == TRM_INERTIA_KEEP);
    if (repair) {
        const trm_mat3 R = trm_quat_matrix(p.axes);
        mass->inertia = trm_mat_mul(trm_mat_mul(R, trm_diag(repaired(p.moments))), trm_transpose(R));
    }
    def->impossible_inertia = !repair;
    trm_say(
        a->in->messages, usable ? TRM_WARNING : TRM_ERROR, a->parts[body].place, "",
        "link '%s': no body can have the principal moments %.3g, %.3g, %.3g kg m^2: one exceeds the sum of the other "
        "two; %s",
        a->parts[body].name, p.moments.x, p.moments.y, p.moments.z,
        repair   ? "the smaller ones are raised"
        : usable ? "they are used as given (--inertia repair raises the smaller ones)"
                 : "take --inertia repair, which raises the smaller ones");
}

static void set_mass(const trm_robot *a, int body, trm_body_def *def)
{
    trm_mass mass = mass_of(a, body);
    check_inertia(a, body, &mass, def);
    def->mass = mass.mass;
    def->com = mass.com;
    const double(*I)[3] = (const double(*)[3])mass.inertia.m;
    const double moments[6] = {I[0][0], I[1][1], I[2][2], I[0][1], I[0][2], I[1][2]};
    memcpy(def->inertia, moments, sizeof moments);
}

static bool add_body(trm_robot *a, int body)
{
    const trm_part *part = &a->parts[body];
    trm_body_def def = trm_default_body_def();
    def.place = part->place;
    def.name = keep(a, part->name);
    def.position = part->world.p;
    def.orientation = trm_quat_unit(part->world.q);
    if (part->fixed)
        def.kind = TRM_BODY_FIXED;
    else
        set_mass(a, body, &def);
    if (!part->fixed) def.gravity_factor = part->gravity;
    return gather(a, body, &def) && trm_add_body(a->in->def, &def) == TRM_OK;
}

/* ---- Several freedoms in a row ------------------------------------------------------------ */

static const double SQUARE =
    1e-9; /* cosine of axes that count as at right angles, and the distance of anchors in m */

static bool is_square(const trm_freedom *f, const trm_freedom *g)
{
    return fabs(trm_dot(f->axis, g->axis)) < SQUARE;
}

/* Whether the axes of two hinges meet; *point: where. Parallel axes meet nowhere. */
static bool axes_meet(const trm_freedom *f, const trm_freedom *g, trm_vec3 *point)
{
    const trm_vec3 d = trm_sub(g->anchor, f->anchor), n = trm_cross(f->axis, g->axis);
    const double nn = trm_dot(n, n);
    if (nn < SQUARE || fabs(trm_dot(d, n)) > SQUARE * sqrt(nn)) return false;
    *point = trm_add_scaled(f->anchor, trm_dot(trm_cross(d, g->axis), n) / nn, f->axis);
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
    if (c->freedom_count != 2 || f[0].slide == f[1].slide) return false;
    if (trm_length(trm_cross(f[0].axis, f[1].axis)) > SQUARE || trm_dot(f[0].axis, f[1].axis) < 0) return false;
    const int turn = f[0].slide ? 1 : 0;
    def->type = "cylinder";
    def->anchor = f[turn].anchor;
    def->axis = f[turn].axis;
    def->q0[0] = f[turn].start, def->q0[1] = f[1 - turn].start;
    return true;
}

static bool is_planar(const trm_connection *c, trm_joint_def *def)
{
    const trm_freedom *f = c->freedoms;
    int slides = 0, turn = -1;
    for (int i = 0; i < c->freedom_count; i++) {
        slides += f[i].slide;
        if (!f[i].slide) turn = i;
    }
    if (c->freedom_count != 3 || slides != 2) return false;
    for (int i = 0; i < 3; i++)
        if (!is_square(&f[i], &f[(i + 1) % 3])) return false;
    def->type = "planar";
    def->anchor = f[turn].anchor;
    def->axis = f[turn].axis;
    return true;
}

static bool is_ball(const trm_connection *c, trm_joint_def *def)
{
    const trm_freedom *f = c->freedoms;
    trm_vec3 other;
    if (c->freedom_count != 3) return false;
    for (int i = 0; i < 3; i++)
        if (f[i].slide) return false;
    if (!axes_meet(&f[0], &f[1], &def->anchor) || !axes_meet(&f[1], &f[2], &other)) return false;
    def->type = "ball";
    return trm_length(trm_sub(def->anchor, other)) < SQUARE;
}

/* Three hinges through one point, each at right angles to the others: q2 turns about axis1 x axis3. */
static bool is_gimbal(const trm_connection *c, trm_joint_def *def)
{
    const trm_freedom *f = c->freedoms;
    trm_joint_def ball = *def;
    if (!is_ball(c, &ball)) return false;
    for (int i = 0; i < 3; i++)
        if (!is_square(&f[i], &f[(i + 1) % 3])) return false;
    if (trm_dot(trm_cross(f[0].axis, f[2].axis), f[1].axis) < 0) return false;
    def->type = "gimbal";
    def->anchor = ball.anchor;
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

static bool is_bare(const trm_freedom *f)
{
    return !(isfinite(f->limits[0]) || isfinite(f->limits[1]) || f->stiffness > 0 || f->damping > 0 ||
             f->friction > 0 || f->armature > 0);
}

static void say_not_bare(const trm_robot *a, const trm_connection *c, const char *type)
{
    for (int i = 0; i < c->freedom_count; i++)
        if (!is_bare(&c->freedoms[i])) {
            trm_say(a->in->messages, TRM_WARNING, c->freedoms[i].place, "",
                    "joint '%s' is one of several between two links, which together are a %s joint: its limits, "
                    "spring, damping, friction and armature are not used",
                    c->freedoms[i].name, type);
            return;
        }
}

/* Which freedom each coordinate of the joint is: those that act on several have a law each. */
static bool set_laws(const trm_robot *a, const trm_connection *c, const int *order, trm_joint_def *def)
{
    trm_coordinate_def *laws = TRM_NEW_ARRAY(a->in->def->arena, trm_coordinate_def, c->freedom_count);
    bool bare = true;
    if (!laws) return false;
    for (int k = 0; k < c->freedom_count; k++) {
        laws[k] = law_of(&c->freedoms[order[k]]);
        bare = bare && is_bare(&c->freedoms[order[k]]);
    }
    if (bare) return true;
    def->coordinates = laws;
    def->coordinate_count = c->freedom_count;
    return true;
}

/* Slides of a planar joint go along axes of its own; the hinge alone keeps its coordinate. */
static bool set_planar_laws(const trm_robot *a, const trm_connection *c, trm_joint_def *def)
{
    trm_connection own = *c;
    trm_freedom f[3];
    int turn = 0, order[3] = {0, 1, 2};
    memcpy(f, c->freedoms, sizeof f);
    own.freedoms = f;
    for (int i = 0; i < 3; i++) {
        if (!f[i].slide) turn = i;
        if (!f[i].slide || is_bare(&f[i])) continue;
        say_not_bare(a, c, "planar");
        f[i] = (trm_freedom){
            .limits = {-INFINITY, INFINITY}, .slide = true, .effort = INFINITY, .max_velocity = INFINITY};
    }
    order[2] = turn, order[turn] = 2;
    return set_laws(a, &own, order, def);
}

/* The coordinates of a gimbal begin at 0: what acts on them is shifted by where the file lets them begin. */
static bool set_gimbal_laws(const trm_robot *a, const trm_connection *c, trm_joint_def *def)
{
    static const int STRAIGHT[] = {0, 1, 2};
    trm_connection own = *c;
    trm_freedom f[3];
    memcpy(f, c->freedoms, sizeof f);
    own.freedoms = f;
    for (int i = 0; i < 3; i++) {
        f[i].limits[0] -= f[i].start, f[i].limits[1] -= f[i].start;
        f[i].rest -= f[i].start;
    }
    return set_laws(a, &own, STRAIGHT, def);
}

/* The joint of several freedoms, with what acts on each. *known: there is one for them. False: out of memory. */
static bool choose_joint(const trm_robot *a, const trm_connection *c, trm_joint_def *def, bool *known)
{
    static const int STRAIGHT[] = {0, 1, 2}, SWAPPED[] = {1, 0};
    *known = true;
    if (is_free(c)) {
        say_not_bare(a, c, "free");
        return true;
    }
    if (is_universal(c, def)) return set_laws(a, c, STRAIGHT, def);
    if (is_cylinder(c, def)) return set_laws(a, c, c->freedoms[0].slide ? SWAPPED : STRAIGHT, def);
    if (is_planar(c, def)) return set_planar_laws(a, c, def);
    if (is_gimbal(c, def)) return set_gimbal_laws(a, c, def);
    if (is_ball(c, def)) {
        say_not_bare(a, c, def->type);
        return true;
    }
    *known = false;
    trm_say(a->in->messages, TRM_ERROR, c->place, "",
            "joint '%s' and the %d that follow it between the same links are not a universal, cylinder, planar, "
            "gimbal or "
            "ball joint",
            c->name, c->freedom_count - 1);
    return true;
}

/* ---- Joints ------------------------------------------------------------------------------- */

/* What acts on the one coordinate of a joint. */
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
    def->name = keep(a, f->name);
    def->type = f->slide ? "slider" : "hinge";
    def->anchor = f->anchor;
    def->axis = f->axis;
    def->q0[0] = f->start;
    set_law(f, def);
    return trm_add_joint(a->in->def, def) == TRM_OK;
}

static void set_ball_drag(trm_robot *a, const trm_connection *c)
{
    if (c->damping == 0 && c->stiffness == 0) return;
    trm_say(a->in->messages, TRM_WARNING, c->place, "",
            "joint '%s': damping and stiffness of a ball joint are not used", c->name);
}

static void set_ends(const trm_robot *a, const int parts[2], const trm_vec3 world[2], trm_vec3 ends[2])
{
    for (int k = 0; k < 2; k++)
        ends[k] = parts[k] < 0 ? world[k] : trm_pose_point_back(a->parts[a->parts[parts[k]].body].world, world[k]);
}

static bool add_joint(trm_robot *a, const trm_connection *c)
{
    trm_joint_def def = trm_default_joint_def();
    def.place = c->place;
    def.name = keep(a, c->name);
    def.bodies[0] = body_name(a, c->parts[0]);
    def.bodies[1] = body_name(a, c->parts[1]);
    def.attached = !c->detached;
    if (c->collide) def.collide = true;
    if (!c->type && c->freedom_count == 1) return add_one(a, &c->freedoms[0], &def);
    if (!c->type) {
        bool known;
        if (!choose_joint(a, c, &def, &known)) return false;
        return !known || !def.type || trm_add_joint(a->in->def, &def) == TRM_OK;
    }
    if (strcmp(c->type, "free") == 0) return true;
    def.type = c->type;
    if (c->has_ends) set_ends(a, c->parts, c->ends, def.anchors);
    if (!c->has_ends && strcmp(c->type, "fixed") != 0) def.anchor = c->anchor;
    if (strcmp(c->type, "distance") == 0) def.length = c->rope, def.rope = true;
    if (c->axis.x != 0 || c->axis.y != 0 || c->axis.z != 0) def.axis = c->axis;
    if (c->axis2.x != 0 || c->axis2.y != 0 || c->axis2.z != 0) def.axis2 = c->axis2;
    if (strcmp(c->type, "screw") == 0) def.pitch = c->pitch;
    set_ball_drag(a, c);
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

static bool add_joints(trm_robot *a)
{
    for (int i = 0; i < a->connection_count; i++) {
        const trm_connection *c = &a->connections[i];
        if (c->type && strcmp(c->type, "fixed") == 0 && !c->loop) continue;
        if (is_inside_a_body(a, c))
            trm_say(a->in->messages, TRM_WARNING, c->place, "",
                    "joint '%s' connects links that cannot move against each other; it is left out", c->name);
        else if (!add_joint(a, c))
            return false;
    }
    return true;
}

static bool add_tendon(trm_robot *a, const trm_robot_spring *s)
{
    trm_force_def def = trm_default_force_def();
    def.place = s->place;
    def.name = keep(a, s->name);
    def.type = "spring";
    def.bodies[0] = body_name(a, s->parts[0]);
    def.bodies[1] = body_name(a, s->parts[1]);
    set_ends(a, s->parts, s->ends, def.anchors);
    def.stiffness = s->stiffness;
    def.damping = s->damping;
    def.rest = s->rest;
    return trm_add_force(a->in->def, &def) == TRM_OK;
}

/* What is missing to the weight of a part that gravity pulls by another factor than its body. */
static bool add_lift(trm_robot *a, const trm_part *part)
{
    trm_force_def def = trm_default_force_def();
    const double factor = part->gravity - a->parts[part->body].gravity;
    const trm_vec3 force = trm_scale(factor * part->mass.mass, a->in->def->gravity);
    if (factor == 0 || !(part->mass.mass > 0) || a->parts[part->body].fixed) return true;
    def.place = part->place;
    def.name = trm_arena_format(a->in->def->arena, "%s lift", part->name);
    def.type = "force";
    def.body = keep(a, a->parts[part->body].name);
    def.at = trm_pose_point(part->in_body, part->mass.com);
    def.value[0] = trm_constant_function(force.x);
    def.value[1] = trm_constant_function(force.y);
    def.value[2] = trm_constant_function(force.z);
    return def.name && trm_add_force(a->in->def, &def) == TRM_OK;
}

/* ---- Couplings ---------------------------------------------------------------------------- */

static bool has_joint(const trm_model_def *def, const char *name)
{
    for (int i = 0; i < def->joint_count; i++)
        if (strcmp(def->joints[i].name, name) == 0 &&
            (def->joints[i].type[0] == 'h' || def->joints[i].type[0] == 's'))
            return true;
    return false;
}

static bool add_gear(trm_robot *a, const trm_part_coupling *c)
{
    trm_joint_def def = trm_default_joint_def();
    def.place = c->place;
    def.name = keep(a, c->name);
    def.type = "gear";
    def.attached = !c->detached;
    def.joints[0] = keep(a, c->freedoms[0]);
    def.joints[1] = keep(a, c->freedoms[1]);
    def.ratio = c->a[1];
    def.offset = c->a[0];
    return trm_add_joint(a->in->def, &def) == TRM_OK;
}

/* A coordinate that is held. */
static bool add_hold(trm_robot *a, const trm_part_coupling *c)
{
    trm_joint_def def = trm_default_joint_def();
    def.place = c->place;
    def.name = keep(a, c->name);
    def.type = "drive";
    def.attached = !c->detached;
    def.joint = keep(a, c->freedoms[0]);
    def.motion = trm_constant_function(c->a[0]);
    return trm_add_joint(a->in->def, &def) == TRM_OK;
}

static bool add_coupling(trm_robot *a, const trm_part_coupling *c)
{
    const bool linear = c->a[2] == 0 && c->a[3] == 0 && c->a[4] == 0;
    for (int k = 0; k < 2; k++)
        if (c->freedoms[k] && !has_joint(a->in->def, c->freedoms[k])) {
            trm_say(a->in->messages, TRM_WARNING, c->place, "",
                    "'%s' couples '%s', which is no joint of one coordinate; it is not used", c->name,
                    c->freedoms[k]);
            return true;
        }
    if (!linear) {
        trm_say(a->in->messages, TRM_WARNING, c->place, "",
                "'%s' couples joints by a polynomial of higher degree; it is not used", c->name);
        return true;
    }
    return c->freedoms[1] && c->a[1] != 0 ? add_gear(a, c) : add_hold(a, c);
}

/* ---- Who collides with whom --------------------------------------------------------------- */

static bool part_bodies(trm_model_def *def, const char *one, const char *other)
{
    trm_body_pair *pairs = trm_arena_grow(def->arena, def->no_collide, def->no_collide_count, sizeof *pairs);
    if (!pairs) return false;
    def->no_collide = pairs;
    pairs[def->no_collide_count++] = (trm_body_pair){.bodies = {one, other}};
    return true;
}

bool trm_robot_part_bodies(trm_robot *a, int one, int other)
{
    if (one < 0 || other < 0 || a->parts[one].body == a->parts[other].body) return true;
    return part_bodies(a->in->def, body_name(a, one), body_name(a, other));
}

static bool shapes_collide(const trm_robot *a, const trm_part *p, const trm_part *q)
{
    const bool same_robot = p->group == q->group && (p->no_self_collision || q->no_self_collision);
    if (same_robot && !a->in->options->self_collision) return false;
    for (int i = 0; i < p->shape_count; i++)
        for (int k = 0; k < q->shape_count; k++) {
            const trm_part_shape *s = &p->shapes[i], *t = &q->shapes[k];
            if (s->def.collide && t->def.collide && ((s->type & t->affinity) || (t->type & s->affinity))) return true;
        }
    return false;
}

static bool bodies_collide(const trm_robot *a, int one, int other)
{
    for (int p = one; p >= 0; p = a->parts[p].next)
        for (int q = other; q >= 0; q = a->parts[q].next)
            if (shapes_collide(a, &a->parts[p], &a->parts[q])) return true;
    return false;
}

typedef struct collider {
    int first;   /* part */
    int index;   /* body of the definition */
    bool common; /* collides with all others of its kind: bit 1 of everything, and with its own robot */
} collider;

/* False: nothing of it collides. */
static bool find_collider(const trm_robot *a, collider *c)
{
    bool any = false;
    c->common = true;
    for (int p = c->first; p >= 0; p = a->parts[p].next)
        for (int i = 0; i < a->parts[p].shape_count; i++) {
            const trm_part_shape *shape = &a->parts[p].shapes[i];
            if (!shape->def.collide) continue;
            any = true;
            c->common = c->common && (shape->type & shape->affinity & 1) &&
                        (!a->parts[p].no_self_collision || a->in->options->self_collision);
        }
    return any;
}

static bool part_what_does_not_collide(trm_robot *a)
{
    trm_model_def *def = a->in->def;
    collider *c = TRM_NEW_ARRAY(a->in->scratch, collider, def->body_count + 1);
    int count = 0, special = 0; /* these first */
    if (!c) return false;
    for (int common = 0; common < 2; common++) {
        int index = 0;
        for (int b = 0; b < a->part_count; b++) {
            if (a->parts[b].body != b) continue;
            c[count] = (collider){.first = b, .index = index};
            index++;
            if (find_collider(a, &c[count]) && c[count].common == (common == 1)) count++;
        }
        if (common == 0) special = count;
    }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < (i < special ? i : special); k++)
            if (!bodies_collide(a, c[i].first, c[k].first) &&
                !part_bodies(def, def->bodies[c[i].index].name, def->bodies[c[k].index].name))
                return false;
    return true;
}

bool trm_robot_emit(trm_robot *a)
{
    bool good = true;
    for (int b = 0; good && b < a->part_count; b++)
        if (a->parts[b].body == b) good = add_body(a, b);
    good = good && add_joints(a) && !a->in->def->arena->failed; /* all have names */
    for (int i = 0; good && i < a->spring_count; i++) good = add_tendon(a, &a->springs[i]);
    for (int i = 0; good && i < a->part_count; i++) good = add_lift(a, &a->parts[i]);
    for (int i = 0; good && i < a->coupling_count; i++) good = add_coupling(a, &a->couplings[i]);
    return good && part_what_does_not_collide(a);
}

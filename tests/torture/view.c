/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Makes a machine's definition as a view shows it: the similarity of view.h applied to every quantity by its
 * dimension. */

#include "view.h"

#include <string.h>

#include "base/arena.h"

view view_plain(const machine *m)
{
    return (view){.turn = trm_quat_identity(), .length = m->length, .mass = m->mass, .time = sqrt(m->length)};
}

/* ---- Vectors ------------------------------------------------------------------------------ */

static trm_vec3 mirrored(const view *v, trm_vec3 x)
{
    return v->mirror ? trm_v3(-x.x, x.y, x.z) : x;
}

static trm_vec3 mirrored_pseudo(const view *v, trm_vec3 x)
{
    return v->mirror ? trm_v3(x.x, -x.y, -x.z) : x;
}

trm_vec3 view_vector(const view *v, trm_vec3 x)
{
    return trm_rotate(v->turn, mirrored(v, x));
}

trm_vec3 view_pseudo(const view *v, trm_vec3 x)
{
    return trm_rotate(v->turn, mirrored_pseudo(v, x));
}

trm_vec3 view_point(const view *v, trm_vec3 x)
{
    return trm_v3_add_scaled(v->shift, v->length, view_vector(v, x));
}

/* Returns S R S, which turns by the same angle about the mirrored axis, a pseudovector. */
static trm_quat mirrored_rotation(const view *v, trm_quat q)
{
    return v->mirror ? (trm_quat){q.w, q.x, -q.y, -q.z} : q;
}

trm_quat view_rotation(const view *v, trm_quat q)
{
    return trm_quat_mul(v->turn, mirrored_rotation(v, q));
}

trm_vec3 view_point_back(const view *v, trm_vec3 x)
{
    return mirrored(v, trm_v3_scale(1 / v->length, trm_rotate_back(v->turn, trm_v3_sub(x, v->shift))));
}

trm_quat view_rotation_back(const view *v, trm_quat q)
{
    return mirrored_rotation(v, trm_quat_mul(trm_quat_conj(v->turn), q));
}

/* ---- Units -------------------------------------------------------------------------------- */

typedef struct units {
    double velocity, rate, acceleration, force, torque, inertia;
} units;

static units units_of(const view *v)
{
    return (units){.velocity = v->length / v->time,
                   .rate = 1 / v->time,
                   .acceleration = v->length / (v->time * v->time),
                   .force = v->mass * v->length / (v->time * v->time),
                   .torque = v->mass * v->length * v->length / (v->time * v->time),
                   .inertia = v->mass * v->length * v->length};
}

/* ---- Functions of time -------------------------------------------------------------------- */

typedef struct seeing {
    const machine *m;
    const view *v;
    const removed *r;
    trm_model_def *def;
    units u;
} seeing;

/* scale (c1 w1 + c2 w2 + c3 w3) */
static trm_function_def mix_waves(const seeing *s, const wave w[3], const double c[3], double scale)
{
    double mean = 0;
    char text[400] = "";
    for (int i = 0; i < 3; i++) {
        mean += scale * c[i] * w[i].mean;
        if (scale * c[i] * w[i].size == 0) continue;
        const size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, " + (%.17g)*sin(%.17g*t + %.17g)", scale * c[i] * w[i].size,
                 w[i].rate * s->u.rate, w[i].phase);
    }
    if (text[0] == '\0') return trm_constant_function(mean);
    return trm_expression_function(trm_arena_format(s->def->arena, "%.17g%s", mean, text));
}

static trm_function_def see_wave(const seeing *s, wave w, double scale)
{
    const wave three[3] = {w};
    return mix_waves(s, three, (double[3]){1, 0, 0}, scale);
}

typedef trm_vec3 (*seen_vector)(const view *v, trm_vec3 x);

static void see_waves(const seeing *s, const wave w[3], seen_vector see, double scale, trm_function_def out[3])
{
    const trm_vec3 x = see(s->v, trm_axis(0)), y = see(s->v, trm_axis(1)), z = see(s->v, trm_axis(2));
    out[0] = mix_waves(s, w, (double[3]){x.x, y.x, z.x}, scale);
    out[1] = mix_waves(s, w, (double[3]){x.y, y.y, z.y}, scale);
    out[2] = mix_waves(s, w, (double[3]){x.z, y.z, z.z}, scale);
}

/* ---- Data in body frames ------------------------------------------------------------------- */

/* Returns whether a frame stays along the world's axes at the start: the frames of the ground and of moving bodies.
 * There the view rotates the data in the frame instead. */
static bool stays_along_world(const machine *m, int body)
{
    return body == GROUND || m->bodies[body].def.kind == TRM_BODY_MOVING;
}

static trm_vec3 carried_vector(const seeing *s, int body, trm_vec3 a)
{
    return stays_along_world(s->m, body) ? view_vector(s->v, a) : mirrored(s->v, a);
}

static trm_vec3 carried_point(const seeing *s, int body, trm_vec3 a)
{
    const trm_vec3 origin = body == GROUND ? s->v->shift : trm_v3(0, 0, 0);
    return trm_v3_add_scaled(origin, s->v->length, carried_vector(s, body, a));
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static trm_shape_def see_shape(const seeing *s, int index, const trm_shape_def *shape)
{
    const view *v = s->v;
    const machine_body *body = &s->m->bodies[index];
    trm_shape_def seen = *shape;
    seen.radius *= v->length;
    seen.length *= v->length;
    seen.size = trm_v3_scale(v->length, shape->size);
    seen.rolling = v->length * shape->rolling;
    seen.torsional = v->length * shape->torsional;
    seen.normal = carried_vector(s, index, shape->normal);
    seen.offset *= v->length;
    seen.position = carried_point(s, index, shape->position);
    seen.orientation = stays_along_world(s->m, index) ? view_rotation(v, shape->orientation)
                                                      : mirrored_rotation(v, shape->orientation);
    seen.density *= v->mass / (v->length * v->length * v->length);
    if (shape->point_count > 0) {
        trm_vec3 *points = TRM_NEW_ARRAY(s->def->arena, trm_vec3, shape->point_count);
        for (int i = 0; i < shape->point_count; i++)
            points[i] = trm_v3_scale(v->length, mirrored(v, body->corners[i]));
        seen.points = points;
    }
    if (shape->triangle_count > 0) {
        int(*triangles)[3] =
            trm_arena_copy(s->def->arena, body->triangles, (size_t)shape->triangle_count, sizeof *triangles);
        for (int i = 0; v->mirror && i < shape->triangle_count; i++) {
            triangles[i][1] = body->triangles[i][2];
            triangles[i][2] = body->triangles[i][1];
        }
        seen.triangles = (const int(*)[3])triangles;
    }
    return seen;
}

/* Changes the start a little, in the same way for every view. */
static void nudge(const seeing *s, int index, trm_vec3 *velocity, trm_vec3 *angular)
{
    trm_random random = trm_random_seed(977 + (uint64_t)index);
    double n[6];
    for (int i = 0; i < 6; i++) n[i] = s->v->nudge * trm_random_uniform(&random, -1, 1);
    *velocity = trm_v3_add(*velocity, trm_v3(n[0], n[1], n[2]));
    *angular = trm_v3_add(*angular, trm_v3(n[3], n[4], n[5]));
}

static void see_inertia(const seeing *s, const double inertia[6], double seen[6])
{
    static const double signs[6] = {1, 1, 1, -1, -1, 1}; /* signs of products with the mirrored x */
    for (int i = 0; i < 6; i++) seen[i] = s->u.inertia * (s->v->mirror ? signs[i] : 1) * inertia[i];
}

static void see_motion(const seeing *s, int index, trm_body_def *seen)
{
    const machine_body *body = &s->m->bodies[index];
    const view *v = s->v;
    if (seen->kind == TRM_BODY_MOVING) {
        see_waves(s, body->moving, view_vector, v->length, seen->moving.position);
        const double shift[3] = {v->shift.x, v->shift.y, v->shift.z};
        for (int i = 0; i < 3; i++) {
            trm_function_def *f = &seen->moving.position[i];
            if (f->kind == TRM_FUNCTION_CONSTANT)
                f->value += shift[i];
            else
                f->expression = trm_arena_format(s->def->arena, "%.17g + %s", shift[i], f->expression);
        }
        seen->moving.angle = see_wave(s, body->moving[3], 1);
        seen->moving.axis = view_pseudo(v, body->def.moving.axis);
        seen->position = trm_v3(0, 0, 0);
        return;
    }
    trm_vec3 velocity = body->def.velocity, angular = body->def.angular_velocity;
    if (s->r->velocity[index]) velocity = angular = trm_v3(0, 0, 0);
    seen->position = view_point(v, body->def.position);
    if (seen->kind != TRM_BODY_POINT) seen->orientation = view_rotation(v, body->def.orientation);
    if (seen->kind == TRM_BODY_FIXED) return;
    nudge(s, index, &velocity, &angular);
    seen->velocity = trm_v3_scale(s->u.velocity, view_vector(v, velocity));
    if (seen->kind == TRM_BODY_RIGID) seen->angular_velocity = trm_v3_scale(s->u.rate, view_pseudo(v, angular));
}

static trm_status see_body(const seeing *s, int index)
{
    const machine_body *body = &s->m->bodies[index];
    trm_body_def seen = body->def;
    seen.name = body->name;
    seen.mass *= s->v->mass;
    see_inertia(s, body->def.inertia, seen.inertia);
    seen.com = trm_v3_scale(s->v->length, mirrored(s->v, body->def.com));
    see_motion(s, index, &seen);
    if (s->r->shapes[index]) seen.shape_count = 0;
    if (seen.shape_count > 0) {
        trm_shape_def *shapes = TRM_NEW_ARRAY(s->def->arena, trm_shape_def, seen.shape_count);
        if (!shapes) return TRM_OUT_OF_MEMORY;
        for (int i = 0; i < seen.shape_count; i++) shapes[i] = see_shape(s, index, &body->shapes[i]);
        seen.shapes = shapes;
    }
    return trm_add_body(s->def, &seen);
}

/* ---- Joints ------------------------------------------------------------------------------- */

static const char *name_of(const machine *m, int body)
{
    return body == GROUND ? "ground" : m->bodies[body].name;
}

static bool body_is_gone(const seeing *s, int body)
{
    return body >= 0 && s->r->body[body];
}

static bool joint_is_gone(const seeing *s, int joint)
{
    if (joint < 0) return false;
    const machine_joint *j = &s->m->joints[joint];
    if (s->r->joint[joint] || body_is_gone(s, j->bodies[0]) || body_is_gone(s, j->bodies[1])) return true;
    for (int i = 0; i < j->def.term_count; i++)
        if (joint_is_gone(s, j->term_hosts[i])) return true;
    return joint_is_gone(s, j->hosts[0]) || joint_is_gone(s, j->hosts[1]);
}

/* Units of a coordinate, of the force along it and of its inertia. The shift of a cylinder is along an axis about
 * which it turns, so it changes its sign in a mirror. */
typedef struct coordinate_units {
    double q, effort, inertia;
} coordinate_units;

static coordinate_units units_of_coordinate(const seeing *s, const machine_joint *joint, int k)
{
    if (turns(joint, k)) return (coordinate_units){1, s->u.torque, s->u.inertia};
    const double sign = s->v->mirror && strcmp(joint->def.type, "cylinder") == 0 ? -1 : 1;
    return (coordinate_units){sign * s->v->length, sign * s->u.force, s->v->mass};
}

/* Returns the index of a coordinate, from 0, whose number, from 1, need not be given. */
static int coordinate_index(double number)
{
    return isnan(number) ? 0 : (int)number - 1;
}

/* Returns an axis as seen: along the axis of a slider or a rail b moves, about all other axes it turns. */
static trm_vec3 see_axis(const seeing *s, const char *type, trm_vec3 axis)
{
    const bool shifts = strcmp(type, "slider") == 0 || strcmp(type, "rail") == 0;
    return shifts ? view_vector(s->v, axis) : view_pseudo(s->v, axis);
}

static trm_round_def see_round(const seeing *s, trm_round_def round)
{
    const double hand = s->v->mirror ? -1 : 1;
    return (trm_round_def){view_point(s->v, round.origin), view_pseudo(s->v, round.axis),
                           s->v->length * round.radius,    hand * s->v->length * round.pitch,
                           s->v->length * round.major,     s->v->length * round.minor};
}

static void see_carried(const seeing *s, const machine_joint *joint, trm_joint_def *seen)
{
    trm_curve_def *curve = &seen->curve;
    trm_surface_def *surface = &seen->surface;
    curve->circle = see_round(s, curve->circle);
    curve->helix = see_round(s, curve->helix);
    surface->sphere = see_round(s, surface->sphere);
    surface->cylinder = see_round(s, surface->cylinder);
    surface->torus = see_round(s, surface->torus);
    if (curve->point_count == 0) return;
    trm_vec3 *points = TRM_NEW_ARRAY(s->def->arena, trm_vec3, curve->point_count);
    for (int i = 0; i < curve->point_count; i++) points[i] = carried_point(s, joint->bodies[0], joint->knots[i]);
    curve->points = points;
}

static void see_limits(double q, double limits[2])
{
    const double lower = q * limits[q < 0], upper = q * limits[q > 0];
    limits[0] = lower;
    limits[1] = upper;
}

/* What acts on a coordinate, in the definition of a joint or in that of one of its coordinates. */
#define SEE_ACTING(s, index, u, seen)                                                                                \
    do {                                                                                                             \
        see_limits(u.q, (seen)->limits);                                                                             \
        (seen)->friction *= fabs(u.effort);                                                                          \
        (seen)->static_friction *= fabs(u.effort);                                                                   \
        (seen)->stribeck_velocity *= fabs(u.q) * (s)->u.rate;                                                        \
        (seen)->radius *= (s)->v->length;                                                                            \
        (seen)->stiffness *= u.effort / u.q;                                                                         \
        (seen)->spring_reference *= u.q;                                                                             \
        (seen)->damping *= u.effort / u.q * (s)->v->time;                                                            \
        (seen)->armature *= u.inertia;                                                                               \
        if ((s)->r->limits[index]) {                                                                                 \
            (seen)->limits[0] = -INFINITY, (seen)->limits[1] = INFINITY;                                             \
            (seen)->limit_restitution = 0;                                                                           \
        }                                                                                                            \
        if ((s)->r->friction[index]) (seen)->friction = (seen)->mu = 0, (seen)->static_friction = NAN;               \
    } while (0)

static void see_coordinates(const seeing *s, int index, trm_joint_def *seen)
{
    const machine_joint *joint = &s->m->joints[index];
    trm_coordinate_def *list = TRM_NEW_ARRAY(s->def->arena, trm_coordinate_def, MOST_COORDINATES);
    seen->coordinates = list;
    for (int k = 0; list && k < seen->coordinate_count; k++) {
        const coordinate_units u = units_of_coordinate(s, joint, k);
        list[k] = joint->coordinates[k];
        SEE_ACTING(s, index, u, &list[k]);
        if (!list[k].type) continue;
        list[k].anchor = view_point(s->v, list[k].anchor);
        list[k].axis = see_axis(s, list[k].type, list[k].axis);
    }
}

static void see_terms(const seeing *s, const machine_joint *joint, trm_joint_def *seen)
{
    trm_term_def *list = TRM_NEW_ARRAY(s->def->arena, trm_term_def, TRM_TERMS);
    double(*polynomials)[2] =
        trm_arena_copy(s->def->arena, joint->polynomials, TRM_TERMS, sizeof *joint->polynomials);
    seen->terms = list;
    const double first = units_of_coordinate(s, &s->m->joints[joint->term_hosts[0]], 0).q;
    for (int i = 0; list && polynomials && i < seen->term_count; i++) {
        const machine_joint *host = &s->m->joints[joint->term_hosts[i]];
        const double unit = units_of_coordinate(s, host, 0).q;
        list[i] = joint->terms[i];
        list[i].joint = host->name;
        list[i].factor *= first / unit;
        polynomials[i][0] *= first / unit;
        polynomials[i][1] *= first / (unit * unit);
        if (list[i].polynomial_count > 0) list[i].polynomial = polynomials[i];
    }
}

static void see_hosts(const seeing *s, const machine_joint *joint, trm_joint_def *seen)
{
    const machine_joint *host = &s->m->joints[joint->hosts[0]];
    const coordinate_units u = units_of_coordinate(s, host, coordinate_index(seen->coordinate));
    seen->max_force *= fabs(u.effort);
    if (joint->hosts[1] >= 0) {
        const machine_joint *second = &s->m->joints[joint->hosts[1]];
        seen->joints[0] = host->name;
        seen->joints[1] = second->name;
        seen->ratio *= u.q / units_of_coordinate(s, second, 0).q;
        return;
    }
    seen->joint = host->name;
    if (strcmp(seen->type, "motor") == 0)
        seen->velocity = see_wave(s, joint->motion, u.q * s->u.rate);
    else
        seen->motion = see_wave(s, joint->motion, u.q);
}

static void see_acting(const seeing *s, int index, trm_joint_def *seen)
{
    const machine_joint *joint = &s->m->joints[index];
    const coordinate_units u = units_of_coordinate(s, joint, 0);
    SEE_ACTING(s, index, u, seen);
    seen->q0[0] *= u.q;
    if (seen->coordinate_count > 0) see_coordinates(s, index, seen);
    if (seen->term_count > 0) see_terms(s, joint, seen);
    if (joint->hosts[0] >= 0) see_hosts(s, joint, seen);
}

static trm_status see_joint(const seeing *s, int index)
{
    const machine_joint *joint = &s->m->joints[index];
    const view *v = s->v;
    trm_joint_def seen = joint->def;
    if (joint_is_gone(s, index)) return TRM_OK;
    seen.name = joint->name;
    if (joint->hosts[0] < 0 && seen.term_count == 0)
        for (int i = 0; i < 2; i++) seen.bodies[i] = name_of(s->m, joint->bodies[i]);
    seen.anchor = view_point(v, seen.anchor);
    seen.axis = see_axis(s, seen.type, seen.axis);
    seen.axis2 = view_pseudo(v, seen.axis2);
    seen.x_axis = view_vector(v, seen.x_axis);
    for (int i = 0; i < 2; i++) seen.anchors[i] = carried_point(s, joint->bodies[i], joint->def.anchors[i]);
    seen.length *= v->length;
    seen.pitch *= v->length * (v->mirror ? -1 : 1);
    seen.break_force *= s->u.force;
    seen.break_torque *= s->u.torque;
    see_carried(s, joint, &seen);
    see_acting(s, index, &seen);
    return trm_add_joint(s->def, &seen);
}

/* ---- Forces and contacts ------------------------------------------------------------------ */

static void see_force_on_joint(const seeing *s, const machine_force *force, trm_force_def *seen)
{
    const machine_joint *host = &s->m->joints[force->host];
    const coordinate_units u = units_of_coordinate(s, host, coordinate_index(seen->coordinate));
    const double stiffness = u.effort / u.q;
    seen->joint = host->name;
    seen->rest *= u.q;
    seen->target = see_wave(s, force->target, u.q);
    seen->value[0] = see_wave(s, force->value[0], u.effort);
    see_limits(u.effort, seen->range);
    seen->max *= fabs(u.effort);
    seen->stiffness *= stiffness;
    seen->kp *= stiffness;
    seen->ki *= stiffness / s->v->time;
    seen->damping *= stiffness * s->v->time;
    seen->kd *= stiffness * s->v->time;
    seen->brake *= stiffness * s->v->time;
    seen->lag *= s->v->time;
}

static void see_force_on_bodies(const seeing *s, const machine_force *force, trm_force_def *seen)
{
    const view *v = s->v;
    for (int i = 0; i < 2; i++) {
        if (force->bodies[i] < GROUND) continue;
        seen->bodies[i] = name_of(s->m, force->bodies[i]);
        seen->anchors[i] = carried_point(s, force->bodies[i], force->def.anchors[i]);
    }
    seen->rest *= v->length;
    seen->stiffness *= v->mass / (v->time * v->time);
    const bool swivels = strcmp(seen->type, "swivel") == 0;
    seen->damping *= (swivels ? s->u.inertia : v->mass) / v->time;
    seen->value[0] = see_wave(s, force->value[0], s->u.force);
}

static void see_force_on_body(const seeing *s, const machine_force *force, trm_force_def *seen)
{
    const bool torque = strcmp(seen->type, "torque") == 0, in_body = seen->in_body_frame;
    const seen_vector see = in_body ? (torque ? mirrored_pseudo : mirrored) : (torque ? view_pseudo : view_vector);
    seen->body = name_of(s->m, force->bodies[0]);
    seen->at = trm_v3_scale(s->v->length, mirrored(s->v, seen->at));
    seen->linear *= s->v->mass / s->v->time;
    seen->angular *= s->u.inertia / s->v->time;
    see_waves(s, force->value, see, torque ? s->u.torque : s->u.force, seen->value);
}

static trm_status see_force(const seeing *s, int index)
{
    const machine_force *force = &s->m->forces[index];
    trm_force_def seen = force->def;
    if (s->r->force[index] || joint_is_gone(s, force->host)) return TRM_OK;
    if (body_is_gone(s, force->bodies[0]) || body_is_gone(s, force->bodies[1])) return TRM_OK;
    seen.name = force->name;
    if (force->host >= 0)
        see_force_on_joint(s, force, &seen);
    else if (force->bodies[1] >= GROUND)
        see_force_on_bodies(s, force, &seen);
    else
        see_force_on_body(s, force, &seen);
    return trm_add_force(s->def, &seen);
}

static void see_friction_table(const seeing *s, const machine_contact *contact, trm_contact_def *seen)
{
    double *speeds = TRM_NEW_ARRAY(s->def->arena, double, seen->speed_count);
    for (int i = 0; speeds && i < seen->speed_count; i++) speeds[i] = s->u.velocity * contact->speeds[i];
    seen->speeds = speeds;
    seen->mus = contact->mus;
}

static trm_status see_contacts(const seeing *s)
{
    trm_contact_def *list = TRM_NEW_ARRAY(s->def->arena, trm_contact_def, MOST_CONTACTS);
    if (!list) return TRM_OUT_OF_MEMORY;
    s->def->contacts = list;
    for (int i = 0; i < s->m->contact_count; i++) {
        const machine_contact *contact = &s->m->contacts[i];
        if (s->r->contact[i] || body_is_gone(s, contact->bodies[0]) || body_is_gone(s, contact->bodies[1])) continue;
        trm_contact_def seen = contact->def;
        for (int k = 0; k < 2; k++) seen.bodies[k] = name_of(s->m, contact->bodies[k]);
        seen.rolling *= s->v->length;
        seen.torsional *= s->v->length;
        if (seen.speed_count > 0) see_friction_table(s, contact, &seen);
        list[s->def->contact_count++] = seen;
    }
    return TRM_OK;
}

/* ---- The whole ---------------------------------------------------------------------------- */

static void shuffled(int *order, int count, uint64_t seed)
{
    trm_random random = trm_random_seed(seed);
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; seed != 0 && i > 0; i--) {
        const int k = (int)(trm_random_bits(&random) % (uint64_t)(i + 1)), swapped = order[i];
        order[i] = order[k];
        order[k] = swapped;
    }
}

typedef trm_status (*seen_element)(const seeing *s, int index);

static trm_status see_all(const seeing *s, seen_element see, int count)
{
    int order[MOST_JOINTS];
    shuffled(order, count, s->v->shuffle);
    trm_status status = TRM_OK;
    for (int i = 0; i < count && status == TRM_OK; i++)
        if (see != see_body || !s->r->body[order[i]]) status = see(s, order[i]);
    return status;
}

static void see_simulation(const seeing *s)
{
    s->def->simulation = s->m->simulation;
    s->def->simulation.step *= s->v->time;
    s->def->simulation.time *= s->v->time * (1 - s->r->time);
}

trm_model_def *machine_build(const machine *m, const view *v, const removed *r)
{
    static const removed nothing;
    seeing s = {m, v, r ? r : &nothing, trm_model_def_create(NULL), units_of(v)};
    if (!s.def) return NULL;
    s.def->name = m->name;
    s.def->gravity = trm_v3_scale(s.u.acceleration, view_vector(v, m->gravity));
    s.def->friction = m->friction;
    s.def->restitution = m->restitution;
    see_simulation(&s);
    trm_status status = see_all(&s, see_body, m->body_count);
    if (status == TRM_OK) status = see_all(&s, see_joint, m->joint_count);
    if (status == TRM_OK) status = see_all(&s, see_force, m->force_count);
    if (status == TRM_OK) status = see_contacts(&s);
    if (status == TRM_OK && !s.def->arena->failed) return s.def;
    trm_model_def_destroy(s.def);
    return NULL;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Hints: warnings of valid models that most likely contain a mistake.
 *
 *     millimetres   a body whose mass over the volume of its shapes, or without shapes over the length of a rod with
 *                   its inertia, is far below that of any material
 *     degrees       a limit of an angle that is a round number of several turns
 *     far anchors   a joint many times farther from a body than the body's radius of gyration sqrt(I/m)
 *     steps         h sqrt(k/m) > 0.5 of a spring: its motion is not resolved. Between masses 1/m = 1/m_a + 1/m_b. On
 *                   a coordinate of a joint, with its row G and the rows J of the joint, 1/m = G W G^T - G W J^T
 *                   (J W J^T)^-1 J W G^T, where W is the inverse of the masses and inertias of its two bodies; an
 *                   armature is added to m
 *     lines         a spring with a rest length whose two points coincide: its force has no direction
 *     masses        two bodies of one joint whose masses differ by more than 1e6
 *     drives        a prescribed coordinate that goes beyond the limits of its joint
 *     pairs         an entry of contacts, or an event on contact, for two bodies that never collide
 *
 * The model is computed as it is. */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/message.h"
#include "linalg/dense.h"
#include "math/rotation.h"
#include "model/contact_law.h"
#include "model/def.h"
#include "sim/sim.h"

/* kg/m^3: of a body in its bounding sphere; aerogel has 1. A larger one warns of light hollow bodies, a smaller
 * one misses models in millimetres. Tests pass with a tenth and with ten times of it. */
static const double LEAST_DENSITY = 1e-2;
/* m: a smaller body is not in millimetres. A larger one misses small machines in millimetres, a smaller one warns
 * of ordinary ones. */
static const double LARGE = 5;
/* Distance of an anchor in radii of gyration. With ten times of it, a far anchor gets no hint (test methods_hints); a
 * smaller value warns of long booms. */
static const double FAR = 1e3;
/* rad: phase of a spring's oscillation in a step. With ten times of it the hint comes too late, with a tenth springs
 * that are resolved well get one (test methods_hints fails both ways). */
static const double MOST_PHASE = 0.5;
/* Ratio of the masses of the two bodies of a joint. With ten times of it the hint is missed (test methods_hints); a
 * smaller value warns of machines that are solved well. */
static const double MOST_RATIO = 1e6;
/* rad: a larger limit means no limit. A larger value warns of limits that are meant as none, a smaller one misses
 * limits in degrees of many turns. */
static const double OUT_OF_REACH = 1e6;
/* rad: a limit beyond this that is a multiple of 5 is in degrees. With ten times of it, 90 degrees given as 90 rad
 * get no hint (test methods_hints); a smaller value warns of winches. */
static const double MANY_TURNS = 10;
enum { TIMES = 200 }; /* at which drives are checked */
/* Fraction of the rest length: the direction of a shorter spring is rounding. A larger value warns of springs that
 * are pressed together, a smaller one misses points that coincide up to rounding. */
static const double NO_LENGTH = 1e-9;

/* kg/m: of a rod with the inertia of a body without shapes; a fishing rod has 0.05. A larger one warns of light
 * masts, a smaller one misses rods in millimetres. */
static const double LEAST_ROD = 1e-2;

/* Returns half the length of the slender rod with the body's largest moment of inertia, m l^2/12. */
static double rod_reach(const trm_body *body)
{
    const double largest = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
    return sqrt(3 * largest / body->mass);
}

static void hint_body(const trm_body *body, trm_place place, trm_messages *messages)
{
    char element[120];
    snprintf(element, sizeof element, "body '%s'", body->name);
    if (body->kind != TRM_BODY_RIGID || !(body->mass > 0)) return;
    const bool shaped = trm_body_reach(body) > 0;
    const double reach = shaped ? trm_body_reach(body) : rod_reach(body);
    if (!(reach > LARGE) || !isfinite(reach)) return;
    if (shaped ? body->mass / (4.0 / 3 * TRM_PI * reach * reach * reach) < LEAST_DENSITY
               : body->mass / (2 * reach) < LEAST_ROD)
        trm_add_message(
            messages, TRM_WARNING, place, element,
            "reaches %.3g m from its centre with %.3g kg; are its lengths in millimetres? Write 25*mm, or "
            "lengths in metres",
            reach, body->mass);
}

static bool is_round(double angle)
{
    return fabs(angle) >= MANY_TURNS && fabs(angle) < OUT_OF_REACH && fabs(remainder(angle, 5)) < 1e-9;
}

static void hint_limits(const trm_joint *joint, const char *element, trm_messages *messages)
{
    for (int k = 0; k < joint->coordinates; k++) {
        const double *limits = joint->law[k].limits;
        if (joint->type->kind[k] == TRM_COORDINATE_LENGTH || (!is_round(limits[0]) && !is_round(limits[1]))) continue;
        trm_add_message(messages, TRM_WARNING, joint->source, element,
                        "has limits [%g, %g] rad; are they in degrees? Write [\"%g*deg\", \"%g*deg\"]", limits[0],
                        limits[1], limits[0], limits[1]);
    }
}

static void hint_anchor(const trm_model *model, const trm_joint *joint, const char *element, trm_messages *messages)
{
    for (int b = 0; b < 2 && !joint->host; b++) {
        const trm_body *body = &model->bodies[joint->body[b]];
        const double largest = fmax(body->inertia.x, fmax(body->inertia.y, body->inertia.z));
        const double size = fmax(sqrt(largest / body->mass), trm_body_reach(body)),
                     far = trm_v3_length(joint->frame[b].p);
        if (body->kind != TRM_BODY_RIGID || !(body->mass > 0) || !(size > 0) || far <= FAR * size) continue;
        trm_add_message(
            messages, TRM_WARNING, joint->source, element,
            "is %.3g m from the centre of the body '%s', whose size is %.2g m; is its anchor in metres, in the "
            "world?",
            far, body->name, size);
        return;
    }
}

static void hint_masses(const trm_model *model, const trm_joint *joint, const char *element, trm_messages *messages)
{
    const double a = model->bodies[joint->body[0]].mass, b = model->bodies[joint->body[1]].mass;
    if (joint->host || !(a > 0 && b > 0) || fmax(a, b) <= MOST_RATIO * fmin(a, b)) return;
    trm_add_message(messages, TRM_WARNING, joint->source, element,
                    "holds masses of %.3g and %.3g kg together; results lose as many digits as they differ by", a, b);
}

static void hint_drive(const trm_state *state, const trm_joint *joint, double time, const char *element,
                       trm_messages *messages)
{
    if (joint->type != &trm_joint_drive || !joint->host || !joint->motion.first) return;
    const double *limits = joint->host->law[joint->coordinate].limits;
    for (int i = 0; i <= TIMES; i++) {
        const double t = time * i / TIMES;
        const double q = trm_chosen_at(&joint->motion, state->memory + joint->memory_offset, t).v;
        if (q >= limits[0] && q <= limits[1]) continue;
        trm_add_message(
            messages, TRM_WARNING, joint->source, element,
            "drives the joint '%s' to %.4g at t = %.3g s, beyond its limits [%.4g, %.4g]; change one of them",
            joint->host->name, q, t, limits[0], limits[1]);
        return;
    }
}

/* Returns M^-1 F of a body, for a wrench F about its centre. */
static trm_spatial accelerated(const trm_state *state, int body, trm_spatial F)
{
    const trm_body *b = &state->model->bodies[body];
    const trm_quat q = state->pose[body].q;
    const trm_vec3 torque = trm_rotate_back(q, F.ang);
    const trm_vec3 turn = {b->inverse_inertia.x * torque.x, b->inverse_inertia.y * torque.y,
                           b->inverse_inertia.z * torque.z};
    return trm_sp(trm_rotate(q, turn), trm_v3_scale(b->inverse_mass, F.lin));
}

/* Returns 1/m of a coordinate of a joint between two bodies: the last pivot of the rows of the joint and the row of
 * the coordinate. Returns 0 if the rows have no pivot, as for point masses. */
static double inverse_mass_between(const trm_state *state, const trm_joint_at *at, int coordinate)
{
    enum { MOST = TRM_JOINT_ROWS + 1 };
    const int rows = at->joint->rows, n = rows + 1;
    trm_spatial J[MOST * 2];
    double A[MOST * MOST];
    if (at->joint->body_count != 2) return 0;
    trm_joint_jacobian(at, J);
    trm_joint_coordinate_row(at, coordinate, J + 2 * rows);
    for (int i = 0; i < n; i++)
        for (int k = 0; k <= i; k++) {
            A[i * n + k] = 0;
            for (int b = 0; b < 2; b++)
                A[i * n + k] += trm_sp_dot(J[i * 2 + b], accelerated(state, at->joint->body[b], J[k * 2 + b]));
        }
    if (!trm_dense_cholesky(A, n)) return 0;
    const double pivot = A[n * n - 1] * A[n * n - 1];
    return pivot / (1 + pivot * at->joint->law[coordinate].armature);
}

/* Returns 1/m of the coordinate on which a spring acts. For a tendon it is the sum over its terms f of f'^2/m. */
static double inverse_mass_of_coordinate(const trm_state *state, const trm_force *force)
{
    const trm_joint_at at = trm_joint_now(state, (int)(force->host - state->model->joints));
    double sum = 0;
    if (at.joint->term_count == 0) return inverse_mass_between(state, &at, force->coordinate);
    for (int k = 0; k < at.joint->term_count; k++) {
        const trm_term *term = &at.joint->terms[k];
        const trm_joint_at host = trm_joint_now(state, (int)(term->host - state->model->joints));
        const double q = trm_joint_coordinate(&host, term->coordinate);
        double slope = 0;
        for (int i = term->degree; i > 0; i--) slope = slope * q + i * term->a[i - 1];
        sum += slope * slope * inverse_mass_between(state, &host, term->coordinate);
    }
    return sum;
}

static double inverse_mass_of_spring(const trm_state *state, const trm_force *force)
{
    const trm_body *bodies = state->model->bodies;
    if (force->host) return inverse_mass_of_coordinate(state, force);
    return bodies[force->body[0]].inverse_mass + bodies[force->body[1]].inverse_mass;
}

/* Warns of a spring whose two points coincide, because its force has no direction. */
static void hint_direction(const trm_state *state, int index, trm_messages *messages)
{
    char element[120];
    const trm_force *force = &state->model->forces[index];
    if (force->type != &trm_force_spring || !(force->stiffness > 0)) return;
    const trm_force_at at = trm_force_now(state, index);
    if (trm_force_line_of(&at).length > NO_LENGTH * force->rest || !(force->rest > 0)) return;
    snprintf(element, sizeof element, "force '%s'", force->name ? force->name : force->type->name);
    trm_add_message(
        messages, TRM_WARNING, force->source, element,
        "has the rest length %.3g m, but its points coincide at the start, so its force has no direction; "
        "\"anchors\" are in the frames of the two bodies",
        force->rest);
}

/* Warns of a spring that steps do not resolve. Implicit springs are stable at any step. */
static void hint_spring(const trm_state *state, const trm_force *force, double step, trm_messages *messages)
{
    char element[120];
    const bool in_joint = force->host && force->name == force->host->name; /* "stiffness" of the joint itself */
    if (force->type != &trm_force_spring && force->type != &trm_force_torsion) return;
    if (force->treatment == TRM_TREAT_IMPLICIT || !(force->stiffness > 0)) return;
    const double omega = sqrt(force->stiffness * inverse_mass_of_spring(state, force));
    if (!(step * omega > MOST_PHASE)) return;
    snprintf(element, sizeof element, "%s '%s'", in_joint ? "joint" : "force",
             force->name ? force->name : force->type->name);
    trm_add_message(messages, TRM_WARNING, force->source, element,
                    "%s with %.3g rad/s, which steps of %.3g s do not resolve; use steps of %.2g s%s",
                    in_joint ? "oscillates by its stiffness" : "oscillates", omega, step, MOST_PHASE / omega,
                    in_joint ? "" : ", or \"treatment\": \"implicit\"");
}

static bool has_colliding_shape(const trm_body *body)
{
    for (int i = 0; i < body->shape_count; i++)
        if (body->shapes[i].collide) return true;
    return false;
}

static bool groups_let_collide(const trm_model *model, int a, int b)
{
    for (int i = 0; i < model->bodies[a].shape_count; i++)
        for (int k = 0; k < model->bodies[b].shape_count; k++)
            if (model->bodies[a].shapes[i].collide && model->bodies[b].shapes[k].collide &&
                trm_shapes_may_collide(model, a, i, b, k))
                return true;
    return false;
}

/* Warns if two bodies never collide, whatever they do. element: what is for their contact. */
static void hint_pair(const trm_model *model, const int body[2], const char *element, trm_messages *messages)
{
    const trm_body *a = &model->bodies[body[0]], *b = &model->bodies[body[1]];
    const trm_body *bare = !has_colliding_shape(a) ? a : !has_colliding_shape(b) ? b : NULL;
    if (bare)
        trm_add_message(messages, TRM_WARNING, (trm_place){0}, element,
                        "has no effect: '%s' and '%s' never collide, because '%s' has no \"shapes\" that collide",
                        a->name, b->name, bare->name);
    else if (!groups_let_collide(model, body[0], body[1]))
        trm_add_message(
            messages, TRM_WARNING, (trm_place){0}, element,
            "has no effect: '%s' and '%s' never collide, because both are fixed or moving, \"no_collide\" "
            "names them, or their groups and masks part them",
            a->name, b->name);
}

/* Without any shape that may collide, contacts are left out on purpose; events on contact still wait in vain. */
static void hint_pairs(const trm_model *model, trm_messages *messages)
{
    for (int i = 0; model->collisions.may_collide && i < model->collisions.contact_count; i++)
        hint_pair(model, model->collisions.contacts[i].body, "contacts", messages);
    for (int i = 0; i < model->schedule.count; i++)
        if (model->schedule.events[i].bodies[0] >= 0)
            hint_pair(model, model->schedule.events[i].bodies, "event on contact", messages);
}

void trm_find_hints_sized(const trm_state *state, trm_sized given, trm_messages *messages)
{
    const trm_model *model = state->model;
    trm_simulation_def o = model->simulation;
    if (given.def) trm_read_def(TRM_DEF_SIMULATION, given, &o);
    for (int i = 1; i < model->shown_body_count; i++) hint_body(&model->bodies[i], (trm_place){0}, messages);
    for (int i = 0; i < model->shown_joint_count; i++) {
        const trm_joint *joint = &model->joints[i];
        char element[120];
        snprintf(element, sizeof element, "%s '%s'", joint->type->among_forces ? joint->type->name : "joint",
                 joint->name);
        hint_limits(joint, element, messages);
        hint_anchor(model, joint, element, messages);
        hint_masses(model, joint, element, messages);
        hint_drive(state, joint, o.time, element, messages);
    }
    const bool fixed = strcmp(o.method, TRM_METHOD_AUTO) != 0; /* else the step is not known yet */
    for (int i = 0; i < model->force_count; i++) hint_direction(state, i, messages);
    for (int i = 0; fixed && i < model->force_count; i++) hint_spring(state, &model->forces[i], o.step, messages);
    hint_pairs(model, messages);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Motion by drives alone.
 *
 *     c(y, t) = 0          Newton's method from the previous pose, extrapolated by velocity and acceleration
 *     J dy/dt = -c_t,      J d2y/dt2 = gamma
 *
 * Each has the shortest solution: parts that no drive moves, move as little as possible. Steps between two
 * requested times are so short that no body turns by more than 0.2 rad. The last pivot of J (linalg/null_space.h)
 * vanishes at singular poses. Near a singular pose that the motion passes, the pivot is proportional to the
 * distance in time. Where time itself reverses along the curve of poses (curve.h), the drives lock. */

#include <math.h>
#include <string.h>

#include "analysis/curve.h"
#include "base/memory.h"
#include "base/message.h"
#include "base/print.h"
#include "motion/fail.h"
#include "motion/rank.h"

/* rad, and fraction of the machine's size: largest motion in one step. A larger value may pass a dead centre within a
 * step without detecting it, a smaller one takes more steps. Tests pass with a tenth and with ten times of it. */
static const double LARGEST_TURN = 0.2;
/* Singular poses are searched near smaller pivots. A larger value searches near poses that are regular, a smaller one
 * misses a minimum between two steps. */
static const double NEARLY_SINGULAR = 0.1;
static const double IS_SINGULAR =
    1e-4; /* smaller pivots are singular poses; 1e-3 would report poses that are merely close */
/* Fraction of the fastest drive: larger errors of rates cannot be rounding. A larger value follows drives that loops
 * contradict, a smaller one reports rounding as a drive that cannot be followed. */
static const double MISSED = 1e-6;
enum { MOST_SINGULAR = 100, MOST_SUBSTEPS = 10000000 };

struct trm_kinematics {
    trm_system s;
    trm_balance b;
    trm_null_space *null;
    double *y, *rates, *V, *A;
    trm_state *before, *last;      /* scratch */
    trm_state *old, *older, *here; /* states before the last two steps; scratch */
    int undriven, rank;
    bool stuck;               /* no velocities follow the drives at the start */
    double pivot[3], time[3]; /* of the last three steps */
    trm_singular_pose singular[MOST_SINGULAR];
    int singular_count;
};

/* ---- One pose ----------------------------------------------------------------------------- */

/* Computes the null space of J with rows of unit length; scales b with them. */
static void factor(trm_kinematics *k, double *b)
{
    trm_system *s = &k->s;
    for (int i = 0; i < s->row_count; i++) {
        double *row = s->J + (size_t)i * (size_t)s->n, square = 0;
        for (int j = 0; j < s->n; j++) square += row[j] * row[j];
        const double scale = square > 0 ? 1 / sqrt(square) : 0;
        for (int j = 0; j < s->n; j++) row[j] *= scale;
        if (b) b[i] *= scale;
    }
    trm_null_space_find(k->null, s->J, s->row_count, 1e-9);
}

/* Returns the pivot of the last independent row; 0 if one row fewer is independent than before. */
static double last_pivot(const trm_kinematics *k)
{
    const int rank = k->rank;
    if (rank == 0) return 1;
    if (k->null->rank < rank) return 0;
    return fabs(k->null->R[(size_t)(rank - 1) * (size_t)k->s.n + (size_t)(rank - 1)]);
}

static void add_moving_accelerations(const trm_system *s, double *gamma)
{
    for (int i = 0; i < s->row_count; i++) {
        if (s->rows[i].row > 0 || s->rows[i].joint < 0) continue;
        const trm_joint_at at = trm_joint_now(s->state, s->rows[i].joint);
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES], A, V;
        trm_pose X;
        for (int b = 0; b < at.joint->body_count; b++) {
            const trm_body *body = &s->model->bodies[at.joint->body[b]];
            if (!body->motion) continue;
            trm_motion_at(body->motion, s->state->clock->time, &X, &V, &A);
            trm_joint_jacobian(&at, J);
            for (int r = 0; r < at.joint->rows; r++) gamma[i + r] -= trm_sp_dot(J[r * at.joint->body_count + b], A);
        }
    }
}

static void set_twists(const trm_kinematics *k, const double *y, trm_spatial *to)
{
    trm_system_twists(&k->s, y, k->s.velocity);
    for (int b = 0; b < k->s.model->body_count; b++)
        if (k->s.first[b] >= 0) to[b] = k->s.velocity[b];
}

/* Computes velocities and accelerations at a closed pose. */
static void find_motion(trm_kinematics *k)
{
    trm_system *s = &k->s;
    trm_system_jacobian(s);
    trm_system_rates(s, k->rates);
    for (int i = 0; i < s->row_count; i++) k->rates[i] = -k->rates[i];
    factor(k, k->rates);
    trm_null_space_solve(k->null, k->rates, k->V);
    set_twists(k, k->V, s->state->velocity);
    trm_system_gammas(s, k->rates);
    add_moving_accelerations(s, k->rates);
    trm_system_jacobian(s);
    factor(k, k->rates);
    trm_null_space_solve(k->null, k->rates, k->A);
    set_twists(k, k->A, s->state->acceleration);
    s->state->clock->velocities_projected = TRM_ALL_PROJECTED;
}

/* Finds the pose at a time, starting from y = V dt + A dt^2/2. Returns false if it cannot be closed or is far from
 * there. */
static bool close_at(trm_kinematics *k, double time)
{
    trm_system *s = &k->s;
    const double dt = time - s->state->clock->time;
    double far = 0, way = 0;
    trm_state_copy(k->before, s->state);
    for (int i = 0; i < s->n; i++) {
        k->y[i] = dt * (k->V[i] + 0.5 * dt * k->A[i]);
        far = fmax(far, fabs(k->y[i]));
    }
    if (!(far <= LARGEST_TURN * s->size)) return false;
    trm_set_state_time(s->state, time);
    trm_system_move(s, 1, k->y);
    memcpy(k->last->pose, s->state->pose, (size_t)s->model->body_count * sizeof *s->state->pose);
    bool good = trm_balance_project(&k->b);
    trm_system_displacement(s, k->last->pose, k->y);
    for (int i = 0; i < s->n; i++) way = fmax(way, fabs(k->y[i]));
    good = good && way <= 0.2 * far + 1e-9 * s->size;
    if (!good) trm_state_copy(s->state, k->before);
    return good;
}

/* ---- Singular poses ----------------------------------------------------------------------- */

/* Returns a joint that can move at the current pose while the drives are at rest, along the direction of the last
 * pivot. */
static int loose_joint(trm_kinematics *k)
{
    trm_system *s = &k->s;
    trm_curve curve = {.s = s, .tangent = k->y};
    trm_system_jacobian(s);
    factor(k, NULL);
    for (int i = 0; i < s->n && k->rank > 0; i++)
        k->y[i] = k->null->Q[(size_t)i * (size_t)s->n + (size_t)(k->rank - 1)];
    return trm_curve_joint(&curve);
}

static void note(trm_kinematics *k, double time, bool locks, int joint)
{
    if (k->singular_count == MOST_SINGULAR) return;
    trm_singular_pose *p = &k->singular[k->singular_count++];
    *p = (trm_singular_pose){.time = time, .locks = locks, .joint = joint};
    trm_print(p->text, sizeof p->text, "%s: joint '%.60s' can move while the drives stand still",
              locks ? "dead centre" : "singular pose", joint >= 0 ? k->s.model->joints[joint].name : "");
}

/* Moves the current state to a time near that of another state, and returns the pivot there; NAN if the pose
 * cannot be closed. */
static double pivot_at(trm_kinematics *k, const trm_state *from, double time)
{
    trm_state_copy(k->s.state, from);
    find_motion(k);
    if (!close_at(k, time)) return NAN;
    trm_system_jacobian(&k->s);
    factor(k, NULL);
    return last_pivot(k);
}

/* Locates a singular pose between the first and the last of three steps, where the pivot had a minimum: golden
 * section on the pivot, then the zero of the line through two points on either side, where its sign changes. */
static void locate_singular_pose(trm_kinematics *k)
{
    const double golden = 0.6180339887498949, *p = k->pivot;
    if (!(p[1] < NEARLY_SINGULAR && p[1] <= p[0] && p[1] <= p[2])) return;
    trm_state_copy(k->here, k->s.state);
    double low = k->time[0], high = k->time[2];
    double a = high - golden * (high - low), b = low + golden * (high - low);
    double pa = pivot_at(k, k->older, a), pb = pivot_at(k, k->older, b);
    for (int i = 0; i < 40 && high - low > 1e-7 * (k->time[2] - k->time[0]); i++) {
        if (pa < pb)
            high = b, b = a, pb = pa, a = high - golden * (high - low), pa = pivot_at(k, k->older, a);
        else
            low = a, a = b, pa = pb, b = low + golden * (high - low), pb = pivot_at(k, k->older, b);
    }
    const double middle = 0.5 * (low + high), d = 1e-3 * (k->time[2] - k->time[0]);
    const double before = pivot_at(k, k->older, middle - d), after = pivot_at(k, k->older, middle + d);
    const double least = fmin(pa, pb);
    if (least < IS_SINGULAR) {
        const int joint = loose_joint(k);
        note(k, isfinite(before + after) ? middle - d + 2 * d * before / (before + after) : middle, false, joint);
    }
    trm_state_copy(k->s.state, k->here);
    find_motion(k);
}

/* Finds the time at which the drives lock: time reverses along the curve of poses. Returns it, with the state
 * there; NAN if it is not found. */
static double find_lock(trm_kinematics *k, double until)
{
    trm_curve c;
    double speed = 0, found = NAN; /* speed of the drives as weight: the column of time gets the size of the others */
    trm_system_rates(&k->s, k->rates);
    for (int i = 0; i < k->s.row_count; i++) speed = fmax(speed, fabs(k->rates[i]));
    speed = fmax(speed, 1e-6 * k->s.size);
    const int n = k->s.n;
    const trm_arena_mark mark = trm_arena_get_mark(&k->s.arena);
    bool good = trm_curve_create(&c, &k->s, true, speed);
    if (good) {
        memcpy(c.tangent, k->V, (size_t)n * sizeof *c.tangent);
        c.tangent[n] = c.weight;
        good = trm_curve_find_tangent(&c);
    }
    double h = 1e-2 * k->s.size;
    for (int i = 0; good && i < 100000 && k->s.state->clock->time < until && h > 1e-13 * k->s.size; i++) {
        if (!trm_curve_step(&c, h)) {
            h *= 0.5;
            continue;
        }
        if (c.tangent[n] < 0) { /* time has reversed: repeat with a shorter step */
            found = k->s.state->clock->time;
            if (h <= 1e-9 * k->s.size || fabs(c.tangent[n]) < 1e-9) break;
            trm_curve_restore(&c);
            h *= 0.5;
        } else if (isnan(found)) {
            h = fmin(1.5 * h, 0.05 * k->s.size);
        }
    }
    trm_curve_destroy(&c);
    trm_arena_reset(&k->s.arena, mark);
    return found;
}

/* ---- Advancing ---------------------------------------------------------------------------- */

static void remember_pivot(trm_kinematics *k)
{
    k->pivot[0] = k->pivot[1], k->time[0] = k->time[1];
    k->pivot[1] = k->pivot[2], k->time[1] = k->time[2];
    k->pivot[2] = last_pivot(k), k->time[2] = k->s.state->clock->time;
    trm_state *oldest = k->older;
    k->older = k->old, k->old = oldest;
    trm_state_copy(k->old, k->before);
}

static trm_outcome locked(trm_kinematics *k, double until)
{
    trm_outcome outcome = {.ok = false};
    const double from = k->s.state->clock->time, time = find_lock(k, until);
    const int joint = isfinite(time) ? loose_joint(k) : -1;
    outcome.time = isfinite(time) ? time : from;
    if (isfinite(time)) {
        note(k, time, true, joint);
        trm_fail(&outcome, NAN, joint >= 0 ? "joint" : "", joint >= 0 ? k->s.model->joints[joint].name : NULL,
                 "dead centre at t = %.12g s: the drives lock there; shorten their motion or drive another joint",
                 time);
    } else
        trm_fail(&outcome, NAN, "", NULL, "the drives cannot be followed beyond t = %.9g s", from);
    return outcome;
}

/* Returns the row whose required rate the velocities V miss most; -1 if V has all rates. */
static int missed_row(trm_kinematics *k)
{
    trm_system *s = &k->s;
    int worst = -1;
    double most = 0;
    trm_system_jacobian(s);
    trm_system_rates(s, k->rates);
    for (int i = 0; i < s->row_count; i++) most = fmax(most, MISSED * fabs(k->rates[i]));
    for (int i = 0; i < s->row_count; i++) {
        double missed = k->rates[i];
        for (int j = 0; j < s->n; j++) missed += s->J[(size_t)i * (size_t)s->n + (size_t)j] * k->V[j];
        if (fabs(missed) > most) most = fabs(missed), worst = i;
    }
    return worst;
}

/* Reports that no velocities follow the drives at the current pose, so that no step is possible from there. */
static trm_outcome stuck(trm_kinematics *k)
{
    const double time = k->s.state->clock->time;
    trm_outcome outcome = {.time = time};
    const int joint = loose_joint(k);
    note(k, time, true, joint);
    trm_fail(&outcome, NAN, joint >= 0 ? "joint" : "", joint >= 0 ? k->s.model->joints[joint].name : NULL,
             "the motion starts at t = %.9g s in a dead centre, from which the drives cannot move the machine; start "
             "from another pose or drive another joint",
             time);
    return outcome;
}

static trm_outcome no_memory(const trm_kinematics *k)
{
    trm_outcome outcome = {.time = k->s.state->clock->time};
    trm_fail(&outcome, NAN, "", NULL, "out of memory");
    return outcome;
}

/* Makes one step towards a time. Returns false if none can be made, however short. */
static bool make_step(trm_kinematics *k, double until)
{
    trm_system *s = &k->s;
    const double from = s->state->clock->time;
    for (double dt = until - from; dt > 1e-9 * (1 + fabs(from)) || dt == until - from; dt *= 0.5) {
        const double goal = dt == until - from ? until : from + dt;
        if (close_at(k, goal)) return true;
        if (dt < 1e-12) return false;
    }
    return false;
}

trm_outcome trm_kinematics_go(trm_kinematics *k, double time)
{
    if (k->stuck && k->s.state->clock->time < time) return stuck(k);
    for (int i = 0; i < MOST_SUBSTEPS && k->s.state->clock->time < time; i++) {
        if (!make_step(k, time)) return k->s.failed ? no_memory(k) : locked(k, time);
        find_motion(k);
        remember_pivot(k);
        locate_singular_pose(k);
    }
    return (trm_outcome){.ok = true, .time = time, .residual = NAN};
}

bool trm_kinematics_singular(const trm_kinematics *k, int index, trm_singular_pose *pose)
{
    if (index < 0 || index >= k->singular_count) return false;
    *pose = k->singular[index];
    return true;
}

const trm_state *trm_kinematics_state(const trm_kinematics *k)
{
    return k->s.state;
}

int trm_kinematics_undriven(const trm_kinematics *k)
{
    return k->undriven;
}

/* ---- Transmission ------------------------------------------------------------------------- */

/* Returns whether a joint drives, by itself or as a motor. */
static bool drives(const trm_joint *joint)
{
    return (joint->type->takes & TRM_TAKES_JOINT) && trm_joint_is_rheonomic(joint);
}

/* Returns the ratio of the rates of both coordinates, in the motion that moves the input most among those that the
 * rows without drives allow. */
double trm_transmission(trm_kinematics *k, trm_coordinate_name in, trm_coordinate_name out)
{
    trm_system *s = &k->s;
    trm_curve c = {.s = s, .tangent = k->y};
    for (int j = 0; j < s->model->joint_count; j++)
        if (drives(&s->model->joints[j])) s->off[j] = true;
    double ratio = NAN;
    if (trm_system_find_rows(s, 0)) {
        trm_system_jacobian(s);
        factor(k, NULL);
        trm_system_coordinate_row(s, in.joint, in.coordinate, 1, k->y);
        trm_null_space_reduce(k->null, k->y, k->rates);
        trm_null_space_expand(k->null, k->rates, k->y);
        const double rate = trm_curve_rate(&c, in);
        if (fabs(rate) > 1e-12) ratio = trm_curve_rate(&c, out) / rate;
    }
    for (int j = 0; j < s->model->joint_count; j++)
        if (drives(&s->model->joints[j])) s->off[j] = false;
    trm_system_find_rows(s, 0);
    return ratio;
}

/* ---- Creating ----------------------------------------------------------------------------- */

static trm_status begin(trm_kinematics *k, trm_messages *messages)
{
    trm_system *s = &k->s;
    const trm_allocator *from = &s->arena.allocator;
    s->collider = NULL;
    k->b.s = s;
    for (int j = 0; j < s->model->joint_count; j++) s->off[j] = s->model->joints[j].one_sided;
    k->before = trm_state_create(s->model, from), k->last = trm_state_create(s->model, from);
    k->old = trm_state_create(s->model, from), k->older = trm_state_create(s->model, from);
    k->here = trm_state_create(s->model, from);
    if (!trm_system_find_rows(s, 0)) return TRM_OUT_OF_MEMORY;
    const int most = s->model->row_count > s->n ? s->model->row_count : s->n;
    k->null = trm_null_space_create(&s->arena, s->model->row_count, s->n);
    k->y = TRM_NEW_ARRAY(&s->arena, double, s->n + 1), k->rates = TRM_NEW_ARRAY(&s->arena, double, most + 1);
    k->V = TRM_NEW_ARRAY(&s->arena, double, s->n + 1), k->A = TRM_NEW_ARRAY(&s->arena, double, s->n + 1);
    if (!k->before || !k->last || !k->old || !k->older || !k->here || !k->null || !k->y || !k->rates || !k->V ||
        !k->A)
        return TRM_OUT_OF_MEMORY;
    if (!trm_balance_project(&k->b)) {
        if (s->failed) return TRM_OUT_OF_MEMORY;
        trm_add_error(
            messages, (trm_place){0},
            "the joints and drives cannot be closed near the start; correct the start, or the motion at t = 0");
        return TRM_BAD_INPUT;
    }
    find_motion(k);
    k->rank = k->null->rank;
    k->undriven = s->n - k->rank;
    for (int i = 0; i < 3; i++) k->pivot[i] = last_pivot(k), k->time[i] = s->state->clock->time - 3 + i;
    trm_state_copy(k->old, s->state), trm_state_copy(k->older, s->state);
    k->stuck = missed_row(k) >= 0;
    if (k->stuck) k->undriven--, k->rank++;
    return TRM_OK;
}

/* Assembles the start. Reports only joints that cannot be closed: wrong velocities are replaced by those of the
 * drives. */
trm_status trm_assemble_quietly(trm_state *start, const trm_allocator *allocator, trm_messages *messages)
{
    trm_messages *own = trm_messages_create(allocator);
    if (!own) return TRM_OUT_OF_MEMORY;
    const trm_status status = trm_assemble(start, allocator, own, NULL);
    for (int i = 0; i < trm_message_count(own); i++) {
        const trm_message *m = trm_message_at(own, i);
        if (m->severity == TRM_ERROR) trm_add_message(messages, TRM_ERROR, m->place, m->element, "%s", m->text);
    }
    trm_messages_destroy(own);
    return status;
}

trm_status trm_kinematics_create(const trm_model *model, const trm_allocator *allocator, trm_messages *messages,
                                 trm_kinematics **kinematics)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_kinematics *k = trm_allocate(&from, sizeof *k);
    trm_state *start = trm_state_create(model, &from);
    *kinematics = NULL;
    trm_status status = k && start ? trm_assemble_quietly(start, &from, messages) : TRM_OUT_OF_MEMORY;
    const bool made = status == TRM_OK;
    if (made) status = trm_system_create(&k->s, start, &from, messages);
    if (status == TRM_OK) status = begin(k, messages);
    trm_state_destroy(start);
    if (status == TRM_OK) {
        *kinematics = k;
        return TRM_OK;
    }
    if (made)
        trm_kinematics_destroy(k);
    else
        trm_release(&from, k, sizeof *k);
    return status;
}

void trm_kinematics_destroy(trm_kinematics *k)
{
    if (!k) return;
    const trm_allocator from = k->s.arena.allocator;
    trm_state_destroy(k->before);
    trm_state_destroy(k->last);
    trm_state_destroy(k->old);
    trm_state_destroy(k->older);
    trm_state_destroy(k->here);
    trm_system_destroy(&k->s);
    trm_release(&from, k, sizeof *k);
}

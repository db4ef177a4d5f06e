/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Derivatives of a motion given by rows. They are those of the polynomial through a row and its neighbours, with the
 * weights of Fornberg (Generation of finite difference formulas on arbitrarily spaced grids, 1988). At the ends the
 * neighbours are on one side. For unit quaternions, continued without changes of sign,
 *
 *     omega = 2 vec(q' q*),   alpha = 2 vec(q'' q*) */

#include "trajectory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const X[] = {"x", "y", "z"}, *const Q[] = {"qw", "qx", "qy", "qz"},
                         *const V[] = {"vx", "vy", "vz"}, *const W[] = {"wx", "wy", "wz"},
                         *const A[] = {"ax", "ay", "az"}, *const AL[] = {"alx", "aly", "alz"};

/* ---- The header --------------------------------------------------------------------------- */

static bool moves(const trm_model *model, int body)
{
    const trm_body_kind kind = trm_body_info_of(model, body).kind;
    return kind == TRM_BODY_RIGID || kind == TRM_BODY_POINT;
}

static bool turns(const trm_model *model, int body)
{
    return trm_body_info_of(model, body).kind == TRM_BODY_RIGID;
}

static int column_of(const trajectory *t, const char *owner, const char *suffix)
{
    char name[400];
    snprintf(name, sizeof name, "%s.%s", owner, suffix);
    return find_column(&t->results, name);
}

/* Finds the columns of a group. Returns whether all of them exist. */
static bool find_group(const trajectory *t, const char *owner, const char *const *suffixes, int count, int *columns)
{
    bool all = true;
    for (int i = 0; i < count; i++) all = (columns[i] = column_of(t, owner, suffixes[i])) >= 0 && all;
    return all;
}

/* Returns the first body whose position or orientation is missing; -1: none. */
static int find_bodies(trajectory *t)
{
    int lacking = -1;
    t->has_v = t->has_w = t->has_a = t->has_al = true;
    for (int i = 0; i < trm_body_count(t->model); i++) {
        const char *name = trm_body_info_of(t->model, i).name;
        body_columns *c = &t->bodies[i];
        if (!moves(t->model, i)) continue;
        const bool placed = find_group(t, name, X, 3, c->x);
        const bool turned = !turns(t->model, i) || find_group(t, name, Q, 4, c->q);
        if (lacking < 0 && !(placed && turned)) lacking = i;
        t->has_v = find_group(t, name, V, 3, c->v) && t->has_v;
        t->has_a = find_group(t, name, A, 3, c->a) && t->has_a;
        if (!turns(t->model, i)) continue;
        t->has_w = find_group(t, name, W, 3, c->w) && t->has_w;
        t->has_al = find_group(t, name, AL, 3, c->al) && t->has_al;
    }
    return lacking;
}

/* Returns the column JOINT.q, or JOINT.q2 of a joint with several coordinates; -1: it is missing. */
static int coordinate_column(const trajectory *t, trm_coordinate_name name, const char *letter)
{
    char suffix[20];
    const trm_joint_info joint = trm_joint_info_of(t->model, name.joint);
    if (joint.coordinates == 1) return column_of(t, joint.name, letter);
    snprintf(suffix, sizeof suffix, "%s%d", letter, name.coordinate + 1);
    return column_of(t, joint.name, suffix);
}

/* Returns the first coordinate whose column is missing; -1: none. */
static int find_coordinates(trajectory *t, const trm_inverse *inverse)
{
    t->coordinate_count = trm_inverse_count(inverse);
    t->has_v = t->has_a = t->has_w = t->has_al = true;
    for (int i = 0; i < t->coordinate_count; i++) {
        const trm_coordinate_name name = trm_inverse_driven(inverse, i);
        coordinate_columns *c = &t->coordinates[i];
        *c = (coordinate_columns){coordinate_column(t, name, "q"), coordinate_column(t, name, "qd"),
                                  coordinate_column(t, name, "qdd")};
        if (c->q < 0) return i;
        t->has_v = t->has_v && c->qd >= 0;
        t->has_a = t->has_a && c->qdd >= 0;
    }
    return t->coordinate_count > 0 ? -1 : 0;
}

/* Chooses the columns of all bodies, else those of all sought coordinates. Returns false after reporting what is
 * missing. */
static bool choose_columns(trajectory *t, const trm_inverse *inverse)
{
    t->bodies = calloc((size_t)trm_body_count(t->model), sizeof *t->bodies);
    t->coordinates = calloc((size_t)trm_inverse_count(inverse) + 1, sizeof *t->coordinates);
    if (!t->bodies || !t->coordinates) return report_error(&t->results, "out of memory");
    const int body = find_bodies(t);
    if (body < 0) return true;
    free(t->bodies);
    t->bodies = NULL;
    const int coordinate = find_coordinates(t, inverse);
    if (coordinate < 0) return true;
    const char *name = trm_body_info_of(t->model, body).name;
    if (coordinate >= trm_inverse_count(inverse))
        return report_error(&t->results, "body '%s' has not all of its columns %s.x to %s.qz here", name, name, name);
    return report_error(&t->results,
                        "the file lacks some of the columns %s.x to %s.qz of body '%s', and the coordinate of joint "
                        "'%s', either of which is enough",
                        name, name, name,
                        trm_joint_info_of(t->model, trm_inverse_driven(inverse, coordinate).joint).name);
}

/* ---- The rows ----------------------------------------------------------------------------- */

static bool grow(trajectory *t, int room)
{
    double *time = realloc(t->t, (size_t)room * sizeof *time);
    if (time) t->t = time;
    int *lines = realloc(t->lines, (size_t)room * sizeof *lines);
    if (lines) t->lines = lines;
    double *values = realloc(t->values, (size_t)room * (size_t)t->results.column_count * sizeof *values);
    if (values) t->values = values;
    return (time && lines && values) || report_error(&t->results, "out of memory");
}

static double *row_of(const trajectory *t, int row)
{
    return t->values + (size_t)row * (size_t)t->results.column_count;
}

/* Chooses the sign of a quaternion, q or -q, that is nearer to the row before. */
static void continue_quaternion(const trajectory *t, int row, const int *q)
{
    double *now = row_of(t, row), dot = 0;
    for (int i = 0; i < 4; i++) dot += now[q[i]] * row_of(t, row - 1)[q[i]];
    for (int i = 0; dot < 0 && i < 4; i++) now[q[i]] = -now[q[i]];
}

static bool is_sound(trajectory *t, int row, int column)
{
    return isfinite(row_of(t, row)[column]) ||
           report_error(&t->results, "column %s is not finite", t->results.names[column]);
}

static bool group_is_sound(trajectory *t, int row, bool used, const int *columns, int count)
{
    for (int i = 0; used && i < count; i++)
        if (!is_sound(t, row, columns[i])) return false;
    return true;
}

static bool body_is_sound(trajectory *t, int row, int body)
{
    const body_columns *c = &t->bodies[body];
    const bool turning = turns(t->model, body);
    if (!group_is_sound(t, row, true, c->x, 3) || !group_is_sound(t, row, t->has_v, c->v, 3) ||
        !group_is_sound(t, row, t->has_a, c->a, 3) || !group_is_sound(t, row, turning, c->q, 4) ||
        !group_is_sound(t, row, turning && t->has_w, c->w, 3) ||
        !group_is_sound(t, row, turning && t->has_al, c->al, 3))
        return false;
    double square = 0;
    for (int i = 0; turning && i < 4; i++) square += row_of(t, row)[c->q[i]] * row_of(t, row)[c->q[i]];
    if (turning && !(fabs(square - 1) < 1e-3))
        return report_error(&t->results, "columns %s to %s are not a unit quaternion: its length is %.6g",
                            t->results.names[c->q[0]], t->results.names[c->q[3]], sqrt(square));
    if (turning && row > 0) continue_quaternion(t, row, c->q);
    return true;
}

static bool row_is_sound(trajectory *t, int row)
{
    if (!is_sound(t, row, t->results.time_column)) return false;
    if (row > 0 && !(t->t[row] > t->t[row - 1]))
        return report_error(&t->results, "t = %.9g s is not later than that of the previous row, %.9g s", t->t[row],
                            t->t[row - 1]);
    for (int i = 0; t->bodies && i < trm_body_count(t->model); i++)
        if (moves(t->model, i) && !body_is_sound(t, row, i)) return false;
    for (int i = 0; i < t->coordinate_count; i++) {
        const coordinate_columns *c = &t->coordinates[i];
        if (!group_is_sound(t, row, true, &c->q, 1) || !group_is_sound(t, row, t->has_v, &c->qd, 1) ||
            !group_is_sound(t, row, t->has_a, &c->qdd, 1))
            return false;
    }
    return true;
}

static bool read_rows(trajectory *t)
{
    int room = 0;
    while (next_row(&t->results)) {
        if (t->rows == room && !grow(t, room = 2 * room + 64)) return false;
        memcpy(row_of(t, t->rows), t->results.values, (size_t)t->results.column_count * sizeof *t->values);
        t->t[t->rows] = t->results.values[t->results.time_column];
        t->lines[t->rows] = t->results.number;
        if (!row_is_sound(t, t->rows)) return false;
        t->rows++;
    }
    if (t->results.failed) return false;
    if (t->rows == 0) return report_error(&t->results, "the file has no rows");
    if (accelerations_are_found(t) && t->rows < LEAST_NEIGHBOURS)
        return report_error(
            &t->results,
            "the file lacks some accelerations, and %d rows are too few to compute them; give at least %d", t->rows,
            LEAST_NEIGHBOURS);
    return true;
}

bool read_trajectory(trajectory *t, const trm_model *model, const trm_inverse *inverse, const char *path)
{
    *t = (trajectory){.model = model};
    return open_results(&t->results, "inverse", path) && choose_columns(t, inverse) && read_rows(t);
}

void free_trajectory(trajectory *t)
{
    close_results(&t->results);
    free(t->t);
    free(t->values);
    free(t->lines);
    free(t->bodies);
    free(t->coordinates);
}

bool velocities_are_found(const trajectory *t)
{
    return !t->has_v || !t->has_w;
}

bool accelerations_are_found(const trajectory *t)
{
    return !t->has_a || !t->has_al;
}

/* ---- Derivatives -------------------------------------------------------------------------- */

/* Weights of the polynomial through rows first .. first + count - 1, at one of them. */
typedef struct stencil {
    int first, count;
    double weight[3][MOST_NEIGHBOURS]; /* weights for the value, the first and the second derivative */
} stencil;

/* Adds point n: updates the weights of the points before and computes its own. */
static void add_point(stencil *s, const double *x, double at, int n, double *c1)
{
    double c2 = 1;
    double before[3];
    for (int k = 0; k < 3; k++) before[k] = s->weight[k][n - 1];
    for (int v = 0; v < n; v++) {
        c2 *= x[n] - x[v];
        for (int k = 2; k >= 0; k--)
            s->weight[k][v] = ((x[n] - at) * s->weight[k][v] - (k > 0 ? k * s->weight[k - 1][v] : 0)) / (x[n] - x[v]);
    }
    for (int k = 2; k >= 0; k--)
        s->weight[k][n] = *c1 / c2 * ((k > 0 ? k * before[k - 1] : 0) - (x[n - 1] - at) * before[k]);
    *c1 = c2;
}

static stencil stencil_at(const trajectory *t, int row, int neighbours)
{
    const int count = neighbours < t->rows ? neighbours : t->rows;
    int first = row - count / 2;
    if (first + count > t->rows) first = t->rows - count;
    if (first < 0) first = 0;
    stencil s = {.first = first, .count = count};
    double c1 = 1;
    s.weight[0][0] = 1;
    for (int n = 1; n < count; n++) add_point(&s, t->t + first, t->t[row], n, &c1);
    return s;
}

static double derivative(const trajectory *t, const stencil *s, int order, int column)
{
    double sum = 0;
    for (int i = 0; i < s->count; i++) sum += s->weight[order][i] * row_of(t, s->first + i)[column];
    return sum;
}

static trm_vec3 vector(const trajectory *t, const stencil *s, int order, const int *c)
{
    return trm_v3(derivative(t, s, order, c[0]), derivative(t, s, order, c[1]), derivative(t, s, order, c[2]));
}

static trm_quat quaternion(const trajectory *t, const stencil *s, int order, const int *c)
{
    const trm_quat q = {derivative(t, s, order, c[0]), derivative(t, s, order, c[1]), derivative(t, s, order, c[2]),
                        derivative(t, s, order, c[3])};
    return q;
}

/* Returns 2 vec(q' q*). */
static trm_vec3 turning(trm_quat rate, trm_quat q)
{
    const trm_quat product = trm_quat_mul(rate, trm_quat_conj(trm_quat_unit(q)));
    return trm_v3(2 * product.x, 2 * product.y, 2 * product.z);
}

/* ---- Into a state ------------------------------------------------------------------------- */

/* Sets pose, velocity and acceleration of a body. s: stencil for derivatives; here: the stencil of the row alone. */
static void set_body(const trajectory *t, const stencil *s, const stencil *here, int body, trm_state *state)
{
    const body_columns *c = &t->bodies[body];
    const bool turning_too = turns(t->model, body);
    trm_pose pose = {trm_quat_identity(), vector(t, here, 0, c->x)};
    trm_spatial velocity = {{0, 0, 0}, {0, 0, 0}}, acceleration = velocity;
    velocity.lin = t->has_v ? vector(t, here, 0, c->v) : vector(t, s, 1, c->x);
    acceleration.lin = t->has_a ? vector(t, here, 0, c->a) : t->has_v ? vector(t, s, 1, c->v) : vector(t, s, 2, c->x);
    if (turning_too) {
        pose.q = quaternion(t, here, 0, c->q);
        velocity.ang = t->has_w ? vector(t, here, 0, c->w) : turning(quaternion(t, s, 1, c->q), pose.q);
        acceleration.ang = t->has_al  ? vector(t, here, 0, c->al)
                           : t->has_w ? vector(t, s, 1, c->w)
                                      : turning(quaternion(t, s, 2, c->q), pose.q);
    }
    trm_set_body_pose(state, body, pose);
    trm_set_body_velocity(state, body, velocity);
    trm_set_body_acceleration(state, body, acceleration);
}

static trm_outcome set_coordinates(const trajectory *t, const stencil *s, const stencil *here, double time,
                                   trm_inverse *inverse, trm_state *state)
{
    const size_t count = (size_t)t->coordinate_count;
    double *q = calloc(3 * count, sizeof *q);
    if (!q) return (trm_outcome){.time = time, .residual = NAN, .why = "out of memory"};
    double *qd = q + count, *qdd = qd + count;
    for (int i = 0; i < t->coordinate_count; i++) {
        const coordinate_columns *c = &t->coordinates[i];
        q[i] = derivative(t, here, 0, c->q);
        qd[i] = t->has_v ? derivative(t, here, 0, c->qd) : derivative(t, s, 1, c->q);
        qdd[i] = t->has_a   ? derivative(t, here, 0, c->qdd)
                 : t->has_v ? derivative(t, s, 1, c->qd)
                            : derivative(t, s, 2, c->q);
    }
    const trm_outcome outcome = trm_inverse_close(inverse, time, q, qd, qdd, state);
    free(q);
    return outcome;
}

trm_outcome set_motion(const trajectory *t, int row, int neighbours, trm_inverse *inverse, trm_state *state)
{
    const double time = t->t[row];
    const stencil here = {.first = row, .count = 1, .weight = {{1}}};
    const stencil s = accelerations_are_found(t) ? stencil_at(t, row, neighbours) : here;
    if (!t->bodies) return set_coordinates(t, &s, &here, time, inverse, state);
    trm_set_state_time(state, time);
    for (int i = 0; i < trm_body_count(t->model); i++)
        if (moves(t->model, i)) set_body(t, &s, &here, i, state);
    return (trm_outcome){.ok = true, .time = time};
}

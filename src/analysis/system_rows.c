/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rows of joints and contacts at a pose. Joints that are springs are forces (system_forces.c). Friction in joints
 * is ignored: a pose that is at rest without it is at rest with it. */

#include <string.h>

#include "analysis/system.h"
#include "math/rotation.h"

enum { MOST_LOCAL = 6 * TRM_JOINT_BODIES };

/* ---- Which rows there are ----------------------------------------------------------------- */

static bool takes_part(const trm_system *s, int joint)
{
    const trm_joint *j = &s->model->joints[joint];
    return s->state->attached[joint] && !trm_joint_is_spring(j) && !trm_joint_is_friction(j) && !s->off[joint];
}

static void add_row(trm_system *s, trm_system_row row)
{
    s->rows[s->row_count++] = row;
}

static bool find_contacts(trm_system *s, double margin)
{
    const trm_near_pair *pairs;
    s->contacts.count = 0;
    if (!s->collider) return true;
    const int count = trm_near_pairs(s->collider, s->state->pose, NULL, margin, s->state->attached, &pairs);
    for (int i = 0; i < count; i++)
        if (!trm_find_contacts(s->collider, &pairs[i], s->state->pose, margin, &s->contacts)) return false;
    return count >= 0;
}

/* Makes room for `count` rows with their c and J; the room grows. */
static bool make_room(trm_system *s, int count)
{
    if (count <= s->row_room && s->c) return true;
    s->row_room = count + count / 2 + 16;
    s->rows = TRM_NEW_ARRAY(&s->lasting, trm_system_row, s->row_room);
    s->c = TRM_NEW_ARRAY(&s->lasting, double, s->row_room);
    s->J = TRM_NEW_ARRAY(&s->lasting, double, (size_t)s->row_room *(size_t)(s->n + 1));
    return s->rows && s->c && s->J;
}

bool trm_system_find_rows(trm_system *s, double margin)
{
    s->row_count = 0;
    s->failed = s->failed || !find_contacts(s, margin) || !make_room(s, s->model->row_count + 3 * s->contacts.count);
    if (s->failed) return false;
    for (int j = 0; j < s->model->joint_count; j++)
        for (int row = 0; takes_part(s, j) && row < s->model->joints[j].rows; row++)
            add_row(s, (trm_system_row){j, row, -1, s->model->joints[j].one_sided});
    for (int i = 0; i < s->contacts.count; i++)
        for (int row = 0; row < (s->friction ? 3 : 1); row++)
            add_row(s, (trm_system_row){.joint = -1, .contact = i, .row = row, .one_sided = row == 0});
    return true;
}

/* ---- Residuals and Jacobian --------------------------------------------------------------- */

static trm_contact_at contact_now(const trm_system *s, const trm_contact *contact)
{
    return trm_contact_at_poses(contact, s->state->pose[contact->body[0]], s->state->pose[contact->body[1]]);
}

void trm_system_residuals(trm_system *s)
{
    for (int i = 0; i < s->row_count; i++) {
        const trm_system_row *row = &s->rows[i];
        double c[TRM_JOINT_ROWS];
        if (row->joint < 0) {
            s->c[i] = row->row == 0 ? -contact_now(s, &s->contacts.items[row->contact]).gap : 0;
            continue;
        }
        if (row->row > 0) continue;
        const trm_joint_at at = trm_joint_now(s->state, row->joint);
        trm_joint_residual(&at, c);
        for (int r = 0; r < s->model->joints[row->joint].rows; r++) s->c[i + r] = c[r];
    }
}

void trm_system_add_row(const trm_system *s, int body, trm_spatial row, double *y)
{
    const int i = s->first[body];
    if (i < 0) return;
    const bool rigid = s->model->bodies[body].kind == TRM_BODY_RIGID;
    const double xi[6] = {row.ang.x, row.ang.y, row.ang.z, row.lin.x, row.lin.y, row.lin.z};
    for (int k = 0; k < (rigid ? 6 : 3); k++) y[i + k] += s->unit[i + k] * xi[rigid ? k : k + 3];
}

void trm_system_coordinate_row(const trm_system *s, int joint, int coordinate, double factor, double *y)
{
    const trm_joint_at at = trm_joint_now(s->state, joint);
    trm_spatial G[TRM_JOINT_BODIES];
    trm_joint_coordinate_row(&at, coordinate, G);
    memset(y, 0, (size_t)s->n * sizeof *y);
    for (int b = 0; b < at.joint->body_count; b++)
        trm_system_add_row(s, at.joint->body[b], trm_sp_scale(factor, G[b]), y);
}

/* Computes the rows of a contact: -n and the two tangential directions. */
static void contact_row(const trm_system *s, const trm_system_row *row, double *J)
{
    const trm_contact *contact = &s->contacts.items[row->contact];
    const trm_contact_at at = contact_now(s, contact);
    const trm_vec3 t = trm_perpendicular(at.normal);
    const trm_vec3 d = row->row == 0 ? trm_v3_neg(at.normal) : row->row == 1 ? t : trm_v3_cross(at.normal, t);
    for (int b = 0; b < 2; b++) {
        const trm_vec3 along = b == 0 ? d : trm_v3_neg(d);
        const trm_vec3 r = trm_v3_sub(at.point[b], s->state->pose[contact->body[b]].p);
        trm_system_add_row(s, contact->body[b], trm_sp(trm_v3_cross(r, along), along), J);
    }
}

void trm_system_jacobian(trm_system *s)
{
    memset(s->J, 0, (size_t)s->row_count * (size_t)s->n * sizeof *s->J);
    for (int i = 0; i < s->row_count; i++) {
        const trm_system_row *row = &s->rows[i];
        double *J = s->J + (size_t)i * (size_t)s->n;
        trm_spatial rows[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        if (row->joint < 0) contact_row(s, row, J);
        if (row->joint < 0 || row->row > 0) continue;
        const trm_joint_at at = trm_joint_now(s->state, row->joint);
        trm_joint_jacobian(&at, rows);
        for (int r = 0; r < at.joint->rows; r++)
            for (int b = 0; b < at.joint->body_count; b++)
                trm_system_add_row(s, at.joint->body[b], rows[r * at.joint->body_count + b],
                                   J + (size_t)r * (size_t)s->n);
    }
}

void trm_system_rates(const trm_system *s, double *c_t)
{
    for (int i = 0; i < s->row_count; i++) {
        const trm_system_row *row = &s->rows[i];
        c_t[i] = 0;
        if (row->joint < 0 || row->row > 0) continue;
        trm_joint_at at = trm_joint_now(s->state, row->joint);
        trm_spatial J[TRM_JOINT_ROWS * TRM_JOINT_BODIES];
        double rate[TRM_JOINT_ROWS];
        trm_joint_rate(&at, rate);
        trm_joint_jacobian(&at, J);
        for (int r = 0; r < at.joint->rows; r++) {
            for (int b = 0; b < at.joint->body_count; b++) /* bodies with prescribed motion */
                if (s->first[at.joint->body[b]] < 0) rate[r] += trm_sp_dot(J[r * at.joint->body_count + b], at.V[b]);
            c_t[i + r] = rate[r];
        }
    }
}

void trm_system_gammas(trm_system *s, double *gamma)
{
    for (int i = 0; i < s->row_count; i++) {
        const trm_system_row *row = &s->rows[i];
        double g[TRM_JOINT_ROWS];
        if (row->joint < 0) gamma[i] = 0;
        if (row->joint < 0 || row->row > 0) continue;
        const trm_joint_at at = trm_joint_now(s->state, row->joint);
        trm_joint_gamma(&at, g);
        for (int r = 0; r < at.joint->rows; r++) gamma[i + r] = g[r];
    }
}

/* ---- Curvature ---------------------------------------------------------------------------- */

/* Lists the coordinates of the bodies of a joint, each once. Returns their number. */
static int local_coordinates(const trm_system *s, const int *bodies, int count, int *local)
{
    int n = 0;
    for (int b = 0; b < count; b++) {
        bool again = s->first[bodies[b]] < 0;
        for (int k = 0; k < b; k++) again = again || bodies[k] == bodies[b];
        for (int k = 0; !again && k < trm_body_freedoms(&s->model->bodies[bodies[b]]); k++)
            local[n++] = s->first[bodies[b]] + k;
    }
    return n;
}

/* Adds the twist of unit y along a coordinate, times factor. */
static void add_twist(trm_system *s, int coordinate, double factor)
{
    int b = 0;
    while (s->first[b] < 0 || coordinate < s->first[b] ||
           coordinate >= s->first[b] + trm_body_freedoms(&s->model->bodies[b]))
        b++;
    const int k = coordinate - s->first[b] + (s->model->bodies[b].kind == TRM_BODY_RIGID ? 0 : 3);
    trm_vec3 *part = k < 3 ? &s->velocity[b].ang : &s->velocity[b].lin;
    *part = trm_v3_add_scaled(*part, factor * s->unit[coordinate], trm_axis(k % 3));
}

/* Returns sum lambda_r gamma_r of a joint with the twists of two coordinates; -1: none. */
static double gamma_of(trm_system *s, const trm_joint *joint, const double *lambda, int p, int q)
{
    double gamma[TRM_JOINT_ROWS], sum = 0;
    if (p >= 0) add_twist(s, p, 1);
    if (q >= 0) add_twist(s, q, 1);
    const trm_joint_at at = trm_joint_at_poses(joint, s->state->pose, s->velocity, s->state->clock->time,
                                               s->state->memory + joint->memory_offset);
    trm_joint_gamma(&at, gamma);
    for (int r = 0; r < joint->rows; r++) sum += lambda[r] * gamma[r];
    for (int b = 0; b < joint->body_count; b++)
        s->velocity[joint->body[b]] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
    return sum;
}

static void add_joint_curvature(trm_system *s, const trm_joint *joint, const double *lambda, double factor, double *K)
{
    int local[MOST_LOCAL];
    double alone[MOST_LOCAL];
    const int n = local_coordinates(s, joint->body, joint->body_count, local);
    const double rest = gamma_of(s, joint, lambda, -1, -1);
    for (int p = 0; p < n; p++) alone[p] = gamma_of(s, joint, lambda, local[p], -1) - rest;
    for (int p = 0; p < n; p++)
        for (int q = 0; q <= p; q++) {
            const double both = p == q ? 4 * alone[p] : gamma_of(s, joint, lambda, local[p], local[q]) - rest;
            const double H = -0.5 * (both - alone[p] - alone[q]);
            K[(size_t)local[p] * (size_t)s->n + (size_t)local[q]] += factor * H;
            if (p != q) K[(size_t)local[q] * (size_t)s->n + (size_t)local[p]] += factor * H;
        }
}

/* Adds the curvature of a contact's gap, by differences of order 4 of its closed-form rows. */
static void add_contact_curvature(trm_system *s, const trm_system_row *row, double lambda, double factor, double *K)
{
    static const double at[4] = {1, -1, 2, -2}, weight[4] = {8.0 / 12, -8.0 / 12, -1.0 / 12, 1.0 / 12};
    const trm_contact *contact = &s->contacts.items[row->contact];
    int local[MOST_LOCAL];
    double slope[MOST_LOCAL][MOST_LOCAL];
    const int n = local_coordinates(s, contact->body, 2, local);
    const trm_pose kept[2] = {s->state->pose[contact->body[0]], s->state->pose[contact->body[1]]};
    double *J = TRM_NEW_ARRAY(&s->arena, double, s->n);
    if (!J) {
        s->failed = true;
        return;
    }
    memset(slope, 0, sizeof slope);
    for (int q = 0; q < n; q++) {
        const double h = 1e-3 * s->size;
        for (int k = 0; k < 4; k++) {
            add_twist(s, local[q], at[k] * h);
            for (int b = 0; b < 2; b++) {
                trm_pose *X = &s->state->pose[contact->body[b]];
                const trm_spatial xi = s->velocity[contact->body[b]];
                *X = (trm_pose){trm_quat_mul(trm_quat_exp(xi.ang), kept[b].q), trm_v3_add(kept[b].p, xi.lin)};
                s->velocity[contact->body[b]] = trm_sp(trm_v3(0, 0, 0), trm_v3(0, 0, 0));
            }
            memset(J, 0, (size_t)s->n * sizeof *J);
            contact_row(s, row, J);
            for (int p = 0; p < n; p++) slope[p][q] += weight[k] / h * J[local[p]];
        }
    }
    for (int b = 0; b < 2; b++) s->state->pose[contact->body[b]] = kept[b];
    for (int p = 0; p < n; p++) /* it is symmetric in the chart: take the mean of both */
        for (int q = 0; q < n; q++)
            K[(size_t)local[p] * (size_t)s->n + (size_t)local[q]] +=
                factor * lambda * 0.5 * (slope[p][q] + slope[q][p]);
}

void trm_system_add_curvature(trm_system *s, const double *lambda, double factor, double *K)
{
    memset(s->velocity, 0, (size_t)s->model->body_count * sizeof *s->velocity);
    for (int i = 0; i < s->row_count; i++) {
        const trm_system_row *row = &s->rows[i];
        if (row->joint >= 0 && row->row == 0)
            add_joint_curvature(s, &s->model->joints[row->joint], lambda + i, factor, K);
        else if (row->joint < 0 && row->row == 0 && lambda[i] != 0)
            add_contact_curvature(s, row, lambda[i], factor, K);
    }
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Computes the mass matrix of MJCF in the reference pose, to which dampratio of actuators and springdamper of joints
 * refer.
 *
 * A coordinate i moves the parts below its connection with the angular velocity w_i and the velocity v_i of a point
 * of its axis; with c the centre of mass of a part, M_ij = sum over the parts below both of
 *
 *     m (v_i + w_i x (c - p_i)) . (v_j + w_j x (c - p_j)) + w_i . I w_j,   plus the armature on the diagonal
 *
 * springdamper = (T, z) gives a coordinate the stiffness k = m/(T z)^2 and the damping d = 2 m/T, where
 * 1/m = (M^-1)_ii. */

#include <string.h>

#include "io/mjcf.h"
#include "linalg/dense.h"

/* Marks the parts that move with the child of a connection. */
static void find_below(const trm_mjcf *m, int part, bool *below)
{
    for (int i = 0; i < m->robot.part_count; i++) below[i] = i == part;
    for (int i = 0; i < m->robot.connection_count; i++) { /* parents come before their children */
        const trm_connection *c = &m->robot.connections[i];
        if (!c->loop && c->parts[0] >= 0 && c->parts[1] >= 0 && below[c->parts[0]]) below[c->parts[1]] = true;
    }
}

typedef struct coordinate {
    trm_vec3 w, v, p; /* of rate 1: angular velocity, velocity of the point p; world */
    double armature;
    const bool *below; /* per part: it moves with the coordinate */
} coordinate;

static double product(const trm_robot_part *part, const coordinate *i, const coordinate *k)
{
    const trm_vec3 c = trm_pose_point(part->world, part->mass.com);
    const trm_vec3 vi = trm_v3_add(i->v, trm_v3_cross(i->w, trm_v3_sub(c, i->p)));
    const trm_vec3 vk = trm_v3_add(k->v, trm_v3_cross(k->w, trm_v3_sub(c, k->p)));
    const trm_vec3 wi = trm_rotate_back(part->world.q, i->w), wk = trm_rotate_back(part->world.q, k->w);
    return part->mass.mass * trm_v3_dot(vi, vk) + trm_v3_dot(wi, trm_mat_vec(part->mass.inertia, wk));
}

static double element_of(const trm_mjcf *m, const coordinate *i, const coordinate *k)
{
    double sum = i == k ? i->armature : 0;
    for (int p = 0; p < m->robot.part_count; p++)
        if (i->below[p] && k->below[p]) sum += product(&m->robot.parts[p], i, k);
    return sum;
}

static coordinate of_freedom(const trm_freedom *f, const bool *below)
{
    const trm_vec3 none = {0, 0, 0};
    return (coordinate){f->slide ? none : f->axis, f->slide ? f->axis : none, f->anchor, f->armature, below};
}

double trm_mjcf_inertia_of(trm_mjcf *m, const trm_mjcf_joint *joint)
{
    const trm_connection *c = &m->robot.connections[joint->connection];
    bool *below = TRM_NEW_ARRAY(m->in->scratch, bool, m->robot.part_count + 1);
    if (!below) return 0;
    find_below(m, c->parts[1], below);
    const coordinate own = of_freedom(&c->freedoms[joint->freedom], below);
    return element_of(m, &own, &own);
}

/* ---- springdamper ------------------------------------------------------------------------- */

/* Adds the rotations of a ball joint about its anchor, or the rotations and translations of a free part. Returns the
 * number of coordinates. */
static int add_whole(const trm_connection *c, trm_vec3 at, const bool *below, coordinate *to)
{
    const bool is_free = strcmp(c->type, "free") == 0, is_ball = strcmp(c->type, "ball") == 0;
    const trm_vec3 none = {0, 0, 0}, p = is_free ? at : c->anchor;
    int count = 0;
    for (int k = 0; k < 3 && (is_free || is_ball); k++) to[count++] = (coordinate){trm_axis(k), none, p, 0, below};
    for (int k = 0; k < 3 && is_free; k++) to[count++] = (coordinate){none, trm_axis(k), p, 0, below};
    return count;
}

/* Lists all coordinates in the order of the joints; a ball joint has 3, a free joint 6. Returns their number, or -1
 * if out of memory. */
static int list_coordinates(trm_mjcf *m, coordinate **list)
{
    int n = 0;
    *list = TRM_NEW_ARRAY(m->in->scratch, coordinate, 6 * m->joint_count + 1);
    for (int j = 0; j < m->joint_count && *list; j++) {
        const trm_connection *c = &m->robot.connections[m->joints[j].connection];
        bool *below = TRM_NEW_ARRAY(m->in->scratch, bool, m->robot.part_count + 1);
        if (!below) return -1;
        find_below(m, c->parts[1], below);
        if (m->joints[j].freedom >= 0)
            (*list)[n++] = of_freedom(&c->freedoms[m->joints[j].freedom], below);
        else if (c->type)
            n += add_whole(c, m->robot.parts[c->parts[1]].world.p, below, *list + n);
    }
    return *list ? n : -1;
}

static void set_spring(trm_mjcf *m, const trm_mjcf_joint *joint, double inverse)
{
    trm_freedom *f = &m->robot.connections[joint->connection].freedoms[joint->freedom];
    const double time = joint->springdamper[0], ratio = joint->springdamper[1];
    if (!m->no_springs) f->stiffness = 1 / (inverse * time * time * ratio * ratio);
    f->damping = 2 / (inverse * time);
}

/* Sets springs and dampers by springdamper, with (M^-1)_ii = |L^-1 e_i|^2 from the factor L of M. */
static void set_springs(trm_mjcf *m, const double *L, int n, double *x)
{
    int row = 0;
    for (int j = 0; j < m->joint_count; j++) {
        const trm_mjcf_joint *joint = &m->joints[j];
        const char *type = m->robot.connections[joint->connection].type;
        const int width = joint->freedom >= 0 || !type ? 1 : strcmp(type, "free") == 0 ? 6 : 3;
        if (joint->freedom >= 0 && joint->springdamper[0] > 0) {
            double sum = 0;
            for (int i = 0; i < n; i++) x[i] = i == row;
            trm_dense_solve_lower(L, n, x);
            for (int i = 0; i < n; i++) sum += x[i] * x[i];
            set_spring(m, joint, sum);
        }
        row += width;
    }
}

bool trm_mjcf_set_springdampers(trm_mjcf *m)
{
    enum { MOST = 2000 }; /* largest number of coordinates, because the matrix is dense */
    const trm_mjcf_joint *first = NULL;
    coordinate *list;
    for (int j = m->joint_count - 1; j >= 0; j--)
        if (m->joints[j].springdamper[0] > 0) first = &m->joints[j];
    if (!first) return true;
    const int n = list_coordinates(m, &list);
    if (n < 0) return false;
    double *M = n <= MOST ? TRM_NEW_ARRAY(m->in->scratch, double, n *n + n) : NULL;
    if (n <= MOST && !M) return false;
    for (int i = 0; M && i < n; i++)
        for (int k = 0; k <= i; k++) M[i * n + k] = element_of(m, &list[i], &list[k]);
    if (M && trm_dense_cholesky(M, n))
        set_springs(m, M, n, M + n * n);
    else
        trm_add_warning(m->in->messages, first->place, "joint '%s': springdamper is not used: %s", first->name,
                        M ? "a joint moves no mass" : "there are too many joints");
    return true;
}

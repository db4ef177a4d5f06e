/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Chain: hinges and sliders in series between two bodies, without masses between them.
 *
 * Link i rotates about a line (axis a, point c) or translates along a. Let E_i(q) be the motion of that link alone,
 * with all links at q = 0 in the frame that A and B share there. The chain is a product of exponentials (Brockett
 * 1984):
 *
 *     X_AB(q) = E_1(q_1) E_2(q_2) ... E_n(q_n)
 *
 * The column of link i at the origin of frame B is S_i = (a', a' x (p - c')), or (0, a') for a slider. The links
 * before it move a and c to a' and c'. Column s changes at the rate [V, s], V the twist of the links before it.
 *
 * Rows. The chain is cut in the middle. A carries the frame M_A = X_A E_1 ... E_m, B the frame M_B = X_B E_n^-1
 * ... E_m+1^-1. Let e be the error of a fixed joint between M_A and M_B, six rows in axes of M_A. There are
 * constant matrices P (n rows) and N (6 - n rows), and
 *
 *     P e(X, q) = 0 gives q,      c = N e(X, q)
 *     de/dt = J_A V_A + J_B V_B + G dq/dt,      W = N - N G (P G)^-1 P,      W G = 0
 *     dc/dt = W (J_A V_A + J_B V_B),            gamma_c = W gamma_e
 *
 * where gamma_e is that of the fixed joint between frames that move with dq/dt = -(P G)^-1 P (J_A V_A + J_B V_B)
 * and no d2q/dt2. All of this also holds away from the constraint surface. The rows of N are orthogonal to the
 * columns G at a nearby q, and those of P span the columns, with translations counted in units of the length of the
 * chain: W is orthogonal to all motions of the links. The columns of the two links next to the cut do not depend on
 * q, so P and N of up to two links are constant. For more links they depend on q in steps of CELL, so that they are
 * constant within a step of a method. Where three axes that nearly meet lie nearly in one plane, the columns turn
 * fast; there the steps are smaller. Where possible, N is separated into translations and rotations. A row that mixes
 * them counts one radian as one metre.
 *
 * Newton's method finds q, starting from the memory, so that a chain stays on its branch and counts its turns. If the
 * links cannot reach the pose, there is no q: then P e is not 0 and counts as a gap of the joint.
 *
 * If the columns of n links span fewer than n dimensions in every pose, forces do not determine how the links share
 * the motion, and the rows above would leave the body a freedom that no link has. Such a chain is refused. It is
 * detected by the largest rank in a few irregular poses. This rank is too small only if a determinant happens to
 * vanish in all of them. */

#include <string.h>

#include "linalg/dense.h"
#include "math/rotation.h"
#include "model/joints/chain.h"
#include "model/joints/parts.h"

enum { SIX = 6, ROUNDS = 30 };

/* rad or m: width of a cell of q; P and N are those of its middle. A larger one lets the rows of the middle become
 * dependent at the border of a cell, a smaller one changes rows more often. Tests pass with a tenth and with ten
 * times of it. */
static const double CELL = 0.5;
/* Sum of the squared parts of an orthonormal basis of the motions at q that are orthogonal to P: more than this is
 * too much, and the cell is halved, down to LEAST_CELL (rad or m). A larger TURNED lets P G become singular within a
 * cell, a smaller one changes rows more often. A larger LEAST_CELL is larger than the poses in which three axes that
 * nearly meet lie in a plane, a smaller one tries more cells in poses that are singular themselves. */
static const double TURNED = 0.5, LEAST_CELL = 1e-3;
/* A column that is shorter than this, after orthogonalisation, depends on those before it: the chain is in a
 * singular pose. If the hinges are less than 1 m apart, it is relative to their distance. A larger one treats regular
 * poses as singular, a smaller one leads to divisions by small numbers near singular poses. */
static const double DEPENDENT = 1e-4;
/* Squares of lengths: a unit vector whose part orthogonal to the rows so far is at least REMAINS gives a new row. Of
 * several, the first one with at least SHARE of the largest is taken. Larger values find too few rows (SHARE above 1:
 * test io_urdf_extras fails), smaller ones take rows that nearly depend on others. */
static const double REMAINS = 0.05, SHARE = 0.25;
/* rad or m: Newton's method ends after a step below SHORT_STEP, whose square is below rounding; no step exceeds
 * LONG_STEP. A larger SHORT_STEP leaves its square as error, a smaller one adds a step of rounding. A larger
 * LONG_STEP may leave the branch, a smaller one takes more iterations. Tests pass with a tenth and with ten times of
 * it. */
static const double SHORT_STEP = 1e-8, LONG_STEP = 1;
/* rad or m: the Gauss-Newton method, whose error shrinks by the gap times the curvature in each step, ends after a
 * step below this. A larger one leaves an error of its size, a smaller one is below rounding, so that the iteration
 * ends by its count. Tests pass with a tenth and with ten times of it. */
static const double LAST_STEP = 1e-14;

/* ---- One side ----------------------------------------------------------------------------- */

/* Links in sequence from a base: the frame at the end seen from the base, and the columns of dq/dt there. */
typedef struct side {
    int first, count, step; /* links first, first + step, ... */
    trm_pose X;
    trm_spatial S[SIX]; /* in axes of the base, at the origin of X */
} side;

static trm_pose link_motion(const trm_chain_link *link, double q)
{
    if (link->slides) return (trm_pose){trm_quat_identity(), trm_v3_scale(q, link->axis)};
    const trm_quat turn = trm_quat_from_axis_angle(link->axis, q);
    return (trm_pose){turn, trm_v3_sub(link->point, trm_rotate(turn, link->point))};
}

/* Returns one side of the chain. step -1: backwards from the last link, with inverse motions. */
static side walk(const trm_joint *joint, int first, int count, int step, const double *q)
{
    side s = {.first = first, .count = count, .step = step, .X = trm_pose_identity()};
    for (int n = 0; n < count; n++) {
        const trm_chain_link *link = &joint->links[first + n * step];
        const trm_vec3 axis = trm_v3_scale(step, trm_rotate(s.X.q, link->axis));
        s.S[n] = link->slides ? trm_sp(trm_v3(0, 0, 0), axis)
                              : trm_sp(axis, trm_v3_cross(trm_pose_point(s.X, link->point), axis));
        s.X = trm_pose_mul(s.X, link_motion(link, step * q[first + n * step]));
    }
    for (int n = 0; n < count; n++) s.S[n].lin = trm_v3_add(s.S[n].lin, trm_v3_cross(s.S[n].ang, s.X.p));
    return s;
}

static trm_spatial twist_of(const side *s, const double *qd)
{
    trm_spatial V = {{0, 0, 0}, {0, 0, 0}};
    for (int n = 0; n < s->count; n++) V = trm_sp_add_scaled(V, qd[s->first + n * s->step], s->S[n]);
    return V;
}

/* Returns (dS/dt) dq/dt, computed from the columns at the origin of the base. */
static trm_spatial rate_of(const side *s, const double *qd)
{
    const trm_vec3 p = s->X.p, p_dot = twist_of(s, qd).lin;
    trm_spatial V = {{0, 0, 0}, {0, 0, 0}}, sum = V;
    for (int n = 0; n < s->count; n++) {
        const double rate = qd[s->first + n * s->step];
        const trm_spatial c = trm_sp(s->S[n].ang, trm_v3_sub(s->S[n].lin, trm_v3_cross(s->S[n].ang, p)));
        const trm_vec3 lin = trm_v3_add(trm_v3_cross(V.lin, c.ang), trm_v3_cross(V.ang, c.lin));
        sum = trm_sp_add_scaled(sum, rate, trm_sp(trm_v3_cross(V.ang, c.ang), lin));
        V = trm_sp_add_scaled(V, rate, c);
    }
    const trm_vec3 lin = trm_v3_add(trm_v3_cross(sum.ang, p), trm_v3_cross(V.ang, p_dot));
    return trm_sp(sum.ang, trm_v3_add(sum.lin, lin));
}

/* ---- P and N ------------------------------------------------------------------------------ */

static int cut_of(const trm_joint *joint)
{
    return (joint->type->coordinates + 1) / 2;
}

static void both_sides(const trm_joint *joint, const double *q, side sides[2])
{
    const int n = joint->type->coordinates, cut = cut_of(joint);
    sides[0] = walk(joint, 0, cut, 1, q);
    sides[1] = walk(joint, n - 1, n - cut, -1, q);
}

static double dot6(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < SIX; i++) sum += a[i] * b[i];
    return sum;
}

/* Removes from v its components along the rows of U, twice because of rounding. Returns the square of the
 * remainder. */
static double orthogonalise(double U[SIX][SIX], int count, double *v)
{
    for (int again = 0; again < 2; again++)
        for (int i = 0; i < count; i++) {
            const double along = dot6(U[i], v);
            for (int k = 0; k < SIX; k++) v[k] -= along * U[i][k];
        }
    return dot6(v, v);
}

static void append(double U[SIX][SIX], int *count, const double *v, double square)
{
    for (int k = 0; k < SIX; k++) U[*count][k] = v[k] / sqrt(square);
    (*count)++;
}

/* Returns the distance of the farthest hinge from the first one, at most 1 m. Returns 1 if all hinges are in one
 * place. */
static double size_of(const trm_joint *joint)
{
    double most = 0;
    int first = 0;
    while (first < joint->type->coordinates && joint->links[first].slides) first++;
    for (int i = first; i < joint->type->coordinates; i++)
        if (!joint->links[i].slides)
            most = fmax(most, trm_v3_length(trm_v3_sub(joint->links[i].point, joint->links[first].point)));
    return most > 0 ? fmin(most, 1) : 1;
}

/* Computes an orthonormal basis of the motions of the links at the cut, in axes of M, where translations are counted
 * in units of `length`. Returns its dimension. */
static int span_of_links(const trm_joint *joint, const double *q, double length, double U[SIX][SIX])
{
    const double least = DEPENDENT * size_of(joint) / length;
    side sides[2];
    int count = 0;
    both_sides(joint, q, sides);
    for (int b = 0; b < 2; b++)
        for (int n = sides[b].count - 1; n >= 0; n--) {
            const trm_vec3 lin = trm_v3_scale(1 / length, trm_rotate_back(sides[b].X.q, sides[b].S[n].lin));
            const trm_vec3 ang = trm_rotate_back(sides[b].X.q, sides[b].S[n].ang);
            double v[SIX] = {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z};
            const double whole = dot6(v, v), square = orthogonalise(U, count, v);
            if (square > least * least * whole) append(U, &count, v, square);
        }
    return count;
}

/* Finds the first unit vector in from .. to - 1 whose part orthogonal to U is long enough. Returns false if there
 * is none. */
static bool next_unit(double U[SIX][SIX], int count, int from, int to, double least, double *v, double *square)
{
    double squares[SIX], most = 0;
    for (int i = from; i < to; i++) {
        double unit[SIX] = {0};
        unit[i] = 1;
        squares[i] = orthogonalise(U, count, unit);
        most = fmax(most, squares[i]);
    }
    if (most < least) return false;
    int chosen = from;
    while (squares[chosen] < SHARE * most) chosen++;
    memset(v, 0, SIX * sizeof *v);
    v[chosen] = 1;
    *square = orthogonalise(U, count, v);
    return true;
}

/* The rows P and N of a chain. */
typedef struct basis {
    double length; /* m: translations in P are counted in this unit */
    double P[SIX][SIX];
    double N[SIX][SIX];
} basis;

/* Computes N of a chain at q. */
static void find_constrained(const trm_joint *joint, const double *q, double N[SIX][SIX])
{
    double all[SIX][SIX], v[SIX], square;
    const int spanned = span_of_links(joint, q, 1, all), rows = SIX - joint->type->coordinates;
    for (int count = spanned; count < spanned + rows; append(all, &count, v, square)) {
        const bool shifts = next_unit(all, count, 0, 3, REMAINS, v, &square);
        if (!shifts) next_unit(all, count, 0, SIX, 0, v, &square);
    }
    memcpy(N, all[spanned], (size_t)rows * sizeof *N);
}

/* Computes P, the motions that N leaves. In a singular pose they are more than those of the links. The first rows of
 * `all` become those of N, where translations are counted in the unit b->length. */
static void find_motions(const trm_joint *joint, basis *b, double all[SIX][SIX])
{
    const int rows = SIX - joint->type->coordinates;
    double v[SIX], square;
    int count = 0;
    while (count < rows) {
        for (int k = 0; k < SIX; k++) v[k] = (k < 3 ? b->length : 1) * b->N[count][k];
        square = orthogonalise(all, count, v);
        append(all, &count, v, square);
    }
    while (count < SIX) {
        next_unit(all, count, 0, SIX, 0, v, &square);
        append(all, &count, v, square);
    }
    for (int i = rows; i < SIX; i++)
        for (int k = 0; k < SIX; k++) b->P[i - rows][k] = all[i][k] / (k < 3 ? b->length : 1);
}

/* Returns whether the motions of the links at q are far from those that the rows N allow. N: as find_motions leaves
 * them. */
static bool are_turned(const trm_joint *joint, const double *q, double length, double N[SIX][SIX])
{
    double motions[SIX][SIX], square = 0;
    const int n = joint->type->coordinates, spanned = span_of_links(joint, q, length, motions);
    for (int i = 0; i < spanned; i++)
        for (int row = 0; row < SIX - n; row++) square += dot6(N[row], motions[i]) * dot6(N[row], motions[i]);
    return square > TURNED;
}

/* Computes the basis of the cell around q: of the largest one in which the motions at q are not turned. */
static void find_basis(const trm_joint *joint, const double *q, basis *b)
{
    const int n = joint->type->coordinates;
    b->length = n < 3 ? 1 : size_of(joint); /* up to two links turn nothing */
    for (double cell = CELL;; cell /= 2) {
        double middle[TRM_JOINT_COORDINATES], all[SIX][SIX];
        for (int i = 0; i < n; i++) middle[i] = cell * round(q[i] / cell);
        find_constrained(joint, middle, b->N);
        find_motions(joint, b, all);
        if (n < 3 || n == SIX || cell < LEAST_CELL || !are_turned(joint, q, b->length, all)) return;
    }
}

/* ---- Links whose motion the links before them already allow -------------------------------- */

enum { POSES = 3 };

/* Sets rank[i] to the number of independent columns among those of the first i links, if that is larger than
 * rank[i]. */
static void raise_ranks(const trm_joint *joint, const double *q, double size, int *rank)
{
    const side s = walk(joint, 0, joint->type->coordinates, 1, q);
    double U[SIX][SIX];
    int count = 0;
    for (int n = 0; n < s.count; n++) {
        const trm_vec3 lin = trm_v3_scale(joint->links[n].slides ? 1 : 1 / size, s.S[n].lin), ang = s.S[n].ang;
        double v[SIX] = {lin.x, lin.y, lin.z, ang.x, ang.y, ang.z};
        const double whole = dot6(v, v), square = orthogonalise(U, count, v);
        if (square > DEPENDENT * DEPENDENT * whole) append(U, &count, v, square);
        if (count > rank[n + 1]) rank[n + 1] = count;
    }
}

int trm_chain_idle_link(const trm_joint *joint)
{
    /* rad, or multiples of the size of the chain. No two coordinates have a simple ratio in any of the poses. */
    static const double POSE[SIX] = {0.71, -1.13, 0.47, 1.37, -0.59, 0.89};
    const double size = size_of(joint);
    int rank[SIX + 1] = {0};
    for (int pose = 0; pose < POSES; pose++) {
        double q[TRM_JOINT_COORDINATES];
        for (int i = 0; i < joint->type->coordinates; i++)
            q[i] = POSE[(i + 2 * pose) % SIX] * (joint->links[i].slides ? size : 1);
        raise_ranks(joint, q, size, rank);
    }
    for (int i = 0; i < joint->type->coordinates; i++)
        if (rank[i + 1] == rank[i]) return i;
    return -1;
}

/* ---- The error at the cut ----------------------------------------------------------------- */

typedef struct closure {
    trm_joint_at at; /* of the frames M */
    side sides[2];
    trm_vec3 arm[2]; /* from the centres of mass to the origins of M, world axes */
    double e[SIX];   /* error: translations, then rotations */
    trm_spatial J[2 * SIX];
    double G[SIX][TRM_JOINT_COORDINATES];
} closure;

static void carried_frame(const trm_joint_at *at, int b, closure *c)
{
    c->at.X[b] = trm_pose_mul(at->X[b], c->sides[b].X);
    c->at.r[b] = trm_v3(0, 0, 0);
    c->arm[b] = trm_v3_add(at->r[b], trm_v3_sub(c->at.X[b].p, at->X[b].p));
}

static trm_spatial in_world(trm_quat axes, trm_spatial V)
{
    return trm_sp(trm_rotate(axes, V.ang), trm_rotate(axes, V.lin));
}

static void find_error(const trm_joint_at *at, const double *q, closure *c)
{
    c->at = *at;
    both_sides(at->joint, q, c->sides);
    for (int b = 0; b < 2; b++) carried_frame(at, b, c);
    trm_part_line.residual(&c->at, c->e);
    trm_part_plane.residual(&c->at, c->e + 2);
    trm_part_lock.residual(&c->at, c->e + 3);
    trm_part_line.jacobian(&c->at, c->J);
    trm_part_plane.jacobian(&c->at, c->J + 4);
    trm_part_lock.jacobian(&c->at, c->J + 6);
    for (int b = 0; b < 2; b++)
        for (int n = 0; n < c->sides[b].count; n++) {
            const trm_spatial S = in_world(at->X[b].q, c->sides[b].S[n]);
            const int link = c->sides[b].first + n * c->sides[b].step;
            for (int i = 0; i < SIX; i++) c->G[i][link] = trm_sp_dot(c->J[2 * i + b], S);
        }
}

/* Computes M^-1 or, if M is singular, (M^T M + mu)^-1 M^T. */
static void invert(const double *M, int n, double *inverse)
{
    double square[SIX * SIX], damped[SIX * SIX], trace = 0;
    if (trm_dense_inverse(M, n, inverse)) return;
    for (int i = 0; i < n * n; i++) {
        square[i] = 0;
        for (int k = 0; k < n; k++) square[i] += M[k * n + i / n] * M[k * n + i % n];
        if (i / n == i % n) trace += square[i];
    }
    for (int i = 0; i < n; i++) square[i * n + i] += 1e-10 * trace + 1e-300;
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    if (!trm_dense_inverse(square, n, damped)) return;
    for (int i = 0; i < n * n; i++)
        for (int k = 0; k < n; k++) inverse[i] += damped[i / n * n + k] * M[i % n * n + k];
}

/* Computes (P G)^-1 P: n rows of six. */
static void find_coordinate_matrix(const closure *c, int n, const basis *b, double R[TRM_JOINT_COORDINATES][SIX])
{
    double M[SIX * SIX], inverse[SIX * SIX];
    for (int i = 0; i < n * n; i++) {
        M[i] = 0;
        for (int k = 0; k < SIX; k++) M[i] += b->P[i / n][k] * c->G[k][i % n];
    }
    invert(M, n, inverse);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < SIX; k++) {
            R[i][k] = 0;
            for (int l = 0; l < n; l++) R[i][k] += inverse[i * n + l] * b->P[l][k];
        }
}

/* Subtracts the step from q, shortened to at most LONG_STEP. Returns true if the step is shorter than `enough`, so
 * that the iteration ends. */
static bool step_back(double *q, const double *step, int n, double enough)
{
    double longest = 0;
    for (int i = 0; i < n; i++) longest = fmax(longest, fabs(step[i]));
    const double share = longest > LONG_STEP ? LONG_STEP / longest : 1;
    for (int i = 0; i < n; i++) q[i] -= share * step[i];
    return !(longest > enough);
}

/* A chain at a moment: q, the error there, and W with the matrix R = (P G)^-1 P that gives q. */
typedef struct solved {
    closure c;
    double q[TRM_JOINT_COORDINATES];
    double R[TRM_JOINT_COORDINATES][SIX];
    double W[SIX][SIX];
    double unit[SIX]; /* of row i */
} solved;

static void find_rows(const trm_joint *joint, const basis *b, solved *s)
{
    const int n = joint->type->coordinates;
    for (int row = 0; row < SIX - n; row++) {
        const double *N = b->N[row];
        memcpy(s->W[row], N, sizeof s->W[row]);
        for (int i = 0; i < n; i++) {
            double moved = 0;
            for (int k = 0; k < SIX; k++) moved += N[k] * s->c.G[k][i];
            for (int k = 0; k < SIX; k++) s->W[row][k] -= moved * s->R[i][k];
        }
    }
}

static void solve(const trm_joint_at *at, basis *b, solved *s)
{
    const int n = at->joint->type->coordinates;
    const double *remembered = at->memory ? at->memory : at->joint->start_memory;
    memcpy(s->q, remembered, (size_t)n * sizeof *s->q);
    find_basis(at->joint, remembered, b);
    for (int round = 0; round < ROUNDS; round++) {
        double step[TRM_JOINT_COORDINATES];
        find_error(at, s->q, &s->c);
        find_coordinate_matrix(&s->c, n, b, s->R);
        for (int i = 0; i < n; i++) step[i] = dot6(s->R[i], s->c.e);
        if (step_back(s->q, step, n, SHORT_STEP)) break;
    }
    find_error(at, s->q, &s->c);
    find_coordinate_matrix(&s->c, n, b, s->R);
    find_rows(at->joint, b, s);
}

/* ---- Rows --------------------------------------------------------------------------------- */

static void residual(const trm_joint_at *at, double *c)
{
    solved s;
    basis own;
    solve(at, &own, &s);
    for (int i = 0; i < at->joint->rows; i++) c[i] = dot6(own.N[i], s.c.e);
}

/* Returns the part P e of the error that the coordinates should make zero. It is rounding, unless the links cannot
 * reach the pose. */
static trm_gap unreached(const trm_joint_at *at)
{
    solved s;
    basis own;
    double left[SIX] = {0};
    solve(at, &own, &s);
    for (int i = 0; i < at->joint->type->coordinates; i++) {
        const double along = dot6(own.P[i], s.c.e);
        for (int k = 0; k < SIX; k++) left[k] += along * own.P[i][k] * (k < 3 ? own.length * own.length : 1);
    }
    return (trm_gap){trm_v3_length(trm_v3(left[0], left[1], left[2])),
                     trm_v3_length(trm_v3(left[3], left[4], left[5]))};
}

/* Computes J. A row of the frame M is a row of the body that carries M, with a lever arm. */
static void jacobian(const trm_joint_at *at, trm_spatial *J)
{
    solved s;
    basis own;
    solve(at, &own, &s);
    for (int i = 0; i < at->joint->rows; i++)
        for (int b = 0; b < 2; b++) {
            trm_spatial row = {{0, 0, 0}, {0, 0, 0}};
            for (int k = 0; k < SIX; k++) row = trm_sp_add_scaled(row, s.W[i][k], s.c.J[2 * k + b]);
            row.ang = trm_v3_add(row.ang, trm_v3_cross(s.c.arm[b], row.lin));
            J[2 * i + b] = row;
        }
}

/* Sets the twists of the frames M without dq/dt, and computes de/dt. */
static void carried_twists(const trm_joint_at *at, closure *c, double *e_dot)
{
    for (int b = 0; b < 2; b++)
        c->at.V[b] = trm_sp(at->V[b].ang, trm_v3_add(at->V[b].lin, trm_v3_cross(at->V[b].ang, c->arm[b])));
    for (int i = 0; i < SIX; i++)
        e_dot[i] = trm_sp_dot(c->J[2 * i], c->at.V[0]) + trm_sp_dot(c->J[2 * i + 1], c->at.V[1]);
}

/* Adds the motion of the links to the twist of M on side b. Returns the part of the acceleration of M that remains
 * when the accelerations of the body and of q vanish. */
static trm_spatial move_side(const trm_joint_at *at, int b, const double *qd, closure *c)
{
    const trm_vec3 omega = at->V[b].ang;
    const trm_spatial own = in_world(at->X[b].q, twist_of(&c->sides[b], qd));
    const trm_spatial rate = in_world(at->X[b].q, rate_of(&c->sides[b], qd));
    c->at.V[b] = trm_sp_add_scaled(c->at.V[b], 1, own);
    const trm_vec3 arm_dot = trm_v3_sub(c->at.V[b].lin, at->V[b].lin);
    return trm_sp(trm_v3_add(trm_v3_cross(omega, own.ang), rate.ang),
                  trm_v3_add(trm_v3_cross(omega, trm_v3_add(arm_dot, own.lin)), rate.lin));
}

static void gamma_of(const trm_joint_at *at, double *gamma)
{
    solved s;
    basis own;
    double e_dot[SIX], qd[TRM_JOINT_COORDINATES] = {0}, of_e[SIX];
    trm_spatial bias[2];
    solve(at, &own, &s);
    carried_twists(at, &s.c, e_dot);
    for (int i = 0; i < at->joint->type->coordinates; i++) qd[i] = -dot6(s.R[i], e_dot);
    for (int b = 0; b < 2; b++) bias[b] = move_side(at, b, qd, &s.c);
    trm_part_line.gamma(&s.c.at, of_e);
    trm_part_plane.gamma(&s.c.at, of_e + 2);
    trm_part_lock.gamma(&s.c.at, of_e + 3);
    for (int i = 0; i < SIX; i++)
        of_e[i] -= trm_sp_dot(s.c.J[2 * i], bias[0]) + trm_sp_dot(s.c.J[2 * i + 1], bias[1]);
    for (int i = 0; i < at->joint->rows; i++) gamma[i] = dot6(s.W[i], of_e);
}

static bool row_is_angular(const trm_joint *joint, int row)
{
    /* Square of the translational part of a unit row below which the row counts as a rotation: far above rounding
     * (1e-32), and far below any row with a translation. A value larger or smaller by ten orders of magnitude still
     * separates the two. Tests pass with a tenth and with ten times of it. */
    static const double NO_TRANSLATION = 1e-20;
    basis own;
    if (!joint->links) return false;
    find_basis(joint, joint->start_memory, &own);
    const double *N = own.N[row];
    return N[0] * N[0] + N[1] * N[1] + N[2] * N[2] < NO_TRANSLATION;
}

const trm_part trm_part_chain = {
    .rows = 0, /* 6 - n for a chain of n links */
    .row_names = {"chain 1", "chain 2", "chain 3", "chain 4", "chain 5"},
    .row_is_angular = row_is_angular,
    .residual = residual,
    .jacobian = jacobian,
    .gamma = gamma_of,
};

/* ---- Coordinates -------------------------------------------------------------------------- */

static trm_pose place(const trm_joint *joint, const double *q)
{
    return walk(joint, 0, joint->type->coordinates, 1, q).X;
}

static void subspace(const trm_joint *joint, const double *q, trm_spatial *S)
{
    const side s = walk(joint, 0, joint->type->coordinates, 1, q);
    memcpy(S, s.S, (size_t)s.count * sizeof *S);
}

static trm_spatial subspace_rate(const trm_joint *joint, const double *q, const double *qd)
{
    const side s = walk(joint, 0, joint->type->coordinates, 1, q);
    return rate_of(&s, qd);
}

/* Computes the Gauss-Newton step S+ e, with e from X(q) to X_AB in axes of A at the origin of B. */
static void gauss_newton_step(const side *s, trm_pose X_AB, double *step)
{
    const int n = s->count;
    const trm_quat turn = trm_quat_mul(X_AB.q, trm_quat_conj(s->X.q));
    const double twice = turn.w < 0 ? -2 : 2;
    const trm_spatial e = trm_sp(trm_v3_scale(twice, trm_v3(turn.x, turn.y, turn.z)), trm_v3_sub(X_AB.p, s->X.p));
    double gram[SIX * SIX], inverse[SIX * SIX];
    for (int i = 0; i < n * n; i++) gram[i] = trm_sp_dot(s->S[i / n], s->S[i % n]);
    invert(gram, n, inverse);
    for (int i = 0; i < n; i++) {
        step[i] = 0;
        for (int k = 0; k < n; k++) step[i] -= inverse[i * n + k] * trm_sp_dot(s->S[k], e);
    }
}

static void coordinates_from(const trm_joint *joint, trm_pose X_AB, double *q)
{
    for (int round = 0; round < ROUNDS; round++) {
        const side s = walk(joint, 0, joint->type->coordinates, 1, q);
        double step[TRM_JOINT_COORDINATES];
        gauss_newton_step(&s, X_AB, step);
        if (step_back(q, step, s.count, LAST_STEP)) return;
    }
}

/* The type from which that of each chain is copied. Its links determine the numbers of coordinates and rows
 * (model/build_chain.c). */
const trm_joint_type trm_joint_chain = {
    .name = "chain",
    .leaves = "the motion of one to six hinges and sliders in series",
    .takes = TRM_TAKES_BODIES | TRM_TAKES_COORDINATE | TRM_TAKES_CHAIN,
    .place = place,
    .subspace = subspace,
    .subspace_rate = subspace_rate,
    .coordinates_from = coordinates_from,
    .unreached = unreached,
};

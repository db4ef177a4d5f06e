/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Formulas as printed by Kasper and Vlasenko, and the corrected ones (docs/errata.md, 10), for their loop of four
 * bars of 1 m and 1 kg that is held at a corner. Coordinates are theirs in the plane: x, y and angle of each bar.
 * Bars 1 and 2 are one subsystem, bars 3 and 4 another; bars 2 and 3 are joined to each other (ein), bars 1 and 4 to
 * the ground, which comes last (ext).
 *
 *     M X'' + C = G^T lambda + Q,   G X'' + U = 0
 *     P = G D G^T,  S = -P^-1 G D,  V = -P^-1 (G R + U),  X'' = D (Q + G^T lambda) + R,  lambda = S Q + V */

#include "check.h"
#include "linalg/dense.h"
#include "trammel/vecmath.h"

#include <lapacke.h>
#include <string.h>

enum { BARS = 4, SIZE = 3 * BARS, PINS = BARS + 1, MOST = SIZE };

static const double G_EARTH = 9.81;
/* Accelerations are about 10 m/s^2, and P is well conditioned. */
static const double ROUNDING = 1e-13;

/* ---- Matrices ------------------------------------------------------------------------------- */

typedef struct matrix {
    int rows, columns;
    double at[MOST][MOST];
} matrix;

static matrix zero_matrix(int rows, int columns)
{
    return (matrix){.rows = rows, .columns = columns};
}

static bool fit(matrix a, matrix b)
{
    return a.columns == b.rows;
}

static matrix times(matrix a, matrix b)
{
    matrix c = zero_matrix(a.rows, b.columns);
    assert_true(fit(a, b));
    for (int i = 0; i < c.rows; i++)
        for (int j = 0; j < c.columns; j++)
            for (int k = 0; k < a.columns; k++) c.at[i][j] += a.at[i][k] * b.at[k][j];
    return c;
}

/* a + s b */
static matrix plus(matrix a, double s, matrix b)
{
    assert_true(a.rows == b.rows && a.columns == b.columns);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++) a.at[i][j] += s * b.at[i][j];
    return a;
}

static matrix turned(matrix a)
{
    matrix t = zero_matrix(a.columns, a.rows);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++) t.at[j][i] = a.at[i][j];
    return t;
}

static matrix above(matrix a, matrix b)
{
    matrix c = zero_matrix(a.rows + b.rows, a.columns);
    memcpy(c.at, a.at, sizeof *a.at * (size_t)a.rows);
    memcpy(c.at + a.rows, b.at, sizeof *b.at * (size_t)b.rows);
    return c;
}

/* Returns the listed columns of a. */
static matrix columns_of(matrix a, const int *which, int count)
{
    matrix c = zero_matrix(a.rows, count);
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < count; j++) c.at[i][j] = a.at[i][which[j]];
    return c;
}

static matrix rows_of(matrix a, const int *which, int count)
{
    return turned(columns_of(turned(a), which, count));
}

static matrix inverse_of(matrix a)
{
    double flat[MOST * MOST] = {0}, result[MOST * MOST];
    matrix inverse = zero_matrix(a.rows, a.rows);
    for (int i = 0; i < a.rows * a.rows; i++) flat[i] = a.at[i / a.rows][i % a.rows];
    assert_true(trm_dense_inverse(flat, a.rows, result));
    for (int i = 0; i < a.rows * a.rows; i++) inverse.at[i / a.rows][i % a.rows] = result[i];
    return inverse;
}

static double largest(matrix a)
{
    double most = 0;
    for (int i = 0; i < a.rows; i++)
        for (int j = 0; j < a.columns; j++) most = fmax(most, fabs(a.at[i][j]));
    return most;
}

static double apart(matrix a, matrix b)
{
    return largest(plus(a, -1, b));
}

static int rank_of(matrix a)
{
    double flat[MOST * MOST], values[MOST], ignored[MOST];
    int rank = 0;
    for (int i = 0; i < a.rows * a.columns; i++) flat[i] = a.at[i / a.columns][i % a.columns];
    assert_int_equal(LAPACKE_dgesvd(LAPACK_ROW_MAJOR, 'N', 'N', a.rows, a.columns, flat, a.columns, values, NULL,
                                    a.rows, NULL, a.columns, ignored),
                     0);
    for (int i = 0; i < (a.rows < a.columns ? a.rows : a.columns); i++) rank += values[i] > 1e-12 * values[0];
    return rank;
}

/* ---- The loop ------------------------------------------------------------------------------- */

/* The whole loop: pin i joins bar i + 1 to the one before. */
typedef struct loop {
    double phi[BARS], omega[BARS];
    matrix M, C;             /* C = -Y: no other terms exist */
    matrix G[PINS], U[PINS]; /* 2 x 12, 2 x 1 */
    matrix v;                /* 12 x 1, satisfies all pins if angles and rates do */
    matrix G_dot[PINS];      /* 2 x 12: U = G_dot v */
} loop;

/* Adds s times the Jacobian of one end of a bar, end = -1 or 1, and its rate. */
static void add_end(const loop *l, int bar, double end, double s, matrix *J, matrix *J_dot)
{
    const double x = cos(l->phi[bar]), y = sin(l->phi[bar]), r = s * end / 2;
    J->at[0][3 * bar] += s;
    J->at[1][3 * bar + 1] += s;
    J->at[0][3 * bar + 2] -= r * y;
    J->at[1][3 * bar + 2] += r * x;
    J_dot->at[0][3 * bar + 2] -= r * x * l->omega[bar];
    J_dot->at[1][3 * bar + 2] -= r * y * l->omega[bar];
}

/* Computes velocities of centres, bar after bar from the corner that is held. */
static void find_velocities(loop *l)
{
    double x = 0, y = 0; /* velocity of the end of the bar before */
    l->v = zero_matrix(SIZE, 1);
    for (int i = 0; i < BARS; i++) {
        const double along_x = -sin(l->phi[i]) * l->omega[i], along_y = cos(l->phi[i]) * l->omega[i];
        l->v.at[3 * i][0] = x + along_x / 2;
        l->v.at[3 * i + 1][0] = y + along_y / 2;
        l->v.at[3 * i + 2][0] = l->omega[i];
        x += along_x;
        y += along_y;
    }
}

static loop make_loop(const double *phi, const double *omega)
{
    loop l = {.M = zero_matrix(SIZE, SIZE), .C = zero_matrix(SIZE, 1)};
    memcpy(l.phi, phi, sizeof l.phi);
    memcpy(l.omega, omega, sizeof l.omega);
    find_velocities(&l);
    for (int i = 0; i < SIZE; i++) l.M.at[i][i] = i % 3 < 2 ? 1 : 1. / 12;
    for (int i = 0; i < BARS; i++) l.C.at[3 * i][0] = -G_EARTH;
    for (int p = 0; p < PINS; p++) {
        l.G[p] = l.G_dot[p] = zero_matrix(2, SIZE);
        if (p > 0) add_end(&l, p - 1, 1, 1, &l.G[p], &l.G_dot[p]);
        if (p < BARS) add_end(&l, p, -1, -1, &l.G[p], &l.G_dot[p]);
        l.U[p] = times(l.G_dot[p], l.v);
    }
    return l;
}

/* An inclined rhombus, and a stretched one: all bars on one line. */
static loop askew(void)
{
    return make_loop((const double[]){-.5, .9, TRM_PI - .5, TRM_PI + .9}, (const double[]){.7, -1.1, .7, -1.1});
}

static loop stretched(void)
{
    return make_loop((const double[]){0, 0, TRM_PI, TRM_PI}, (const double[]){1.3, -1.3, 1.3, -1.3});
}

/* ---- Subsystems ------------------------------------------------------------------------------ */

/* X'' = D Q + R of some bodies; and after closing rows, lambda = S Q + V. */
typedef struct subsystem {
    matrix D, R, S, V;
} subsystem;

static subsystem free_bars(const loop *l)
{
    const matrix W = inverse_of(l->M);
    return (subsystem){.D = W, .R = times(plus(zero_matrix(SIZE, SIZE), -1, W), l->C)};
}

/* Closes rows; all coordinates are kept. */
static subsystem closed(subsystem s, matrix G, matrix U)
{
    const matrix GD = times(G, s.D), minus = plus(zero_matrix(G.rows, G.rows), -1, inverse_of(times(GD, turned(G))));
    s.S = times(minus, GD);
    s.V = times(minus, plus(times(G, s.R), 1, U));
    s.R = plus(s.R, 1, times(turned(GD), s.V));
    s.D = plus(s.D, 1, times(turned(GD), s.S));
    return s;
}

/* Bars 1 and 2, and 3 and 4, both at once, because D is that of all bars. */
static subsystem pairs(const loop *l)
{
    return closed(closed(free_bars(l), l->G[1], l->U[1]), l->G[3], l->U[3]);
}

/* Solves all pins at once: the right result. */
static matrix accelerations(const loop *l)
{
    matrix G = l->G[0], U = l->U[0];
    for (int p = 1; p < PINS; p++) G = above(G, l->G[p]), U = above(U, l->U[p]);
    return closed(free_bars(l), G, U).R;
}

static bool is_ext(int coordinate)
{
    return coordinate / 3 == 0 || coordinate / 3 == BARS - 1;
}

/* Drops the blocks between ext and ein, as (4) does. */
static matrix without_cross_blocks(matrix D)
{
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            if (is_ext(i) != is_ext(j)) D.at[i][j] = 0;
    return D;
}

/* Does step 2 with pin 2 and step 3 with the pins at the ground, for a given D of the pairs. */
static matrix close_remaining(const loop *l, subsystem s)
{
    s = closed(s, l->G[2], l->U[2]);
    return closed(s, above(l->G[0], l->G[4]), above(l->U[0], l->U[4])).R;
}

static void the_full_D_gives_what_the_whole_gives(void **state)
{
    (void)state;
    static const double printed[BARS] = {7.40619749045, -10.2663327371, 7.40619749045, -10.2663327371};
    const loop l = askew();
    const matrix a = accelerations(&l);
    for (int i = 0; i < BARS; i++) assert_near(a.at[3 * i + 2][0], printed[i], 5e-10); /* computed elsewhere */
    assert_true(apart(close_remaining(&l, pairs(&l)), a) <= ROUNDING);
}

static void equation_4_loses_what_couples_a_subsystem(void **state)
{
    (void)state;
    const loop l = askew();
    const matrix a = accelerations(&l);
    subsystem s = pairs(&l);
    s.D = without_cross_blocks(s.D);
    const double error = apart(close_remaining(&l, s), a);
    print_message("(4) as printed: off by %.4g, the largest being %.4g\n", error, largest(a));
    assert_near(error, 10.2, 0.05);
    assert_near(largest(a), 10.3, 0.05);
}

/* ---- Rank ------------------------------------------------------------------------------------- */

static void rank_is_lost_above_the_leaves_where_G_has_it(void **state)
{
    (void)state;
    static const double expected[] = {0, 0.5, 1.5, 3.36, 3.5, 7.14};
    const loop l = stretched();
    const matrix G = above(above(l.G[0], l.G[2]), l.G[4]), P = times(times(G, pairs(&l).D), turned(G));
    double flat[36], values[6];
    assert_int_equal(rank_of(G), 6);
    for (int i = 0; i < 36; i++) flat[i] = P.at[i / 6][i % 6];
    assert_int_equal(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'U', 6, flat, 6, values), 0);
    for (int i = 0; i < 6; i++)
        assert_near(values[i], expected[i], i == 0 ? ROUNDING : 0.005); /* of the known digits */
}

static void a_loop_has_2_rows_per_pin_and_2_freedoms(void **state)
{
    (void)state;
    const loop l = askew();
    matrix G = l.G[0];
    for (int p = 1; p < PINS; p++) G = above(G, l.G[p]);
    assert_int_equal(G.rows, 2 * (BARS + 1));
    assert_int_equal(G.columns, 3 * BARS);
    assert_int_equal(SIZE - rank_of(G), 2);
}

/* ---- Signs and places -------------------------------------------------------------------------- */

/* The introduction has - G^T lambda: with the lambda of all later formulas the pins would not stay closed. */
static void G_lambda_has_one_sign(void **state)
{
    (void)state;
    const loop l = askew();
    const subsystem s = free_bars(&l), done = closed(s, l.G[1], l.U[1]);
    const matrix pull = times(s.D, times(turned(l.G[1]), done.V));
    const matrix right = plus(s.R, 1, pull), other = plus(s.R, -1, pull);
    assert_true(largest(plus(times(l.G[1], right), 1, l.U[1])) <= ROUNDING);
    assert_true(largest(plus(times(l.G[1], other), 1, l.U[1])) > 1);
}

/* (1) has no applied forces besides C: they are contained in it, otherwise nothing would fall. */
static void C_holds_the_applied_forces(void **state)
{
    (void)state;
    const loop right = askew();
    loop weightless = right;
    weightless.C = zero_matrix(SIZE, 1);
    assert_true(apart(accelerations(&weightless), accelerations(&right)) > 1);
}

/* After (1): G_dot v + U is not 0 but twice U; G a + U is 0. */
static void rows_of_accelerations_need_G_itself(void **state)
{
    (void)state;
    const loop l = askew();
    const matrix a = accelerations(&l);
    for (int p = 0; p < PINS; p++) {
        assert_true(largest(plus(times(l.G[p], a), 1, l.U[p])) <= ROUNDING);
        assert_true(largest(plus(times(l.G_dot[p], l.v), 1, l.U[p])) > 0.1);
    }
}

/* Blocks of G in the order (ein, ext) are multiplied by velocities in the order (ext, ein). */
static void blocks_of_velocity_rows_are_exchanged(void **state)
{
    (void)state;
    static const int ext[] = {0, 1, 2, 9, 10, 11}, ein[] = {3, 4, 5, 6, 7, 8};
    const loop l = askew();
    const matrix G_ext = columns_of(l.G[2], ext, 6), G_ein = columns_of(l.G[2], ein, 6);
    const matrix v_ext = rows_of(l.v, ext, 6), v_ein = rows_of(l.v, ein, 6);
    assert_true(largest(plus(times(G_ext, v_ext), 1, times(G_ein, v_ein))) <= ROUNDING);
    assert_true(largest(plus(times(G_ein, v_ext), 1, times(G_ext, v_ein))) > 0.1);
}

/* (7) has S instead of D, and S does not even have the right size. */
static void the_ground_is_closed_with_D(void **state)
{
    (void)state;
    const loop l = askew();
    const subsystem s = closed(pairs(&l), l.G[2], l.U[2]);
    const matrix G_ein = above(l.G[0], l.G[4]);
    assert_true(fit(times(G_ein, s.D), turned(G_ein)));
    assert_false(fit(G_ein, s.S));
    assert_true(apart(closed(s, G_ein, above(l.U[0], l.U[4])).R, accelerations(&l)) <= ROUNDING);
}

/* ---- z ---------------------------------------------------------------------------------------- */

/* The paper's generalised coordinates: angles y of the bars. g: position of the last end, which should be that of the
 * first. */
static matrix closure(const double *length, matrix y)
{
    matrix g = zero_matrix(2, 1);
    for (int i = 0; i < BARS; i++) {
        g.at[0][0] += length[i] * cos(y.at[i][0]);
        g.at[1][0] += length[i] * sin(y.at[i][0]);
    }
    return g;
}

static matrix closure_rows(const double *length, matrix y)
{
    matrix G = zero_matrix(2, BARS);
    for (int i = 0; i < BARS; i++) {
        G.at[0][i] = -length[i] * sin(y.at[i][0]);
        G.at[1][i] = length[i] * cos(y.at[i][0]);
    }
    return G;
}

/* One G^+ is multiplied by a column of twice its number of columns; each half needs its own. Then g is squared, and G
 * v is 0. */
static void z_needs_G_plus_twice(void **state)
{
    (void)state;
    static const double length[BARS] = {1, .8, 1.3, .9};
    static const double start[BARS] = {-0.78539816339744831, 0.78539816339744831, 2.3186070093797168,
                                       4.2657457957405691};
    const double off = 1e-4;
    matrix y = zero_matrix(BARS, 1), v = zero_matrix(BARS, 1);
    for (int i = 0; i < BARS; i++) y.at[i][0] = start[i] + off * (i + 1), v.at[i][0] = i - 1.5;
    const matrix g = closure(length, y), G = closure_rows(length, y), Gv = times(G, v);
    const matrix G_plus = times(turned(G), inverse_of(times(G, turned(G))));
    assert_false(fit(G_plus, above(g, Gv)));
    assert_true(largest(g) > off && largest(Gv) > 1);
    assert_true(largest(closure(length, plus(y, -1, times(G_plus, g)))) < 10 * off * off);
    assert_true(largest(times(G, plus(v, -1, times(G_plus, Gv)))) <= ROUNDING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_full_D_gives_what_the_whole_gives),
        cmocka_unit_test(equation_4_loses_what_couples_a_subsystem),
        cmocka_unit_test(rank_is_lost_above_the_leaves_where_G_has_it),
        cmocka_unit_test(a_loop_has_2_rows_per_pin_and_2_freedoms),
        cmocka_unit_test(G_lambda_has_one_sign),
        cmocka_unit_test(C_holds_the_applied_forces),
        cmocka_unit_test(rows_of_accelerations_need_G_itself),
        cmocka_unit_test(blocks_of_velocity_rows_are_exchanged),
        cmocka_unit_test(the_ground_is_closed_with_D),
        cmocka_unit_test(z_needs_G_plus_twice),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel/joint_space.h: each quantity against another way to it. Random trees of all joints: Jacobians against
 * central differences of positions, the mass matrix against the kinetic energy and inverse dynamics, gravity against
 * the gradient of the potential, forward against inverse dynamics. Machines with loops: the equations of motion
 * themselves, and accelerations of the Lagrange method. */

#include <math.h>

#include "random_trees.h"
#include "running.h"
#include "trammel/arrays.h"

enum { SEEDS = 12, MOST = 80, MOST_ROWS = 120 };

static const double ROUNDING = 1e-11; /* of numbers up to 100 after sums over ten bodies */
static const double DIFFERENCE = 1e-8, STEP = 1e-5;

typedef struct setting {
    trm_model *model;
    trm_state *state;
    trm_joint_space *space;
    int n;
    double t, q[MOST], qd[MOST], qdd[MOST];
} setting;

static setting set_up(trm_model *model)
{
    setting s = {.model = model, .state = start_of(model), .t = 0.3};
    assert_int_equal(trm_joint_space_create(model, NULL, &s.space), TRM_OK);
    s.n = trm_joint_space_size(s.space);
    assert_true(s.n <= MOST);
    return s;
}

static setting set_up_tree(unsigned seed, bool moved)
{
    setting s = set_up(random_tree(seed, moved));
    trm_random random = trm_random_seed(seed + 500);
    for (int i = 0; i < s.n; i++) {
        s.q[i] = trm_random_uniform(&random, -1, 1);
        s.qd[i] = trm_random_uniform(&random, -1, 1);
        s.qdd[i] = trm_random_uniform(&random, -1, 1);
    }
    trm_joint_space_set(s.space, s.t, s.q, s.qd);
    return s;
}

static void tear_down(setting *s)
{
    trm_joint_space_destroy(s->space);
    trm_state_destroy(s->state);
    trm_model_destroy(s->model);
}

/* Computes a column of a Jacobian by differences: moves one coordinate by small amounts in both directions. */
static void set_moved(setting *s, int coordinate, double by)
{
    double q[MOST];
    memcpy(q, s->q, sizeof q);
    q[coordinate] += by;
    trm_joint_space_set(s->space, s->t, q, NULL);
    trm_joint_space_write(s->space, s->state);
}

/* Returns the index of the first coordinate of a joint in trm_get_coordinates. */
static int first_of(const trm_model *model, int joint)
{
    int first = 0;
    while (trm_coordinate_at(model, first).joint != joint) first++;
    return first;
}

/* Free bodies come first, then the joints in the order of arrays.h. The legs are added one after the other, so that
 * no level of the tree is contiguous in the file. */
static void coordinates_have_the_order_of_the_model(void **unused)
{
    (void)unused;
    static const char *const text =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "{ \"name\": \"a1\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [1, 0, 0] },"
        "{ \"name\": \"a2\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [2, 0, 0] },"
        "{ \"name\": \"b1\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 1, 0] },"
        "{ \"name\": \"b2\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 2, 0] },"
        "{ \"name\": \"ball\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [0, 5, 0] }], \"joints\": ["
        "{ \"name\": \"A2\", \"type\": \"hinge\", \"bodies\": [\"a1\", \"a2\"], \"anchor\": [1, 0, 0], \"axis\": [0, "
        "1, 0] },"
        "{ \"name\": \"A1\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a1\"], \"anchor\": [0, 0, 0], \"axis\": "
        "[0, 1, 0] },"
        "{ \"name\": \"B1\", \"type\": \"universal\", \"bodies\": [\"ground\", \"b1\"], \"anchor\": [0, 0, 0], "
        "\"axis\": [1, 0, 0],"
        "  \"axis2\": [0, 0, 1] },"
        "{ \"name\": \"B2\", \"type\": \"slider\", \"bodies\": [\"b1\", \"b2\"], \"anchor\": [0, 1, 0], \"axis\": "
        "[0, 1, 0] }]}";
    static const double q[] = {1, 2, 3, 0.1, 0.2, 0.3, 0.5, -0.4, 0.3, 0.2, 0.1},
                        qd[11] = {7, 6, 5, 4, 3, 2, 1, 9, 8, 6.5, 3.5};
    double get[2][5], read[2][11], M[121], along[11];
    setting s = set_up(model_of_text(text));
    assert_int_equal(s.n, 11);
    for (int i = 0; i < s.n; i++) {
        const trm_joint_space_name name = trm_joint_space_name_of(s.space, i);
        if (i < 6)
            assert_true(name.joint < 0 && name.coordinate == i && name.body == 5);
        else
            assert_int_equal(first_of(s.model, name.joint) + name.coordinate, i - 6);
    }
    trm_joint_space_set(s.space, 0, q, qd);
    trm_joint_space_write(s.space, s.state);
    trm_get_coordinates(s.state, get[0], get[1]);
    trm_joint_space_read(s.space, s.state, read[0], read[1]);
    trm_mass_matrix(s.space, M);
    trm_gravity_force(s.space, along);
    for (int i = 0; i < s.n; i++) {
        assert_near(read[0][i], q[i], ROUNDING);
        assert_near(read[1][i], qd[i], ROUNDING);
        if (i >= 6) assert_near(get[0][i - 6], q[i], ROUNDING), assert_near(get[1][i - 6], qd[i], ROUNDING);
    }
    assert_near(along[2], 9.81, ROUNDING);     /* the ball joint: z is its third coordinate */
    assert_near(M[10 * 11 + 10], 1, ROUNDING); /* the slider carries 1 kg; A1 moves two bodies */
    assert_true(M[7 * 11 + 7] > 3 && M[6 * 11 + 7] > 0 && fabs(M[6 * 11 + 8]) < ROUNDING);
    tear_down(&s);
}

/* ---- Trees -------------------------------------------------------------------------------- */

static void point_jacobians_are_slopes(void **unused)
{
    (void)unused;
    static double J[6 * MOST];
    const trm_vec3 point = {0.3, -0.2, 0.5};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, seed % 2);
        for (int body = 1; body <= RANDOM_TREE_BODIES; body += 3) {
            trm_joint_space_set(s.space, s.t, s.q, s.qd);
            trm_point_jacobian(s.space, body, point, J);
            for (int k = 0; k < s.n; k++) {
                set_moved(&s, k, STEP);
                const trm_vec3 plus = trm_point_position(s.state, body, point);
                set_moved(&s, k, -STEP);
                const trm_vec3 minus = trm_point_position(s.state, body, point);
                const trm_vec3 slope = trm_v3_scale(0.5 / STEP, trm_v3_sub(plus, minus));
                assert_near(J[3 * s.n + k], slope.x, DIFFERENCE);
                assert_near(J[4 * s.n + k], slope.y, DIFFERENCE);
                assert_near(J[5 * s.n + k], slope.z, DIFFERENCE);
            }
        }
        tear_down(&s);
    }
}

/* J qd is the velocity of the point, if nothing is driven. */
static void jacobians_give_velocities(void **unused)
{
    (void)unused;
    static double J[6 * MOST];
    const trm_vec3 point = {0.1, 0.7, -0.4};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, false);
        trm_joint_space_write(s.space, s.state);
        for (int body = 1; body <= RANDOM_TREE_BODIES; body++) {
            const trm_vec3 v = trm_point_velocity(s.state, body, point), w = trm_body_velocity(s.state, body).ang;
            const double expected[6] = {w.x, w.y, w.z, v.x, v.y, v.z};
            trm_point_jacobian(s.space, body, point, J);
            for (int r = 0; r < 6; r++) {
                double sum = 0;
                for (int k = 0; k < s.n; k++) sum += J[r * s.n + k] * s.qd[k];
                assert_near(sum, expected[r], ROUNDING);
            }
        }
        tear_down(&s);
    }
}

/* (dJ/dt) qd is the rate of the velocity while q moves with constant qd. */
static void point_biases_are_accelerations(void **unused)
{
    (void)unused;
    const trm_vec3 point = {0.1, 0.7, -0.4};
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, seed % 2);
        for (int body = 1; body <= RANDOM_TREE_BODIES; body++) {
            trm_vec3 v[2];
            trm_joint_space_set(s.space, s.t, s.q, s.qd);
            const trm_vec3 bias = trm_point_bias(s.space, body, point).lin;
            for (int side = 0; side < 2; side++) {
                const double by = side ? STEP : -STEP;
                double q[MOST];
                for (int k = 0; k < s.n; k++) q[k] = s.q[k] + by * s.qd[k];
                trm_joint_space_set(s.space, s.t + by, q, s.qd);
                trm_joint_space_write(s.space, s.state);
                v[side] = trm_point_velocity(s.state, body, point);
            }
            const trm_vec3 slope = trm_v3_scale(0.5 / STEP, trm_v3_sub(v[1], v[0]));
            assert_near(trm_v3_length(trm_v3_sub(slope, bias)), 0, 100 * DIFFERENCE);
        }
        tear_down(&s);
    }
}

static void mass_matrix_gives_kinetic_energy(void **unused)
{
    (void)unused;
    static double M[MOST * MOST];
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, false);
        double twice = 0;
        trm_mass_matrix(s.space, M);
        for (int i = 0; i < s.n; i++)
            for (int k = 0; k < s.n; k++) {
                twice += s.qd[i] * M[i * s.n + k] * s.qd[k];
                assert_near(M[i * s.n + k], M[k * s.n + i], ROUNDING);
            }
        trm_joint_space_write(s.space, s.state);
        const double kinetic = trm_state_energy(s.state).kinetic;
        assert_near(twice / 2, kinetic, ROUNDING * kinetic);
        tear_down(&s);
    }
}

/* Inverse dynamics, M qdd + bias - forces; then forward dynamics recovers qdd. */
static void forward_and_inverse_dynamics_agree(void **unused)
{
    (void)unused;
    static double M[MOST * MOST];
    double bias[MOST], force[MOST], tau[MOST], qdd[MOST];
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, seed % 2);
        trm_mass_matrix(s.space, M);
        trm_bias_force(s.space, bias);
        trm_model_force(s.space, force);
        trm_inverse_dynamics(s.space, s.qdd, tau);
        for (int i = 0; i < s.n; i++) {
            double sum = bias[i] - force[i];
            for (int k = 0; k < s.n; k++) sum += M[i * s.n + k] * s.qdd[k];
            assert_near(tau[i], sum, 10 * ROUNDING * (1 + fabs(sum)));
        }
        assert_true(trm_forward_dynamics(s.space, tau, qdd, NULL));
        for (int i = 0; i < s.n; i++) assert_near(qdd[i], s.qdd[i], 1e-9);
        tear_down(&s);
    }
}

static void gravity_force_is_a_gradient(void **unused)
{
    (void)unused;
    double gravity[MOST];
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, false);
        trm_gravity_force(s.space, gravity);
        for (int k = 0; k < s.n; k++) {
            set_moved(&s, k, STEP);
            const double plus = trm_state_energy(s.state).potential;
            set_moved(&s, k, -STEP);
            const double minus = trm_state_energy(s.state).potential;
            assert_near(gravity[k], (plus - minus) / (2 * STEP), 100 * DIFFERENCE);
        }
        tear_down(&s);
    }
}

static void centre_of_mass_and_momentum_follow(void **unused)
{
    (void)unused;
    static double J[3 * MOST], A[6 * MOST];
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, false);
        const double mass = trm_total_mass(s.space);
        const trm_spatial p = trm_centroidal_momentum(s.space);
        const double expected[6] = {p.ang.x, p.ang.y, p.ang.z, p.lin.x, p.lin.y, p.lin.z};
        trm_centre_of_mass_jacobian(s.space, J);
        trm_centroidal_matrix(s.space, A);
        for (int r = 0; r < 6; r++) {
            double sum = 0, centre = 0;
            for (int k = 0; k < s.n; k++) {
                sum += A[r * s.n + k] * s.qd[k];
                if (r >= 3) centre += mass * J[(r - 3) * s.n + k] * s.qd[k];
            }
            assert_near(sum, expected[r], ROUNDING * (1 + fabs(sum)));
            if (r >= 3) assert_near(centre, expected[r], ROUNDING * (1 + fabs(sum)));
        }
        trm_joint_space_write(s.space, s.state); /* momentum about the world's origin, computed from the state */
        const trm_momentum whole = trm_state_momentum(s.state);
        const trm_vec3 about = trm_v3_sub(whole.angular, trm_v3_cross(trm_centre_of_mass(s.space), whole.linear));
        assert_near(trm_v3_length(trm_v3_sub(about, p.ang)), 0, 100 * ROUNDING);
        assert_near(trm_v3_length(trm_v3_sub(whole.linear, p.lin)), 0, 10 * ROUNDING);
        tear_down(&s);
    }
}

/* Coordinates are written to a state and read back, with their full turns. */
static void states_keep_coordinates(void **unused)
{
    (void)unused;
    double q[MOST], qd[MOST];
    for (unsigned seed = 1; seed <= SEEDS; seed++) {
        setting s = set_up_tree(seed, false);
        for (int i = 0; i < s.n; i++) {
            const trm_joint_space_name name = trm_joint_space_name_of(s.space, i);
            if (name.joint < 0 || strcmp(trm_joint_info_of(s.model, name.joint).type, "hinge") != 0) continue;
            assert_true(name.angular && name.coordinate == 0);
            s.q[i] += 8 * TRM_PI;
        }
        trm_joint_space_set(s.space, s.t, s.q, s.qd);
        trm_joint_space_write(s.space, s.state);
        trm_joint_space_read(s.space, s.state, q, qd);
        for (int i = 0; i < s.n; i++) {
            assert_near(q[i], s.q[i], 100 * ROUNDING);
            assert_near(qd[i], s.qd[i], 100 * ROUNDING);
        }
        tear_down(&s);
    }
}

/* ---- Loops -------------------------------------------------------------------------------- */

/* Returns the largest difference to the accelerations that the Lagrange method computes at the start. */
static double distance_to_lagrange(const setting *s, const double *qdd)
{
    trm_simulation_def options = *trm_model_simulation(s->model);
    trm_sim *sim = NULL;
    double largest = 0, size = 1;
    options.method = "lagrange";
    options.order = 4;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_sim_create(s->model, &options, NULL, messages, &sim), TRM_OK);
    trm_messages_destroy(messages);
    trm_sim_enable_reactions(sim, true);
    trm_sim_observe(sim);
    for (int body = 0; body < trm_body_count(s->model); body++) {
        static double J[6 * MOST];
        const trm_spatial bias = trm_point_bias(s->space, body, trm_v3(0, 0, 0));
        const trm_spatial A = trm_body_acceleration(trm_sim_state(sim), body);
        double a[3] = {bias.lin.x - A.lin.x, bias.lin.y - A.lin.y, bias.lin.z - A.lin.z};
        trm_point_jacobian(s->space, body, trm_v3(0, 0, 0), J);
        for (int r = 0; r < 3; r++) {
            for (int k = 0; k < s->n; k++) a[r] += J[(3 + r) * s->n + k] * qdd[k];
            largest = fmax(largest, fabs(a[r]));
        }
        size = fmax(size, trm_v3_length(A.lin));
    }
    trm_sim_destroy(sim);
    return largest / size;
}

static void check_loops(const char *file)
{
    static double M[MOST * MOST], G[MOST_ROWS * MOST];
    double bias[MOST], force[MOST], lambda[MOST_ROWS], gamma[MOST_ROWS], phi[MOST_ROWS];
    char path[300];
    snprintf(path, sizeof path, "%s/%s", TRM_EXAMPLES, file);
    setting s = set_up(model_of_file(path));
    const int m = trm_joint_space_constraints(s.space);
    assert_in_range(m, 1, MOST_ROWS);
    assert_true(trm_forward_dynamics(s.space, NULL, s.qdd, lambda));
    trm_mass_matrix(s.space, M);
    trm_bias_force(s.space, bias);
    trm_model_force(s.space, force);
    trm_constraint_rows(s.space, phi, G, gamma);
    for (int r = 0; r < m; r++) {
        double sum = 0;
        for (int k = 0; k < s.n; k++) sum += G[r * s.n + k] * s.qdd[k];
        assert_near(phi[r], 0, 1e-9);
        assert_near(sum, gamma[r], 1e-8 * (1 + fabs(gamma[r])));
    }
    for (int i = 0; i < s.n; i++) {
        double sum = bias[i] - force[i], size = 1 + fabs(bias[i]);
        for (int k = 0; k < s.n; k++) sum += M[i * s.n + k] * s.qdd[k];
        for (int r = 0; r < m; r++) sum -= G[r * s.n + i] * lambda[r], size += fabs(G[r * s.n + i] * lambda[r]);
        assert_near(sum / size, 0, 1e-9);
    }
    print_message("%-24s %2d coordinates, %2d rows: accelerations within %.1e of Lagrange's\n", file, s.n, m,
                  distance_to_lagrange(&s, s.qdd));
    assert_true(distance_to_lagrange(&s, s.qdd) < 1e-8);
    tear_down(&s);
}

static void loops_move_as_with_multipliers(void **unused)
{
    (void)unused;
    check_loops("four-bar.json");
    check_loops("8-loop.json");
    check_loops("slider-crank.json");
    check_loops("bricard.json"); /* redundant rows */
    check_loops("engine.json");
}

/* A rotor has no coordinate of its own: it adds its armature to the diagonal of M. */
static void armature_is_a_diagonal_term(void **unused)
{
    (void)unused;
    static const char *const text =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "{ \"name\": \"a\", \"mass\": 2, \"inertia\": [0.02, 0.06, 0.05], \"position\": [0.5, 0, 0] },"
        "{ \"name\": \"b\", \"mass\": 1, \"inertia\": [0.01, 0.03, 0.035], \"position\": [1.3, 0.1, 0] }], "
        "\"joints\": ["
        "{ \"name\": \"hip\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"
        "  \"axis\": [0, 1, 0]%s },"
        "{ \"name\": \"knee\", \"type\": \"universal\", \"bodies\": [\"a\", \"b\"], \"anchor\": [1, 0, 0],"
        "  \"axis\": [0, 0.6, 0.8], \"axis2\": [1, 0, 0]%s }]}";
    static const char *const laws[2][2] = {
        {"", ""}, {", \"armature\": 0.5", ", \"coordinates\": [{}, { \"armature\": 0.25 }]"}};
    static const double q[] = {0.3, -0.2, 0.7}, qd[] = {1, 2, -1}, qdd[] = {0.5, -3, 2};
    double M[2][9], tau[3], back[3];
    for (int i = 0; i < 2; i++) {
        char json[2000];
        snprintf(json, sizeof json, text, laws[i][0], laws[i][1]);
        setting s = set_up(model_of_text(json));
        assert_int_equal(s.n, 3);
        assert_int_equal(trm_joint_space_constraints(s.space), 0);
        assert_near(trm_total_mass(s.space), 3, 0);
        trm_joint_space_set(s.space, 0, q, qd);
        trm_mass_matrix(s.space, M[i]);
        trm_inverse_dynamics(s.space, qdd, tau);
        assert_true(trm_forward_dynamics(s.space, tau, back, NULL));
        for (int k = 0; k < 3; k++) assert_near(back[k], qdd[k], ROUNDING);
        trm_joint_space_write(s.space, s.state);
        double energy = 0;
        for (int k = 0; k < 9; k++) energy += 0.5 * qd[k / 3] * M[i][k] * qd[k % 3];
        assert_near(trm_state_energy(s.state).kinetic, energy, ROUNDING);
        tear_down(&s);
    }
    static const double armature[] = {0.5, 0, 0.25};
    for (int k = 0; k < 9; k++) assert_near(M[1][k] - M[0][k], k % 4 == 0 ? armature[k / 4] : 0, ROUNDING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_jacobians_are_slopes),
        cmocka_unit_test(jacobians_give_velocities),
        cmocka_unit_test(point_biases_are_accelerations),
        cmocka_unit_test(mass_matrix_gives_kinetic_energy),
        cmocka_unit_test(forward_and_inverse_dynamics_agree),
        cmocka_unit_test(gravity_force_is_a_gradient),
        cmocka_unit_test(centre_of_mass_and_momentum_follow),
        cmocka_unit_test(states_keep_coordinates),
        cmocka_unit_test(loops_move_as_with_multipliers),
        cmocka_unit_test(armature_is_a_diagonal_term),
        cmocka_unit_test(coordinates_have_the_order_of_the_model),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Many islands on several threads, and bodies with many joints. */

#include <omp.h>
#include <stdlib.h>

#include "check.h"
#include "choosing.h"
#include "failing_allocator.h"
#include "machines.h"
#include "running.h"
#include "scenes.h"

/* ---- Machines ----------------------------------------------------------------------------- */

/* Independent double pendulums, each started a little differently, one of four with a drive at its foot. */
static trm_model *many_double_pendulums(int count)
{
    machine m;
    machine_init(&m);
    m.def->gravity = trm_v3(0, -9.81, 0);
    for (int i = 0; i < count; i++) {
        const double x = 3.0 * i, tilt = 0.1 * (i % 7);
        const int upper = add_ball(&m, x + 1, tilt, 0), lower = add_ball(&m, x + 2, tilt, 0.1);
        const int foot = m.def->joint_count;
        add_hinge(&m, 0, upper, x, 0, 0);
        add_joint_at(&m, "ball", upper, lower, x + 1.5, tilt, 0);
        if (i % 4 == 0) add_drive(&m, foot, 0);
    }
    return machine_finish(&m);
}

/* A free, spinning body with arms on ball joints all around. */
static trm_model *star(int arms)
{
    machine m;
    machine_init(&m);
    m.def->gravity = trm_v3(0, 0, 0);
    trm_body_def hub = trm_default_body_def();
    const double inertia[6] = {3, 4, 5, 0, 0, 0};
    hub.mass = 10;
    memcpy(hub.inertia, inertia, sizeof inertia);
    hub.angular_velocity = trm_v3(0.3, 0.2, 1);
    const int middle = add_body(&m, hub);
    for (int i = 0; i < arms; i++) {
        const double angle = 2 * TRM_PI * i / arms, c = cos(angle), s = sin(angle);
        const trm_vec3 place = trm_v3(3 * c, 3 * s, 0.1 * (i % 3));
        const int arm = add_ball(&m, place.x, place.y, place.z);
        m.def->bodies[arm - 1].angular_velocity = hub.angular_velocity;
        m.def->bodies[arm - 1].velocity = trm_v3_cross(hub.angular_velocity, place);
        add_joint_at(&m, "ball", middle, arm, 2 * c, 2 * s, 0);
    }
    return machine_finish(&m);
}

typedef char short_name[12];

/* Pairs of points on bars, flying and turning, as many as are needed for loops over bodies and joints to run on
 * several threads. */
static trm_model *many_dumbbells(int count)
{
    trm_model_def *def = trm_model_def_create(NULL);
    short_name *names = malloc(3 * (size_t)count * sizeof *names);
    assert_non_null(names);
    for (int i = 0; i < count; i++) {
        short_name *name = names + 3 * i;
        for (int k = 0; k < 2; k++) {
            trm_body_def point = trm_default_body_def();
            snprintf(name[k], sizeof name[k], "%c%d", 'a' + k, i);
            point.name = name[k];
            point.kind = TRM_BODY_POINT;
            point.mass = 1 + k;
            point.position = trm_v3(k, i, 0.1 * (i % 5));
            point.velocity = trm_v3(0, k ? 1 : -1, 0.01 * (i % 7));
            assert_int_equal(trm_add_body(def, &point), TRM_OK);
        }
        trm_joint_def bar = trm_default_joint_def();
        snprintf(name[2], sizeof name[2], "j%d", i);
        bar.name = name[2];
        bar.type = "distance";
        bar.bodies[0] = name[0], bar.bodies[1] = name[1];
        bar.anchors[0] = bar.anchors[1] = trm_v3(0, 0, 0);
        assert_int_equal(trm_add_joint(def, &bar), TRM_OK);
    }
    trm_model *model = build_model(def);
    trm_model_def_destroy(def);
    free(names);
    return model;
}

/* The same pendulums over a floor: some lie on it, others strike it. */
static trm_model *pendulums_on_floor(int count, const char *impact)
{
    scene s;
    scene_init(&s, 0.3, 0.2);
    const double radius = 0.2;
    add_floor(&s);
    for (int i = 0; i < count; i++) {
        const double x = 3.0 * i, height = radius + 0.02 * (i % 7);
        const int upper = s.m.def->body_count + 1, lower = upper + 1;
        add_solid(&s, sphere_of(radius), 1, trm_v3(x + 1, 0, height));
        add_solid(&s, sphere_of(radius), 1, trm_v3(x + 2, 0.1, height));
        add_joint_at(&s.m, "ball", 0, upper, x, 0, height);
        add_joint_at(&s.m, "ball", upper, lower, x + 1.5, 0, height);
    }
    s.m.def->simulation.impact = impact;
    return machine_finish(&s.m);
}

static trm_model *pendulums_on_floor_in_windows(int count)
{
    return pendulums_on_floor(count, "window");
}

static trm_model *pendulums_on_floor_by_events(int count)
{
    return pendulums_on_floor(count, "event");
}

/* ---- Claims ------------------------------------------------------------------------------- */

static uint64_t hash_with_threads(int threads, const char *solver, trm_model *(*make)(int count), int count,
                                  double until)
{
    omp_set_num_threads(threads);
    running_solver = solver;
    running r = run_model_at(make(count), 0.01, 1e-10);
    go(&r, until);
    const uint64_t hash = trm_state_hash(trm_sim_state(r.sim));
    stop(&r);
    running_solver = NULL;
    return hash;
}

static void the_number_of_threads_changes_no_bit(void **state)
{
    (void)state;
    static const char *const solvers[] = {"direct", "iterative"};
    enum { PENDULUMS = 400, DUMBBELLS = 25001 }; /* 3300 rows of islands, 50002 bodies: threads are woken */
    for (int s = 0; s < 2; s++) {
        const uint64_t pendulums = hash_with_threads(1, solvers[s], many_double_pendulums, PENDULUMS, 0.1);
        const uint64_t dumbbells = hash_with_threads(1, solvers[s], many_dumbbells, DUMBBELLS, 0.03);
        for (int threads = 2; threads <= 3; threads++) {
            assert_true(hash_with_threads(threads, solvers[s], many_double_pendulums, PENDULUMS, 0.1) == pendulums);
            assert_true(hash_with_threads(threads, solvers[s], many_dumbbells, DUMBBELLS, 0.03) == dumbbells);
        }
    }
}

static void the_number_of_threads_changes_no_bit_of_contacts(void **state)
{
    (void)state;
    enum { MANY = 400, FEW = 40 };
    const uint64_t windows = hash_with_threads(1, "direct", pendulums_on_floor_in_windows, MANY, 0.15);
    const uint64_t events = hash_with_threads(1, "direct", pendulums_on_floor_by_events, FEW, 0.15);
    for (int threads = 2; threads <= 3; threads++) {
        assert_true(hash_with_threads(threads, "direct", pendulums_on_floor_in_windows, MANY, 0.15) == windows);
        assert_true(hash_with_threads(threads, "direct", pendulums_on_floor_by_events, FEW, 0.15) == events);
    }
}

static uint64_t hash_of_lcp(int threads, const char *choice, trm_model *model)
{
    omp_set_num_threads(threads);
    running r = run_chosen(model, (way){.choice = choice, .step = 0.01});
    go(&r, 0.1);
    const uint64_t hash = trm_state_hash(trm_sim_state(r.sim));
    stop(&r);
    return hash;
}

static void the_number_of_threads_changes_no_bit_of_lcp(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs"};
    enum { MANY = 400, FEW = 40 };
    for (int i = 0; i < 3; i++) {
        const uint64_t joints = hash_of_lcp(1, choices[i], many_double_pendulums(MANY));
        const uint64_t contacts = hash_of_lcp(1, choices[i], pendulums_on_floor_in_windows(FEW));
        for (int threads = 2; threads <= 3; threads++) {
            assert_true(hash_of_lcp(threads, choices[i], many_double_pendulums(MANY)) == joints);
            assert_true(hash_of_lcp(threads, choices[i], pendulums_on_floor_in_windows(FEW)) == contacts);
        }
    }
}

/* What happens to a pendulum does not depend on the islands next to it. */
static void an_island_moves_as_if_it_were_alone(void **state)
{
    (void)state;
    running one = run_model_at(many_double_pendulums(1), 0.01, 1e-10);
    running many = run_model_at(many_double_pendulums(60), 0.01, 1e-10);
    go(&one, 1);
    go(&many, 1);
    const trm_vec3 a = place_of(&one, "b2"), b = place_of(&many, "b2");
    assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
    stop(&one);
    stop(&many);
}

static trm_vec3 tip_of_star(int arms, const char *solver, const char *body)
{
    running_solver = solver;
    running r = run_model_at(star(arms), 0.01, 1e-12);
    go(&r, 1);
    const trm_accuracy a = trm_sim_accuracy(r.sim);
    assert_true(a.gap.position < 1e-11);
    assert_true(a.angular_error < 1e-10 && a.linear_error < 1e-11);
    const trm_vec3 tip = place_of(&r, body);
    stop(&r);
    running_solver = NULL;
    return tip;
}

/* Cut into slices from nine joints on. */
static void a_hub_in_slices_moves_as_one_body(void **state)
{
    (void)state;
    const double same = 1e-9; /* tolerances of 1e-12 over 100 steps; reached 2e-11 */
    for (int arms = 7; arms <= 25; arms += 6) {
        const trm_vec3 a = tip_of_star(arms, "direct", "b5"), b = tip_of_star(arms, "iterative", "b5");
        assert_near(a.x, b.x, same);
        assert_near(a.y, b.y, same);
        assert_near(a.z, b.z, same);
    }
}

/* Memory that a simulation of a star takes after its first step, per arm. */
static double bytes_per_arm(int arms)
{
    failing_allocator memory;
    failing_allocator_reset(&memory, 0, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_model *model = star(arms);
    trm_sim *sim = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    assert_int_equal(trm_sim_create(model, NULL, &hooks, messages, &sim), TRM_OK);
    assert_good(trm_sim_step(sim, 0.001));
    const double bytes = (double)memory.bytes_live / arms;
    trm_sim_destroy(sim);
    trm_messages_destroy(messages);
    trm_model_destroy(model);
    return bytes;
}

static void a_hub_takes_memory_in_proportion_to_its_joints(void **state)
{
    (void)state;
    /* Beyond the 1000 rows up to which there is room for the exact matrix. A dense clique of 400 blocks of 3 x 3 alone
     * would take 14 KB per arm, and twice as much for twice as many arms. Per arm it may become less: blocks of memory
     * are taken whole, and of a few arms the last block is a larger part. */
    const double few = bytes_per_arm(400), many = bytes_per_arm(800);
    printf("%.0f bytes per arm for 400 arms, %.0f for 800\n", few, many);
    assert_true(many < 1.1 * few);
    assert_true(many < 4000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_number_of_threads_changes_no_bit),
        cmocka_unit_test(the_number_of_threads_changes_no_bit_of_contacts),
        cmocka_unit_test(the_number_of_threads_changes_no_bit_of_lcp),
        cmocka_unit_test(an_island_moves_as_if_it_were_alone),
        cmocka_unit_test(a_hub_in_slices_moves_as_one_body),
        cmocka_unit_test(a_hub_takes_memory_in_proportion_to_its_joints),
    };
    return RUN_TESTS(tests);
}

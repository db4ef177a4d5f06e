/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts affect only the islands on which they act. */

#include "random_bodies.h"
#include "scenes.h"

/* ---- The same bits ------------------------------------------------------------------------ */

typedef struct setting {
    uint64_t seed;
    const char *impact, *solver;
    double mass, length, step; /* factors */
} setting;

enum { MOST_LINKS = 5 };

static int link_count(const setting *c)
{
    return 2 + (int)(c->seed % (MOST_LINKS - 1));
}

/* Adds a chain of links that hangs from a fixed point; every third link has a loop, every second a damped spring. No
 * link has a shape. */
static void add_machine(scene *s, const setting *c)
{
    static const char *const TYPES[] = {"ball", "hinge", "universal"};
    trm_random random = trm_random_seed(c->seed);
    const int links = link_count(c);
    trm_vec3 at = trm_v3_scale(c->length, trm_v3(0, 0, 9));
    for (int i = 0; i < links; i++) {
        trm_body_def body = random_body(&random, NULL);
        const trm_vec3 along = trm_v3_scale(c->length, random_direction(&random));
        body.mass *= c->mass;
        for (int k = 0; k < 6; k++) body.inertia[k] *= c->mass * c->length * c->length;
        body.com = trm_v3_scale(c->length, body.com);
        body.position = trm_v3_add_scaled(at, 0.5, along);
        body.velocity = body.angular_velocity = trm_v3(0, 0, 0);
        const int index = add_body(&s->m, body);
        trm_joint_def *joint = add_joint(&s->m, TYPES[(c->seed + (uint64_t)i) % 3], i == 0 ? 0 : index - 1, index);
        joint->anchor = at;
        joint->axis = random_direction(&random);
        if (strcmp(joint->type, "universal") == 0)
            joint->axis2 = trm_v3_unit(trm_v3_cross(joint->axis, random_direction(&random)));
        at = trm_v3_add(at, along);
    }
    if (c->seed % 3 == 0) add_bar(&s->m, 1, links);
    if (c->seed % 2 == 0) {
        trm_force_def spring = trm_default_force_def();
        spring.type = "spring";
        spring.bodies[0] = s->m.body_names[0];
        spring.bodies[1] = s->m.body_names[links];
        spring.anchors[0] = trm_v3_scale(c->length, trm_v3(1, 0, 8));
        spring.anchors[1] = trm_v3(0, 0, 0);
        spring.stiffness = 20 * c->mass;
        spring.damping = 0.5 * c->mass;
        assert_int_equal(trm_add_force(s->m.def, &spring), TRM_OK);
    }
}

/* Adds two boxes on each other and, where contacts are not events, one that falls and slides. */
static void add_boxes(scene *s, const setting *c)
{
    const double a = 0.2 * c->length;
    add_floor(s);
    for (int i = 0; i < 2; i++) add_solid(s, box_of(a, a, a), 3 * c->mass, trm_v3(0, 0, (0.5 + i) * a));
    if (strcmp(c->impact, "window") != 0) return;
    add_solid(s, box_of(a, a, a), 2 * c->mass, trm_v3(5 * a, 0, 2 * a))->velocity = trm_v3(c->length, 0, 0);
}

static running run_setting(const setting *c, bool boxes)
{
    scene s;
    scene_init(&s, 0.5, 0.3);
    add_machine(&s, c);
    if (boxes) add_boxes(&s, c);
    trm_simulation_def *o = &s.m.def->simulation;
    o->impact = c->impact;
    o->solver = c->solver;
    o->sleep = "off";
    return run_scene(&s, 0.005 * c->step);
}

static void assert_same_bits(const running *a, const running *b, int links, const setting *c)
{
    for (int i = 1; i <= links; i++) {
        const trm_pose X = trm_body_pose(trm_sim_state(a->sim), i), Y = trm_body_pose(trm_sim_state(b->sim), i);
        const trm_spatial V = trm_body_velocity(trm_sim_state(a->sim), i),
                          U = trm_body_velocity(trm_sim_state(b->sim), i);
        if (memcmp(&X, &Y, sizeof X) == 0 && memcmp(&V, &U, sizeof V) == 0) continue;
        print_error("seed %d, %s, %s: link %d differs at t = %.6g\n", (int)c->seed, c->impact, c->solver, i,
                    trm_state_time(trm_sim_state(a->sim)));
        fail();
    }
}

static void compare_setting(const setting *c)
{
    enum { ROWS = 10 };
    running alone = run_setting(c, false), beside = run_setting(c, true);
    for (int row = 1; row <= ROWS; row++) {
        const double t = row * 4 * 0.005 * c->step;
        go_every(&alone, t, t);
        go_every(&beside, t, t);
        assert_same_bits(&alone, &beside, link_count(c), c);
    }
    assert_true(trm_sim_counters(beside.sim)->contacts > 0);
    stop(&alone);
    stop(&beside);
}

static void a_machine_without_shapes_moves_bit_identically_with_touching_boxes_elsewhere(void **unused)
{
    static const char *const IMPACTS[] = {"event", "window"}, *const SOLVERS[] = {"direct", "iterative"};
    static const double FACTORS[] = {1, 3, 1.0 / 3};
    (void)unused;
    for (uint64_t seed = 1; seed <= 24; seed++)
        for (int k = 0; k < (seed % 3 == 0 ? 2 : 4); k++) /* the iterative solver is slow with loops */
            compare_setting(&(setting){seed, IMPACTS[k % 2], SOLVERS[k / 2], FACTORS[seed % 3], FACTORS[seed / 3 % 3],
                                       FACTORS[seed / 9 % 3]});
}

/* ---- Arms --------------------------------------------------------------------------------- */

/* Adds an arm like those of robots: kilograms at the shoulder, 1e-4 kg m^2 at the hand, hinges with crossed axes. The
 * hand is a box. */
static int add_arm(scene *s, trm_vec3 base)
{
    static const struct {
        double mass, inertia, length;
        trm_vec3 axis, along;
    } LINKS[] = {{3.7, 6e-3, 0.09, {0, 0, 1}, {0, 0, 1}},    {8.4, 0.3, 0.42, {0, 1, 0}, {1, 0, 0.2}},
                 {2.3, 0.05, 0.39, {0, 1, 0}, {1, 0, -0.1}}, {1.2, 1e-3, 0.1, {0, 1, 0}, {0, 1, 0}},
                 {1.2, 1e-3, 0.1, {1, 0, 0}, {0, 0, -1}},    {0.2, 1e-4, 0.08, {0, 0, 1}, {0, 0, -1}}};
    enum { COUNT = sizeof LINKS / sizeof *LINKS };
    trm_vec3 at = base;
    int last = 0;
    for (int i = 0; i < COUNT; i++) {
        const trm_vec3 along = trm_v3_scale(LINKS[i].length, trm_v3_unit(LINKS[i].along));
        trm_body_def body = trm_default_body_def();
        body.mass = LINKS[i].mass;
        for (int k = 0; k < 6; k++) body.inertia[k] = k < 3 ? LINKS[i].inertia : 0;
        body.position = trm_v3_add_scaled(at, 0.5, along);
        int index = s->m.def->body_count + 1;
        if (i + 1 == COUNT)
            add_shaped(s, body, box_of(0.05, 0.05, 0.08));
        else
            index = add_body(&s->m, body);
        add_joint_at(&s->m, "hinge", last, index, at.x, at.y, at.z)->axis = LINKS[i].axis;
        at = trm_v3_add(at, along);
        last = index;
    }
    return last;
}

/* A fall on the table takes at most this many steps per planned step. */
static void an_arm_of_small_inertias_lands_on_a_table_without_crawling(void **unused)
{
    enum { PLANNED = 200, MOST = 10 };
    static const char *const IMPACTS[] = {"event", "window"};
    static const double FACTORS[] = {1, 3, 1.0 / 3};
    (void)unused;
    for (int k = 0; k < 6; k++) {
        scene s;
        scene_init(&s, 0.6, 0);
        add_arm(&s, trm_v3(0, 0, 0.4));
        add_floor(&s);
        for (int i = 0; i < s.m.def->body_count; i++) {
            s.m.def->bodies[i].mass *= FACTORS[k % 3];
            for (int j = 0; j < 6; j++) s.m.def->bodies[i].inertia[j] *= FACTORS[k % 3];
        }
        s.m.def->simulation.impact = IMPACTS[k / 3];
        running r = run_scene(&s, 0.005);
        go_every(&r, 0.005 * PLANNED, 0.02);
        const trm_counters *count = trm_sim_counters(r.sim);
        print_message("    %s, masses times %.3g: %lld steps of %d planned, %lld halvings\n", IMPACTS[k / 3],
                      FACTORS[k % 3], count->steps, PLANNED, count->halvings);
        assert_true(count->contacts > 0);
        assert_true(count->steps <= MOST * PLANNED);
        stop(&r);
    }
}

/* A slider is driven down until the box in its hand stands on the floor. */
static void a_machine_that_is_driven_into_the_floor_names_what_presses_against_what(void **unused)
{
    static const char *const IMPACTS[] = {"event", "window"};
    (void)unused;
    for (int k = 0; k < 2; k++) {
        scene s;
        scene_init(&s, 0.6, 0);
        add_solid(&s, box_of(0.1, 0.1, 0.1), 1, trm_v3(0, 0, 0.1));
        add_floor(&s);
        add_joint_at(&s.m, "slider", 0, 1, 0, 0, 0)->axis = trm_v3(0, 0, 1);
        add_drive(&s.m, 0, 0);
        s.m.def->joints[1].motion = trm_expression_function("-0.2*t^2");
        s.m.def->simulation.impact = IMPACTS[k];
        running r = run_scene(&s, 0.005);
        const trm_outcome outcome = trm_sim_run(r.sim, &(trm_run_def){.until = 2, .every = 0.1});
        print_message("    %s: %s\n", outcome.element, outcome.why);
        assert_false(outcome.ok);
        assert_true(outcome.time > 0.49 && outcome.time < 0.51);
        assert_non_null(strstr(outcome.why, "between 'b1' and 'b2'"));
        assert_true(trm_sim_counters(r.sim)->steps <= 400);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_without_shapes_moves_bit_identically_with_touching_boxes_elsewhere),
        cmocka_unit_test(an_arm_of_small_inertias_lands_on_a_table_without_crawling),
        cmocka_unit_test(a_machine_that_is_driven_into_the_floor_names_what_presses_against_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

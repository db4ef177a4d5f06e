/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An initial pose that violates its joints is moved to the nearest one that satisfies them. */

#include "base/random.h"
#include "check.h"
#include "machines.h"
#include "motion/state.h"
#include "running.h"

/* Joints are closed to the default tolerance of a model, 1e-10. */
static const double closed = 1e-10;
/* With redundant rows velocities agree only as well as joints are closed, times the bodies' speeds. */
static const double velocities_fit = 1e-8;

typedef struct assembled {
    trm_model *model;
    trm_state *state;
    trm_messages *messages;
    trm_status status;
    trm_assembly done;
} assembled;

static assembled assemble_state(trm_model *model, trm_state *state)
{
    assembled a = {.model = model, .state = state, .messages = trm_messages_create(NULL)};
    a.status = trm_assemble(state, NULL, a.messages, &a.done);
    return a;
}

static assembled assemble(trm_model *model)
{
    return assemble_state(model, trm_state_create(model, NULL));
}

static void assembled_free(assembled *a)
{
    trm_messages_destroy(a->messages);
    trm_state_destroy(a->state);
    trm_model_destroy(a->model);
}

static void assert_closed(const assembled *a)
{
    if (a->status != TRM_OK) print_messages(a->messages);
    assert_int_equal(a->status, TRM_OK);
    for (int j = 0; j < trm_joint_count(a->model); j++) {
        const trm_gap gap = trm_position_gap(a->state, j), speed = trm_velocity_gap(a->state, j);
        assert_true(gap.position <= closed && gap.angle <= closed);
        assert_true(speed.position <= velocities_fit && speed.angle <= velocities_fit);
    }
}

/* Asserts that the message about joint j0 contains this piece. */
static void assert_said(const assembled *a, trm_severity severity, const char *piece)
{
    for (int i = 0; i < trm_message_count(a->messages); i++) {
        const trm_message *message = trm_message_at(a->messages, i);
        if (message->severity == severity && strcmp(message->element, "joint 'j0'") == 0 &&
            strstr(message->text, piece))
            return;
    }
    print_messages(a->messages);
    fail_msg("nothing said of '%s'", piece);
}

/* ---- Nearest ------------------------------------------------------------------------------ */

/* A point on a bar that is too long for its position moves straight outwards. */
static void a_point_goes_straight_to_its_bar(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    const int bob = add_point(&m, 0.6, 0.8, 0);
    add_bar(&m, 0, bob)->length = 1.5;
    assembled a = assemble(machine_finish(&m));
    assert_closed(&a);
    assert_near(trm_body_pose(a.state, 1).p.x, 0.9, closed);
    assert_near(trm_body_pose(a.state, 1).p.y, 1.2, closed);
    assert_near(a.done.position, 0.5, closed);
    assert_int_equal(a.done.position_body, 1);
    assert_said(&a, TRM_WARNING, "is open initially, by 0.5 m and 0 rad");
    assembled_free(&a);
}

/* Two free points share the displacement in the inverse ratio of their masses, so that their centre stays. */
static void the_lighter_body_goes_farther(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    const int light = add_point(&m, 0, 0, 0), heavy = add_point(&m, 1, 0, 0);
    m.def->bodies[1].mass = 3;
    add_bar(&m, light, heavy)->length = 1.8;
    assembled a = assemble(machine_finish(&m));
    assert_closed(&a);
    assert_near(trm_body_pose(a.state, light).p.x, -0.6, closed);
    assert_near(trm_body_pose(a.state, heavy).p.x, 1.2, closed);
    assembled_free(&a);
}

/* Returns the cost of two points on bars in a chain, masses 1 and 2. */
static double cost_of(double a, double b, const trm_vec3 *start)
{
    const trm_vec3 p = trm_v3(cos(a), sin(a), 0), q = trm_v3_add(p, trm_v3(cos(b), sin(b), 0));
    const trm_vec3 dp = trm_v3_sub(p, start[0]), dq = trm_v3_sub(q, start[1]);
    return trm_v3_dot(dp, dp) + 2 * trm_v3_dot(dq, dq);
}

/* Returns the least cost over both angles, by successively finer grids. */
static double least_cost(const trm_vec3 *start)
{
    double a = 0, b = 0, best = INFINITY;
    for (double width = TRM_PI; width > 1e-9; width *= 0.2) {
        const double centre_a = a, centre_b = b;
        for (int i = -20; i <= 20; i++)
            for (int k = -20; k <= 20; k++) {
                const double x = centre_a + width * i / 20, y = centre_b + width * k / 20;
                const double cost = cost_of(x, y, start);
                if (cost < best) best = cost, a = x, b = y;
            }
    }
    return best;
}

/* Compared with a search over all angles. The elbow is clearly bent to one side, because near the stretched pose both
 * sides would be near. */
static void no_consistent_place_is_nearer(void **state)
{
    (void)state;
    const double same = 1e-7;
    trm_random random = trm_random_seed(4);
    for (int number = 0; number < 50; number++) {
        trm_vec3 start[2];
        for (int i = 0; i < 2; i++)
            start[i] = trm_v3(0.8 + 0.8 * i + trm_random_uniform(&random, -0.3, 0.3),
                              0.6 - 0.6 * i + trm_random_uniform(&random, -0.3, 0.3), 0);
        machine m;
        machine_init(&m);
        const int p = add_point(&m, start[0].x, start[0].y, 0), q = add_point(&m, start[1].x, start[1].y, 0);
        m.def->bodies[1].mass = 2;
        add_bar(&m, 0, p)->length = 1;
        add_bar(&m, p, q)->length = 1;
        assembled a = assemble(machine_finish(&m));
        assert_closed(&a);
        const trm_vec3 dp = trm_v3_sub(trm_body_pose(a.state, p).p, start[0]);
        const trm_vec3 dq = trm_v3_sub(trm_body_pose(a.state, q).p, start[1]);
        assert_near(trm_v3_dot(dp, dp) + 2 * trm_v3_dot(dq, dq), least_cost(start), same);
        assembled_free(&a);
    }
}

/* ---- Machines ----------------------------------------------------------------------------- */

static void shake(trm_state *state, trm_random *random, double by)
{
    for (int i = 0; i < state->model->body_count; i++) {
        if (state->model->bodies[i].inverse_mass == 0) continue;
        trm_pose pose = trm_body_pose(state, i);
        const trm_vec3 turn = trm_v3(trm_random_uniform(random, -by, by), trm_random_uniform(random, -by, by),
                                     trm_random_uniform(random, -by, by));
        pose.p = trm_v3_add(pose.p, trm_v3(trm_random_uniform(random, -by, by), trm_random_uniform(random, -by, by),
                                           trm_random_uniform(random, -by, by)));
        pose.q = trm_quat_mul((trm_quat){1, turn.x, turn.y, turn.z}, pose.q);
        trm_set_body_pose(state, i, pose);
    }
}

/* Every machine is assembled again after its bodies were displaced by some centimetres. */
static void shaken_machines_find_together(void **state)
{
    (void)state;
    static const char *const files[] = {"eight-loop",      "four-bar", "slider-crank",
                                        "double-pendulum", "trammel",  "two-ball-hinge"};
    trm_random random = trm_random_seed(5);
    for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
        char path[200];
        snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", files[f]);
        trm_model *model = model_of_file(path);
        trm_state *shaken = trm_state_create(model, NULL);
        shake(shaken, &random, 0.03);
        assembled a = assemble_state(model, shaken);
        print_message("%s: moved by %.3g m, %.3g rad\n", files[f], a.done.position, a.done.angle);
        assert_closed(&a);
        assert_true(a.done.position < 0.3 && a.done.angle < 0.3); /* nearby, not anywhere */
        assembled_free(&a);
    }
}

/* The body starts at a distance of half a metre and 29 degrees. */
static void a_body_comes_to_its_hinge(void **state)
{
    (void)state;
    assembled a = assemble(model_of_text("{\"trammel\": 1, \"bodies\": [{\"name\": \"rod\", \"rod\": {\"from\": [0, "
                                         "0, 0], \"to\": [1, 0, 0], \"mass\": 1}}],"
                                         " \"joints\": [{\"name\": \"j0\", \"type\": \"hinge\", \"bodies\": "
                                         "[\"ground\", \"rod\"], \"anchors\": [[0.5, 0, 0],"
                                         " [0, 0.25, 0]], \"axes\": [[0, 0, 1], [0, 0.5, 1]]}]}"));
    assert_closed(&a);
    assembled_free(&a);
}

/* A run begins from the assembled start and stores how far it was moved. */
static void a_simulation_begins_assembled(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    const int bob = add_point(&m, 1, 0, 0);
    add_bar(&m, 0, bob)->length = 1.25;
    running r = run_model_at(machine_finish(&m), 0.01, 1e-12);
    assert_near(trm_sim_assembly(r.sim).position, 0.25, closed);
    go(&r, 1);
    const trm_accuracy accuracy = trm_sim_accuracy(r.sim);
    assert_true(accuracy.gap.position < 1e-12);
    assert_true(accuracy.energy_error_max < 1e-3); /* order 2; closing the gap by an impulse would give 3e2 J */
    stop(&r);
}

/* ---- Messages ----------------------------------------------------------------------------- */

/* Assembles a ball on a hinge whose frames are apart by this gap. */
static assembled open_hinge(double gap, double speed)
{
    machine m;
    machine_init(&m);
    add_ball(&m, 1, 0, 0);
    trm_joint_def *hinge = add_joint(&m, "hinge", 0, 1);
    hinge->anchors[0] = trm_v3(0, gap, 0), hinge->anchors[1] = trm_v3(-1, 0, 0);
    hinge->axes[0] = hinge->axes[1] = trm_axis(2);
    m.def->bodies[0].velocity = trm_v3(speed, 0, 0);
    return assemble(machine_finish(&m));
}

static void gaps_by_rounding_of_the_file_are_closed_without_a_message(void **state)
{
    (void)state;
    assembled little = open_hinge(9e-7, 0), more = open_hinge(1.1e-6, 0);
    assert_closed(&little);
    assert_int_equal(trm_message_count(little.messages), 0);
    assert_closed(&more);
    assert_said(&more, TRM_WARNING, "is open initially, by 1.1e-06 m");
    assembled_free(&little);
    assembled_free(&more);
}

static void velocities_are_projected(void **state)
{
    (void)state;
    assembled a = open_hinge(0, 0.5);
    assert_closed(&a);
    assert_said(&a, TRM_WARNING, "the initial velocities violate it by 0.5 m/s and 0 rad/s");
    assert_near(a.done.speed, 0.5, closed);
    assert_near(a.done.position, 0, closed);
    assembled_free(&a);
}

/* Bars of 0.9 m on three feet 1 m from their centre: any two of them can meet, but not all three, as in a tetrahedron
 * with equal triangles. The state is left unchanged. */
static void what_cannot_be_closed_is_named(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    const int bob = add_point(&m, 0, 0, 0.1);
    for (int i = 0; i < 3; i++) {
        const double angle = 2 * TRM_PI * i / 3;
        add_bar(&m, add_fixed(&m, cos(angle), sin(angle), 0), bob)->length = 0.9; /* the feet are 1.73 m apart */
    }
    trm_model *model = machine_finish(&m);
    trm_state *start = trm_state_create(model, NULL), *kept = trm_state_create(model, NULL);
    assembled a = assemble_state(model, start);
    assert_int_equal(a.status, TRM_BAD_INPUT);
    assert_said(&a, TRM_ERROR, "cannot be closed");
    assert_true(trm_state_equal(a.state, kept));
    trm_state_destroy(kept);
    assembled_free(&a);
}

/* ---- Contradictions ------------------------------------------------------------------------ */

/* Asserts that this is the only message about an impossible machine. */
static void assert_contradiction(machine *m, const char *element, const char *text)
{
    assembled a = assemble(machine_finish(m));
    assert_int_equal(a.status, TRM_BAD_INPUT);
    if (trm_message_count(a.messages) != 1) print_messages(a.messages);
    assert_int_equal(trm_message_count(a.messages), 1);
    assert_string_equal(trm_message_at(a.messages, 0)->element, element);
    assert_string_equal(trm_message_at(a.messages, 0)->text, text);
    assembled_free(&a);
}

static void a_side_longer_than_the_others_of_its_triangle_is_named(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_point(&m, 0, 0, 0), add_point(&m, 1, 0, 0), add_point(&m, 1, 1, 0);
    add_bar(&m, 1, 2);
    add_bar(&m, 2, 3);
    add_bar(&m, 1, 3)->length = 2.5;
    assert_contradiction(&m, "joint 'j2'",
                         "is 2.5 m long, but 'j0' and 'j1' between its ends make only 2 m; correct a length");
}

static void two_lengths_of_one_distance_are_named(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_point(&m, 1, 0, 0);
    add_bar(&m, 0, 1)->length = 1.5;
    add_bar(&m, 0, 1)->length = 1;
    assert_contradiction(&m, "joint 'j0'",
                         "is 1.5 m long, but 'j1' between its ends makes only 1 m; correct a length");
}

/* A rope keeps its ends together, too; by itself it is never too long. */
static void a_rope_that_is_too_short_for_a_bar_is_named(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_point(&m, 1, 0, 0), add_point(&m, 2, 0, 0);
    add_bar(&m, 0, 1);
    trm_joint_def *rope = add_bar(&m, 1, 2);
    rope->rope = true, rope->length = 0.5;
    add_bar(&m, 0, 2);
    assert_contradiction(&m, "joint 'j2'",
                         "is 2 m long, but 'j0' and 'j1' between its ends make only 1.5 m; correct a length");
}

static void pins_too_far_apart_for_the_bars_between_them_are_named(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    const int bob = add_point(&m, 1, 0.2, 0), pin = add_fixed(&m, 3, 0, 0);
    add_bar(&m, 0, bob)->length = 1;
    add_bar(&m, bob, pin)->length = 1;
    assert_contradiction(&m, "joint 'j0'",
                         "its anchor and that of 'j1' on what is held are 3 m apart, but 'j0' and 'j1' between them "
                         "make only 2 m; correct a length or an anchor");
}

/* A path leads through a body, 1 m from anchor to anchor, and through more joints than are named. */
static void bodies_and_many_joints_are_part_of_a_way(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    add_ball(&m, 0, 0, 0);
    for (int i = 0; i < 8; i++) add_point(&m, 1 + i, 0.1 * (i % 2), 0);
    trm_joint_def *first = add_bar(&m, 1, 2);
    first->anchors[0] = trm_v3(0.5, 0, 0), first->length = 0.5;
    for (int i = 2; i < 9; i++) add_bar(&m, i, i + 1)->length = 1;
    trm_joint_def *across = add_bar(&m, 1, 9);
    across->anchors[0] = trm_v3(-0.5, 0, 0), across->length = 9;
    assert_contradiction(&m, "joint 'j8'",
                         "is 9 m long, but 'j0', 'j1', 'j2', 'j3', 'j4' and 3 more joints between its ends make only "
                         "8.5 m; correct a length");
}

static void a_start_that_is_not_a_number_is_an_error(void **state)
{
    (void)state;
    assembled fine = open_hinge(0, 0);
    assert_int_equal(trm_message_count(fine.messages), 0);
    fine.state->pose[1].p.x = NAN;
    assert_int_equal(trm_assemble(fine.state, NULL, fine.messages, NULL), TRM_BAD_INPUT);
    assert_said(&fine, TRM_ERROR, "nan");
    assembled_free(&fine);
}

/* A rope that is slack initially stays slack while a bar next to it is closed. */
static void a_slack_rope_is_left_alone(void **state)
{
    (void)state;
    machine m;
    machine_init(&m);
    const int bob = add_point(&m, 1, 0, 0);
    add_bar(&m, 0, bob)->length = 1.25;
    trm_joint_def *rope = add_bar(&m, 0, bob);
    rope->length = 2;
    rope->rope = true;
    assembled a = assemble(machine_finish(&m));
    assert_int_equal(a.status, TRM_OK);
    assert_near(trm_body_pose(a.state, bob).p.x, 1.25, closed);
    assert_true(trm_joint_attached(a.state, 1));
    assembled_free(&a);
}

/* Two ropes are just taut, one of them too short by rounding. Their ends fly outward, and another joint is not met by
 * its velocities, so that the start is assembled: both ropes keep the speeds with which they rebound in the first
 * step. */
static void rounding_does_not_decide_whether_a_rope_rebounds(void **state)
{
    (void)state;
    const double rounding = 1e-15, speed = 1;
    machine m;
    machine_init(&m);
    add_bar(&m, 0, add_point(&m, 0, 1, 0));
    m.def->bodies[0].velocity = trm_v3(0, 0.5, 0);
    for (int i = 0; i < 2; i++) {
        const int bob = add_point(&m, 1, 0, 0);
        trm_joint_def *rope = add_bar(&m, 0, bob);
        rope->length = 1 - i * rounding;
        rope->rope = true;
        m.def->bodies[bob - 1].velocity = trm_v3(speed, 0, 0);
    }
    assembled a = assemble(machine_finish(&m));
    assert_int_equal(a.status, TRM_OK);
    assert_int_equal(trm_message_count(a.messages), 1);
    for (int i = 0; i < 2; i++) assert_near(trm_body_velocity(a.state, 2 + i).lin.x, speed, closed);
    assembled_free(&a);
}

/* Closing the bar stretches a rope that was slack. The rope then acts, and both cannot be closed; or they can: the
 * bob moves sideways. */
static void a_rope_that_assembly_makes_taut_holds(void **state)
{
    (void)state;
    for (int possible = 0; possible < 2; possible++) {
        machine m;
        machine_init(&m);
        const int bob = add_point(&m, 1, 0, 0), pin = add_fixed(&m, 0, possible ? 1 : 0, 0);
        add_bar(&m, 0, bob)->length = 1.5;
        trm_joint_def *rope = add_bar(&m, pin, bob);
        rope->length = possible ? 1.6 : 1.2;
        rope->rope = true;
        assembled a = assemble(machine_finish(&m));
        assert_int_equal(a.status, possible ? TRM_OK : TRM_BAD_INPUT);
        if (possible) assert_true(trm_position_gap(a.state, 1).position <= closed);
        assembled_free(&a);
    }
}

/* Friction does not hold a joint that starts outside of its limits, as knees of quadrupeds do in many files. It holds
 * the joint at the position that assembly finds: the torque of 5 N m carries the weight. */
static void friction_does_not_hold_a_joint_outside_of_its_limits(void **state)
{
    (void)state;
    running r;
    assembled a = assemble(
        model_of_text("{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": [{ \"name\": \"a\", \"mass\": 1,"
                      "  \"com\": [0, 0, -0.3], \"inertia\": [0.1, 0.1, 0.1] }], \"joints\": [{ \"name\": \"j0\","
                      "  \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0],"
                      "  \"axis\": [0, 1, 0], \"limits\": [-2, -0.5], \"friction\": 5 }] }"));
    assert_closed(&a);
    assert_said(&a, TRM_WARNING, "is beyond its limit initially");
    trm_simulation_def o = *trm_model_simulation(a.model);
    r = run_model(a.model, &o);
    for (int i = 0; i < 100; i++) assert_true(trm_sim_step(r.sim, 0.01).ok);
    const trm_quat q = trm_body_pose(trm_sim_state(r.sim), trm_find_body(r.model, "a")).q;
    assert_near(2 * atan2(q.y, q.w), -0.5, 1e-9);
    a.model = NULL;
    assembled_free(&a);
    stop(&r);
}

/* Light links can turn far at almost no cost, but a taut chain does not get longer by that: its heavy end has to
 * move. */
static void a_heavy_end_comes_to_its_taut_chain(void **unused)
{
    (void)unused;
    assembled a = assemble(model_of_text(
        "{ \"trammel\": 1, \"bodies\": ["
        "{ \"name\": \"l{i}\", \"repeat\": 8, \"rod\": { \"from\": [\"-0.0005*{mod(i,2)}\", 0, \"-0.25*{i}\"],"
        "  \"to\": [\"-0.0005*{mod(i+1,2)}\", 0, \"-0.25*{i+1}\"], \"mass\": 0.5, \"radius\": 0.03 } },"
        "{ \"name\": \"ball\", \"mass\": 200, \"inertia\": [8, 8, 8], \"position\": [0, 0, -2.005] }], \"joints\": ["
        "{ \"name\": \"top\", \"type\": \"ball\", \"bodies\": [\"ground\", \"l0\"], \"anchor\": [0, 0, 0] },"
        "{ \"name\": \"j{i+1}\", \"repeat\": 7, \"type\": \"ball\", \"bodies\": [\"l{i}\", \"l{i+1}\"],"
        "  \"anchor\": [\"-0.0005*{mod(i+1,2)}\", 0, \"-0.25*{i+1}\"] },"
        "{ \"name\": \"j0\", \"type\": \"ball\", \"bodies\": [\"l7\", \"ball\"],"
        "  \"anchors\": [[0.125, 0, 0], [0, 0, 0]] }] }"));
    assert_closed(&a);
    assert_near(trm_body_pose(a.state, trm_find_body(a.model, "ball")).p.z, -2, 1e-4);
    assembled_free(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_goes_straight_to_its_bar),
        cmocka_unit_test(the_lighter_body_goes_farther),
        cmocka_unit_test(no_consistent_place_is_nearer),
        cmocka_unit_test(shaken_machines_find_together),
        cmocka_unit_test(a_body_comes_to_its_hinge),
        cmocka_unit_test(a_heavy_end_comes_to_its_taut_chain),
        cmocka_unit_test(a_simulation_begins_assembled),
        cmocka_unit_test(gaps_by_rounding_of_the_file_are_closed_without_a_message),
        cmocka_unit_test(velocities_are_projected),
        cmocka_unit_test(what_cannot_be_closed_is_named),
        cmocka_unit_test(a_side_longer_than_the_others_of_its_triangle_is_named),
        cmocka_unit_test(two_lengths_of_one_distance_are_named),
        cmocka_unit_test(a_rope_that_is_too_short_for_a_bar_is_named),
        cmocka_unit_test(pins_too_far_apart_for_the_bars_between_them_are_named),
        cmocka_unit_test(bodies_and_many_joints_are_part_of_a_way),
        cmocka_unit_test(a_start_that_is_not_a_number_is_an_error),
        cmocka_unit_test(a_slack_rope_is_left_alone),
        cmocka_unit_test(rounding_does_not_decide_whether_a_rope_rebounds),
        cmocka_unit_test(a_rope_that_assembly_makes_taut_holds),
        cmocka_unit_test(friction_does_not_hold_a_joint_outside_of_its_limits),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rigid bodies move like the point masses that trm_to_points makes of them (Schmitt, Bender, Prautzsch 2005, section
 * 3).
 *
 * All points that belong to a single body are compared with their positions in that body at many times. Both are
 * solutions of order p, so that their difference falls as h^p. */

#include "check.h"
#include "running.h"

static const double ALIKE = 1e-6;  /* m, after 1 s at h = 1e-4 */
static const double TIGHT = 1e-12; /* tolerance of joints */
/* Tolerance of an observed order 2 between steps that are not very small; twice that for order 4. */
static const double ORDER_SLACK = 0.2;
static const double STEP = 4e-3;    /* s: of order 2 */
static const double STEP_4 = 16e-3; /* s: of order 4 */
static const double TIME = 0.4;     /* s */
/* A rod without thickness has a moment of 1e-8 about itself: rounding turns it, and the light points next to it. */
static const double ON_THE_ROD = 1e-3; /* kg */

typedef struct machine {
    const char *name, *text;
    trm_point_layout layout;
    double step;  /* s: step of order 4, longer where the difference soon reaches rounding; 0: STEP_4 */
    double least; /* kg: lighter points are not compared */
} machine;

/* Two rods at right angles; the second one is pushed out of the plane if its joints allow it. */
#define DOUBLE_PENDULUM(radius, joint, push) TWO_RODS(radius, joint, joint, push, "")
#define TWO_RODS(radius, joint, second, push, more)                                                                  \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"a\", \"rod\": { \"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 1, \"radius\": " radius       \
    " } },"                                                                                                          \
    "  { \"name\": \"b\", \"rod\": { \"from\": [1, 0, 0], \"to\": [1, 1, 0], \"mass\": 2, \"radius\": " radius " }," \
    "    " push " }],"                                                                                               \
    "  \"joints\": ["                                                                                                \
    "  { \"name\": \"j1\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 0], " joint " },"                     \
    "  { \"name\": \"j2\", \"bodies\": [\"a\", \"b\"], \"anchor\": [1, 0, 0], " second " }]" more " }"
#define BALL      "\"type\": \"ball\""
#define HINGE     "\"type\": \"hinge\", \"axis\": [0, 0, 1]"
#define UNIVERSAL "\"type\": \"universal\", \"axis\": [0, 0, 1], \"axis2\": [0, 1, 0]"
#define GIMBAL    "\"type\": \"gimbal\", \"axis\": [0, 0, 1], \"axis2\": [0, 1, 0]"
#define FIXED     "\"type\": \"fixed\""
#define SPRING                                                                                                       \
    ", \"forces\": [{ \"type\": \"spring\", \"bodies\": [\"ground\", \"b\"], \"stiffness\": 30, \"damping\": 0.4,"   \
    "  \"anchors\": [[1, 2, 0.3], [0.4, 0.02, 0.03]], \"rest\": 0.8 }]"
#define FREE_BODY(moments)                                                                                           \
    "{ \"trammel\": 1, \"gravity\": [0, 0, -1], \"bodies\": [{ \"name\": \"body\", \"mass\": 1,"                     \
    "  \"inertia\": [" moments "], \"velocity\": [0.1, 0.2, 0.3], \"angular_velocity\": [0.1, 1, 0.2] }] }"
#define FOUR_BAR                                                                                                     \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": ["                                                    \
    "  { \"name\": \"crank\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0, 0.3, 0], \"mass\": 1, \"radius\": 0.05 } " \
    "},"                                                                                                             \
    "  { \"name\": \"coupler\", \"rod\": { \"from\": [0, 0.3, 0], \"to\": [0.6, 0.5, 0], \"mass\": 2,"               \
    "    \"radius\": 0.05 } },"                                                                                      \
    "  { \"name\": \"rocker\", \"rod\": { \"from\": [0.5, 0, 0], \"to\": [0.6, 0.5, 0], \"mass\": 1,"                \
    "    \"radius\": 0.05 } }],"                                                                                     \
    "  \"joints\": ["                                                                                                \
    "  { \"name\": \"A\", \"bodies\": [\"ground\", \"crank\"], \"anchor\": [0, 0, 0], " HINGE " },"                  \
    "  { \"name\": \"B\", \"bodies\": [\"crank\", \"coupler\"], \"anchor\": [0, 0.3, 0], " HINGE " },"               \
    "  { \"name\": \"C\", \"bodies\": [\"coupler\", \"rocker\"], \"anchor\": [0.6, 0.5, 0], " HINGE " },"            \
    "  { \"name\": \"D\", \"bodies\": [\"ground\", \"rocker\"], \"anchor\": [0.5, 0, 0], " HINGE " }] }"
#define PUSH "\"velocity\": [0, 0, 0.5], \"angular_velocity\": [1, 0, 0]"

/* ---- Both side by side -------------------------------------------------------------------- */

typedef struct pair {
    running bodies, points;
    int *owner;      /* per point: the body whose name is a prefix of its name; 0: none */
    trm_vec3 *place; /* position in the frame of that body */
    double least;    /* kg */
} pair;

static int owner_of(const trm_model *bodies, const char *point)
{
    for (int i = 1; i < trm_body_count(bodies); i++) {
        const char *name = trm_body_info_of(bodies, i).name;
        const size_t length = strlen(name);
        if (strncmp(point, name, length) == 0 && point[length] == '/') return i;
    }
    return 0;
}

static trm_model *point_model(const machine *m, const trm_model *bodies)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    assert_int_equal(trm_to_points(bodies, m->layout, NULL, messages, NULL, &def), TRM_OK);
    trm_model *points = build_model(def);
    trm_messages_destroy(messages);
    trm_model_def_destroy(def);
    return points;
}

static pair start_pair(const machine *m, double order, double step)
{
    pair p = {.least = m->least};
    trm_simulation_def options = trm_default_simulation_def();
    options.order = order;
    options.step = step;
    options.position_tolerance = options.angle_tolerance = options.velocity_tolerance = TIGHT;
    trm_model *bodies = model_of_text(m->text), *points = point_model(m, bodies);
    p.bodies = run_model(bodies, &options);
    p.points = run_model(points, &options);
    const int count = trm_body_count(points);
    p.owner = test_calloc((size_t)count, sizeof *p.owner);
    p.place = test_calloc((size_t)count, sizeof *p.place);
    int owned = 0;
    for (int i = 1; i < count; i++) {
        p.owner[i] = owner_of(bodies, trm_body_info_of(points, i).name);
        owned += p.owner[i] > 0;
        const trm_pose frame = trm_body_pose(trm_sim_state(p.bodies.sim), p.owner[i]);
        p.place[i] = trm_pose_point_back(frame, trm_body_pose(trm_sim_state(p.points.sim), i).p);
    }
    assert_true(owned >= 4 * (trm_body_count(bodies) - 1));
    return p;
}

static void stop_pair(pair *p)
{
    stop(&p->bodies);
    stop(&p->points);
    test_free(p->owner);
    test_free(p->place);
}

/* Returns the largest distance of a point from its position in its body. */
static double distance_now(const pair *p)
{
    double largest = 0;
    for (int i = 1; i < trm_body_count(p->points.model); i++) {
        if (p->owner[i] == 0 || trm_body_info_of(p->points.model, i).mass < p->least) continue;
        const trm_vec3 at = trm_body_pose(trm_sim_state(p->points.sim), i).p;
        const trm_vec3 wanted = trm_point_position(trm_sim_state(p->bodies.sim), p->owner[i], p->place[i]);
        largest = fmax(largest, trm_v3_length(trm_v3_sub(at, wanted)));
    }
    return largest;
}

/* Returns the largest distance over the whole time. */
static double distance_over(const machine *m, double order, double step, double time)
{
    enum { LOOKS = 5 }; /* whole numbers of steps each */
    pair p = start_pair(m, order, step);
    double largest = 0;
    assert_near(distance_now(&p), 0, 1e-15);
    for (int i = 1; i <= LOOKS; i++) {
        go_every(&p.bodies, i * time / LOOKS, time / LOOKS);
        go_every(&p.points, i * time / LOOKS, time / LOOKS);
        largest = fmax(largest, distance_now(&p));
    }
    stop_pair(&p);
    return largest;
}

/* ---- Claims ------------------------------------------------------------------------------- */

static void points_stay_with_their_bodies_for_a_second(void **unused)
{
    (void)unused;
    static const machine machines[] = {
        {.name = "a free plate, J = (1, 2, 3)", .text = FREE_BODY("1, 2, 3"), .layout = TRM_POINTS_EIGHT},
        {.name = "rods on hinges",
         .text = DOUBLE_PENDULUM("0.05", HINGE, "\"velocity\": [0, 0, 0]"),
         .layout = TRM_POINTS_SIX},
        {.name = "rods on balls", .text = DOUBLE_PENDULUM("0.05", BALL, PUSH), .layout = TRM_POINTS_EIGHT},
        {.name = "four-bar", .text = FOUR_BAR, .layout = TRM_POINTS_SIX},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        const double distance = distance_over(&machines[i], 2, 1e-4, 1);
        print_message("    %-28s %.1e m\n", machines[i].name, distance);
        assert_true(distance <= ALIKE);
    }
}

/* Makes three steps, each half of the one before. */
static void check_order(const machine *m, double order, double step, double time)
{
    const double far = distance_over(m, order, step, time), middle = distance_over(m, order, step / 2, time),
                 near = distance_over(m, order, step / 4, time);
    print_message("    %-28s order %g: %.1e %.1e %.1e m, seen %.2f %.2f\n", m->name, order, far, middle, near,
                  log2(far / middle), log2(middle / near));
    assert_near(log2(far / middle), order, ORDER_SLACK * order / 2);
    assert_near(log2(middle / near), order, ORDER_SLACK * order / 2);
}

static void the_difference_falls_with_the_order_of_the_method(void **unused)
{
    (void)unused;
    static const machine machines[] = {
        {.name = "a free body, J = (2, 3, 4)",
         .text = FREE_BODY("2, 3, 4"),
         .layout = TRM_POINTS_EIGHT,
         .step = 0.04},
        {.name = "a free body, six points", .text = FREE_BODY("2, 3, 4"), .layout = TRM_POINTS_SIX, .step = 0.04},
        {.name = "rods on hinges",
         .text = DOUBLE_PENDULUM("0.05", HINGE, "\"velocity\": [0, 0, 0]"),
         .layout = TRM_POINTS_EIGHT},
        {.name = "rods on hinges, six points",
         .text = DOUBLE_PENDULUM("0.05", HINGE, "\"velocity\": [0, 0, 0]"),
         .layout = TRM_POINTS_SIX},
        {.name = "rods on balls", .text = DOUBLE_PENDULUM("0.05", BALL, PUSH), .layout = TRM_POINTS_EIGHT},
        {.name = "rods on balls, six points", .text = DOUBLE_PENDULUM("0.05", BALL, PUSH), .layout = TRM_POINTS_SIX},
        {.name = "slender rods on balls",
         .text = DOUBLE_PENDULUM("0", BALL, PUSH),
         .layout = TRM_POINTS_EIGHT,
         .least = ON_THE_ROD},
        {.name = "four-bar", .text = FOUR_BAR, .layout = TRM_POINTS_EIGHT},
        {.name = "four-bar, six points", .text = FOUR_BAR, .layout = TRM_POINTS_SIX},
        {.name = "rods on universals", .text = DOUBLE_PENDULUM("0.05", UNIVERSAL, PUSH), .layout = TRM_POINTS_EIGHT},
        {.name = "universals, six points",
         .text = DOUBLE_PENDULUM("0.05", UNIVERSAL, PUSH),
         .layout = TRM_POINTS_SIX},
        {.name = "a gimbal, fixed rods",
         .text = TWO_RODS("0.05", GIMBAL, FIXED, "\"angular_velocity\": [1, 0, 0]", ""),
         .layout = TRM_POINTS_EIGHT},
        {.name = "universals and a spring",
         .text = TWO_RODS("0.05", UNIVERSAL, UNIVERSAL, PUSH, SPRING),
         .layout = TRM_POINTS_EIGHT},
    };
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++) {
        check_order(&machines[i], 2, STEP, TIME);
        if (machines[i].layout == TRM_POINTS_SIX) continue; /* steps of order 4 are made of those of order 2 */
        check_order(&machines[i], 4, machines[i].step > 0 ? machines[i].step : STEP_4, TIME);
    }
}

/* Dropped rows see gaps magnified by speed and shape: the tolerance of agreement must not be tighter than that. */
static void an_overconstrained_loop_of_points_runs_with_any_tolerance(void **unused)
{
    (void)unused;
    static const double tolerances[] = {1e-6, 1e-8, 1e-10, 1e-12};
    for (size_t i = 0; i < sizeof tolerances / sizeof *tolerances; i++) {
        const machine m = {.text = FOUR_BAR, .layout = TRM_POINTS_EIGHT};
        trm_model *bodies = model_of_text(m.text);
        running r = run_model_at(point_model(&m, bodies), STEP, tolerances[i]);
        go(&r, 2);
        assert_true(trm_sim_accuracy(r.sim).gap.position <= tolerances[i]);
        stop(&r);
        trm_model_destroy(bodies);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_overconstrained_loop_of_points_runs_with_any_tolerance),
        cmocka_unit_test(points_stay_with_their_bodies_for_a_second),
        cmocka_unit_test(the_difference_falls_with_the_order_of_the_method),
    };
    return RUN_TESTS(tests);
}

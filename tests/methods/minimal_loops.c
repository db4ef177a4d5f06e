/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Loops in minimal coordinates, of any length: a zigzag of rods hangs between two walls. Scissors fall through the
 * pose in which all rods lie in one line. */

#include "check.h"
#include "choosing.h"

enum { MOST_TEXT = 600 * 1000 };

static trm_vec3 corner(int i)
{
    return trm_v3(i * 0.8775825618903728, i % 2 ? -0.479425538604203 : 0, 0); /* cos 0.5, sin 0.5 */
}

static char *add_rod(char *at, int i)
{
    const trm_vec3 a = corner(i), b = corner(i + 1);
    return at + sprintf(at,
                        "%s{\"name\":\"r%d\",\"rod\":{\"from\":[%.17g,%.17g,0],\"to\":[%.17g,%.17g,0],\"mass\":1,"
                        "\"radius\":0.01}}",
                        i ? "," : "", i, a.x, a.y, b.x, b.y);
}

static char *add_joint(char *at, int i, int rods, const char *type)
{
    char first[20] = "ground", second[20];
    const trm_vec3 p = corner(i);
    const bool last = i == rods;
    if (i > 0 && !last) snprintf(first, sizeof first, "r%d", i - 1);
    snprintf(second, sizeof second, "r%d", last ? i - 1 : i);
    return at +
           sprintf(at, "%s{\"name\":\"j%d\",\"type\":\"%s\",\"bodies\":[\"%s\",\"%s\"],\"anchor\":[%.17g,%.17g,0]%s}",
                   i ? "," : "", i, type, first, second, p.x, p.y, type[0] == 'h' ? ",\"axis\":[0,0,1]" : "");
}

static trm_model *zigzag(int rods, const char *joint)
{
    static char text[MOST_TEXT];
    char *at = text + sprintf(text, "{\"trammel\":1,\"gravity\":[0,-9.81,0],\"bodies\":[");
    for (int i = 0; i < rods; i++) at = add_rod(at, i);
    at += sprintf(at, "],\"joints\":[");
    for (int i = 0; i <= rods; i++) at = add_joint(at, i, rods, joint);
    sprintf(at, "]}");
    return model_of_text(text);
}

static trm_vec3 middle_of(const running *r, int rods)
{
    return trm_body_pose(trm_sim_state(r->sim), rods / 2).p;
}

/* Tolerance 1e-8 m: the falling zigzag folds, and the effect of rounding in 1000 angles grows. */
static void loops_of_any_length_move_alike(void **state)
{
    (void)state;
    static const int rods[] = {80, 160, 1000};
    double depth = NAN;
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(zigzag(rods[i], "hinge"), (way){.choice = "minimal:integrator=rk4", .step = 0.002});
        go(&r, 0.02);
        const double y = middle_of(&r, rods[i]).y;
        print_message("%d rods: %.10f m\n", rods[i], y);
        if (i > 0) assert_near(y, depth, 1e-8); /* the walls are far away */
        depth = y;
        assert_near(trm_sim_accuracy(r.sim).energy_error_max / rods[i], 0, 1e-7);
        stop(&r);
    }
}

/* Hinges give redundant rows; balls do not, and have three times as many coordinates. */
static void hinges_and_balls_make_the_same_planar_loop(void **state)
{
    (void)state;
    running a = run_chosen(zigzag(12, "hinge"), (way){.choice = "minimal", .step = 0.05, .error = 1e-12});
    running b = run_chosen(zigzag(12, "ball"), (way){.choice = "minimal", .step = 0.05, .error = 1e-12});
    go(&a, 0.4);
    go(&b, 0.4);
    assert_near(trm_v3_length(trm_v3_sub(middle_of(&a, 12), middle_of(&b, 12))), 0, 1e-9);
    stop(&a);
    stop(&b);
}

/* One step of Newton's method for each step of the integrator, none for its second evaluation. */
static void loops_are_closed_by_one_step_of_newton(void **state)
{
    (void)state;
    running r = run_chosen(model_of_file(TRM_EXAMPLES "/8-loop.json"),
                           (way){.choice = "minimal", .step = 0.1, .error = 1e-9});
    go(&r, 2);
    const trm_counters *done = trm_sim_counters(r.sim);
    print_message("%lld evaluations, %lld steps of Newton's method\n", (long long)done->evaluations,
                  (long long)done->newton);
    assert_true(10 * done->newton < 7 * done->evaluations);
    stop(&r);
}

/* Three pairs of crossed rods on top of each other, on a foot that stands and one that slides. */
static const char SCISSORS[] =
    "{ 'trammel': 1, 'gravity': [0, -9.81, 0], 'constants': { 'w': 'cos(A*deg)', 'h': 'sqrt(1 - w^2)' }, 'bodies': ["
    "{ 'name': 'a1', 'rod': { 'from': [0, 0, 0], 'to': ['w', 'h', 0], 'mass': 1, 'radius': 0.01 } },"
    "{ 'name': 'b1', 'rod': { 'from': ['w', 0, 0], 'to': [0, 'h', 0], 'mass': 1, 'radius': 0.01 } },"
    "{ 'name': 'a2', 'rod': { 'from': [0, 'h', 0], 'to': ['w', '2*h', 0], 'mass': 1, 'radius': 0.01 } },"
    "{ 'name': 'b2', 'rod': { 'from': ['w', 'h', 0], 'to': [0, '2*h', 0], 'mass': 1, 'radius': 0.01 } },"
    "{ 'name': 'a3', 'rod': { 'from': [0, '2*h', 0], 'to': ['w', '3*h', 0], 'mass': 1, 'radius': 0.01 } },"
    "{ 'name': 'b3', 'rod': { 'from': ['w', '2*h', 0], 'to': [0, '3*h', 0], 'mass': 1, 'radius': 0.01 } }],"
    "'joints': ["
    "{ 'name': 'c1', 'type': 'hinge', 'bodies': ['a1', 'b1'], 'anchor': ['w/2', 'h/2', 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'c2', 'type': 'hinge', 'bodies': ['a2', 'b2'], 'anchor': ['w/2', '1.5*h', 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'c3', 'type': 'hinge', 'bodies': ['a3', 'b3'], 'anchor': ['w/2', '2.5*h', 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'l2', 'type': 'hinge', 'bodies': ['b1', 'a2'], 'anchor': [0, 'h', 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'r2', 'type': 'hinge', 'bodies': ['a1', 'b2'], 'anchor': ['w', 'h', 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'l3', 'type': 'hinge', 'bodies': ['b2', 'a3'], 'anchor': [0, '2*h', 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'r3', 'type': 'hinge', 'bodies': ['a2', 'b3'], 'anchor': ['w', '2*h', 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'foot', 'type': 'hinge', 'bodies': ['ground', 'a1'], 'anchor': [0, 0, 0], 'axis': [0, 0, 1] },"
    "{ 'name': 'roller', 'type': 'rail', 'bodies': ['ground', 'b1'], 'anchor': ['w', 0, 0], 'axis': [1, 0, 0] }] }";

/* Where all rods lie in one line, rounding dominates the accelerations at any tolerance; steps pass over the pose at
 * the length that the motion needs. 1e-4 J: five times the largest error of these starts, of energies up to 170 J. */
static void scissors_fall_through_the_pose_in_line(void **state)
{
    (void)state;
    for (int angle = 30; angle < 80; angle += 16)
        for (double error = 1e-8; error > 1e-13; error *= 1e-2) {
            char text[sizeof SCISSORS + 10];
            const char *at = strchr(SCISSORS, 'A');
            snprintf(text, sizeof text, "%.*s%d%s", (int)(at - SCISSORS), SCISSORS, angle, at + 1);
            running r = run_chosen(quoted(text), (way){.choice = "minimal", .step = 0.1, .error = error});
            go(&r, 3);
            const long long evaluations = trm_sim_counters(r.sim)->evaluations;
            const double energy = trm_sim_accuracy(r.sim).energy_error_max;
            print_message("%d degrees, error %.0e: %lld evaluations, %.1e J\n", angle, error, evaluations, energy);
            assert_true(evaluations < 3000);
            assert_true(energy < 1e-4);
            stop(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_of_any_length_move_alike),
        cmocka_unit_test(hinges_and_balls_make_the_same_planar_loop),
        cmocka_unit_test(loops_are_closed_by_one_step_of_newton),
        cmocka_unit_test(scissors_fall_through_the_pose_in_line),
    };
    return RUN_TESTS(tests);
}

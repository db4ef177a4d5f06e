/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts of the method lcp: bounces, falls, approximation of the friction cone by pyramids and boxes, stacks,
 * piles, rolling, belts. Errors are of first order; motions with constant forces are exact. */

#include "lcp_runs.h"

#include "sanitized.h"
#include "scenes.h"

static const char *const SOLVERS[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs:iterations=200",
                                      "lcp:solver=lemke:friction=pyramid",
                                      "lcp:solver=pgs:iterations=200:friction=pyramid"};
enum { SOLVER_COUNT = sizeof SOLVERS / sizeof *SOLVERS };

/* ---- Bounces ------------------------------------------------------------------------------ */

static trm_model *dropped_ball(double restitution)
{
    scene s;
    scene_init(&s, 0.3, restitution);
    add_floor(&s);
    add_solid(&s, sphere_of(0.1), 1, trm_v3(0, 0, 1.1));
    return machine_finish(&s.m);
}

/* Finds the heights of the first apexes after a bounce, m. */
static void find_apexes(const char *choice, double step, double *apex, int count)
{
    running r = run_lcp(dropped_ball(0.8), choice, step);
    double highest = 0, before = 0;
    for (int found = 0; found < count;) {
        make_steps(&r, 1, step);
        const double speed = velocity_of(&r, "b2").z;
        if (before <= 0 && speed > 0) highest = 0; /* a bounce */
        highest = fmax(highest, place_of(&r, "b2").z - 0.1);
        if (before > 0 && speed <= 0) apex[found++] = highest;
        before = speed;
    }
    stop(&r);
}

static void apexes_fall_by_the_square_of_the_restitution(void **state)
{
    (void)state;
    enum { APEXES = 3 };
    static const double SPEED = 4.4294469180700204; /* m/s, of the first impact: sqrt(2 g 1 m) */
    for (int i = 0; i < 3; i++) {
        for (double h = 0.01; h > 0.5e-4; h /= 10) {
            double apex[APEXES], worst = 0;
            find_apexes(SOLVERS[i], h, apex, APEXES);
            for (int k = 0; k < APEXES; k++) worst = fmax(worst, fabs(apex[k] - pow(0.8, 2 * (k + 1))));
            print_message("    %s, h = %g: apexes %.5f %.5f %.5f m, off by %.1e\n", SOLVERS[i], h, apex[0], apex[1],
                          apex[2], worst);
            assert_true(worst <
                        2 * SPEED * h); /* errors of the position and of the speed at the impact: a step each */
        }
    }
}

static void without_restitution_nothing_bounces(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(dropped_ball(0), SOLVERS[i], 0.01);
        double fastest = -INFINITY, deepest = INFINITY;
        for (int k = 0; k < 100; k++) {
            make_steps(&r, 1, 0.01);
            fastest = fmax(fastest, velocity_of(&r, "b2").z);
            deepest = fmin(deepest, place_of(&r, "b2").z - 0.1);
        }
        assert_true(fastest <= 1e-12 && deepest >= -1e-12);
        assert_near(place_of(&r, "b2").z, 0.1, 1e-12);
        stop(&r);
    }
}

/* R19: finds the times of the first three impacts of the ball of e = 0.9, and the time at which it comes to rest. */
static void find_bounces(double step, double *impacts, double *rest)
{
    running r = run_lcp(example("problems/r19-bouncing-ball"), "lcp", step);
    double before = 0;
    int found = 0;
    while (trm_state_time(trm_sim_state(r.sim)) < 10) {
        make_steps(&r, 1, step);
        const double speed = velocity_of(&r, "ball").z, t = trm_state_time(trm_sim_state(r.sim));
        if (before < 0 && speed > 0 && found < 3) impacts[found++] = t;
        if (fabs(speed) > 1e-9) *rest = t;
        before = speed;
    }
    assert_int_equal(found, 3);
    stop(&r);
}

static void the_ball_of_r19_strikes_and_rests_in_time(void **state)
{
    (void)state;
    static const double right[] = {0.4515236410, 1.264266195, 1.995734493}, at_rest = 8.5789491787288872;
    for (double h = 0.01; h > 0.5e-4; h /= 10) {
        double impacts[3], rest = 0, worst = 0;
        find_bounces(h, impacts, &rest);
        for (int i = 0; i < 3; i++) worst = fmax(worst, fabs(impacts[i] - right[i]));
        print_message("    R19, h = %g: impacts off by %.1e, %.1e, %.1e s, rest by %.2g s\n", h,
                      impacts[0] - right[0], impacts[1] - right[1], impacts[2] - right[2], rest - at_rest);
        assert_true(worst < 10 * h); /* one or two steps at each impact */
        assert_true(fabs(rest - at_rest) <
                    100 *
                        h); /* a ball that bounces slower than 2 g h would bounce for 2/g e/(1-e) 2 g h = 36 h more */
    }
}

/* ---- R30 ---------------------------------------------------------------------------------- */

static const double R30_REST = 0.08034059802569962; /* m */

/* The position at which the rod comes to rest; the times at which its first and its other end strike. */
typedef struct fallen {
    double x, first, second;
} fallen;

static fallen fall(const char *choice, double step)
{
    running r = run_lcp(example("problems/r30-falling-rod"), choice, step);
    fallen f = {0, 0, 0};
    while (trm_state_time(trm_sim_state(r.sim)) < 0.5) {
        make_steps(&r, 1, step);
        const trm_spatial V = motion_of(&r, "rod");
        const double t = trm_state_time(trm_sim_state(r.sim));
        if (f.first == 0 && fabs(V.ang.y) > 1e-6) f.first = t;
        if (fabs(V.ang.y) > 0.5) f.second = t;
    }
    assert_true(trm_v3_length(velocity_of(&r, "rod")) < 1e-6);
    f.x = place_of(&r, "rod").x;
    stop(&r);
    return f;
}

static void the_rod_of_r30_falls_where_it_should(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp:solver=lemke", "lcp:solver=lemke:friction=pyramid:directions=4"};
    for (int i = 0; i < 2; i++)
        for (double h = 0.01; h > 0.5e-4; h /= 10) {
            const fallen f = fall(choices[i], h);
            print_message("    %s, h = %g: x off by %.1e m, strikes by %.1e and %.1e s\n", choices[i], h,
                          f.x - R30_REST, f.first - 0.24730968341474896, f.second - 0.3768181269235992);
            assert_true(fabs(f.x - R30_REST) < 1 * h); /* m/s: bound of the sliding speed */
            assert_true(fabs(f.first - 0.24730968341474896) < 2 * h);
            assert_true(fabs(f.second - 0.3768181269235992) < 4 * h);
        }
}

/* As in ODE, boxes of friction have the size of the normal force that there would be without friction: where friction
 * increases the normal force, it is limited to less than mu times that force, with any step. */
static void boxes_of_dantzig_let_the_rod_of_r30_slide_elsewhere(void **state)
{
    (void)state;
    for (double h = 0.01; h > 0.5e-4; h /= 10) {
        const fallen f = fall("lcp", h);
        print_message("    lcp, h = %g: x = %.5f m\n", h, f.x);
        assert_near(f.x, 0.0623, 0.1 * h + 1e-4);
    }
}

/* ---- Pyramids ----------------------------------------------------------------------------- */

static const double SLOPE = 35, MU = 0.5;

/* A block on a slope whose direction of descent is at an angle from x, degrees. Gravity is inclined instead of the
 * plane; the friction directions start at y. */
static trm_model *block_on_slope(double slope, double along)
{
    scene s;
    scene_init(&s, MU, 0);
    const double down = G * sin(slope * DEG);
    s.m.def->gravity = trm_v3(down * cos(along * DEG), down * sin(along * DEG), -G * cos(slope * DEG));
    add_floor(&s);
    add_solid(&s, box_of(0.4, 0.4, 0.2), 16, trm_v3(0, 0, 0.1));
    return machine_finish(&s.m);
}

/* How far the block slid along the direction of descent after 1 s, m; and across it. */
typedef struct slide {
    double along, across;
} slide;

enum { STEPS = 100 };
static const double STEP = 0.01;

static slide slide_along(const char *choice, double along)
{
    running r = stepped(block_on_slope(SLOPE, along), choice, STEP, STEPS);
    const trm_vec3 p = place_of(&r, "b2");
    const double c = cos(along * DEG), s = sin(along * DEG);
    stop(&r);
    return (slide){c * p.x + s * p.y, -s * p.x + c * p.y};
}

/* Returns the displacement after 1 s by semi-implicit Euler with a constant acceleration. */
static double way_at(double acceleration)
{
    return acceleration * STEP * STEP * STEPS * (STEPS + 1) / 2;
}

static double round_cone(double part)
{
    return G * (sin(SLOPE * DEG) - part * MU * cos(SLOPE * DEG));
}

static void check_pyramid(const char *choice, int directions, double tolerance)
{
    char full[200];
    snprintf(full, sizeof full, "%s:friction=pyramid:directions=%d", choice, directions);
    const slide between = slide_along(full, 90 + 180.0 / directions), along = slide_along(full, 90);
    const double right = way_at(round_cone(cos(TRM_PI / directions))), cone = way_at(round_cone(1));
    print_message(
        "    %s: between two directions off the round cone by %.3g %%, off theory by %.1e; along one off by %.1e; "
        "across %.1e m\n",
        full, 100 * (between.along / cone - 1), between.along / right - 1, along.along / cone - 1, between.across);
    assert_near(between.along / right, 1, tolerance);
    assert_near(along.along / cone, 1, tolerance);
}

static void pyramids_let_a_block_slide_too_fast_between_their_directions(void **state)
{
    (void)state;
    static const double EXACT = 1e-9;
    static const double SWEPT = 0.02; /* with 64 sides, of which a sweep changes each by 1/64 of its error */
    static const int directions[] = {4, 8, 16, 64};
    for (int i = 0; i < 3; i++) check_pyramid("lcp:solver=pgs:iterations=600:sor=1", directions[i], EXACT);
    check_pyramid("lcp:solver=pgs:iterations=200:sor=1", 64, SWEPT);
    for (int i = 0; i < 4; i++) check_pyramid("lcp:solver=lemke", directions[i], EXACT);
}

static void boxes_are_right_along_their_sides_and_hold_too_much_between(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs:iterations=1000:sor=1"};
    for (int i = 0; i < 3; i++) {
        const slide x = slide_along(choices[i], 0), y = slide_along(choices[i], 90),
                    between = slide_along(choices[i], 45);
        print_message("    %s: slides %.9f of what it should along x, %.9f along y, %.1e m between\n", choices[i],
                      x.along / way_at(round_cone(1)), y.along / way_at(round_cone(1)), between.along);
        assert_near(x.along / way_at(round_cone(1)), 1, 1e-9);
        assert_near(y.along / way_at(round_cone(1)), 1, 1e-9);
        assert_near(between.along, 0, 1e-9); /* tan 35 degrees = 0.700 < sqrt(2) 0.5 */
    }
}

/* It is not unique which of the corners bear the friction: each corner that holds less than its limit slips in
 * proportion to its force. */
static void friction_that_gives_way_slips_by_its_force(void **state)
{
    (void)state;
    enum { MOST = 8 };
    static const double SOFT = 1e-3; /* (m/s)/N */
    for (int i = 0; i < SOLVER_COUNT; i++) {
        char choice[200];
        trm_contact_row rows[MOST];
        double held = 0, worst = 0;
        int slipping = 0;
        snprintf(choice, sizeof choice, "%s:friction_cfm=%g", SOLVERS[i], SOFT);
        running r = stepped(block_on_slope(10, 20), choice, STEP, STEPS);
        const trm_spatial V = motion_of(&r, "b2");
        const int count = trm_sim_contacts(r.sim, rows, MOST);
        assert_true(count <= MOST);
        for (int k = 0; k < count; k++) {
            const trm_vec3 slip =
                trm_v3_add(V.lin, trm_v3_cross(V.ang, trm_v3_sub(rows[k].point, place_of(&r, "b2"))));
            const double force = hypot(rows[k].force.x, rows[k].force.y), speed = hypot(slip.x, slip.y);
            held += force;
            const bool inside =
                i == 0 ? force > 1e-3
                       : force < 0.9 * MU * fabs(rows[k].force.z); /* dantzig uses boxes of another size */
            if (inside) worst = fmax(worst, fabs(speed / (SOFT * force) - 1)), slipping++;
        }
        print_message("    %s: creeps at %.6f m/s, off by %.1e of friction_cfm times force\n", choice,
                      trm_v3_length(V.lin), worst);
        assert_true(slipping > 0 && worst <= 1e-5); /* the block has turned by 1e-6 since */
        assert_true(held > 16 * G * sin(10 * DEG) - 1e-6);
        stop(&r);
    }
}

/* ---- Stacks and piles --------------------------------------------------------------------- */

static trm_model *stack(int count, double friction)
{
    scene s;
    scene_init(&s, friction, 0);
    add_floor(&s);
    for (int i = 0; i < count; i++)
        add_solid(&s, box_of(0.2, 0.2, 0.2), 8, trm_v3(0.01 * (i % 2), 0.007 * (i % 3), 0.1 + 0.2 * i));
    return machine_finish(&s.m);
}

/* Returns the force on the floor, body 1. */
static double borne(const running *r)
{
    enum { MOST = 200 };
    trm_contact_row rows[MOST];
    const int count = trm_sim_contacts(r->sim, rows, MOST);
    double sum = 0;
    assert_true(count <= MOST);
    for (int i = 0; i < count; i++) {
        assert_true(trm_v3_dot(rows[i].force, rows[i].normal) >= -1e-9);
        if (rows[i].body[0] == 1) sum += rows[i].force.z;
        if (rows[i].body[1] == 1) sum -= rows[i].force.z;
    }
    return sum;
}

static void a_stack_stands_and_its_weight_is_borne(void **state)
{
    (void)state;
    enum { BOXES = 5 };
    const double weight = BOXES * 8 * G;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = stepped(stack(BOXES, 0.5), SOLVERS[i], STEP, SANITIZED ? 20 : 100);
        const trm_vec3 top = place_of(&r, "b6");
        const double sunk = 0.1 + 0.2 * (BOXES - 1) - top.z, crept = hypot(top.x - 0, top.y - 0.007);
        print_message("    %s: the top sank by %.1e m and crept %.1e m in 1 s, the floor bears %.12f of the weight\n",
                      SOLVERS[i], sunk, crept, borne(&r) / weight);
        assert_near(sunk, 0, 1e-4);
        assert_near(crept, 0, 1e-4);
        assert_near(borne(&r) / weight, 1, i == 2 || i == 4 ? 1e-3 : 1e-9); /* sweeps leave an error */
        stop(&r);
    }
}

/* Boxes in random poses over the floor, some turning. */
static trm_model *random_boxes(uint64_t seed, double friction)
{
    enum { BOXES = 6 };
    scene s;
    scene_init(&s, friction, 0);
    add_floor(&s);
    for (int i = 0; i < BOXES; i++) {
        trm_body_def *body = add_solid(&s, box_of(0.2 + 0.02 * i, 0.3, 0.25), 1 + i,
                                       trm_v3(0.25 * (i % 2), 0.2 * (i % 3), 0.4 + 0.45 * i));
        const double angle = 1 + 0.7 * (double)((seed * 7 + (uint64_t)i * 13) % 17);
        body->orientation = trm_quat_exp(trm_v3(angle, 0.3 * angle, -0.2 * (double)(seed % 5)));
        body->angular_velocity = trm_v3(0.5 * i, (double)(seed % 3) - 1, 1);
    }
    return machine_finish(&s.m);
}

static void energy_never_grows_where_nothing_bounces(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        double most = 0, deepest = 0;
        for (uint64_t seed = 1; seed <= 2; seed++) {
            running r = run_lcp(random_boxes(seed, 0.4), SOLVERS[i], 0.005);
            double before = energy_of(&r);
            for (int k = 0; k < 150; k++) {
                trm_contact_row rows[200];
                make_steps(&r, 1, 0.005);
                most = fmax(most, energy_of(&r) - before);
                before = energy_of(&r);
                const int count = trm_sim_contacts(r.sim, rows, 200);
                for (int c = 0; c < count && c < 200; c++) deepest = fmin(deepest, rows[c].gap);
            }
            stop(&r);
        }
        print_message("    %s: %.1e J gained in a step at most, %.1e m deep\n", SOLVERS[i], most, -deepest);
        assert_true(most <= 1e-12); /* rounding of 100 J */
    }
}

/* Two linked balls with soft joints, one of them on a slider with a stop, fall on the floor. */
static trm_model *linked_balls(uint64_t seed, double friction)
{
    (void)seed;
    scene s;
    scene_init(&s, friction, 0);
    add_floor(&s);
    add_solid(&s, sphere_of(0.1), 1, trm_v3(0, 0, 0.15))->velocity = trm_v3(0, 0, -1);
    add_solid(&s, sphere_of(0.1), 2, trm_v3(0.3, 0.05, 0.2))->velocity = trm_v3(0, 0, -1);
    add_solid(&s, box_of(0.1, 0.1, 0.1), 0.5, trm_v3(0.6, 0.05, 0.2))->velocity = trm_v3(0, 0, -1);
    add_joint_at(&s.m, "ball", 2, 3, 0.15, 0, 0.17)->cfm = 1e-3;
    trm_joint_def *hinge = add_joint_at(&s.m, "hinge", 3, 4, 0.45, 0, 0.2);
    hinge->axis = trm_v3(0, 1, 0);
    hinge->limits[0] = -0.1, hinge->limits[1] = 0.05;
    hinge->cfm = 1e-4;
    return machine_finish(&s.m);
}

static trm_model *three_boxes(uint64_t seed, double friction)
{
    (void)seed;
    return stack(3, friction);
}

static void the_three_solvers_agree_without_friction(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp", "lcp:solver=lemke", "lcp:solver=pgs:sor=1:warm=1:iterations=20000"};
    static const struct {
        const char *name;
        trm_model *(*make)(uint64_t seed, double friction);
    } scenes[] = {{"stack", three_boxes}, {"random boxes", random_boxes}, {"soft joints and a stop", linked_balls}};
    for (int m = 0; m < 3; m++) {
        running r[3];
        for (int i = 0; i < 3; i++) r[i] = stepped(scenes[m].make(2, 0), choices[i], STEP, 50);
        print_message("    %s: lemke %.1e, pgs %.1e from dantzig\n", scenes[m].name, apart(&r[1], &r[0]),
                      apart(&r[2], &r[0]));
        assert_true(apart(&r[1], &r[0]) <= 1e-9);
        assert_true(apart(&r[2], &r[0]) <= 1e-9);
        for (int i = 0; i < 3; i++) stop(&r[i]);
    }
}

/* ---- Deep and soft contacts --------------------------------------------------------------- */

static trm_model *ball_on_floor(void)
{
    scene s;
    scene_init(&s, 0.3, 0);
    add_floor(&s);
    add_solid(&s, sphere_of(0.1), 2, trm_v3(0, 0, 0.1));
    return machine_finish(&s.m);
}

static void penetration_is_reduced_by_its_share_up_to_the_given_speed(void **state)
{
    (void)state;
    static const struct {
        const char *more;
        double speed; /* m/s: expected with a depth of 0.02 m and a step of 0.01 s */
    } cases[] = {{"erp=0.2", 0.4}, {"erp=0.8", 1.6}, {"erp=0.8:correction=0.1", 0.1}, {"erp=0", 0}};
    for (int i = 0; i < 4 * SOLVER_COUNT; i++) {
        char choice[200];
        snprintf(choice, sizeof choice, "%s:%s", SOLVERS[i % SOLVER_COUNT], cases[i / SOLVER_COUNT].more);
        running r = run_lcp(ball_on_floor(), choice, STEP);
        move_by(&r, "b2", trm_v3(0, 0, -0.02));
        make_steps(&r, 1, STEP);
        assert_near(velocity_of(&r, "b2").z, cases[i / SOLVER_COUNT].speed, 1e-12);
        stop(&r);
    }
}

/* (ERP/h) depth = CFM force. */
static void a_soft_contact_gives_way_to_the_weight(void **state)
{
    (void)state;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        char choice[200];
        snprintf(choice, sizeof choice, "%s:cfm=1e-3:erp=0.2", SOLVERS[i]);
        running r = stepped(ball_on_floor(), choice, STEP, 300);
        assert_near(0.1 - place_of(&r, "b2").z, 1e-3 * 2 * G * STEP / 0.2, 1e-9);
        assert_near(borne(&r), 2 * G, 1e-6);
        stop(&r);
    }
}

/* ---- Rolling and belts -------------------------------------------------------------------- */

/* A ball with rolling resistance of the arm rho decelerates by 5/7 g rho/r. */
static void rolling_friction_stops_a_ball(void **state)
{
    (void)state;
    const double radius = 0.1, arm = 0.01, speed = 1, slows = 5.0 / 7 * G * arm / radius;
    for (int i = 0; i < SOLVER_COUNT; i++) {
        scene s;
        trm_contact_def contact = trm_default_contact_def();
        contact.bodies[0] = "b1", contact.bodies[1] = "b2";
        contact.rolling = arm;
        scene_init(&s, 0.5, 0);
        add_floor(&s);
        trm_body_def *ball = add_solid(&s, sphere_of(radius), 1, trm_v3(0, 0, radius));
        ball->velocity = trm_v3(speed, 0, 0);
        ball->angular_velocity = trm_v3(0, speed / radius, 0);
        s.m.def->contacts = &contact, s.m.def->contact_count = 1;
        running r = stepped(machine_finish(&s.m), SOLVERS[i], 0.001, 1000);
        const double half_way = velocity_of(&r, "b2").x;
        make_steps(&r, 600, 0.001);
        print_message("    %s: slows to %.6f m/s in 1 s, should %.6f; rests at %.5f m, should %.5f\n", SOLVERS[i],
                      half_way, speed - slows, place_of(&r, "b2").x, speed * speed / (2 * slows));
        assert_near(half_way, speed - slows, 1e-6);
        assert_near(velocity_of(&r, "b2").x, 0, 1e-9);
        assert_near(place_of(&r, "b2").x, speed * speed / (2 * slows), 0.001 * speed);
        stop(&r);
    }
}

static void a_belt_drags_a_block_to_its_speed(void **state)
{
    (void)state;
    static const char belt[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"defaults\": { \"friction\": 0.5 }, \"bodies\": ["
        "  { \"name\": \"block\", \"position\": [0, 0, 0.1], \"shapes\": [{ \"type\": \"box\", \"size\": [0.4, 0.4, "
        "0.2],"
        "    \"density\": 500 }] },"
        "  { \"name\": \"belt\", \"moving\": { \"position\": [\"0.8*t\", 0, 0] }, \"shapes\": [{ \"type\": \"plane\","
        "    \"normal\": [0, 0, 1], \"offset\": 0 }] }] }";
    for (int i = 0; i < SOLVER_COUNT; i++) {
        running r = run_lcp(model_of(belt), SOLVERS[i], STEP);
        go(&r, 0.1);
        assert_near(velocity_of(&r, "block").x, MU * G * 0.1, 1e-9);
        go(&r, 0.5);
        assert_near(velocity_of(&r, "block").x, 0.8, 1e-9);
        const trm_accuracy a = trm_sim_accuracy(r.sim);
        print_message("    %s: work of the belt %.4f J, kinetic energy %.4f J\n", SOLVERS[i], a.work,
                      0.5 * 16 * 0.64);
        assert_near(a.work, 0.5 * 16 * 0.64, 1e-9);
        stop(&r);
    }
}

typedef struct working {
    const char *example, *choice;
} working;

static double balance_error(double step, const void *context)
{
    const working *w = context;
    running r = run_lcp(example(w->example), w->choice, step);
    go_every(&r, 0.8, 0.02);
    const double error = trm_sim_accuracy(r.sim).energy_error_max;
    stop(&r);
    return error;
}

/* Work of friction and impacts, which dissipate energy; the remaining error is of order 1. */
static void the_work_of_contacts_is_counted(void **state)
{
    (void)state;
    static const char *const examples[] = {"bouncing-ball", "incline", "rolling-coin", "rimless-wheel",
                                           "problems/r30-falling-rod"};
    static const char *const choices[] = {"lcp", "lcp:solver=lemke:friction=pyramid", "lcp:solver=pgs"};
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        for (size_t k = 0; k < sizeof choices / sizeof *choices; k++) {
            const working w = {examples[i], choices[k]};
            const double coarse = balance_error(0.004, &w), fine = balance_error(0.001, &w);
            print_message("    %s, %s: balance off by %.1e J at h = 0.004, order %.2f\n", examples[i], choices[k],
                          coarse, log2(coarse / fine) / 2);
            assert_true(log2(coarse / fine) / 2 > 0.8);
        }
}

static void an_event_waits_for_a_contact(void **state)
{
    (void)state;
    static const char caught[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "  { \"name\": \"ball\", \"position\": [0, 0, 1.1], \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1,"
        "    \"density\": 1000 }] },"
        "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1], "
        "\"offset\": 0 }] }],"
        "  \"joints\": [{ \"name\": \"grip\", \"type\": \"fixed\", \"bodies\": [\"floor\", \"ball\"],"
        "    \"anchors\": [[0, 0, 0.1], [0, 0, 0]], \"attached\": false }],"
        "  \"events\": [{ \"when\": \"contact\", \"bodies\": [\"ball\", \"floor\"], \"attach\": \"grip\" }] }";
    for (int i = 0; i < SOLVER_COUNT; i++) {
        trm_event_note note = {0};
        running r = run_lcp(model_of(caught), SOLVERS[i], STEP);
        go_every(&r, 1, 0.25);
        assert_int_equal(trm_sim_event_count(r.sim), 1);
        assert_true(trm_sim_event(r.sim, 0, &note));
        print_message("    %s: at %.4f s, should %.4f\n", SOLVERS[i], note.time, sqrt(2 / G));
        assert_near(note.time, sqrt(2 / G), 2 * STEP);
        assert_near(place_of(&r, "ball").z, 0.1, 1e-9);
        stop(&r);
    }
}

/* ---- Friction along what joints hold --------------------------------------------------------- */

/* A motor without limit turns an eccentric disc, on which a spring presses a follower in a guide. */
#define CAM                                                                                                          \
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"defaults\": { \"friction\": 0.3 }, \"bodies\": ["               \
    "  { \"name\": \"cam\", \"mass\": 1, \"inertia\": [0.01, 0.01, 0.01], \"shapes\": [{ \"type\": \"cylinder\","    \
    "    \"radius\": 0.05, \"length\": 0.02, \"position\": [0.02, 0, 0] }] },"                                       \
    "  { \"name\": \"follower\", \"mass\": 0.5, \"inertia\": [0.001, 0.001, 0.001], \"position\": [0, 0.055, 0],"    \
    "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.3, 0.01, 0.02] }] }], \"joints\": ["                         \
    "  { \"name\": \"shaft\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"cam\"], \"anchor\": [0, 0, 0],"        \
    "    \"axis\": [0, 0, 1] }, { \"name\": \"guide\", \"type\": \"slider\", \"bodies\": [\"ground\", "              \
    "\"follower\"],"                                                                                                 \
    "    \"anchor\": [0, 0.055, 0], \"axis\": [0, 1, 0] }], \"forces\": ["                                           \
    "  { \"name\": \"motor\", \"type\": \"motor\", \"joint\": \"shaft\", \"velocity\": 10 },"                        \
    "  { \"type\": \"spring\", \"bodies\": [\"ground\", \"follower\"], \"anchors\": [[0, 0.3, 0], [0, 0, 0]],"       \
    "    \"stiffness\": 500, \"rest\": 0.35 }] }"

/* Joints hold disc and follower against each other along the axis, and the motor across it: no friction moves them,
 * and the responses along it are rounding. The follower is at 0.055 m + 0.02 m sin 10 t. */
static void a_follower_stays_on_a_driven_cam_with_friction(void **state)
{
    (void)state;
    static const char *const choices[] = {"lcp", "lcp:solver=lemke", "lcp:solver=lemke:friction=pyramid"};
    for (int i = 0; i < 3; i++)
        for (double step = 0.004; step > 0.0004; step /= 4) {
            running r = stepped(model_of(CAM), choices[i], step, (int)(1 / step));
            const double off = fabs(place_of(&r, "follower").y - 0.055 - 0.02 * sin(10));
            print_message("    %s, h = %g s: %.1e m off\n", choices[i], step, off);
            assert_true(off < 0.02 * 10 * step); /* one step of its speed */
            assert_near(trm_sim_accuracy(r.sim).gap.position, 0, 1e-9);
            stop(&r);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(apexes_fall_by_the_square_of_the_restitution),
        cmocka_unit_test(without_restitution_nothing_bounces),
        cmocka_unit_test(the_ball_of_r19_strikes_and_rests_in_time),
        cmocka_unit_test(the_rod_of_r30_falls_where_it_should),
        cmocka_unit_test(boxes_of_dantzig_let_the_rod_of_r30_slide_elsewhere),
        cmocka_unit_test(pyramids_let_a_block_slide_too_fast_between_their_directions),
        cmocka_unit_test(boxes_are_right_along_their_sides_and_hold_too_much_between),
        cmocka_unit_test(friction_that_gives_way_slips_by_its_force),
        cmocka_unit_test(a_stack_stands_and_its_weight_is_borne),
        cmocka_unit_test(energy_never_grows_where_nothing_bounces),
        cmocka_unit_test(the_three_solvers_agree_without_friction),
        cmocka_unit_test(penetration_is_reduced_by_its_share_up_to_the_given_speed),
        cmocka_unit_test(a_soft_contact_gives_way_to_the_weight),
        cmocka_unit_test(rolling_friction_stops_a_ball),
        cmocka_unit_test(a_belt_drags_a_block_to_its_speed),
        cmocka_unit_test(the_work_of_contacts_is_counted),
        cmocka_unit_test(an_event_waits_for_a_contact),
        cmocka_unit_test(a_follower_stays_on_a_driven_cam_with_friction),
    };
    return RUN_TESTS(tests);
}

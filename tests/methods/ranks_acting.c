/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* With forces, drives, events and sensors, bodies with many joints and nets, several ranks get the results of one,
 * bit for bit. */

#include "base/random.h"
#include "ranks.h"

/* ---- Forces, drives, events and sensors -------------------------------------------------------------- */

static const trm_vec3 NOWHERE = {0, 0, 0};

static void add_spring(machine *m, int a, int b, double damping, bool implicit)
{
    trm_force_def spring = trm_default_force_def();
    spring.type = "spring";
    spring.bodies[0] = m->body_names[a], spring.bodies[1] = m->body_names[b];
    spring.anchors[0] = NOWHERE, spring.anchors[1] = trm_v3(0.1, 0, 0);
    spring.stiffness = 50;
    spring.damping = damping;
    spring.implicit = implicit;
    assert_int_equal(trm_add_force(m->def, &spring), TRM_OK);
}

static void add_on_joint(machine *m, const char *type, int joint)
{
    trm_force_def force = trm_default_force_def();
    force.type = type;
    force.joint = m->joint_names[joint];
    if (strcmp(type, "servo") == 0) {
        force.target = trm_expression_function("0.1*sin(3*t)");
        force.kp = 20, force.kd = 2;
    } else {
        force.stiffness = 5, force.damping = 0.3;
    }
    assert_int_equal(trm_add_force(m->def, &force), TRM_OK);
}

static void add_to_body(machine *m, int body)
{
    trm_force_def drag = trm_default_force_def(), push = trm_default_force_def();
    drag.type = "drag";
    drag.body = m->body_names[body];
    drag.linear = 0.5, drag.angular = 0.1;
    push.type = "force";
    push.body = m->body_names[body + 1];
    push.value[0] = trm_expression_function("3*sin(5*t)");
    push.value[1] = trm_constant_function(1), push.value[2] = trm_constant_function(0);
    push.at = trm_v3(0.1, 0.1, 0);
    assert_int_equal(trm_add_force(m->def, &drag), TRM_OK);
    assert_int_equal(trm_add_force(m->def, &push), TRM_OK);
}

/* Balls and hinges in turn, with more rows than would be known to all ranks, free bodies, and short chains besides
 * the long one. */
enum { LINKS = 300 };

static void begin_chain(machine *m)
{
    machine_init(m);
    int before = 0;
    for (int i = 0; i < LINKS; i++) {
        const int here = add_ball(m, i + 0.5, 0.1 * (i % 3), 0.05 * (i % 7));
        add_joint_at(m, i % 2 ? "ball" : "hinge", before, here, i, 0.1 * (i % 2), 0.02 * (i % 5))->axis =
            trm_v3(0, 0, 1);
        before = here;
    }
    for (int i = 0; i < 3; i++) {
        const int free_one = add_ball(m, i, 5, 0), hung = add_ball(m, i, 8, 1);
        add_joint_at(m, "ball", 0, hung, i, 8, 2);
        add_spring(m, free_one, hung, 0, false);
    }
    m->def->gravity = trm_v3(0, 0, -9.81);
}

static void run_all_ways(trm_model *model, double until, const char *name)
{
    trm_simulation_def impulse = by_hierarchy(model), subsystem = by_subsystem(model);
    impulse.step = subsystem.step = 0.005;
    assert_ranks_agree(model, &impulse, until, name);
    impulse.order = 4;
    if (model->force_count <= 3)
        assert_ranks_agree(model, &impulse, until, name); /* damping cannot be composed to higher orders */
    assert_ranks_agree(model, &subsystem, until, name);
    trm_model_destroy(model);
}

static void forces_act_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    machine m;
    begin_chain(&m);
    run_all_ways(machine_finish(&m), 0.015, "chain");
    begin_chain(&m);
    for (int i = 10; i < LINKS; i += 70) add_spring(&m, i, LINKS - i / 2, i % 20 == 0 ? 0.5 : 0, false);
    add_spring(&m, 0, LINKS / 2, 0.2, false);
    run_all_ways(machine_finish(&m), 0.015, "springs");
    begin_chain(&m);
    add_on_joint(&m, "torsion", 20);
    add_on_joint(&m, "servo", 150);
    add_to_body(&m, 99);
    add_to_body(&m, 250);
    run_all_ways(machine_finish(&m), 0.015, "torsion, servo, drag, push");
}

static void implicit_springs_act_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    machine m;
    begin_chain(&m);
    add_spring(&m, 3, LINKS - 3, 2, true);
    trm_model *model = machine_finish(&m);
    trm_simulation_def options = by_hierarchy(model);
    options.step = 0.005;
    assert_ranks_agree(model, &options, 0.015, "implicit spring");
    trm_model_destroy(model);
}

static void drives_and_moving_ground_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    machine m;
    begin_chain(&m);
    trm_joint_def drive = trm_default_joint_def();
    drive.name = "drive";
    drive.type = "drive";
    drive.joint = m.joint_names[100];
    drive.motion = trm_expression_function("0.3*(1 - cos(4*t))");
    assert_int_equal(trm_add_joint(m.def, &drive), TRM_OK);
    trm_body_def table = trm_default_body_def();
    table.kind = TRM_BODY_MOVING;
    table.moving.position[0] = trm_expression_function("300 + 0.2*(1 - cos(3*t))");
    table.moving.position[1] = trm_constant_function(0), table.moving.position[2] = trm_constant_function(0);
    const int moving = add_body(&m, table);
    add_joint_at(&m, "ball", LINKS, moving, LINKS, 0, 0);
    run_all_ways(machine_finish(&m), 0.03, "drive and table");
}

static int add_wheel(machine *m, int on, double spin)
{
    const trm_vec3 p = m->def->bodies[on - 1].position;
    const int wheel = add_ball(m, p.x, p.y, p.z + 1);
    m->def->bodies[wheel - 1].angular_velocity = trm_v3(0, 0, spin);
    add_hinge(m, on, wheel, p.x, p.y, p.z + 1);
    return m->def->joint_count - 1;
}

/* Wheels at both ends of the chain turn together, many times: every rank that knows the gear must count the turns of
 * both. */
static void gears_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    machine m;
    begin_chain(&m);
    const int first = add_wheel(&m, 5, 300), second = add_wheel(&m, LINKS - 5, 150);
    trm_joint_def gear = trm_default_joint_def();
    gear.name = "gear";
    gear.type = "gear";
    gear.joints[0] = m.joint_names[first], gear.joints[1] = m.joint_names[second];
    gear.ratio = 2;
    assert_int_equal(trm_add_joint(m.def, &gear), TRM_OK);
    run_all_ways(machine_finish(&m), 0.09, "gear");
}

/* Joints are attached and detached, a rope becomes taut, a stop is reached: islands in which this may happen are
 * known to all ranks. */
static void events_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    machine m;
    begin_chain(&m);
    trm_joint_def *rope = add_bar(&m, 0, 250);
    rope->anchors[0] = m.def->bodies[249].position;
    rope->rope = true;
    rope->length = 0.002;
    m.def->gravity = trm_v3(0, -9.81, -9.81);
    m.def->joints[0].limits[0] = -0.002, m.def->joints[0].limits[1] = 0.002;
    m.def->joints[50].friction = 0.01;
    m.def->joints[3].break_force = 0.2;
    trm_model *model = machine_finish(&m);
    trm_simulation_def options = by_hierarchy(model);
    options.step = 0.005;
    team alone;
    team_run(&alone, model, &options, 1, 0.03, 0.01, NULL);
    assert_team_good(&alone);
    assert_true(trm_sim_counters(alone.members[0].sim)->impacts >= 2);
    assert_false(trm_joint_attached(trm_sim_state(alone.members[0].sim), 3));
    team_disband(&alone);
    run_all_ways(model, 0.03, "rope, stop, friction, breaking");
}

static void sensors_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    machine m;
    begin_chain(&m);
    trm_sensor_def sensor = trm_default_sensor_def();
    sensor.name = "s";
    sensor.type = "accelerometer";
    sensor.body = m.body_names[200];
    sensor.noise = 0.01;
    assert_int_equal(trm_add_sensor(m.def, &sensor), TRM_OK);
    run_all_ways(machine_finish(&m), 0.015, "sensor");
}

/* ---- Bodies with many joints, and nets --------------------------------------------------------------- */

static void hubs_are_the_same_on_any_number_of_ranks(void **state)
{
    enum { AROUND = 400 };
    (void)state;
    machine m;
    machine_init(&m);
    const int middle = add_ball(&m, 0, 0, 0);
    for (int i = 0; i < AROUND; i++) {
        const double x = cos(0.7 * i), y = sin(0.7 * i), z = 0.05 * i - 10;
        const int ball = add_ball(&m, 2 * x, 2 * y, z);
        add_joint_at(&m, "ball", middle, ball, x, y, 0.5 * z);
    }
    m.def->gravity = trm_v3(0, 0, -9.81);
    add_joint_at(&m, "ball", 0, middle, 0, 0, 1);
    run_all_ways(machine_finish(&m), 0.01, "hub");
}

/* The net has interfaces in two directions, and three rows at each joint. */
static void nets_are_the_same_on_any_number_of_ranks(void **state)
{
    enum { SIDE = 14 };
    (void)state;
    machine m;
    machine_init(&m);
    add_net(&m, SIDE);
    add_joint_at(&m, "ball", 0, 1, 0, 0, 0.5);
    m.def->gravity = trm_v3(0, -9.81, 0);
    run_all_ways(machine_finish(&m), 0.01, "net");
}

/* Joints of all kinds in a tree, with some additional joints that close loops and overconstrain them. */
static trm_model *large_by_chance(uint64_t seed)
{
    enum { BODIES = 330, LOOPS = 12 };
    static const char *const types[] = {"ball", "hinge", "universal", "cylinder", "slider", "fixed", "distance"};
    trm_random random = trm_random_seed(seed);
    machine m;
    machine_init(&m);
    for (int i = 1; i <= BODIES; i++) add_ball(&m, i + 0.3 * sin(i), 2 * sin(2 * i), cos(3 * i));
    for (int i = 1; i <= BODIES + LOOPS; i++) {
        const int b = i <= BODIES ? i : (int)trm_random_uniform(&random, 20, BODIES);
        const int back = 1 + (int)trm_random_uniform(&random, 0, i <= BODIES ? 3 : 12), a = b > back ? b - back : 0;
        const char *type = types[(int)trm_random_uniform(&random, 0, 7)];
        if (strcmp(type, "distance") == 0) {
            add_bar(&m, a, b);
            continue;
        }
        trm_joint_def *joint = add_joint_at(&m, type, a, b, b - 0.5, sin(b), cos(b));
        joint->axis = trm_v3(sin(i), cos(i), 0);
        if (strcmp(type, "universal") == 0) joint->axis2 = trm_v3(0, 0, 1);
    }
    m.def->gravity = trm_v3(1, -3, -9.81);
    return machine_finish(&m);
}

static void machines_by_chance_are_the_same_on_any_number_of_ranks(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 4; seed++) {
        trm_model *model = large_by_chance(seed);
        trm_simulation_def impulse = by_hierarchy(model), subsystem = by_subsystem(model);
        impulse.step = subsystem.step = 0.002;
        assert_true(model->row_count > 1000);
        assert_ranks_agree(model, &impulse, 0.006, "by chance");
        assert_ranks_agree(model, &subsystem, 0.006, "by chance");
        trm_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_act_the_same_on_any_number_of_ranks),
        cmocka_unit_test(implicit_springs_act_the_same_on_any_number_of_ranks),
        cmocka_unit_test(drives_and_moving_ground_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(gears_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(events_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(sensors_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(hubs_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(machines_by_chance_are_the_same_on_any_number_of_ranks),
        cmocka_unit_test(nets_are_the_same_on_any_number_of_ranks),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Model files at the library: every key goes into its field, what is written reads back the same, and a file gives
 * the same model as the same definition made by calls. all_keys.json uses every key that there is; schema_keys.c
 * sees to it that none is forgotten there. */

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

#include "failing_allocator.h"
#include "reading.h"

/* One rounding of numbers of magnitude one. */
static const double rounding = 2.3e-16;

#define assert_vector(v, expected_x, expected_y, expected_z)                                                         \
    do {                                                                                                             \
        assert_near((v).x, (expected_x), rounding);                                                                  \
        assert_near((v).y, (expected_y), rounding);                                                                  \
        assert_near((v).z, (expected_z), rounding);                                                                  \
    } while (0)

#define ALL_KEYS TRM_TESTS_IO "/all_keys.json"

/* ---- Every key ---------------------------------------------------------------------------- */

static void assert_numbers(const double *numbers, const double *expected, int count)
{
    for (int i = 0; i < count; i++) assert_near(numbers[i], expected[i], rounding);
}

static void keys_of_the_model_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    assert_string_equal(def->file, ALL_KEYS);
    assert_string_equal(def->name, "every key of the format");
    assert_vector(def->gravity, 0, -9.81, 0);
    assert_near(def->friction, 0.25, 0);
    assert_near(def->restitution, 0.25, 0);
    assert_int_equal(def->constant_count, 3);
    assert_string_equal(def->constants[2].name, "c");
    assert_near(def->constants[0].value, 2, 0);
    assert_near(def->constants[1].value, 0.5, 0);
    assert_near(def->constants[2].value, 1, rounding);
    assert_int_equal(def->no_collide_count, 2);
    assert_string_equal(def->no_collide[1].bodies[0], "rod");
    assert_string_equal(def->no_collide[1].bodies[1], "solid");
    assert_int_equal(def->no_collide[1].place.line, 98);
    assert_int_equal(def->no_collide[1].place.column, 36);
    trm_model_def_destroy(def);
}

static void keys_of_bodies_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    assert_int_equal(def->body_count, 11);
    assert_int_equal(def->bodies[10].mass_count, 3);
    assert_int_equal(def->bodies[10].frame_count, 2);
    assert_string_equal(def->bodies[10].frames[0].name, "grip");
    assert_near(def->bodies[10].frames[0].orientation.w, cos(0.25), 1e-15);
    assert_near(def->bodies[10].masses[0].mass, 2, 0);
    const trm_body_def *box = &def->bodies[0];
    assert_int_equal(box->place.line, 8);
    assert_int_equal(box->place.column, 5);
    assert_string_equal(box->name, "box");
    assert_int_equal(box->kind, TRM_BODY_RIGID);
    assert_near(box->mass, 2, 0);
    assert_numbers(box->inertia, (double[]){0.4, 0.5, 0.6, 0.01, -0.02, 0.03}, 6);
    assert_vector(box->com, 0.1, -0.1, 0.3);
    assert_vector(box->position, 1, 2, 3);
    assert_near(box->orientation.w, sqrt(0.5), rounding);
    assert_near(box->orientation.z, sqrt(0.5), rounding);
    assert_vector(box->velocity, 0.1, 0.2, 0.3);
    assert_vector(box->angular_velocity, 0, 0, 1);
    assert_int_equal(box->point_count, 2);
    assert_string_equal(box->points[1].name, "Q");
    assert_vector(box->points[1].position, 0, 0.5, 0);
    assert_string_equal(box->subsystem, "left");
    assert_int_equal(box->shape_count, 6);
    assert_true(isnan(def->bodies[1].com.x) && isnan(def->bodies[1].inertia[0]));
    trm_model_def_destroy(def);
}

static void keys_of_other_kinds_of_bodies_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    const trm_body_def *point = &def->bodies[2], *wall = &def->bodies[3], *table = &def->bodies[4],
                       *rod = &def->bodies[5];
    assert_int_equal(point->kind, TRM_BODY_POINT);
    assert_vector(point->position, 4, 0, 0);
    assert_vector(point->velocity, 0, 1, 0);
    assert_int_equal(wall->kind, TRM_BODY_FIXED);
    assert_near(wall->orientation.z, 1, 0);
    assert_vector(wall->points[0].position, 1, 1, 1);
    assert_int_equal(table->kind, TRM_BODY_MOVING);
    assert_int_equal(table->moving.position[0].kind, TRM_FUNCTION_CONSTANT);
    assert_near(table->moving.position[0].value, 0.5, 0);
    assert_int_equal(table->moving.position[1].kind, TRM_FUNCTION_EXPRESSION);
    assert_string_equal(table->moving.position[1].expression, "0.1*sin(a*t)");
    const trm_function_def *height = &table->moving.position[2], *angle = &table->moving.angle;
    assert_int_equal(height->kind, TRM_FUNCTION_TABLE);
    assert_int_equal(height->count, 3);
    assert_true(height->cubic);
    assert_numbers(height->t, (double[]){0, 1, 2}, 3);
    assert_numbers(height->y, (double[]){0, 0.5, 0}, 3);
    assert_int_equal(angle->count, 2);
    assert_false(angle->cubic);
    assert_vector(table->moving.axis, 0, 1, 0);
    assert_int_equal(rod->kind, TRM_BODY_ROD);
    assert_vector(rod->rod.from, 0, 0, 0);
    assert_vector(rod->rod.to, 2, 0, 0);
    assert_near(rod->rod.mass, 0.5, 0);
    assert_near(rod->rod.radius, 0.05, 0);
    assert_vector(rod->angular_velocity, 0, 0, 1);
    trm_model_def_destroy(def);
}

static void keys_of_shapes_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    const trm_shape_def *shapes = def->bodies[0].shapes;
    assert_int_equal(shapes[0].place.line, 13);
    assert_string_equal(shapes[0].type, "sphere");
    assert_near(shapes[0].radius, 0.5, 0);
    assert_vector(shapes[0].position, 0.1, 0.2, 0.3);
    assert_near(shapes[0].orientation.x, 0.8, 0);
    assert_near(shapes[0].density, 1000, 0);
    assert_near(shapes[0].friction, 0.1, 0);
    assert_near(shapes[0].restitution, 0.2, 0);
    assert_false(shapes[0].collide);
    assert_string_equal(shapes[0].color, "#ff8000");
    assert_vector(shapes[1].size, 1.5, 1.25, 1.125);
    assert_true(shapes[1].collide && isnan(shapes[1].density) && isnan(shapes[1].friction));
    assert_near(shapes[2].length, 0.75, 0);
    assert_near(shapes[3].length, 0.5, 0);
    assert_int_equal(shapes[4].point_count, 4);
    assert_vector(shapes[4].points[3], 0, 0, 1);
    assert_vector(shapes[5].normal, 0, 0, 2);
    assert_near(shapes[5].offset, 0.5, 0);
    trm_model_def_destroy(def);
}

static void keys_of_joints_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    assert_int_equal(def->joint_count, 22);
    const trm_joint_def *hinge = &def->joints[0], *slider = &def->joints[2], *universal = &def->joints[3],
                        *rope = &def->joints[5];
    assert_string_equal(hinge->name, "hinge");
    assert_string_equal(hinge->type, "hinge");
    assert_string_equal(hinge->bodies[0], "ground");
    assert_string_equal(hinge->bodies[1], "rod");
    assert_vector(hinge->anchor, 0, 0, 0);
    assert_vector(hinge->axis, 0, 0, 1);
    assert_numbers(hinge->q0, (double[]){TRM_PI / 6, 0, 0}, 3);
    assert_numbers(hinge->limits, (double[]){-TRM_PI, TRM_PI}, 2);
    assert_near(hinge->limit_restitution, 0.5, 0);
    assert_numbers(&hinge->friction, (double[]){0.125, 0.25, 0.0625, 0.5, 2},
                   5); /* mu, radius, static_friction, ... */
    assert_numbers(&hinge->stiffness, (double[]){6, 0.25, 0.5, 0.0625, 40, 12}, 6);
    assert_int_equal(universal->coordinate_count, 2);
    assert_numbers(universal->coordinates[0].limits, (double[]){-1, 2, 0.25, 0.5}, 4);
    assert_numbers(&universal->coordinates[0].stiffness, (double[]){3, 0.5, 0.75, 0.0625, 5, 8}, 6);
    assert_near(universal->coordinates[1].damping, 0.25, 0);
    assert_numbers(def->joints[6].geared, (double[]){1, 1}, 2);
    assert_near(hinge->break_force, 1000, 0);
    assert_near(hinge->break_torque, 100, 0);
    assert_true(hinge->attached && hinge->collide);
    assert_numbers(def->joints[1].q0, (double[]){0.1, 0.2, 0.3}, 3);
    assert_true(def->joints[1].break_torque == INFINITY && !def->joints[1].collide);
    assert_true(isnan(slider->anchor.x) && isnan(slider->axis.x));
    assert_vector(slider->anchors[0], 0, 9, 0);
    assert_vector(slider->anchors[1], 0, 0, 0);
    assert_vector(slider->axes[1], 1, 0, 0);
    assert_vector(universal->axis2, 1, 0, 0);
    assert_false(def->joints[4].attached);
    assert_near(rope->length, 5, 0);
    assert_true(rope->rope);
    assert_string_equal(def->joints[6].joints[1], "hinge");
    assert_near(def->joints[6].ratio, 0.05, 0);
    assert_near(def->joints[6].offset, 0.25, 0);
    assert_near(rope->erp, 0.5, 0);
    assert_near(rope->cfm, 1e-5, 0);
    assert_true(isnan(rope->spring_stiffness) && isnan(rope->spring_damping) && isnan(hinge->erp) &&
                isnan(hinge->cfm));
    assert_near(def->joints[6].spring_stiffness, 2000, 0);
    assert_true(isnan(def->joints[6].spring_damping) && isnan(def->joints[6].erp) && isnan(def->joints[6].cfm));
    assert_near(def->joints[7].pitch, 0.005, 0);
    assert_int_equal(def->joints[8].curve.point_count, 4);
    assert_vector(def->joints[8].curve.points[2], 1, 2, 0);
    assert_true(def->joints[8].curve.closed && isnan(def->joints[8].curve.circle.radius));
    assert_vector(def->joints[9].curve.circle.origin, 0, 0.5, 0);
    assert_vector(def->joints[9].curve.circle.axis, 0, 0, 2);
    assert_near(def->joints[10].curve.helix.pitch, -0.5, 0);
    assert_near(def->joints[11].surface.sphere.radius, 2, 0);
    assert_vector(def->joints[12].surface.cylinder.axis, 1, 1, 0);
    assert_near(def->joints[13].surface.torus.major, 3, 0);
    assert_near(def->joints[13].surface.torus.minor, 0.5, 0);
    const trm_joint_def *chain = &def->joints[14];
    assert_int_equal(chain->coordinate_count, 2);
    assert_string_equal(chain->coordinates[0].type, "hinge");
    assert_vector(chain->coordinates[0].anchor, 0, 0.5, 0);
    assert_vector(chain->coordinates[0].axis, 0, 0, 2);
    assert_near(chain->coordinates[0].damping, 0.5, 0);
    assert_string_equal(chain->coordinates[1].type, "slider");
    assert_near(chain->coordinates[1].armature, 0.125, 0);
    assert_near(chain->q0[1], 0.5, 0);
    const trm_joint_def *coupling = &def->joints[15];
    assert_near(coupling->offset, 0.125, 0);
    assert_int_equal(coupling->term_count, 2);
    assert_near(coupling->terms[0].factor, 2, 0);
    assert_int_equal(coupling->terms[1].polynomial_count, 3);
    assert_near(coupling->terms[1].polynomial[1], 0.5, 0);
    assert_near(coupling->terms[1].coordinate, 2, 0);
    assert_vector(def->joints[16].anchors[1], 0, 0.5, 0);
    assert_true(def->joints[16].limits[0] == 0 && def->joints[16].limits[1] == INFINITY);
    assert_near(def->joints[17].mu, 0.25, 0);
    assert_near(def->joints[17].wrap, TRM_PI, 1e-15);
    assert_true(def->joints[18].rope);
    assert_true(hinge->limits[1] < INFINITY && rope->limits[1] == INFINITY);
    trm_model_def_destroy(def);
}

static void keys_of_forces_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    const trm_force_def *spring = &def->forces[0], *force = &def->forces[1], *twist = &def->forces[2];
    const trm_force_def *ram = &def->forces[3], *coil = &def->forces[4], *axis = &def->forces[5],
                        *drag = &def->forces[8];
    const trm_joint_def *drive = &def->joints[19];
    assert_int_equal(def->force_count, 10);
    assert_near(def->forces[9].damping, 0.5, 0);
    assert_near(def->forces[5].ki, 2, 0);
    assert_near(def->forces[5].lag, 0.25, 0);
    assert_string_equal(spring->name, "spring");
    assert_string_equal(spring->bodies[1], "box");
    assert_vector(spring->anchors[1], 0, 0.5, 0);
    assert_near(spring->rest, 0.5, 0);
    assert_near(spring->stiffness, 100, 0);
    assert_near(spring->damping, 3, 0);
    assert_true(spring->implicit);
    assert_null(force->name);
    assert_string_equal(force->body, "box");
    assert_vector(force->at, 0.1, 0, 0);
    assert_near(force->value[0].value, 1, 0);
    assert_string_equal(force->value[1].expression, "a*t");
    assert_near(force->value[2].y[1], 3, 0);
    assert_true(force->in_body_frame && !twist->in_body_frame);
    assert_string_equal(drive->name, "turn");
    assert_near(drive->spring_stiffness, 50, 0);
    assert_near(drive->spring_damping, 2, 0);
    assert_near(def->joints[20].cfm, 0.0005, 0);
    assert_true(isnan(def->joints[20].erp));
    assert_string_equal(drive->type, "drive");
    assert_string_equal(drive->joint, "slider");
    assert_string_equal(drive->motion.expression, "b/2 + 0.1*t^2");
    assert_string_equal(ram->value[0].expression, "a*t");
    assert_string_equal(coil->joint, "hinge");
    assert_near(coil->rest, -0.25, 0);
    assert_true(spring->implicit && !coil->implicit);
    assert_string_equal(coil->treatment, "integral");
    assert_string_equal(axis->target.expression, "sin(a*t)");
    assert_numbers(&axis->kp, (double[]){100, 10, 50, 0.75}, 4);
    assert_near(def->forces[7].coordinate, 2, 0);
    assert_true(axis->has_velocity && !coil->has_velocity);
    assert_string_equal(axis->velocity.expression, "a*u1");
    assert_string_equal(axis->value[0].expression, "u2 + t");
    assert_near(axis->gear, 1.5, 0);
    assert_string_equal(def->forces[6].type, "effort");
    assert_numbers(def->forces[6].range, (double[]){-3, 0.875}, 2);
    assert_near(def->forces[6].gear, -2, 0);
    assert_int_equal(def->input_count, 2);
    assert_string_equal(def->inputs[0].name, "u1");
    assert_numbers(def->inputs[0].range, (double[]){-1, 2, 0.5}, 3);
    assert_true(def->inputs[1].range[1] == INFINITY);
    assert_near(def->joints[21].coordinate, 1, 0);
    assert_near(drag->linear, 0.125, 0);
    assert_near(drag->angular, 0.5, 0);
    trm_model_def_destroy(def);
}

static void keys_of_contacts_events_and_sensors_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    const trm_contact_def *by_speed = &def->contacts[1];
    const trm_event_def *timed = &def->events[0], *touched = &def->events[1];
    const trm_sensor_def *imu = &def->sensors[0];
    assert_int_equal(def->contact_count, 2);
    assert_near(def->contacts[0].friction, 0.5, 0);
    assert_near(def->contacts[0].restitution, 0.5, 0);
    assert_near(def->contacts[0].rolling, 0.01, 0);
    assert_string_equal(def->contacts[0].law, "stronge");
    assert_string_equal(by_speed->law, "poisson");
    assert_true(isnan(by_speed->friction) && isnan(by_speed->restitution));
    assert_int_equal(by_speed->speed_count, 3);
    assert_numbers(by_speed->speeds, (double[]){0, 0.1, 2}, 3);
    assert_numbers(by_speed->mus, (double[]){0.5, 0.4, 0.3}, 3);
    assert_int_equal(def->event_count, 3);
    assert_near(timed->at, 4, 0);
    assert_string_equal(timed->attach, "fixed");
    assert_string_equal(timed->detach, "ball");
    assert_int_equal(timed->setting_count, 2);
    assert_string_equal(timed->settings[0].name, "turn.motion");
    assert_string_equal(timed->settings[0].value.expression, "sin(t)");
    assert_near(timed->settings[1].value.value, 0.5, 0);
    assert_true(isnan(touched->at));
    assert_string_equal(touched->when, "contact");
    assert_string_equal(touched->bodies[1], "wall");
    assert_int_equal(def->sensor_count, 3);
    assert_string_equal(imu->type, "accelerometer");
    assert_string_equal(imu->body, "box");
    assert_vector(imu->at, 0.1, 0, 0.5);
    assert_near(imu->rate, 100, 0);
    assert_near(imu->noise, 0.01, 0);
    assert_string_equal(def->sensors[1].joint, "universal");
    assert_near(def->sensors[1].coordinate, 2, 0);
    assert_true(isnan(imu->coordinate));
    assert_string_equal(def->sensors[2].bodies[0], "box");
    assert_vector(def->sensors[2].anchors[1], 0, 0.5, 0);
    assert_true(isnan(def->sensors[1].anchors[0].x));
    trm_model_def_destroy(def);
}

static void keys_of_the_simulation_read_into_their_fields(void **state)
{
    (void)state;
    trm_model_def *def = read_model_file(ALL_KEYS);
    const trm_simulation_def *s = &def->simulation;
    assert_string_equal(s->method, "minimal");
    assert_string_equal(s->solver, "iterative");
    assert_near(s->step, 0.005, 0);
    assert_near(s->time, 3, 0);
    assert_near(s->order, 4, 0);
    assert_string_equal(s->scheme, "extrapolation");
    assert_near(s->position_tolerance, 1e-8, 0);
    assert_near(s->angle_tolerance, 1e-7, 0);
    assert_near(s->velocity_tolerance, 1e-6, 0);
    assert_near(s->error, 1e-5, 0);
    assert_string_equal(s->impact, "window");
    assert_true(s->simultaneous);
    assert_string_equal(s->sleep, "on");
    assert_near(s->every, 0.125, 0);
    assert_int_equal(s->option_count, 4);
    assert_string_equal(s->options[0].method, "lagrange");
    assert_string_equal(s->options[0].text, "rk4");
    assert_string_equal(s->options[1].method, "lcp");
    assert_string_equal(s->options[1].name, "erp");
    assert_near(s->options[1].number, 0.2, 0);
    assert_string_equal(s->options[2].text, "dantzig");
    assert_near(s->options[3].number, 1, 0);
    trm_model_def_destroy(def);
}

static void omitted_keys_have_the_defaults_of_the_calls(void **state)
{
    (void)state;
    trm_model_def *read = read_model("{\"trammel\": 1}"), *made = trm_model_def_create(NULL);
    assert_near(read->friction, made->friction, 0);
    assert_near(read->restitution, made->restitution, 0);
    assert_vector(read->gravity, 0, 0, 0);
    assert_string_equal(read->simulation.method, made->simulation.method);
    assert_string_equal(read->simulation.solver, made->simulation.solver);
    assert_near(read->simulation.step, made->simulation.step, 0);
    assert_int_equal(read->body_count + read->joint_count + read->force_count + read->event_count, 0);
    trm_model_def_destroy(read);
    trm_model_def_destroy(made);
}

/* ---- Expressions -------------------------------------------------------------------------- */

static void a_constant_that_is_set_is_followed_by_those_made_of_it(void **state)
{
    (void)state;
    const char *text = "{\"trammel\": 1, \"constants\": {\"r\": 0.1, \"d\": \"2*r\", \"e\": \"d + r\"},"
                       " \"gravity\": [\"r\", \"d\", \"e\"]}";
    const trm_constant set[] = {{"r", 3}, {"e", -1}};
    trm_model_def *as_it_is = read_model(text),
                  *changed = read_with(text, &(trm_read_options){.set = set, .set_count = 1}),
                  *twice = read_with(text, &(trm_read_options){.set = set, .set_count = 2});
    assert_vector(as_it_is->gravity, 0.1, 0.2, 0.1 + 0.2);
    assert_vector(changed->gravity, 3, 6, 9);
    assert_vector(twice->gravity, 3, 6, -1);
    assert_near(changed->constants[1].value, 6, 0);
    trm_model_def_destroy(as_it_is);
    trm_model_def_destroy(changed);
    trm_model_def_destroy(twice);
}

static void orientation_given_in_three_ways_is_the_same(void **state)
{
    (void)state;
    trm_model_def *def =
        read_model("{\"trammel\": 1, \"bodies\": ["
                   "{\"name\": \"a\", \"orientation\": [\"cos(20*deg)\", 0, 0, \"sin(20*deg)\"]},"
                   "{\"name\": \"b\", \"orientation\": {\"angle\": \"40*deg\", \"axis\": [0, 0, 3]}},"
                   "{\"name\": \"c\", \"orientation\": {\"rpy\": [0, 0, \"40*deg\"]}},"
                   "{\"name\": \"d\", \"orientation\": {\"rpy\": [\"10*deg\", 0, 0]}},"
                   "{\"name\": \"e\", \"orientation\": {\"axis\": [1, 0, 0], \"angle\": \"10*deg\"}},"
                   "{\"name\": \"f\", \"orientation\": {\"rpy\": [0, \"10*deg\", 0]}},"
                   "{\"name\": \"g\", \"orientation\": {\"axis\": [0, 1, 0], \"angle\": \"10*deg\"}}]}");
    const int pairs[4][2] = {{0, 1}, {0, 2}, {3, 4}, {5, 6}};
    for (int i = 0; i < 4; i++) {
        const trm_quat p = def->bodies[pairs[i][0]].orientation, q = def->bodies[pairs[i][1]].orientation;
        assert_near(p.w, q.w, rounding);
        assert_near(p.x, q.x, rounding);
        assert_near(p.y, q.y, rounding);
        assert_near(p.z, q.z, rounding);
    }
    trm_model_def_destroy(def);
}

/* rpy: R = Rz(y) Ry(p) Rx(r) */
static void roll_comes_first_and_yaw_last(void **state)
{
    (void)state;
    trm_model_def *def = read_model("{\"trammel\": 1, \"bodies\": ["
                                    "{\"name\": \"a\", \"orientation\": {\"rpy\": [\"90*deg\", 0, \"90*deg\"]}}]}");
    const trm_vec3 y = trm_rotate(def->bodies[0].orientation, trm_axis(1)); /* y -> z by roll, z stays by yaw */
    assert_vector(y, 0, 0, 1);
    trm_model_def_destroy(def);
}

/* ---- Layout of the file ------------------------------------------------------------------- */

static void assert_same_definition(const char *text_a, const char *text_b)
{
    trm_model_def *a = read_model(text_a), *b = read_model(text_b);
    char *written_a = text_of(a), *written_b = text_of(b);
    assert_string_equal(written_a, written_b);
    free(written_a);
    free(written_b);
    trm_model_def_destroy(a);
    trm_model_def_destroy(b);
}

static void comments_and_trailing_commas_change_nothing(void **state)
{
    (void)state;
    assert_same_definition(
        "{\"trammel\": 1, \"gravity\": [0, 0, -1]}",
        "// first\n{ /* in between */ \"trammel\": 1, // one\n \"gravity\": [0, 0, -1,], } // last");
}

static void sections_may_stand_in_any_order(void **state)
{
    (void)state;
#define CONSTANTS "\"constants\": {\"l\": 2}"
#define FORCES    "\"forces\": [{\"name\": \"d\", \"type\": \"drive\", \"joint\": \"j\", \"motion\": \"l*t\"}]"
#define JOINTS                                                                                                       \
    "\"joints\": [{\"name\": \"j\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"r\"], \"anchor\": [0, 0, 0],"    \
    " \"axis\": [0, 0, 1]}]"
#define BODIES "\"bodies\": [{\"name\": \"r\", \"rod\": {\"from\": [0, 0, 0], \"to\": [\"l\", 0, 0], \"mass\": 1}}]"
    const char *usual = "{\"trammel\": 1, " CONSTANTS ", " BODIES ", " JOINTS ", " FORCES "}";
    const char *reversed = "{" FORCES ", " JOINTS ", " BODIES ", " CONSTANTS ", \"trammel\": 1}";
    assert_same_definition(usual, reversed);
    trm_model_def *def = read_model(reversed);
    assert_int_equal(def->force_count, 0);
    assert_int_equal(def->joint_count, 2);
    assert_string_equal(def->joints[0].name, "j");
    assert_string_equal(def->joints[1].name, "d");
    trm_model *model = build_model(def);
    assert_string_equal(trm_joint_info_of(model, 1).type, "drive");
    trm_model_destroy(model);
    trm_model_def_destroy(def);
}

/* ---- Round trip --------------------------------------------------------------------------- */

/* Writing, reading and writing again gives the same text, and both definitions give the same model, bit for bit. */
static void assert_round_trip(const char *path)
{
    trm_model_def *def = read_model_file(path);
    char *once = text_of(def);
    trm_model_def *again = read_model(once);
    char *twice = text_of(again);
    assert_string_equal(once, twice);
    assert_true(hash_of_start(def) == hash_of_start(again));
    free(once);
    free(twice);
    trm_model_def_destroy(def);
    trm_model_def_destroy(again);
}

/* Meshes are found next to a file, not next to a text; tests/cli/commands.sh converts this model next to its mesh. */
static const char WITH_MESH[] = "ball-in-bowl.json";

static void every_example_survives_the_round_trip(void **state)
{
    (void)state;
    int count = 0;
    DIR *folder = opendir(TRM_EXAMPLES);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));) {
        char path[1000];
        if (!strstr(entry->d_name, ".json") || strcmp(entry->d_name, WITH_MESH) == 0) continue;
        snprintf(path, sizeof path, "%s/%s", TRM_EXAMPLES, entry->d_name);
        assert_round_trip(path);
        count++;
    }
    closedir(folder);
    assert_true(count >= 10);
}

static void a_model_with_every_key_survives_the_round_trip(void **state)
{
    (void)state;
    assert_round_trip(ALL_KEYS);
}

/* The written text has every key of the original except those that only mark what a body is not. */
static void no_key_is_lost_in_writing(void **state)
{
    (void)state;
    static const char *const keys[] = {"constants",
                                       "defaults",
                                       "inertia",
                                       "com",
                                       "subsystem",
                                       "rod",
                                       "radius",
                                       "moving",
                                       "interpolate",
                                       "restitution",
                                       "collide",
                                       "color",
                                       "normal",
                                       "offset",
                                       "q0",
                                       "limits",
                                       "limit_restitution",
                                       "break",
                                       "torque",
                                       "attached",
                                       "anchors",
                                       "axes",
                                       "axis2",
                                       "length",
                                       "rope",
                                       "wrap",
                                       "stiffness",
                                       "damping",
                                       "implicit",
                                       "rest",
                                       "frame",
                                       "motion",
                                       "joints",
                                       "ratio",
                                       "target",
                                       "kp",
                                       "kd",
                                       "max",
                                       "brake",
                                       "linear",
                                       "angular",
                                       "speed",
                                       "mu",
                                       "rolling",
                                       "law",
                                       "when",
                                       "attach",
                                       "detach",
                                       "set",
                                       "rate",
                                       "noise",
                                       "no_collide",
                                       "solver",
                                       "scheme",
                                       "tolerance",
                                       "error",
                                       "impact",
                                       "simultaneous",
                                       "sleep",
                                       "every",
                                       "cfm",
                                       "k",
                                       "d",
                                       "lcp",
                                       "erp",
                                       "lagrange",
                                       "integrator"};
    trm_model_def *def = read_model_file(ALL_KEYS);
    char *text = text_of(def);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char quoted[40];
        snprintf(quoted, sizeof quoted, "\"%s\":", keys[i]);
        if (!strstr(text, quoted)) print_error("%s is not written\n", quoted);
        assert_non_null(strstr(text, quoted));
    }
    free(text);
    trm_model_def_destroy(def);
}

/* Their values equal the defaults, which are omitted elsewhere. */
static void what_a_reader_needs_is_written_even_where_it_is_zero(void **state)
{
    (void)state;
    const char *text =
        "{\"trammel\": 1, \"bodies\": [{\"name\": \"t\", \"moving\": {\"position\": [0, 0, 0], \"angle\": 0}},"
        " {\"name\": \"r\", \"rod\": {\"from\": [0, 0, 0], \"to\": [1, 0, 0], \"mass\": 0}}], \"joints\": ["
        " {\"name\": \"c\", \"type\": \"coupling\", \"terms\": []},"
        " {\"name\": \"l\", \"type\": \"chain\", \"bodies\": [\"r\", \"t\"], \"chain\": []}], \"forces\": ["
        " {\"type\": \"force\", \"body\": \"r\", \"value\": [0, 0, 0]},"
        " {\"type\": \"drive\", \"joint\": \"j\", \"motion\": 0},"
        " {\"type\": \"spring\", \"bodies\": [\"r\", \"t\"], \"stiffness\": 0}]}";
    trm_model_def *def = read_model(text);
    char *first = text_of(def);
    for (int i = 0; i < 3; i++) {
        trm_model_def *again = read_model(first);
        char *next = text_of(again);
        assert_string_equal(first, next);
        free(next);
        trm_model_def_destroy(again);
    }
    static const char *const keys[] = {"moving", "mass", "terms", "\"chain\": [", "value", "motion", "stiffness"};
    for (int i = 0; i < 7; i++) assert_non_null(strstr(first, keys[i]));
    free(first);
    trm_model_def_destroy(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_the_model_read_into_their_fields),
        cmocka_unit_test(keys_of_bodies_read_into_their_fields),
        cmocka_unit_test(keys_of_other_kinds_of_bodies_read_into_their_fields),
        cmocka_unit_test(keys_of_shapes_read_into_their_fields),
        cmocka_unit_test(keys_of_joints_read_into_their_fields),
        cmocka_unit_test(keys_of_forces_read_into_their_fields),
        cmocka_unit_test(keys_of_contacts_events_and_sensors_read_into_their_fields),
        cmocka_unit_test(keys_of_the_simulation_read_into_their_fields),
        cmocka_unit_test(omitted_keys_have_the_defaults_of_the_calls),
        cmocka_unit_test(a_constant_that_is_set_is_followed_by_those_made_of_it),
        cmocka_unit_test(orientation_given_in_three_ways_is_the_same),
        cmocka_unit_test(roll_comes_first_and_yaw_last),
        cmocka_unit_test(comments_and_trailing_commas_change_nothing),
        cmocka_unit_test(sections_may_stand_in_any_order),
        cmocka_unit_test(every_example_survives_the_round_trip),
        cmocka_unit_test(a_model_with_every_key_survives_the_round_trip),
        cmocka_unit_test(no_key_is_lost_in_writing),
        cmocka_unit_test(what_a_reader_needs_is_written_even_where_it_is_zero),
    };
    return RUN_TESTS(tests);
}

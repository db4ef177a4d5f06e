/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rigid bodies as point masses: mass and inertia are kept, distances are sufficient and none is redundant. */

#include "model/to_points.h"

#include "check.h"
#include "failing_allocator.h"
#include "machines.h"
#include "random_bodies.h"

static const double ROUNDING = 1e-12; /* relative: about a hundred operations in double precision */

enum { BODIES = 300, MOST_REFERENCES = 7 };

static const trm_point_layout layouts[] = {TRM_POINTS_EIGHT, TRM_POINTS_SIX};

/* ---- Masses ------------------------------------------------------------------------------- */

typedef struct sums {
    double mass;
    trm_vec3 moment;
    trm_mat3 inertia; /* about the origin */
} sums;

static sums sums_of(const trm_mass_points *points)
{
    sums s = {0};
    for (int i = 0; i < points->count; i++) {
        const trm_vec3 p = points->list[i].place;
        const double m = points->list[i].mass;
        s.mass += m;
        s.moment = trm_v3_add_scaled(s.moment, m, p);
        s.inertia = trm_mat_add_scaled(s.inertia, m * trm_v3_dot(p, p), trm_diag(trm_v3(1, 1, 1)));
        s.inertia = trm_mat_add_scaled(s.inertia, -m, trm_outer(p, p));
    }
    return s;
}

static void check_sums(const trm_body *body, const trm_mass_points *points, double tolerance)
{
    const sums s = sums_of(points);
    const trm_vec3 J = body->inertia;
    const double largest = fmax(J.x, fmax(J.y, J.z)), size = sqrt(largest / body->mass);
    const trm_mat3 expected = trm_diag(J);
    assert_near(s.mass, body->mass, ROUNDING * body->mass);
    assert_near(trm_v3_length(s.moment), 0, ROUNDING * body->mass * size);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) assert_near(s.inertia.m[r][c], expected.m[r][c], tolerance * largest);
    for (int i = 0; i < points->count; i++) assert_true(points->list[i].mass > 0);
}

/* Returns a box with these sides; flat and slender ones are included. */
static trm_body box_of(double mass, trm_vec3 size)
{
    const double x = size.x * size.x, y = size.y * size.y, z = size.z * size.z;
    return (trm_body){.mass = mass,
                      .kind = TRM_BODY_RIGID,
                      .inertia = trm_raised_moments(trm_v3_scale(mass / 12, trm_v3(y + z, z + x, x + y)))};
}

static trm_body random_box(trm_random *random)
{
    const double mass = trm_random_uniform(random, 0.1, 10);
    const trm_vec3 thinness = random_vector(random, 1.5);
    return box_of(mass, trm_v3(pow(10, thinness.x), pow(10, thinness.y), pow(10, thinness.z)));
}

static void points_have_the_mass_centre_and_inertia_of_their_body(void **unused)
{
    (void)unused;
    trm_random random = trm_random_seed(1);
    for (int i = 0; i < 2 * BODIES; i++) {
        trm_arena arena;
        trm_mass_points points;
        trm_vec3 references[MOST_REFERENCES];
        const trm_body body = random_box(&random);
        const int count = i % (MOST_REFERENCES + 1);
        for (int k = 0; k < count; k++) references[k] = random_vector(&random, k == 3 ? 100 : 1);
        trm_arena_init(&arena, NULL);
        assert_true(trm_spread_mass(&arena, &body, layouts[i / BODIES], references, count, &points));
        check_sums(&body, &points, ROUNDING);
        assert_false(points.is_plane);
        for (int k = 0; k < count; k++)
            assert_near(trm_v3_length(trm_v3_sub(points.list[k].place, references[k])), 0, 0);
        trm_arena_destroy(&arena);
    }
}

/* Points that distances hold cannot have a moment of inertia of zero. */
static void a_plane_body_is_off_by_so_little(void **unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        trm_arena arena;
        trm_mass_points points;
        const trm_body body = {.mass = 1, .inertia = {1, 2, 3}};
        const trm_vec3 reference = {0.5, 0.1, 0};
        trm_arena_init(&arena, NULL);
        assert_true(trm_spread_mass(&arena, &body, layouts[i], &reference, 1, &points));
        assert_true(points.is_plane && points.is_slender);
        check_sums(&body, &points, 4e-9);
        trm_arena_destroy(&arena);
    }
}

static void images_that_coincide_are_one_point(void **unused)
{
    (void)unused;
    trm_arena arena;
    trm_mass_points points;
    const trm_body body = box_of(1, trm_v3(1, 1, 1));
    const trm_vec3 references[] = {{0.5, 0.5, 0.5}, {-0.5, 0.5, -0.5}, {0, 0, 0.5}, {0, 0, 0}};
    trm_arena_init(&arena, NULL);
    assert_true(trm_spread_mass(&arena, &body, TRM_POINTS_EIGHT, references, 4, &points));
    assert_int_equal(points.count,
                     8 + 2 + 1 + 8); /* corners, a pair, the centre, and those that carry the remaining mass */
    assert_true(trm_spread_mass(&arena, &body, TRM_POINTS_SIX, references, 4, &points));
    assert_int_equal(points.count, 4 + 6);
    trm_arena_destroy(&arena);
}

/* ---- Whole machines ----------------------------------------------------------------------- */

static trm_model_def *points_of(const trm_model *model, trm_point_layout layout)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *points = NULL;
    const trm_status status = trm_to_points(model, layout, NULL, messages, NULL, &points);
    if (status != TRM_OK) print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return points;
}

static trm_model *point_model(const trm_model *model, trm_point_layout layout)
{
    trm_model_def *def = points_of(model, layout);
    trm_model *points = build_model(def);
    trm_model_def_destroy(def);
    return points;
}

static void assert_vectors_near(trm_vec3 a, trm_vec3 b, double tolerance)
{
    assert_near(trm_v3_length(trm_v3_sub(a, b)), 0, tolerance);
}

static void energy_and_momentum_are_those_of_the_bodies(void **unused)
{
    (void)unused;
    trm_random random = trm_random_seed(2);
    for (int i = 0; i < 50; i++) {
        machine m;
        machine_init(&m);
        m.def->gravity = random_vector(&random, 10);
        for (int k = 0; k < 3; k++) add_body(&m, random_body(&random, ""));
        add_point(&m, 1, 2, 3);
        trm_model *model = machine_finish(&m), *points = point_model(model, layouts[i % 2]);
        trm_state *a = start_of(model), *b = start_of(points);
        const trm_energy E = trm_state_energy(a), F = trm_state_energy(b);
        const trm_momentum P = trm_state_momentum(a), Q = trm_state_momentum(b);
        assert_near(F.kinetic, E.kinetic, ROUNDING * E.kinetic);
        assert_near(F.potential, E.potential, 100 * ROUNDING); /* terms of about 30 J each cancel */
        assert_vectors_near(Q.linear, P.linear, 10 * ROUNDING);
        assert_vectors_near(Q.angular, P.angular, 10 * ROUNDING);
        trm_state_destroy(a);
        trm_state_destroy(b);
        trm_model_destroy(model);
        trm_model_destroy(points);
    }
}

typedef struct freedom {
    int by_count, by_rank, redundant;
} freedom;

static freedom freedom_of(const trm_model *model)
{
    trm_state *state = start_of(model);
    trm_analysis *a = trm_analyse(state, NULL);
    assert_non_null(a);
    const freedom f = {a->whole.freedoms - a->whole.rows, a->whole.freedoms - a->whole.rank, a->redundant_count};
    trm_analysis_destroy(a);
    trm_state_destroy(state);
    return f;
}

/* Checks both layouts. */
static void check_freedom(trm_model *model, int by_rank, int redundant)
{
    for (int i = 0; i < 2; i++) {
        trm_model *points = point_model(model, layouts[i]);
        const freedom f = freedom_of(points);
        assert_int_equal(f.by_rank, by_rank);
        assert_int_equal(f.redundant, redundant);
        trm_model_destroy(points);
    }
    trm_model_destroy(model);
}

static void no_distance_of_a_random_tree_is_redundant(void **unused)
{
    (void)unused;
    trm_random random = trm_random_seed(3);
    for (int i = 0; i < 40; i++) {
        machine m;
        machine_init(&m);
        int free = 0;
        for (int k = 1; k <= 6; k++) {
            const int body = add_body(&m, random_body(&random, ""));
            const int to = (int)trm_random_uniform(&random, 0, k);
            const trm_vec3 p = random_vector(&random, 1);
            trm_joint_def *joint = add_joint_at(&m, k % 2 ? "hinge" : "ball", to, body, p.x, p.y, p.z);
            if (k % 2) joint->axis = random_direction(&random);
            free += k % 2 ? 1 : 3;
        }
        check_freedom(machine_finish(&m), free, 0);
    }
}

static void a_free_body_keeps_its_six_freedoms(void **unused)
{
    (void)unused;
    machine m;
    machine_init(&m);
    add_ball(&m, 1, 2, 3);
    check_freedom(machine_finish(&m), 6, 0);
}

/* A door on three coaxial hinges has ten redundant rows; its points on the axis are fixed and need no distances. */
static void a_door_needs_no_distance_between_its_hinges(void **unused)
{
    (void)unused;
    machine m;
    machine_init(&m);
    const int door = add_ball(&m, 1, 0, 0), wall = add_fixed(&m, -1, 0, 0);
    add_hinge(&m, 0, door, 0, 0, -1);
    add_hinge(&m, wall, door, 0, 0, 0);
    add_hinge(&m, 0, door, 0, 0, 1);
    check_freedom(machine_finish(&m), 1, 0);
}

/* Two bodies held together by many balls and hinges count as one, and three bodies on one pin share its points. */
static void points_that_another_body_holds_cost_nothing(void **unused)
{
    (void)unused;
    machine m;
    machine_init(&m);
    const int a = add_ball(&m, 0, 0, 0), b = add_ball(&m, 1, 0, 0), c = add_ball(&m, 0, 1, 0);
    for (int i = 0; i < 5; i++) add_joint_at(&m, "ball", a, b, 0.5, 0.3 * i * i, 0.2 * i * i * i);
    add_hinge(&m, a, b, 0.4, 0.4, 0);
    add_hinge(&m, a, c, 0.5, 0, 0);
    add_hinge(&m, b, c, 0.5, 0, 0); /* implied, and recognized as such */
    check_freedom(machine_finish(&m), 7, 0);
}

/* A loop of parallel hinges is overconstrained, and so are its points, by the same number of rows. */
static void loops_have_the_freedom_and_the_redundancy_of_their_bodies(void **unused)
{
    (void)unused;
    static const char *const files[] = {"bricard",
                                        "double-pendulum",
                                        "eight-loop",
                                        "eight-loop-folded",
                                        "four-bar",
                                        "free-body",
                                        "pendulum",
                                        "eight-loop-hinges",
                                        "rhombus",
                                        "parallelogram",
                                        "problems/r02-four-bars-2"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[300];
        snprintf(path, sizeof path, TRM_EXAMPLES "/%s.json", files[i]);
        trm_model *model = model_of_file(path);
        const freedom f = freedom_of(model);
        check_freedom(model, f.by_rank, f.redundant);
    }
}

/* ---- Elements that are kept or refused ---------------------------------------------------- */

static bool has_body(const trm_model_def *def, const char *name, trm_body_kind kind)
{
    for (int i = 0; i < def->body_count; i++)
        if (strcmp(def->bodies[i].name, name) == 0) return def->bodies[i].kind == kind;
    return false;
}

static void points_are_named_after_their_bodies_and_joints(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"name\": \"n\", \"gravity\": [0, 0, -3], \"bodies\": ["
        "  { \"name\": \"rod\", \"mass\": 1, \"inertia\": [1, 1, 1] },"
        "  { \"name\": \"rod/p1\", \"point\": true, \"mass\": 2, \"position\": [3, 0, 0], \"velocity\": [1, 2, 3] },"
        "  { \"name\": \"wall\", \"fixed\": true, \"position\": [5, 0, 0] }],"
        "  \"joints\": [{ \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"rod\"],"
        "    \"anchor\": [1, 0, 0], \"axis\": [0, 1, 0] },"
        "    { \"name\": \"eye\", \"type\": \"ball\", \"bodies\": [\"rod\", \"rod/p1\"] },"
        "    { \"name\": \"rod/d1\", \"type\": \"distance\", \"bodies\": [\"rod\", \"wall\"],"
        "      \"anchors\": [[0, 1, 0], [0, 1, 0]], \"rope\": true, \"length\": 6 }],"
        "  \"simulation\": { \"order\": 4, \"step\": 0.125, \"impulse\": { \"x\": \"y\" } } }");
    trm_model_def *def = points_of(model, TRM_POINTS_SIX);
    trm_model_destroy(model);
    assert_true(has_body(def, "pin", TRM_BODY_FIXED));
    assert_true(has_body(def, "pin/2", TRM_BODY_FIXED));
    assert_true(has_body(def, "rod/p1", TRM_BODY_POINT)); /* which existed before */
    assert_true(has_body(def, "rod/p1~", TRM_BODY_POINT));
    assert_true(has_body(def, "rod/d1/1", TRM_BODY_POINT));
    assert_true(has_body(def, "rod/d1/2", TRM_BODY_FIXED));
    assert_string_equal(def->joints[0].name, "rod/d1");
    assert_true(def->joints[0].rope && def->joints[0].length == 6);
    assert_string_equal(def->joints[1].name, "rod/d1~");
    assert_string_equal(def->name, "n");
    assert_near(def->gravity.z, -3, 0);
    assert_near(def->simulation.order, 4, 0);
    assert_near(def->simulation.step, 0.125, 0);
    assert_string_equal(def->simulation.options[0].text, "y");
    trm_model_destroy(build_model(def));
    trm_model_def_destroy(def);
}

static void all_that_points_cannot_be_is_named(void **unused)
{
    (void)unused;
    trm_model *model = model_of_text(
        "{ \"trammel\": 1, \"bodies\": ["
        "  { \"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1] },"
        "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1] },"
        "  { \"name\": \"lift\", \"moving\": { \"position\": [\"t\", 0, 0] } }],"
        "  \"joints\": [{ \"name\": \"rail\", \"type\": \"slider\", \"bodies\": [\"ground\", \"a\"],"
        "    \"anchor\": [0, 0, 0], \"axis\": [1, 0, 0] },"
        "    { \"name\": \"stop\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"anchor\": [0, 0, 0],"
        "      \"axis\": [0, 0, 1], \"limits\": [-1, 1], \"friction\": 1, \"break\": { \"force\": 1 },"
        "      \"spring\": { \"k\": 1 }, \"attached\": false },"
        "    { \"name\": \"open\", \"type\": \"ball\", \"bodies\": [\"a\", \"b\"],"
        "      \"anchors\": [[0, 0, 0], [0, 0, 1]] }],"
        "  \"forces\": [{ \"name\": \"pull\", \"type\": \"force\", \"body\": \"a\", \"value\": [1, 0, 0] },"
        "    { \"type\": \"drive\", \"joint\": \"rail\", \"motion\": \"t\" }],"
        "  \"events\": [{ \"at\": 1, \"detach\": \"rail\" }],"
        "  \"sensors\": [{ \"name\": \"s\", \"type\": \"angle\", \"joint\": \"stop\" }],"
        "  \"poses\": { \"up\": { \"stop\": 1 } }, \"simulation\": { \"start\": \"up\" } }");
    static const char *const said[] = {
        "joint 'rail': a slider",
        "joint 'stop': has limits",
        "joint 'stop': has friction",
        "joint 'stop': can break",
        "joint 'stop': is soft",
        "joint 'stop': is not",
        "joint 'open': is open by 1 m",
        "joint 'drive(rail)': a drive",
        "body 'lift': its motion is",
        "force 'pull': a force",
        "events: ",
        "sensors: ",
        "simulation: starts in the pose 'up'",
    };
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *points = NULL;
    assert_int_equal(trm_to_points(model, TRM_POINTS_EIGHT, NULL, messages, NULL, &points), TRM_BAD_INPUT);
    assert_null(points);
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        bool found = false;
        for (int k = 0; k < trm_message_count(messages); k++) {
            char text[500];
            trm_format_message(trm_message_at(messages, k), text, sizeof text);
            found = found || strstr(text, said[i]);
        }
        if (!found) print_error("not said: %s\n", said[i]);
        assert_true(found);
    }
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

/* Distances cannot hold points on a line. */
static void points_that_distances_cannot_hold_are_refused(void **unused)
{
    (void)unused;
    trm_arena arena;
    const trm_vec3 places[] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    const int group_first[] = {0, 0, 0, 0};
    trm_tie ties[9];
    int count;
    const trm_tie_points points = {places, 3, NULL, group_first};
    trm_arena_init(&arena, NULL);
    assert_int_equal(trm_choose_ties(&arena, &points, ties, &count), TRM_TIES_TOO_FLAT);
    trm_arena_destroy(&arena);
}

static void out_of_memory_is_survived(void **unused)
{
    (void)unused;
    trm_model *model = model_of_file(TRM_EXAMPLES "/four-bar.json");
    failing_allocator memory;
    trm_status status;
    long fail_at = 0;
    do {
        trm_model_def *points;
        trm_messages *messages = trm_messages_create(NULL);
        failing_allocator_reset(&memory, ++fail_at, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        status = trm_to_points(model, TRM_POINTS_EIGHT, &hooks, messages, NULL, &points);
        assert_true(status == TRM_OK || (status == TRM_OUT_OF_MEMORY && !points));
        trm_model_def_destroy(points);
        trm_messages_destroy(messages);
        assert_true(failing_allocator_is_clean(&memory));
    } while (status != TRM_OK);
    assert_true(fail_at > 3);
    trm_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_have_the_mass_centre_and_inertia_of_their_body),
        cmocka_unit_test(a_plane_body_is_off_by_so_little),
        cmocka_unit_test(images_that_coincide_are_one_point),
        cmocka_unit_test(energy_and_momentum_are_those_of_the_bodies),
        cmocka_unit_test(no_distance_of_a_random_tree_is_redundant),
        cmocka_unit_test(a_free_body_keeps_its_six_freedoms),
        cmocka_unit_test(a_door_needs_no_distance_between_its_hinges),
        cmocka_unit_test(points_that_another_body_holds_cost_nothing),
        cmocka_unit_test(loops_have_the_freedom_and_the_redundancy_of_their_bodies),
        cmocka_unit_test(points_are_named_after_their_bodies_and_joints),
        cmocka_unit_test(all_that_points_cannot_be_is_named),
        cmocka_unit_test(points_that_distances_cannot_hold_are_refused),
        cmocka_unit_test(out_of_memory_is_survived),
    };
    return RUN_TESTS(tests);
}

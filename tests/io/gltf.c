/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Animations: the file is read back with another JSON library, and its poses are compared with the rows of the same
 * run. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "failing_allocator.h"
#include "io/animation.h"
#include "io/scene.h"
#include "small_sink.h"
#include "trammel/trammel.h"

/* Single precision: 24 bits for numbers up to 8 in these machines. */
static const double POSE_TOLERANCE = 1e-6;

/* ---- Running ------------------------------------------------------------------------------ */

enum { MOST_ROWS = 2000 };

/* A run, its animation and all its poses. */
typedef struct filmed {
    trm_messages *messages;
    trm_model_def *def;
    trm_model *model;
    trm_sim *sim;
    trm_animation *animation;
    int row_count;
    double times[MOST_ROWS];
    trm_pose *poses; /* poses of all bodies, row by row */
} filmed;

static bool on_row(void *context, const trm_state *state)
{
    filmed *f = context;
    const int bodies = trm_body_count(f->model);
    assert_true(f->row_count < MOST_ROWS);
    for (int i = 0; i < bodies; i++) f->poses[f->row_count * bodies + i] = trm_body_pose(state, i);
    f->times[f->row_count++] = trm_state_time(state);
    return trm_animation_add(f->animation, state);
}

static void load(filmed *f, const char *text)
{
    *f = (filmed){.messages = trm_messages_create(NULL)};
    const trm_status read = text[0] == '{'
                                ? trm_read_model_text(text, strlen(text), "text", NULL, NULL, f->messages, &f->def)
                                : trm_read_model_file(text, NULL, NULL, f->messages, &f->def);
    if (read != TRM_OK) print_error("%s\n", trm_message_at(f->messages, 0)->text);
    assert_int_equal(read, TRM_OK);
    assert_int_equal(trm_model_create(f->def, NULL, f->messages, &f->model), TRM_OK);
    assert_int_equal(trm_sim_create(f->model, NULL, NULL, f->messages, &f->sim), TRM_OK);
    f->animation = trm_animation_create(trm_sim_state(f->sim), NULL);
    f->poses = calloc((size_t)MOST_ROWS * (size_t)trm_body_count(f->model), sizeof *f->poses);
    assert_non_null(f->animation);
}

static void film(filmed *f, const char *text, double until, double every)
{
    load(f, text);
    const trm_run_def run = {.until = until, .every = every, .row = on_row, .context = f};
    assert_true(trm_sim_run(f->sim, &run).ok);
}

static void unload(filmed *f)
{
    trm_animation_destroy(f->animation);
    trm_sim_destroy(f->sim);
    trm_model_destroy(f->model);
    trm_model_def_destroy(f->def);
    trm_messages_destroy(f->messages);
    free(f->poses);
}

/* ---- Reading back ------------------------------------------------------------------------- */

typedef struct gltf {
    trm_text *file;
    json_t *json;
    const unsigned char *numbers;
    size_t number_bytes;
} gltf;

static uint32_t whole_at(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static gltf read_back(const trm_animation *animation)
{
    gltf g = {.file = trm_text_create(NULL)};
    assert_int_equal(trm_write_gltf(animation, trm_text_sink(g.file)), TRM_OK);
    const unsigned char *bytes = (const unsigned char *)trm_text_get(g.file);
    const size_t length = trm_text_length(g.file);
    assert_memory_equal(bytes, "glTF\2\0\0\0", 8);
    assert_int_equal(whole_at(bytes + 8), length);
    const size_t text = whole_at(bytes + 12);
    assert_memory_equal(bytes + 16, "JSON", 4);
    assert_int_equal(text % 4, 0);
    g.json = json_loadb((const char *)bytes + 20, text, 0, NULL);
    assert_non_null(g.json);
    g.number_bytes = whole_at(bytes + 20 + text);
    assert_memory_equal(bytes + 24 + text, "BIN\0", 4);
    assert_int_equal(28 + text + g.number_bytes, length);
    g.numbers = bytes + 28 + text;
    return g;
}

static void forget(gltf *g)
{
    json_decref(g->json);
    trm_text_destroy(g->file);
}

static json_int_t whole(const json_t *object, const char *key)
{
    return json_integer_value(json_object_get(object, key)); /* 0 if missing, as glTF defines */
}

static double number_at(const json_t *array, size_t i)
{
    return json_number_value(json_array_get(array, i));
}

static float float_at(const gltf *g, json_int_t accessor, int index)
{
    const json_t *a = json_array_get(json_object_get(g->json, "accessors"), (size_t)accessor);
    const json_t *v = json_array_get(json_object_get(g->json, "bufferViews"), (size_t)whole(a, "bufferView"));
    const size_t at = (size_t)(whole(v, "byteOffset") + whole(a, "byteOffset")) + 4 * (size_t)index;
    assert_int_equal(whole(a, "componentType"), 5126);
    assert_true(at + 4 <= g->number_bytes);
    const uint32_t bits = whole_at(g->numbers + at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Returns the index of a node by name; -1: not found. */
static int find_node(const gltf *g, const char *name)
{
    const json_t *nodes = json_object_get(g->json, "nodes");
    for (size_t i = 0; i < json_array_size(nodes); i++) {
        const char *own = json_string_value(json_object_get(json_array_get(nodes, i), "name"));
        if (i > 0 && own && strcmp(own, name) == 0) return (int)i;
    }
    return -1;
}

static const json_t *node_of(const gltf *g, const char *name)
{
    const int node = find_node(g, name);
    return node < 0 ? NULL : json_array_get(json_object_get(g->json, "nodes"), (size_t)node);
}

/* Finds the accessors of the times and of the values by which a node moves; returns false if it does not move. */
static bool find_channel(const gltf *g, int node, const char *path, json_int_t *input, json_int_t *output)
{
    const json_t *animation = json_array_get(json_object_get(g->json, "animations"), 0);
    const json_t *channels = json_object_get(animation, "channels");
    for (size_t i = 0; i < json_array_size(channels); i++) {
        const json_t *channel = json_array_get(channels, i), *target = json_object_get(channel, "target");
        if (whole(target, "node") != node || strcmp(json_string_value(json_object_get(target, "path")), path) != 0)
            continue;
        const json_t *sampler =
            json_array_get(json_object_get(animation, "samplers"), (size_t)whole(channel, "sampler"));
        *input = whole(sampler, "input");
        *output = whole(sampler, "output");
        return true;
    }
    return false;
}

static int row_count(const gltf *g, json_int_t times)
{
    return (int)whole(json_array_get(json_object_get(g->json, "accessors"), (size_t)times), "count");
}

/* Returns the pose of a body in a row of the animation, from its channel or, if it has none, from its node. */
static trm_pose pose_in_file(const gltf *g, const char *name, int row)
{
    const int node = find_node(g, name);
    json_int_t times, values;
    double p[3] = {0, 0, 0}, q[4] = {0, 0, 0, 1};
    const json_t *own = node_of(g, name), *place = json_object_get(own, "translation"),
                 *turn = json_object_get(own, "rotation");
    const bool moves = find_channel(g, node, "translation", &times, &values);
    for (int k = 0; k < 3 && (moves || place); k++)
        p[k] = moves ? (double)float_at(g, values, 3 * row + k) : number_at(place, (size_t)k);
    const bool turns = find_channel(g, node, "rotation", &times, &values);
    for (int k = 0; k < 4 && (turns || turn); k++)
        q[k] = turns ? (double)float_at(g, values, 4 * row + k) : number_at(turn, (size_t)k);
    return (trm_pose){{q[3], q[0], q[1], q[2]}, {p[0], p[1], p[2]}};
}

static void check_pose(trm_pose actual, trm_pose expected)
{
    const double scale = 1 + trm_v3_length(expected.p);
    assert_near(trm_v3_length(trm_v3_sub(actual.p, expected.p)), 0, POSE_TOLERANCE * scale);
    for (int i = 0; i < 3; i++)
        assert_near(trm_v3_length(trm_v3_sub(trm_rotate(actual.q, trm_axis(i)), trm_rotate(expected.q, trm_axis(i)))),
                    0, POSE_TOLERANCE);
}

/* ---- Poses -------------------------------------------------------------------------------- */

/* Returns the row of the run that a time of the animation belongs to. */
static int row_at(const filmed *f, double time)
{
    for (int i = 0; i < f->row_count; i++)
        if (fabs(f->times[i] - f->times[0] - time) < 1e-5) return i;
    fail_msg("no row at %g s", time);
    return 0;
}

/* Compares all bodies in all rows of the file; returns the number of rows. */
static int check_poses(const filmed *f, const gltf *g, const char *body_that_moves)
{
    json_int_t times, values;
    assert_true(find_channel(g, find_node(g, body_that_moves), "translation", &times, &values));
    const int rows = row_count(g, times), bodies = trm_body_count(f->model);
    for (int row = 0; row < rows; row++) {
        const int source = row_at(f, (double)float_at(g, times, row));
        for (int i = 0; i < bodies; i++) {
            const char *name = trm_body_info_of(f->model, i).name;
            if (find_node(g, name) >= 0) check_pose(pose_in_file(g, name, row), f->poses[source * bodies + i]);
        }
    }
    return rows;
}

static void nodes_are_where_the_rows_say(void **state)
{
    (void)state;
    static const char *const machines[][2] = {{"eight-loop", "rod1"},
                                              {"double-pendulum", "lower"},
                                              {"pendulum", "bob"},
                                              {"slider-crank", "piston"},
                                              {"dominoes", "d1"}};
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        char path[400];
        filmed f;
        snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, machines[m][0]);
        film(&f, path, 0.5, 0.01);
        gltf g = read_back(f.animation);
        const char *name =
            trm_find_body(f.model, machines[m][1]) >= 0 ? machines[m][1] : trm_body_info_of(f.model, 1).name;
        assert_true(check_poses(&f, &g, name) >= 26);
        forget(&g);
        unload(&f);
    }
}

static const char spinner[] =
    "{ \"trammel\": 1, \"name\": \"spin\", \"gravity\": [0, 0, -9.81], \"bodies\": [\n"
    "  { \"name\": \"top\", \"position\": [1, 2, 3], \"angular_velocity\": [0, 0, 20], \"com\": [0.1, 0, 0],\n"
    "    \"mass\": 1, \"inertia\": [1, 1, 2], \"velocity\": [0, 2, 0],\n"
    "    \"shapes\": [{ \"type\": \"box\", \"size\": [1, 2, 3], \"position\": [0, 1, 0], \"color\": \"#ff0000\",\n"
    "                   \"collide\": false }] },\n"
    "  { \"name\": \"wall\", \"fixed\": true, \"position\": [0, 0, -50], \"shapes\": [\n"
    "    { \"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0 }] },\n"
    "  { \"name\": \"nothing\", \"fixed\": true }] }";

/* The state may have q in one row and -q in the next. */
static void quaternions_keep_their_sign_and_their_length(void **state)
{
    (void)state;
    filmed f;
    load(&f, spinner);
    trm_state *now = trm_sim_state(f.sim);
    for (int i = 1; i < 50; i++) {
        const double half = 0.1 * i, sign = i % 3 ? 1 : -1;
        trm_set_state_time(now, 0.05 * i);
        trm_set_body_pose(now, trm_find_body(f.model, "top"),
                          (trm_pose){{sign * cos(half), 0, 0, sign * sin(half)}, {1, 2, 3}});
        assert_true(trm_animation_add(f.animation, now));
    }
    gltf g = read_back(f.animation);
    json_int_t times, values;
    assert_true(find_channel(&g, find_node(&g, "top"), "rotation", &times, &values));
    assert_int_equal(row_count(&g, times), 50);
    for (int row = 0; row < 50; row++) {
        double squares = 0, along = 0;
        for (int k = 0; k < 4; k++) {
            const double value = (double)float_at(&g, values, 4 * row + k);
            squares += value * value;
            along += row > 0 ? value * (double)float_at(&g, values, 4 * row - 4 + k) : 1;
        }
        assert_near(squares, 1, 1e-6); /* single precision */
        assert_true(along > 0);
    }
    forget(&g);
    unload(&f);
}

static void rows_of_long_runs_come_sixty_times_a_second_at_most_and_the_last_is_there(void **state)
{
    (void)state;
    /* s: length and spacing of rows of the run; least and largest number of rows of the animation */
    static const double runs[][4] = {{1.005, 0.002, 150, 301},
                                     {1.005, 0.01, 101, 102},
                                     {1.005, 0.1, 11, 12},
                                     {6.001, 0.005, 361, 362},
                                     {0.02, 0.0005, 41, 41}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        filmed f;
        film(&f, spinner, runs[i][0], runs[i][1]);
        gltf g = read_back(f.animation);
        json_int_t times, values;
        assert_true(find_channel(&g, find_node(&g, "top"), "translation", &times, &values));
        const int rows = row_count(&g, times);
        if (rows < runs[i][2] || rows > runs[i][3]) fail_msg("run %zu has %d rows", i, rows);
        assert_near((double)float_at(&g, times, 0), 0, 0);
        assert_near((double)float_at(&g, times, rows - 1), f.times[f.row_count - 1], 1e-6); /* single precision */
        for (int row = 1; row < rows; row++) assert_true(float_at(&g, times, row) > float_at(&g, times, row - 1));
        forget(&g);
        unload(&f);
    }
}

/* ---- Nodes and channels ------------------------------------------------------------------- */

static void fixed_bodies_have_no_channel_and_empty_ones_no_node(void **state)
{
    (void)state;
    filmed f;
    film(&f, spinner, 0.5, 0.01);
    gltf g = read_back(f.animation);
    json_int_t times, values;
    assert_true(find_node(&g, "wall") > 0);
    assert_false(find_channel(&g, find_node(&g, "wall"), "translation", &times, &values));
    assert_false(find_channel(&g, find_node(&g, "wall"), "rotation", &times, &values));
    assert_int_equal(find_node(&g, "nothing"), -1);
    assert_int_equal(find_node(&g, "ground"), -1);
    forget(&g);
    unload(&f);
}

static void a_run_of_no_time_is_a_picture_that_stands_still(void **state)
{
    (void)state;
    filmed f;
    film(&f, spinner, 0, 0.01);
    gltf g = read_back(f.animation);
    assert_null(json_object_get(g.json, "animations"));
    check_pose(pose_in_file(&g, "top", 0), f.poses[trm_find_body(f.model, "top")]);
    forget(&g);
    unload(&f);
}

static void up_is_y_for_any_gravity(void **state)
{
    (void)state;
    static const double gravities[][3] = {{0, 0, -9.81}, {0, -9.81, 0}, {0, 9.81, 0}, {3, -4, 5}, {0, 0, 0}};
    for (size_t i = 0; i < sizeof gravities / sizeof gravities[0]; i++) {
        const double *v = gravities[i];
        char text[300];
        snprintf(text, sizeof text,
                 "{ \"trammel\": 1, \"gravity\": [%g, %g, %g], \"bodies\": [{ \"name\": \"p\", \"point\": true, "
                 "\"mass\": 1 }] }",
                 v[0], v[1], v[2]);
        filmed f;
        load(&f, text);
        gltf g = read_back(f.animation);
        const json_t *root = json_array_get(json_object_get(g.json, "nodes"), 0),
                     *q = json_object_get(root, "rotation");
        const trm_quat turn =
            q ? (trm_quat){number_at(q, 3), number_at(q, 0), number_at(q, 1), number_at(q, 2)} : trm_quat_identity();
        const trm_vec3 down = trm_v3(v[0], v[1], v[2]);
        const trm_vec3 up = trm_v3_length(down) > 0 ? trm_v3_unit(trm_v3_neg(down)) : trm_v3(0, 0, 1);
        assert_near(trm_v3_length(trm_v3_sub(trm_rotate(turn, up), trm_v3(0, 1, 0))), 0, 1e-12); /* rounding */
        forget(&g);
        unload(&f);
    }
}

/* A distance joint is a rod of its own whose ends stay on both anchors. */
static void links_reach_from_anchor_to_anchor(void **state)
{
    (void)state;
    filmed f;
    film(&f, TRM_EXAMPLES "/pendulum.json", 1, 0.01);
    gltf g = read_back(f.animation);
    json_int_t times, places, turns;
    assert_true(find_channel(&g, find_node(&g, "bar"), "translation", &times, &places));
    assert_true(find_channel(&g, find_node(&g, "bar"), "rotation", &times, &turns));
    assert_false(find_channel(&g, find_node(&g, "bar"), "scale", &times, &turns)); /* its length is constant */
    const double length = number_at(json_object_get(node_of(&g, "bar"), "scale"), 2);
    for (int row = 0; row < row_count(&g, times); row++) {
        const trm_pose X = pose_in_file(&g, "bar", row);
        const trm_vec3 half = trm_v3_scale(0.5 * length, trm_rotate(X.q, trm_axis(2)));
        assert_near(trm_v3_length(trm_v3_sub(X.p, half)), 0, POSE_TOLERANCE); /* the ground's anchor is the origin */
        assert_near(trm_v3_length(trm_v3_sub(trm_v3_add(X.p, half), pose_in_file(&g, "bob", row).p)), 0,
                    POSE_TOLERANCE);
    }
    forget(&g);
    unload(&f);
}

static void a_joint_that_is_taken_off_is_drawn_no_longer(void **state)
{
    (void)state;
    filmed f;
    film(&f,
         "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"p\", \"point\": true, \"mass\": 1,"
         " \"position\": [1, 0, 0] }], \"joints\": [{ \"name\": \"bar\", \"type\": \"distance\", \"bodies\": "
         "[\"ground\","
         " \"p\"], \"anchors\": [[0, 0, 0], [0, 0, 0]], \"length\": 1 }], \"events\": [{ \"at\": 0.5, \"detach\": "
         "\"bar\" }] }",
         1, 0.02);
    gltf g = read_back(f.animation);
    json_int_t times, scales;
    assert_true(find_channel(&g, find_node(&g, "bar"), "scale", &times, &scales));
    for (int row = 0; row < row_count(&g, times); row++) {
        const double t = (double)float_at(&g, times, row), length = (double)float_at(&g, scales, 3 * row + 2);
        if (fabs(t - 0.5) > 0.01) assert_near(length, t < 0.5 ? 1 : 0, POSE_TOLERANCE);
    }
    forget(&g);
    unload(&f);
}

/* ---- Triangles ---------------------------------------------------------------------------- */

/* Returns the volume by the divergence theorem: positive if triangles are counter-clockwise seen from outside. */
static double volume_of(const trm_geometry *g)
{
    double sum = 0;
    for (int i = 0; i < g->index_count; i += 3) {
        trm_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const float *x = g->positions[g->indices[i + k]];
            p[k] = trm_v3((double)x[0], (double)x[1], (double)x[2]);
        }
        sum += trm_v3_dot(p[0], trm_v3_cross(p[1], p[2])) / 6;
    }
    return sum;
}

/* Asserts that each normal points to the side from which its triangles are counter-clockwise. */
static void check_normals(const trm_geometry *g)
{
    for (int i = 0; i < g->index_count; i += 3)
        for (int k = 0; k < 3; k++) {
            trm_vec3 p[3];
            const float *n = g->normals[g->indices[i + k]];
            for (int c = 0; c < 3; c++) {
                const float *x = g->positions[g->indices[i + c]];
                p[c] = trm_v3((double)x[0], (double)x[1], (double)x[2]);
            }
            const trm_vec3 face = trm_v3_unit(trm_v3_cross(trm_v3_sub(p[1], p[0]), trm_v3_sub(p[2], p[0])));
            const trm_vec3 normal = trm_v3((double)n[0], (double)n[1], (double)n[2]);
            assert_near(trm_v3_length(normal), 1, 1e-6); /* single precision */
            assert_true(trm_v3_dot(face, normal) > 0.9);
        }
}

static void triangles_are_closed_and_look_outwards(void **state)
{
    (void)state;
    enum { SPHERE, CYLINDER, CAPSULE, BOX, COUNT };
    /* Polyhedra inscribed in round shapes are smaller: by 3 % with 24 sides and 12 rings. */
    const double exact[COUNT] = {4 * TRM_PI / 3, TRM_PI, 4 * TRM_PI / 3 + 2 * TRM_PI, 1},
                 less[COUNT] = {0.03, 0.03, 0.03, 1e-6};
    trm_geometry made[COUNT];
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    assert_true(trm_sphere_geometry(&arena, &made[SPHERE]));
    assert_true(trm_cylinder_geometry(&arena, &made[CYLINDER]));
    assert_true(trm_capsule_geometry(&arena, 2, &made[CAPSULE]));
    assert_true(trm_box_geometry(&arena, &made[BOX]));
    for (int i = 0; i < COUNT; i++) {
        const double volume = volume_of(&made[i]);
        assert_true(volume <= exact[i] * (1 + 1e-6) && volume >= exact[i] * (1 - less[i]));
        check_normals(&made[i]);
    }
    trm_arena_destroy(&arena);
}

/* ---- Failures ----------------------------------------------------------------------------- */

static void out_of_memory_is_survived(void **state)
{
    (void)state;
    static const char *const files[] = {TRM_EXAMPLES "/walker-on-ground.json", TRM_EXAMPLES "/roller-coaster.json",
                                        TRM_EXAMPLES "/jansen.json", TRM_EXAMPLES "/spring-mass.json"};
    for (size_t m = 0; m < sizeof files / sizeof files[0]; m++) {
        filmed f;
        load(&f, files[m]);
        failing_allocator memory;
        bool done = false;
        for (long k = 1; !done; k++) {
            failing_allocator_reset(&memory, k, false);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            trm_state *later = trm_state_create(f.model, NULL);
            trm_animation *a = trm_animation_create(later, &hooks);
            done = a != NULL;
            for (int i = 1; i < 40 && a; i++) {
                trm_set_state_time(later, 0.1 * i);
                done = trm_animation_add(a, later) && done;
            }
            trm_text *file = trm_text_create(NULL);
            if (a && trm_write_gltf(a, trm_text_sink(file)) != TRM_OK) {
                assert_int_equal(trm_text_length(file),
                                 0); /* all memory is allocated before the first byte is written */
                done = false;
            }
            trm_text_destroy(file);
            trm_animation_destroy(a);
            trm_state_destroy(later);
            assert_true(failing_allocator_is_clean(&memory));
            assert_true(done == (memory.refusals == 0));
        }
        unload(&f);
    }
}

static void a_sink_that_refuses_is_reported_and_left_alone(void **state)
{
    (void)state;
    filmed f;
    film(&f, spinner, 0.5, 0.01);
    gltf g = read_back(f.animation);
    const size_t length = trm_text_length(g.file);
    for (size_t room = 0; room < length; room += 101) {
        small_sink s = {.left = room};
        assert_int_equal(trm_write_gltf(f.animation, (trm_sink){write_some, &s}), TRM_IO_ERROR);
        assert_int_equal(s.refusals, 1);
    }
    forget(&g);
    unload(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nodes_are_where_the_rows_say),
        cmocka_unit_test(quaternions_keep_their_sign_and_their_length),
        cmocka_unit_test(rows_of_long_runs_come_sixty_times_a_second_at_most_and_the_last_is_there),
        cmocka_unit_test(fixed_bodies_have_no_channel_and_empty_ones_no_node),
        cmocka_unit_test(a_run_of_no_time_is_a_picture_that_stands_still),
        cmocka_unit_test(up_is_y_for_any_gravity),
        cmocka_unit_test(links_reach_from_anchor_to_anchor),
        cmocka_unit_test(a_joint_that_is_taken_off_is_drawn_no_longer),
        cmocka_unit_test(triangles_are_closed_and_look_outwards),
        cmocka_unit_test(out_of_memory_is_survived),
        cmocka_unit_test(a_sink_that_refuses_is_reported_and_left_alone),
    };
    return RUN_TESTS(tests);
}

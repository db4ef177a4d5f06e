/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* MJCF: a written file is read back as a machine with the same motion, and losses are reported. */

#include <dirent.h>

#include "importing.h"
#include "trammel/joint_space.h"

/* Returns the model file written as MJCF, which the caller frees. *lost: number of messages. */
static char *written(const trm_model_def *def, const trm_model *model, int *lost)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_text *text = trm_text_create(NULL);
    assert_int_equal(trm_write_mjcf(def, model, NULL, messages, trm_text_sink(text)), TRM_OK);
    char *copy = strdup(trm_text_get(text));
    *lost = trm_message_count(messages);
    trm_text_destroy(text);
    trm_messages_destroy(messages);
    return copy;
}

/* m, rad, m/s: tolerance of the solver. Poses at the end of machines with loops differ by 1e4 times this. */
static const double SOLVED = 1e-13;
/* Relative to the largest entry of a mass matrix, and to masses and moments. */
static const double MASS = 1e-12;
/* m, after 1 s: rounding of the start, which is written with 17 digits, is enlarged by up to 1e5 in loops. */
static const double MOTION = 1e-9;

static running run_for_a_second(trm_model *model, double step)
{
    trm_simulation_def o = trm_default_simulation_def();
    o.order = 4;
    o.position_tolerance = o.angle_tolerance = o.velocity_tolerance = SOLVED;
    running r = run_model(model, &o);
    for (int i = 0; i < (int)lround(1 / step); i++) assert_true(trm_sim_step(r.sim, step).ok);
    return r;
}

/* ---- Mass matrices ------------------------------------------------------------------------ */

static trm_joint_space *space_of(const trm_model *model)
{
    trm_joint_space *space = NULL;
    assert_int_equal(trm_joint_space_create(model, NULL, &space), TRM_OK);
    return space;
}

/* Returns the coordinate of another model's space with the same name; -1: none. */
static int same_coordinate(const trm_model *model, const trm_joint_space *space, int i, const trm_model *other,
                           const trm_joint_space *there)
{
    const trm_joint_space_name n = trm_joint_space_name_of(space, i);
    if (n.joint < 0 || strcmp(trm_joint_info_of(model, n.joint).type, "ball") == 0) return -1;
    const int joint = trm_find_joint(other, trm_joint_info_of(model, n.joint).name);
    for (int k = 0; k < trm_joint_space_size(there); k++) {
        const trm_joint_space_name m = trm_joint_space_name_of(there, k);
        if (joint >= 0 && m.joint == joint && m.coordinate == n.coordinate && m.angular == n.angular) return k;
    }
    return -1;
}

/* Returns the largest difference of the mass matrices at the start, relative to the largest entry; NAN: coordinates
 * differ, because the tree of a loop is cut elsewhere, a body is free, or a ball has the axes of the other body. The
 * sign of a coordinate depends on which body is the parent. */
static double mass_off(const trm_model *ours, const trm_model *theirs)
{
    trm_joint_space *a = space_of(ours), *b = space_of(theirs);
    const int n = trm_joint_space_size(a);
    double *M = calloc((size_t)(n * n) + 1, sizeof *M), *N = calloc((size_t)(n * n) + 1, sizeof *N), off = 0,
           most = 0;
    int *to = calloc((size_t)n + 1, sizeof *to);
    bool same = n == trm_joint_space_size(b);
    for (int i = 0; same && i < n; i++) same = (to[i] = same_coordinate(ours, a, i, theirs, b)) >= 0;
    if (same) {
        trm_mass_matrix(a, M);
        trm_mass_matrix(b, N);
        for (int i = 0; i < n * n; i++) {
            most = fmax(most, fabs(M[i]));
            off = fmax(off, fabs(fabs(M[i]) - fabs(N[to[i / n] * n + to[i % n]])));
        }
    }
    free(M), free(N), free(to);
    trm_joint_space_destroy(a);
    trm_joint_space_destroy(b);
    return same ? off / fmax(most, 1e-300) : NAN;
}

/* Returns the largest difference of masses, sums of moments and centres of the bodies, which determine the matrix
 * together with the poses, whatever the coordinates are. */
static double bodies_off(const trm_model *ours, const trm_model *theirs)
{
    double off = 0;
    for (int i = 0; i < trm_body_count(ours); i++) {
        const trm_body_info a = trm_body_info_of(ours, i);
        const int k = trm_find_body(theirs, a.name);
        if (k < 0 || !(a.mass > 0)) continue; /* merged into another body, or fixed */
        const trm_body_info b = trm_body_info_of(theirs, k);
        const double sum = a.moments.x + a.moments.y + a.moments.z;
        off = fmax(off, fabs(a.mass - b.mass) / a.mass);
        off = fmax(off, fabs(sum - b.moments.x - b.moments.y - b.moments.z) / sum);
        off = fmax(off, trm_v3_length(trm_v3_sub(a.principal.p, b.principal.p)));
    }
    return off;
}

/* ---- Writing and reading back ------------------------------------------------------------- */

typedef struct trip {
    bool fits;
    double mass, motion; /* mass: difference relative to the largest entry; motion: difference in m */
} trip;

/* Returns the largest distance between positions of a body in both machines after a second. */
static double motion_off(const trm_model_def *def, const trm_model_def *again, double step)
{
    double off = 0;
    running ours = run_for_a_second(build_model(def), step), theirs = run_for_a_second(build_model(again), step);
    for (int i = 0; i < def->body_count; i++) {
        const char *name = def->bodies[i].name;
        if (trm_find_body(theirs.model, name) < 0) continue; /* merged into another body */
        off = fmax(off, trm_v3_length(trm_v3_sub(place_of(&theirs, name), place_of(&ours, name))));
    }
    stop(&ours);
    stop(&theirs);
    return off;
}

/* Writes a machine at rest, because MJCF holds no velocities, and reads it back. A loop that a hinge closes is closed
 * by two points there, which depend on each other: the motions then agree only within the error of steps, and shorter
 * steps are used. */
static trip there_and_back(trm_model_def *def)
{
    trip t = {0};
    int lost;
    for (int i = 0; i < def->body_count; i++)
        def->bodies[i].velocity = def->bodies[i].angular_velocity = trm_v3(0, 0, 0);
    trm_model *model = build_model(def);
    char *text = written(def, model, &lost);
    t.fits = lost == 0;
    if (t.fits) {
        imported in = import_good(text);
        trm_model *again = build_model(in.def);
        t.mass = mass_off(model, again);
        if (isnan(t.mass)) t.mass = bodies_off(model, again);
        trm_model_destroy(again);
        t.motion = INFINITY;
        for (double step = 0.002; step > 1e-4 && t.motion > MOTION; step /= 4)
            t.motion = motion_off(def, in.def, step);
        import_end(&in);
    }
    trm_model_destroy(model);
    free(text);
    return t;
}

static void assert_comes_back(trm_model_def *def, const char *name, int *fits)
{
    const trip t = there_and_back(def);
    trm_model_def_destroy(def);
    if (!t.fits) return;
    *fits += 1;
    print_message("%-24s mass matrix %.1e, motion %.1e m\n", name, t.mass, t.motion);
    assert_true(t.mass <= MASS);
    assert_true(t.motion <= MOTION);
}

static void read_and_compare(const char *folder, const char *file, int *fits)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    trm_model_def *def = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    const trm_read_options options = {.without = TRM_WITHOUT_CONTACTS};
    assert_int_equal(trm_read_model_file(path, &options, NULL, messages, &def), TRM_OK);
    trm_messages_destroy(messages);
    assert_comes_back(def, file, fits);
}

/* All examples without losses: their number is asserted, so that none is lost later. */
static void supported_examples_are_read_back(void **state)
{
    (void)state;
    static const char *const FOLDERS[] = {TRM_EXAMPLES, TRM_EXAMPLES "/problems"};
    int fits = 0;
    for (int i = 0; i < 2; i++) {
        DIR *folder = opendir(FOLDERS[i]);
        assert_non_null(folder);
        for (const struct dirent *e; (e = readdir(folder));) {
            const char *dot = strrchr(e->d_name, '.');
            if (dot && strcmp(dot, ".json") == 0) read_and_compare(FOLDERS[i], e->d_name, &fits);
        }
        closedir(folder);
    }
    print_message("%d examples fit\n", fits);
    assert_true(fits >= 60);
}

/* Every joint that MJCF supports, with the bodies of some in reverse order; a gear and a spring. */
static const char MACHINE[] =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "  { \"name\": \"a\", \"mass\": 2, \"inertia\": [0.1, 0.2, 0.15, 0.01, 0, 0], \"com\": [0.1, 0, 0], "
    "\"position\": [0, 0, 1] },"
    "  { \"name\": \"b\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [0.5, 0, 1],"
    "    \"orientation\": { \"rpy\": [0.3, 0.2, 0.1] } },"
    "  { \"name\": \"c\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1, 0, 1], \"gravity_factor\": "
    "0.5 },"
    "  { \"name\": \"d\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [1.5, 0, 1],"
    "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.1, 0.2, 0.3] }, { \"type\": \"sphere\", \"radius\": 0.1 }] },"
    "  { \"name\": \"e\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [2, 0, 1] },"
    "  { \"name\": \"f\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [2.5, 0, 1] } ],"
    "  \"joints\": ["
    "  { \"name\": \"ja\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 1], \"axis\": "
    "[0, 1, 0],"
    "    \"damping\": 0.1, \"armature\": 0.2, \"q0\": [0.3] },"
    "  { \"name\": \"jb\", \"type\": \"universal\", \"bodies\": [\"b\", \"a\"], \"anchor\": [0.4, 0, 1], \"axis\": "
    "[0, 1, 0],"
    "    \"axis2\": [0, 0, 1], \"coordinates\": [{ \"stiffness\": 3 }, { \"damping\": 0.2 }] },"
    "  { \"name\": \"jc\", \"type\": \"cylinder\", \"bodies\": [\"b\", \"c\"], \"anchor\": [1, 0, 1], \"axis\": [1, "
    "0, 0],"
    "    \"coordinates\": [{}, { \"stiffness\": 50, \"damping\": 1 }] },"
    "  { \"name\": \"jd\", \"type\": \"chain\", \"bodies\": [\"d\", \"c\"], \"chain\": ["
    "    { \"type\": \"hinge\", \"anchor\": [1.4, 0, 1.1], \"axis\": [0, 1, 0], \"armature\": 0.1 },"
    "    { \"type\": \"hinge\", \"anchor\": [1.3, 0, 1], \"axis\": [1, 0, 0.5] }] },"
    "  { \"name\": \"je\", \"type\": \"ball\", \"bodies\": [\"d\", \"e\"], \"anchor\": [1.8, 0, 1] },"
    "  { \"name\": \"jf\", \"type\": \"slider\", \"bodies\": [\"f\", \"e\"], \"anchor\": [2, 0, 1], \"axis\": [1, 0, "
    "1] },"
    "  { \"name\": \"g\", \"type\": \"gear\", \"joints\": [\"ja\", \"jf\"], \"ratio\": 2 } ],"
    "  \"forces\": [{ \"name\": \"s\", \"type\": \"spring\", \"bodies\": [\"ground\", \"d\"], \"anchors\": [[1.5, 0, "
    "2], [0, 0, 0]],"
    "    \"stiffness\": 20, \"damping\": 0.5, \"rest\": 0.8 }] }";

static void all_joints_that_it_can_hold_move_alike(void **state)
{
    (void)state;
    int fits = 0;
    assert_comes_back(read_model(MACHINE), "all joints", &fits);
    assert_int_equal(fits, 1);
}

/* Joints, rods and bodies placed in the frames of joints and bodies. */
static void elements_with_a_parent_are_written_at_their_places(void **state)
{
    (void)state;
    static const char machine[] =
        "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
        "  { \"name\": \"a\", \"parent\": \"s\", \"rod\": { \"from\": [0, 0, 0], \"to\": [0.4, 0, 0.1], \"mass\": 2, "
        "\"radius\": 0.03 } },"
        "  { \"name\": \"b\", \"parent\": \"e\", \"mass\": 1, \"inertia\": [0.1, 0.2, 0.2], \"position\": [0.2, 0, "
        "0] } ],"
        "  \"joints\": ["
        "  { \"name\": \"s\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"a\"], \"anchor\": [0, 0, 1], \"axis\": "
        "[0, 1, 1] },"
        "  { \"name\": \"e\", \"type\": \"hinge\", \"bodies\": [\"a\", \"b\"], \"parent\": \"s\", \"anchor\": [0.4, "
        "0, "
        "0.1], \"axis\": [1, 0, 1] } ] }";
    int fits = 0;
    assert_comes_back(read_model(machine), "parents", &fits);
    assert_int_equal(fits, 1);
}

static void losses_are_reported(void **state)
{
    (void)state;
    int lost;
    trm_model_def *def = read_model_file(TRM_EXAMPLES "/slider-crank.json");
    trm_model *model = build_model(def);
    char *text = written(def, model, &lost);
    assert_true(lost > 0);
    assert_non_null(strstr(text, "<mujoco"));
    free(text);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supported_examples_are_read_back),
        cmocka_unit_test(all_joints_that_it_can_hold_move_alike),
        cmocka_unit_test(elements_with_a_parent_are_written_at_their_places),
        cmocka_unit_test(losses_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

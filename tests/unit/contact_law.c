/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Friction and restitution of pairs of shapes, and which bodies may collide. */

#include "model/contact_law.h"

#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"
#include "model/model.h"

static const double ROUNDING = 1e-15; /* of a root, or of a sum of two products */

/* Three free spheres and a fixed one; sphere i (from 1) has friction and restitution of its own. */
enum { SPHERES = 4, FIXED = 4 };
static const double mu[SPHERES] = {0.2, 0.8, 0.45, 0.05}, e[SPHERES] = {0.1, 0.9, 0.3, 0};

typedef struct scene {
    trm_model_def *def;
    trm_shape_def shapes[SPHERES];
} scene;

static void scene_begin(scene *s)
{
    static const char *const names[] = {"a", "b", "c", "wall"};
    s->def = trm_model_def_create(NULL);
    assert_non_null(s->def);
    for (int i = 0; i < SPHERES; i++) {
        trm_body_def body = trm_default_body_def();
        s->shapes[i] = trm_default_shape_def();
        s->shapes[i].type = "sphere";
        s->shapes[i].radius = 0.1;
        s->shapes[i].density = i + 1 == FIXED ? NAN : 1000;
        s->shapes[i].friction = mu[i];
        s->shapes[i].restitution = e[i];
        body.name = names[i];
        body.kind = i + 1 == FIXED ? TRM_BODY_FIXED : TRM_BODY_RIGID;
        body.shapes = &s->shapes[i];
        body.shape_count = 1;
        assert_int_equal(trm_add_body(s->def, &body), TRM_OK);
    }
}

/* Returns the model, or NULL with the first message in `said`. */
static trm_model *scene_finish(scene *s, char said[200])
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model;
    assert_non_null(messages);
    const trm_status status = trm_model_create(s->def, NULL, messages, &model);
    assert_int_equal(status == TRM_OK, model != NULL);
    if (said && !model) trm_format_message(trm_message_at(messages, 0), said, 200);
    trm_messages_destroy(messages);
    trm_model_def_destroy(s->def);
    return model;
}

static trm_contact_def contact_of(const char *a, const char *b)
{
    trm_contact_def contact = trm_default_contact_def();
    contact.bodies[0] = a;
    contact.bodies[1] = b;
    return contact;
}

/* ---- Laws --------------------------------------------------------------------------------- */

static void without_an_entry_the_shapes_decide(void **state)
{
    (void)state;
    scene s;
    scene_begin(&s);
    trm_model *model = scene_finish(&s, NULL);
    assert_non_null(model);
    for (int a = 1; a <= SPHERES; a++)
        for (int b = 1; b <= SPHERES; b++) {
            const trm_contact_law law = trm_contact_law_of(model, a, 0, b, 0);
            assert_near(law.friction * law.friction, mu[a - 1] * mu[b - 1], ROUNDING);
            assert_true(law.restitution == (e[a - 1] > e[b - 1] ? e[a - 1] : e[b - 1]));
            assert_true(law.rolling == 0 && law.torsional == 0 && law.speed_count == 0);
            assert_true(trm_contact_friction(&law, 3) == law.friction);
        }
    trm_model_destroy(model);
}

static void shapes_say_how_their_friction_is_combined(void **state)
{
    (void)state;
    scene s;
    char said[200];
    scene_begin(&s);
    s.shapes[0].combine = "min", s.shapes[1].combine = "max";
    s.shapes[3].priority = 1;
    s.shapes[3].rolling = 0, s.shapes[0].rolling = 0.01;
    trm_model *model = scene_finish(&s, NULL);
    assert_non_null(model);
    for (int turn = 0; turn < 2; turn++) {
        assert_true(trm_contact_law_of(model, turn ? 3 : 1, 0, turn ? 1 : 3, 0).friction == mu[0]); /* min */
        assert_true(trm_contact_law_of(model, turn ? 2 : 1, 0, turn ? 1 : 2, 0).friction == mu[1]); /* max wins */
        assert_true(trm_contact_law_of(model, turn ? 4 : 2, 0, turn ? 2 : 4, 0).friction == mu[3]); /* priority */
        assert_true(trm_contact_law_of(model, turn ? 4 : 1, 0, turn ? 1 : 4, 0).rolling == 0);
    }
    trm_model_destroy(model);
    scene_begin(&s);
    s.shapes[0].combine = "mean";
    assert_null(scene_finish(&s, said));
    assert_non_null(strstr(said, "give geometric, min or max"));
}

static void an_entry_holds_in_either_order_and_leaves_the_rest_to_the_shapes(void **state)
{
    (void)state;
    scene s;
    trm_contact_def contacts[3] = {contact_of("wall", "a"), contact_of("c", "b"), contact_of("b", "a")};
    contacts[0].friction = 0.7;
    contacts[1].restitution = 0.55;
    contacts[1].rolling = 0.002;
    contacts[2].torsional = 0.001;
    contacts[1].law = "stronge";
    contacts[2].law = NULL;
    contacts[2].friction = 0;
    contacts[2].restitution = 0;
    scene_begin(&s);
    s.shapes[0].rolling = 0.03, s.shapes[1].torsional = 0.02, s.shapes[2].torsional = 0.04;
    s.def->contacts = contacts;
    s.def->contact_count = 3;
    trm_model *model = scene_finish(&s, NULL);
    assert_non_null(model);
    for (int turn = 0; turn < 2; turn++) {
        const trm_contact_law wall = trm_contact_law_of(model, turn ? 1 : 4, 0, turn ? 4 : 1, 0);
        const trm_contact_law bc = trm_contact_law_of(model, turn ? 2 : 3, 0, turn ? 3 : 2, 0);
        const trm_contact_law ab = trm_contact_law_of(model, turn ? 1 : 2, 0, turn ? 2 : 1, 0);
        assert_true(wall.friction == 0.7 && wall.restitution == e[0] && wall.rolling == 0.03);
        assert_near(bc.friction, sqrt(mu[1] * mu[2]), ROUNDING);
        assert_true(bc.restitution == 0.55 && bc.rolling == 0.002 && bc.torsional == 0.04);
        assert_true(ab.rolling == 0.03 && ab.torsional == 0.001);
        assert_true(bc.stronge && !ab.stronge && !wall.stronge);
        assert_true(ab.friction == 0 && ab.restitution == 0);
    }
    assert_near(trm_contact_law_of(model, 1, 0, 3, 0).friction, sqrt(mu[0] * mu[2]), ROUNDING);
    trm_model_destroy(model);
}

static void friction_by_speed_is_linear_between_the_points_and_constant_beyond(void **state)
{
    (void)state;
    scene s;
    double speeds[4] = {0.1, 0.5, 2, 3}, mus[4] = {0.6, 0.2, 0.3, 0.3};
    trm_contact_def contact = contact_of("a", "b");
    contact.speeds = speeds;
    contact.mus = mus;
    contact.speed_count = 4;
    scene_begin(&s);
    s.def->contacts = &contact;
    s.def->contact_count = 1;
    trm_model *model = scene_finish(&s, NULL);
    assert_non_null(model);
    memset(speeds, 0, sizeof speeds); /* the model has its own */
    memset(mus, 0, sizeof mus);
    const trm_contact_law law = trm_contact_law_of(model, 2, 0, 1, 0);
    const double expected[][2] = {{0, 0.6},     {0.05, 0.6}, {0.1, 0.6}, {0.2, 0.5}, {0.3, 0.4}, {0.5, 0.2},
                                  {1.25, 0.25}, {2, 0.3},    {2.5, 0.3}, {3, 0.3},   {100, 0.3}, {INFINITY, 0.3}};
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        assert_near(trm_contact_friction(&law, expected[i][0]), expected[i][1], ROUNDING);
        assert_near(trm_contact_friction(&law, -expected[i][0]), expected[i][1], ROUNDING);
    }
    trm_model_destroy(model);
}

static void friction_of_one_speed_is_constant(void **state)
{
    (void)state;
    const double speed = 1, coefficient = 0.4;
    const trm_contact_law law = {.friction = NAN, .speeds = &speed, .mus = &coefficient, .speed_count = 1};
    for (double v = 0; v < 3; v += 0.25) assert_true(trm_contact_friction(&law, v) == coefficient);
}

/* As many entries as there are pairs, in random order: each is found by binary search. */
static void every_one_of_many_entries_is_found(void **state)
{
    (void)state;
    enum { BODIES = 30, PAIRS = BODIES * (BODIES - 1) / 2 };
    static char names[BODIES][16];
    static trm_contact_def contacts[PAIRS];
    trm_random random = trm_random_seed(8);
    trm_shape_def sphere = trm_default_shape_def();
    trm_model_def *def = trm_model_def_create(NULL);
    scene s = {.def = def};
    sphere.type = "sphere", sphere.radius = 1, sphere.density = 1;
    for (int i = 0, k = 0; i < BODIES; i++) {
        trm_body_def body = trm_default_body_def();
        snprintf(names[i], sizeof names[i], "b%d", i + 1);
        body.name = names[i], body.shapes = &sphere, body.shape_count = 1;
        assert_int_equal(trm_add_body(def, &body), TRM_OK);
        for (int j = 0; j < i; j++, k++) {
            const int place = (int)trm_random_uniform(&random, 0, k + 1);
            contacts[k] = contacts[place];
            contacts[place] = j % 2 ? contact_of(names[i], names[j]) : contact_of(names[j], names[i]);
            contacts[place].friction =
                (100 * (i + 1) + j + 1) / 8.0; /* exactly representable, and below the largest friction */
        }
    }
    def->contacts = contacts;
    def->contact_count = PAIRS;
    trm_model *model = scene_finish(&s, NULL);
    assert_non_null(model);
    for (int i = 1; i <= BODIES; i++)
        for (int j = 1; j < i; j++) {
            assert_true(trm_contact_law_of(model, i, 0, j, 0).friction == (100 * i + j) / 8.0);
            assert_true(trm_contact_law_of(model, j, 0, i, 0).friction == (100 * i + j) / 8.0);
        }
    trm_model_destroy(model);
}

/* ---- Who collides ------------------------------------------------------------------------- */

static void pairs_without_a_free_body_or_named_under_no_collide_do_not_collide(void **state)
{
    (void)state;
    scene s;
    trm_body_pair pairs[2] = {{.bodies = {"b", "a"}}, {.bodies = {"ground", "c"}}};
    scene_begin(&s);
    s.def->no_collide = pairs;
    s.def->no_collide_count = 2;
    trm_model *model = scene_finish(&s, NULL);
    assert_non_null(model);
    for (int a = 0; a <= SPHERES; a++)
        for (int b = 0; b <= SPHERES; b++) {
            const bool both_held = (a == 0 || a == FIXED) && (b == 0 || b == FIXED);
            const bool named = (a == 1 && b == 2) || (a == 2 && b == 1) || (a == 0 && b == 3) || (a == 3 && b == 0);
            assert_int_equal(trm_bodies_may_collide(model, a, b), a != b && !both_held && !named);
        }
    assert_string_equal(model->collisions.may_collide, "a"); /* with c */
    trm_model_destroy(model);
}

static void a_model_whose_pairs_are_all_parted_may_not_collide(void **state)
{
    (void)state;
    scene s;
    trm_body_pair pairs[6] = {{.bodies = {"a", "b"}},    {.bodies = {"c", "a"}},    {.bodies = {"b", "c"}},
                              {.bodies = {"a", "wall"}}, {.bodies = {"wall", "b"}}, {.bodies = {"c", "wall"}}};
    for (int count = 5; count <= 6; count++) {
        scene_begin(&s);
        s.def->no_collide = pairs;
        s.def->no_collide_count = count;
        trm_model *model = scene_finish(&s, NULL);
        assert_non_null(model);
        assert_int_equal(model->collisions.may_collide == NULL, count == 6);
        trm_model_destroy(model);
    }
}

/* ---- What is refused ---------------------------------------------------------------------- */

static void refused(const trm_contact_def *contacts, int count, const char *expected)
{
    scene s;
    char said[200] = "";
    scene_begin(&s);
    s.def->contacts = (trm_contact_def *)contacts;
    s.def->contact_count = count;
    assert_null(scene_finish(&s, said));
    assert_string_equal(said, expected);
}

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    const double speeds[2] = {0, INFINITY}, backwards[2] = {-1, 1}, mus[2] = {0.1, 0.2}, nan_mus[2] = {0.1, NAN};
    trm_contact_def good = contact_of("a", "b"), bad;
    bad = good, bad.friction = INFINITY;
    refused(&bad, 1, "error: contact 'a': \"friction\" is infinite; give a finite number");
    bad = good, bad.restitution = -0.1;
    refused(&bad, 1,
            "error: contact 'a': \"restitution\" is -0.1; it must lie between 0 (no bounce) and 1 (elastic)");
    bad = good, bad.rolling = -0.1;
    refused(&bad, 1, "error: contact 'a': \"rolling\" is -0.1; it must not be negative");
    bad = good, bad.torsional = INFINITY;
    refused(&bad, 1, "error: contact 'a': \"torsional\" is infinite; give a finite number");
    bad = good, bad.law = "newton";
    refused(&bad, 1, "error: contact 'a': \"law\" is \"newton\"; it is \"poisson\" or \"stronge\"");
    bad = good, bad.speeds = speeds, bad.mus = mus, bad.speed_count = 2;
    refused(&bad, 1, "error: contact 'a': \"speed\" number 2 is infinite; give a finite number");
    bad.speeds = backwards;
    refused(&bad, 1, "error: contact 'a': \"speed\" number 1 is -1; it must not be negative");
    bad.mus = nan_mus, bad.speeds = mus;
    refused(&bad, 1, "error: contact 'a': \"mu\" number 2 is nan; it must not be negative");
}

static void the_same_pair_twice_is_refused(void **state)
{
    (void)state;
    const trm_contact_def contacts[3] = {contact_of("a", "b"), contact_of("b", "c"), contact_of("b", "a")};
    refused(contacts, 3, "error: contact 'b': there is an entry for 'b' and 'a' already; keep one of the two");
}

static void a_mesh_whose_points_are_not_finite_is_refused(void **state)
{
    (void)state;
    const int triangle[1][3] = {{0, 1, 2}};
    trm_vec3 points[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, NAN}};
    char said[200] = "";
    scene s;
    scene_begin(&s);
    trm_shape_def *mesh = &s.shapes[FIXED - 1];
    mesh->type = "mesh", mesh->points = points, mesh->point_count = 3;
    mesh->triangles = triangle, mesh->triangle_count = 1;
    assert_null(scene_finish(&s, said));
    assert_string_equal(said,
                        "error: shape of body 'wall': point 2 of the mesh (counted from 0) is [0, 1, nan]; all must "
                        "be finite numbers");
}

/* ---- Fingerprint -------------------------------------------------------------------------- */

enum { AS_IT_IS, SHAPE_FRICTION, SHAPE_SIZE, ENTRY, STRONGE, PARTED, VARIANTS };

static uint64_t fingerprint_of(int variant)
{
    scene s;
    trm_contact_def contact = contact_of("a", "b");
    trm_body_pair pair = {.bodies = {"b", "c"}};
    scene_begin(&s);
    if (variant == SHAPE_FRICTION) s.shapes[0].friction = 0.3;
    if (variant == SHAPE_SIZE) s.shapes[FIXED - 1].radius = 0.2;
    if (variant == STRONGE) contact.law = "stronge";
    s.def->contacts = &contact, s.def->contact_count = variant == ENTRY || variant == STRONGE;
    s.def->no_collide = &pair, s.def->no_collide_count = variant == PARTED;
    trm_model *model = scene_finish(&s, NULL);
    assert_non_null(model);
    const uint64_t fingerprint = model->fingerprint;
    trm_model_destroy(model);
    return fingerprint;
}

static void the_fingerprint_tells_contacts_apart(void **state)
{
    (void)state;
    for (int a = 0; a < VARIANTS; a++)
        for (int b = 0; b < VARIANTS; b++) assert_int_equal(fingerprint_of(a) == fingerprint_of(b), a == b);
}

/* ---- Memory ------------------------------------------------------------------------------- */

static void out_of_memory_leaves_no_leaks(void **state)
{
    (void)state;
    const double speeds[2] = {0, 1}, mus[2] = {0.1, 0.2};
    trm_contact_def contact = contact_of("a", "b");
    trm_body_pair pair = {.bodies = {"b", "c"}};
    contact.speeds = speeds, contact.mus = mus, contact.speed_count = 2;
    scene s;
    scene_begin(&s);
    s.def->contacts = &contact, s.def->contact_count = 1;
    s.def->no_collide = &pair, s.def->no_collide_count = 1;
    bool done = false;
    for (long k = 1; !done; k++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_messages *messages = trm_messages_create(NULL);
        trm_model *model;
        done = trm_model_create(s.def, &hooks, messages, &model) == TRM_OK;
        trm_model_destroy(model);
        trm_messages_destroy(messages);
        assert_true(failing_allocator_is_clean(&memory));
    }
    trm_model_def_destroy(s.def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_an_entry_the_shapes_decide),
        cmocka_unit_test(shapes_say_how_their_friction_is_combined),
        cmocka_unit_test(an_entry_holds_in_either_order_and_leaves_the_rest_to_the_shapes),
        cmocka_unit_test(friction_by_speed_is_linear_between_the_points_and_constant_beyond),
        cmocka_unit_test(friction_of_one_speed_is_constant),
        cmocka_unit_test(every_one_of_many_entries_is_found),
        cmocka_unit_test(pairs_without_a_free_body_or_named_under_no_collide_do_not_collide),
        cmocka_unit_test(a_model_whose_pairs_are_all_parted_may_not_collide),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(the_same_pair_twice_is_refused),
        cmocka_unit_test(a_mesh_whose_points_are_not_finite_is_refused),
        cmocka_unit_test(the_fingerprint_tells_contacts_apart),
        cmocka_unit_test(out_of_memory_leaves_no_leaks),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Minimal coordinates of the machines examples/problems/s*.json at their start: the criterion by which coordinates
 * are chosen (5b), in both its forms, accelerations, and forces in the cut joint, compared with the figures of a
 * separate prototype. */

#include "lagrange_models.h"
#include "linalg/dense.h"
#include "methods/minimal/loop.h"

static const double GIVEN = 1e-10; /* relative to the largest: precision of the given accelerations and forces */
static const double THICK =
    1e-8; /* relative to the largest moment of inertia: that of a slender rod about its axis here; it is 0 in the figures */
static const double TABLED = 1e-6;    /* precision of the given criterion */
static const double ROUNDING = 1e-10; /* difference of the two forms of the criterion */

enum { MOST_Y = 8 };

/* A loop at the start of an example. */
typedef struct standing {
    trm_model *model;
    trm_state *state;
    trm_arena arena;
    trm_tree *tree;
    trm_dynamics *dynamics;
    trm_loop *loop;
    double y[MOST_Y], yd[MOST_Y], ydd[MOST_Y];
    double tangent[MOST_Y], constraints[MOST_Y];
} standing;

/* Computes the criterion from the constraints, and the best choice by it. */
static void choose_at_start(standing *s)
{
    double values[6 * MOST_Y];
    trm_loop_choice choice;
    trm_loop_place(s->loop, s->tree, s->y);
    trm_loop_rows(s->loop, s->tree, s->state->memory);
    trm_loop_free_values(s->loop, s->tree, s->state->memory, values);
    assert_true(trm_loop_factorise_mass(s->loop, s->tree, s->dynamics));
    assert_true(trm_loop_find_weights(s->loop, &s->arena));
    assert_true(trm_choice_find(s->loop, values, &choice, &s->arena));
    memcpy(s->constraints, choice.criteria, (size_t)s->loop->n * sizeof *choice.criteria);
    trm_loop_choose(s->loop, s->loop->n - choice.rank, choice.independent);
}

/* Computes P_ii / (M^-1)_ii from the tangent space of the choice, P = J (J^T M J)^-1 J^T, with dense matrices. */
static void look_by_tangent(standing *s)
{
    static double M[MOST_Y * MOST_Y], W[MOST_Y * MOST_Y], M1[MOST_Y * MOST_Y], inverse[MOST_Y * MOST_Y];
    double J[MOST_Y][MOST_Y] = {{0}};
    const trm_loop *l = s->loop;
    const int n = l->n, f = l->f;
    trm_dynamics_mass(s->dynamics, s->tree, l->branch, M, n);
    for (int k = 0; k < f; k++) {
        J[l->independent[k]][k] = 1;
        for (int i = 0; i < n - f; i++) J[l->dependent[i]][k] = l->X[i * f + k];
    }
    memset(M1, 0, sizeof M1);
    for (int a = 0; a < f; a++)
        for (int b = 0; b < f; b++)
            for (int i = 0; i < n; i++)
                for (int k = 0; k < n; k++) M1[a * f + b] += J[i][a] * M[i * n + k] * J[k][b];
    assert_true(trm_dense_inverse_positive(M, n, W) && trm_dense_inverse_positive(M1, f, inverse));
    for (int i = 0; i < n; i++) {
        s->tangent[i] = 0;
        for (int a = 0; a < f; a++)
            for (int b = 0; b < f; b++) s->tangent[i] += J[i][a] * inverse[a * f + b] * J[i][b];
        s->tangent[i] /= W[i * (n + 1)];
    }
}

static void move_and_accelerate(standing *s, trm_vec3 gravity)
{
    trm_spatial wrench[MOST_Y] = {{{0, 0, 0}, {0, 0, 0}}};
    for (int b = 1; b < trm_body_count(s->model); b++)
        wrench[b].lin = trm_v3_scale(s->model->bodies[b].mass, gravity);
    const trm_loop_forces forces = {.wrench = wrench};
    assert_true(trm_loop_close(s->loop, s->tree, s->state->memory, s->y, s->y));
    assert_true(trm_loop_factorise_rows(s->loop, s->tree, s->state->memory));
    trm_loop_dependent_rates(s->loop, s->tree, s->state->memory, s->y, s->yd);
    assert_true(trm_loop_accelerate(s->loop, s->tree, s->dynamics, s->state->memory, &forces, s->ydd));
}

static void stand(standing *s, const char *file, const char *cut, bool absolute, trm_vec3 gravity)
{
    char why[300];
    s->model = example(file);
    s->state = start_of(s->model);
    trm_arena_init(&s->arena, NULL);
    s->tree = trm_tree_create(s->state, (trm_tree_options){.cut = cut}, &s->arena, why, sizeof why);
    assert_non_null(s->tree);
    if (absolute) assert_true(trm_tree_take_absolute_angles(s->tree, s->state, why, sizeof why));
    assert_int_equal(s->tree->branch_count, 1);
    assert_true(s->tree->coordinates <= MOST_Y);
    s->dynamics = trm_dynamics_create(s->tree, &s->arena);
    s->loop = trm_loop_create(s->tree, &s->tree->branches[0], NULL, &s->arena);
    assert_true(s->dynamics && s->loop);
    trm_tree_set_time(s->tree, 0);
    trm_tree_read(s->tree, s->state, s->y, s->yd);
    choose_at_start(s);
    move_and_accelerate(s, gravity);
    look_by_tangent(s);
}

static void leave(standing *s)
{
    trm_arena_destroy(&s->arena);
    trm_state_destroy(s->state);
    trm_model_destroy(s->model);
}

/* Returns the index of the first coordinate of a joint. */
static int coordinate(const standing *s, const char *joint)
{
    for (int i = 0; i < s->tree->link_count; i++)
        if (strcmp(s->tree->links[i].joint->name, joint) == 0) return s->tree->links[i].first;
    fail_msg("%s is cut", joint);
    return -1;
}

/* ---- Comparison with the figures ---------------------------------------------------------- */

enum { MOST_KNOWN = 4 };

static const struct {
    const char *file, *cut;
    bool absolute, spatial;
    const char *joints[MOST_KNOWN]; /* joints whose coordinates the numbers belong to */
    double criterion[MOST_KNOWN];   /* -1: unknown */
    double accelerations[MOST_KNOWN];
    const char *joint; /* the cut joint; fx, fy: the force on its second body */
    double fx, fy;
} known[] = {
    {"problems/s04-crank-rocker",
     NULL,
     true,
     false,
     {"A", "B", "D"},
     {.727282, .005895, .187901},
     {-14.5317160409, 15.4821356812, 4.91686205128},
     "C",
     -13.5429645425,
     32.6424096496},
    {"problems/s03-triple-rocker",
     NULL,
     true,
     false,
     {"A", "B", "D"},
     {.83243, .148436, .136052},
     {-4.2033730291, 6.5799070221, .799673130343},
     "C",
     -5.1817252196,
     10.8219572328},
    {"problems/s06-slider-crank",
     NULL,
     true,
     false,
     {"O", "B", "way"},
     {.5875, 0, .3},
     {22.1702503369, 36.9504172281, 14.7801668913},
     "C",
     14.7801668913,
     1.56777777778},
    {"problems/s08-bricard", NULL, false, true, {"P1", "P2"}, {-1, -1}, {-4.4260891927, -7.97591246479}, NULL, 0, 0},
    {"problems/s10-unequal-loop",
     "P4",
     true,
     false,
     {"P0", "P1", "P2", "P3"},
     {-1, -1, -1, -1},
     {-8.53993373975, -8.24084953653, -8.4741683252, -8.25427724575},
     "P4",
     4.41901962552,
     11.2655563613},
    {"problems/s09-rssr", NULL, false, true, {"A", "D"}, {-1, -1}, {21.9430844499, -6.27332601266}, NULL, 0, 0},
    {"problems/s02-rotating-pendulum", NULL, false, false, {"plane"}, {1}, {0}, "bar", 0, 58.81},
};

enum { KNOWN = sizeof known / sizeof *known };

static trm_vec3 gravity_of(const char *file)
{
    const bool upright = strstr(file, "s08") || strstr(file, "s09");
    return upright ? trm_v3(0, 0, -9.81) : trm_v3(0, -9.81, 0);
}

static void criterion_and_accelerations_are_those_of_the_prototype(void **state)
{
    (void)state;
    for (int i = 0; i < KNOWN; i++) {
        standing s;
        stand(&s, known[i].file, known[i].cut, known[i].absolute, gravity_of(known[i].file));
        for (int k = 0; k < MOST_KNOWN && known[i].joints[k]; k++) {
            const int at = coordinate(&s, known[i].joints[k]);
            print_message("%s %s: criterion %.6f, acceleration %.11g\n", known[i].file, known[i].joints[k],
                          s.tangent[at], s.ydd[at]);
            assert_near(s.ydd[at], known[i].accelerations[k], known[i].spatial ? THICK : 40 * GIVEN);
            if (known[i].criterion[k] >= 0) assert_near(s.tangent[at], known[i].criterion[k], TABLED);
        }
        leave(&s);
    }
}

/* Also with other choices of coordinates, and for further machines. */
static void both_forms_of_the_criterion_are_equal(void **state)
{
    (void)state;
    static const char *const files[] = {"problems/s01-swinging-pendulum",
                                        "problems/s02-rotating-pendulum",
                                        "problems/s03-triple-rocker",
                                        "problems/s04-crank-rocker",
                                        "problems/s05-parallelogram",
                                        "problems/s06-slider-crank",
                                        "problems/s07-slider-rocker",
                                        "problems/s08-bricard",
                                        "problems/s09-rssr",
                                        "problems/s10-unequal-loop",
                                        "four-bar",
                                        "rhombus"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        standing s;
        stand(&s, files[i], NULL, false, gravity_of(files[i]));
        double most = 0, trace = 0;
        for (int k = 0; k < s.loop->n; k++) most = fmax(most, fabs(s.tangent[k] - s.constraints[k]));
        for (int k = 0; k < s.loop->n; k++) {
            const double own = s.tangent[k];
            assert_true(own >= -ROUNDING && own <= 1 + ROUNDING);
            trace += own;
        }
        print_message("%s: %d of %d, forms differ by %.1e\n", files[i], s.loop->f, s.loop->n, most);
        assert_true(most <= ROUNDING);
        assert_true(trace > 0);
        leave(&s);
    }
}

static void forces_in_the_cut_joint_are_those_of_the_prototype(void **state)
{
    (void)state;
    for (int i = 0; i < KNOWN; i++) {
        if (!known[i].joint) continue;
        char choice[100];
        snprintf(choice, sizeof choice, "minimal:cut=%s", known[i].joint);
        running r = run_chosen(example(known[i].file), (way){.choice = choice});
        trm_sim_enable_reactions(r.sim, true);
        assert_good(trm_sim_observe(r.sim));
        const trm_vec3 f = trm_joint_reaction(trm_sim_state(r.sim), trm_find_joint(r.model, known[i].joint)).lin;
        assert_near(f.x, known[i].fx, GIVEN * 60);
        assert_near(f.y, known[i].fy, GIVEN * 60);
        assert_near(f.z, 0, GIVEN);
        stop(&r);
    }
}

/* ---- Any cut ------------------------------------------------------------------------------ */

/* Forces of cut joints are computed from multipliers, those of others from the Newton-Euler equations: planar
 * machines whose forces in the plane are unique, with each joint cut in turn. */
static void forces_do_not_depend_on_which_joint_is_cut(void **state)
{
    (void)state;
    static const double EQUAL = 1e-9; /* N, of forces of 100 N */
    static const struct {
        const char *file, *cuts[5];
    } list[] = {{"problems/s03-triple-rocker", {"A", "B", "C", "D"}},
                {"problems/s06-slider-crank", {"O", "B", "C", "way"}},
                {"problems/s10-unequal-loop", {"P0", "P1", "P2", "P3", "P4"}}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        trm_vec3 first[5];
        for (int c = 0; c < 5 && list[i].cuts[c]; c++) {
            char choice[100];
            snprintf(choice, sizeof choice, "minimal:cut=%s", list[i].cuts[c]);
            running r = run_chosen(example(list[i].file), (way){.choice = choice});
            trm_sim_enable_reactions(r.sim, true);
            assert_good(trm_sim_observe(r.sim));
            for (int j = 0; j < trm_joint_count(r.model); j++) {
                const trm_vec3 f = trm_joint_reaction(trm_sim_state(r.sim), j).lin;
                if (c == 0) first[j] = f;
                assert_near(f.x, first[j].x, EQUAL);
                assert_near(f.y, first[j].y, EQUAL);
            }
            stop(&r);
        }
    }
}

/* At some times of a run, all unique forces equal those of impulse at order 8. */
static void forces_are_those_of_impulses(void **state)
{
    (void)state;
    static const double EQUAL = 1e-6; /* N, N m: states agree to 1e-9, and forces are up to 1e3 times as sensitive */
    static const struct {
        const char *file;
        double step;
        bool planar; /* forces in the plane are unique */
    } list[] = {{"problems/s03-triple-rocker", 0.001, true},         {"problems/s06-slider-crank", 0.001, true},
                {"problems/s10-unequal-loop", 0.001, true},          {"problems/s02-rotating-pendulum", 0.001, false},
                {"problems/r10-heavy-top", 0.0005, false},           {"double-pendulum", 0.001, false},
                {"problems/r07-spatial-slider-crank", 0.0005, false}};
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        running a = run_chosen(example(list[i].file), (way){.choice = "minimal", .error = 1e-12}),
                b = run_chosen(example(list[i].file),
                               (way){.choice = "impulse", .order = 8, .step = list[i].step, .tolerance = TIGHT});
        trm_sim_enable_reactions(a.sim, true);
        trm_sim_enable_reactions(b.sim, true);
        double most = 0;
        for (int k = 1; k <= 3; k++) {
            go_every(&a, 0.1 * k, 0.1);
            go_every(&b, 0.1 * k, 0.1);
            for (int j = 0; j < trm_joint_count(a.model); j++) {
                const trm_spatial F = trm_joint_reaction(trm_sim_state(a.sim), j),
                                  G = trm_joint_reaction(trm_sim_state(b.sim), j);
                trm_vec3 lin = trm_v3_sub(F.lin, G.lin), ang = trm_v3_sub(F.ang, G.ang);
                if (list[i].planar) lin.z = 0, ang = trm_v3(0, 0, ang.z);
                most = fmax(most, fmax(trm_v3_length(lin), trm_v3_length(ang)));
            }
        }
        print_message("%s: forces differ by %.1e\n", list[i].file, most);
        assert_true(most <= EQUAL);
        stop(&a);
        stop(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(criterion_and_accelerations_are_those_of_the_prototype),
        cmocka_unit_test(both_forms_of_the_criterion_are_equal),
        cmocka_unit_test(forces_in_the_cut_joint_are_those_of_the_prototype),
        cmocka_unit_test(forces_do_not_depend_on_which_joint_is_cut),
        cmocka_unit_test(forces_are_those_of_impulses),
    };
    return RUN_TESTS(tests);
}

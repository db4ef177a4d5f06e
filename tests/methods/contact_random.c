/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Random collisions: bodies of all convex shapes, each with its own friction and restitution, that fly into each
 * other or fall on a floor, and chains of them. Impacts and friction take energy and conserve momentum, joints stay
 * closed, and penetrations are small.
 *
 * Between impacts free bodies move exactly. Where they roll and slide on each other, and where joints connect them,
 * steps have order 2, and energy rises and falls by their error. Therefore the work of impacts and friction is
 * checked separately, and the error of steps is bounded in addition. */

#include "collide/collide.h"
#include "motion/state.h"
#include "random_bodies.h"
#include "sanitized.h"
#include "scenes.h"

static const uint64_t SEED = 11;
static const double STEP = 0.01;    /* s */
static const double DIGITS = 1e-12; /* fraction of momentum and energy: rounding of some hundred impulses */
static const double DEEP = 1e-6;    /* m */
static const double OPEN = 1e-10;   /* m: D_max */

/* Fraction of the initial energy: the largest error of a step of order 2 where bodies roll on each other, 0.01 s at
 * up to 10 rad/s, and of a run; a quarter of it with half the step. */
static const double ROLLING = 0.02;

/* ---- What is thrown ----------------------------------------------------------------------- */

enum { MOST_BODIES = 16, CORNERS = 9 };

typedef struct throw
{
    scene s;
    trm_vec3 corners[MOST_BODIES][CORNERS];
}
throw;

enum { SPHERE, CAPSULE, BOX, CYLINDER, HULL, KINDS };
static const char *const names[KINDS] = {"spheres", "capsules", "boxes", "cylinders", "hulls"};

static trm_shape_def random_shape(trm_random *random, int kind, trm_vec3 *corners)
{
    const double a = trm_random_uniform(random, 0.1, 0.4), b = trm_random_uniform(random, 0.1, 0.6),
                 c = trm_random_uniform(random, 0.1, 0.6);
    trm_shape_def hull = shape_of("hull");
    switch (kind) {
    case SPHERE: return sphere_of(a);
    case CAPSULE: return round_of("capsule", a, b);
    case BOX: return box_of(a, b, c);
    case CYLINDER: return round_of("cylinder", a, b);
    default:
        for (int i = 0; i < CORNERS; i++) {
            const trm_vec3 x = random_direction(random);
            corners[i] = trm_v3(a * x.x, b * x.y, c * x.z);
        }
        hull.points = corners;
        hull.point_count = CORNERS;
        return hull;
    }
}

/* Adds a body of about a kilogram, with its own friction and restitution. */
static trm_body_def *throw_body(throw *t, trm_random *random, int kind, trm_vec3 place)
{
    trm_body_def body = trm_default_body_def();
    trm_shape_def shape = random_shape(random, kind, t->corners[t->s.m.def->body_count]);
    shape.density = trm_random_uniform(random, 2, 20);
    shape.friction = trm_random_uniform(random, 0, 1);
    shape.restitution = trm_random_uniform(random, 0, 1);
    body.position = place;
    body.orientation = random_rotation(random);
    return add_shaped(&t->s, body, shape);
}

/* Throws eight bodies from the corners of a cube towards its middle; kind KINDS: of all kinds. */
static void throw_swarm(throw *t, trm_random *random, int kind)
{
    scene_init(&t->s, 0, 0);
    t->s.m.def->gravity = trm_v3(0, 0, 0);
    for (int i = 0; i < 8; i++) {
        const trm_vec3 corner = trm_v3(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
        trm_body_def *body = throw_body(t, random, kind < KINDS ? kind : (int)(trm_random_bits(random) % KINDS),
                                        trm_v3_scale(1.1, corner));
        body->velocity = trm_v3_add(trm_v3_scale(-2, corner), random_vector(random, 0.5));
        body->angular_velocity = random_vector(random, 3);
    }
}

/* Throws two bodies that meet about the origin. */
static void throw_two(throw *t, trm_random *random, int kind_a, int kind_b)
{
    scene_init(&t->s, 0, 0);
    t->s.m.def->gravity = trm_v3(0, 0, 0);
    for (int k = 0; k < 2; k++) {
        const double side = k ? 1 : -1;
        const trm_vec3 beside = random_vector(random, 0.2);
        trm_body_def *body = throw_body(t, random, k ? kind_b : kind_a, trm_v3(0.7 * side, beside.y, beside.z));
        body->velocity = trm_v3_add(trm_v3(-side, 0, 0), random_vector(random, 0.3));
        body->angular_velocity = random_vector(random, 3);
    }
}

/* Throws links in a row about a point, joined by balls and hinges at their ends; they turn as one. */
static void throw_chain(throw *t, trm_random *random, int links, trm_vec3 place)
{
    const double l = 0.25;
    const trm_vec3 along = random_direction(random), v = random_vector(random, 1), w = random_vector(random, 3);
    const int first = t->s.m.def->body_count + 1;
    for (int i = 0; i < links; i++) {
        const trm_vec3 arm = trm_v3_scale(l * (i - 0.5 * (links - 1)), along);
        const bool round = trm_random_bits(random) % 2;
        trm_shape_def shape = round ? round_of("capsule", 0.04, l - 0.12) : box_of(0.06, 0.05, l - 0.06);
        trm_body_def body = trm_default_body_def();
        shape.density = trm_random_uniform(random, 300, 1000);
        shape.friction = trm_random_uniform(random, 0, 1);
        shape.restitution = trm_random_uniform(random, 0, 1);
        body.position = trm_v3_add(place, arm);
        body.orientation = trm_quat_between(trm_v3(0, 0, 1), along);
        body.velocity = trm_v3_add(v, trm_v3_cross(w, arm));
        body.angular_velocity = w;
        add_shaped(&t->s, body, shape);
    }
    for (int i = 1; i < links; i++) {
        const trm_vec3 at = trm_v3_add_scaled(place, l * (i - 0.5 * links), along);
        const bool hinge = trm_random_bits(random) % 2;
        const int a = first + i - 1;
        trm_joint_def *joint = add_joint_at(&t->s.m, hinge ? "hinge" : "ball", a, a + 1, at.x, at.y, at.z);
        if (hinge) joint->axis = trm_perpendicular(along);
    }
}

/* Throws two chains of two to four links above a floor. */
static void throw_chains(throw *t, trm_random *random)
{
    scene_init(&t->s, 0.5, trm_random_uniform(random, 0, 1));
    for (int k = 0; k < 2; k++)
        throw_chain(t, random, 2 + (int)(trm_random_bits(random) % 3), trm_v3(k ? 0.15 : -0.15, 0, k ? 0.7 : 1.9));
    add_floor(&t->s);
}

/* ---- Results ------------------------------------------------------------------------------ */

typedef struct facts {
    bool ok;
    long long impacts;
    double linear, angular; /* change of momentum, as a fraction of the initial sum over all bodies */
    double gained;  /* largest gain of a step without persistent contacts, as a fraction of the initial energy */
    double work;    /* largest work of impacts and friction in a step, as a fraction of the initial energy */
    double off;     /* |E - E0 - W|, as a fraction of the initial energy */
    double deepest; /* m */
    double gap;     /* m */
} facts;

static facts worse_of(facts a, facts b)
{
    return (facts){a.ok && b.ok,
                   a.impacts + b.impacts,
                   fmax(a.linear, b.linear),
                   fmax(a.angular, b.angular),
                   fmax(a.gained, b.gained),
                   fmax(a.work, b.work),
                   fmax(a.off, b.off),
                   fmax(a.deepest, b.deepest),
                   fmax(a.gap, b.gap)};
}

static double deepest_of(const running *r, trm_collider *collider)
{
    const trm_state *state = trm_sim_state(r->sim);
    const trm_near_pair *pairs;
    double deepest = 0;
    const int count = trm_near_pairs(collider, state->pose, NULL, 0, state->attached, &pairs);
    assert_true(count >= 0);
    for (int i = 0; i < count; i++)
        deepest = fmax(deepest, -trm_shape_distance(collider, &pairs[i], state->pose[pairs[i].body[0]],
                                                    state->pose[pairs[i].body[1]]));
    return deepest;
}

/* Returns the sum over all bodies of the sizes of momentum, about the origin. */
static trm_vec3 sizes_of_momentum(const trm_state *state)
{
    double linear = 0, angular = 0;
    for (int i = 1; i < state->model->body_count; i++) {
        const trm_body *body = &state->model->bodies[i];
        const trm_spatial V = state->velocity[i];
        const trm_vec3 p = trm_v3_scale(body->mass, V.lin);
        const trm_vec3 moments = body->inertia;
        linear += trm_v3_length(p);
        angular += trm_v3_length(trm_v3_cross(state->pose[i].p, p)) +
                   fmax(moments.x, fmax(moments.y, moments.z)) * trm_v3_length(V.ang);
    }
    return trm_v3(linear, angular, 0);
}

static double energy_of(const running *r)
{
    const trm_energy e = trm_state_energy(trm_sim_state(r->sim));
    return e.kinetic + e.potential;
}

/* Makes one step and observes it. */
static void look_at_step(const running *r, double until, trm_collider *collider, double start, facts *f)
{
    const trm_run_def run = {.until = until, .every = NAN};
    const double energy = energy_of(r), work = trm_sim_accuracy(r->sim).work;
    const long long held = trm_sim_counters(r->sim)->contacts;
    const trm_outcome outcome = trm_sim_run(r->sim, &run);
    if (!outcome.ok) print_error("t = %.17g: %s: %s\n", outcome.time, outcome.element, outcome.why);
    f->ok = outcome.ok;
    const bool free = trm_sim_counters(r->sim)->contacts == held;
    if (free) f->gained = fmax(f->gained, (energy_of(r) - energy) / start);
    f->work = fmax(f->work, (trm_sim_accuracy(r->sim).work - work) / start);
    f->deepest = fmax(f->deepest, deepest_of(r, collider));
}

/* Steps for this many seconds; r is used up. */
static facts facts_of(running *r, double step, double until)
{
    facts f = {.ok = true};
    trm_arena arena;
    trm_arena_init(&arena, NULL);
    trm_collider *collider = trm_collider_create(r->model, &arena);
    const trm_vec3 sizes = sizes_of_momentum(trm_sim_state(r->sim));
    const double start = energy_of(r);
    assert_non_null(collider);
    for (int i = 1; f.ok && i * step < until; i++) look_at_step(r, i * step, collider, start, &f);
    const trm_accuracy a = trm_sim_accuracy(r->sim);
    f.impacts = trm_sim_counters(r->sim)->impacts;
    f.linear = a.linear_error / sizes.x;
    f.angular = a.angular_error / sizes.y;
    f.off = a.energy_error_max / start;
    f.gap = a.gap.position;
    trm_arena_destroy(&arena);
    stop(r);
    return f;
}

/* ---- The claims --------------------------------------------------------------------------- */

static void tell(const char *what, const facts *f)
{
    print_message("    seed %llu, %s: %lld impacts; momentum %.0e %.0e; energy gained %.0e, given %.0e, off %.0e; "
                  "%.0e m deep\n",
                  (unsigned long long)SEED, what, f->impacts, f->linear, f->angular, f->gained, f->work, f->off,
                  f->deepest);
}

static void check_free_bodies(const char *what, const facts *f, long long impacts)
{
    tell(what, f);
    assert_true(f->ok);
    assert_true(f->impacts >= impacts);
    assert_true(f->linear <= DIGITS);
    assert_true(f->angular <= DIGITS);
    assert_true(f->gained <= DIGITS);
    assert_true(f->work <= DIGITS);
    assert_true(f->off <= ROLLING);
    assert_true(f->deepest <= DEEP);
}

static void check_swarms(int kind, int swarms)
{
    facts all = {.ok = true};
    for (int i = 0; i < swarms; i++) {
        throw t;
        trm_random random = trm_random_seed(1000 * SEED + (uint64_t)i);
        throw_swarm(&t, &random, kind);
        running r = run_scene(&t.s, STEP);
        const facts f = facts_of(&r, STEP, 1);
        if (!(f.deepest <= DEEP && f.work <= DIGITS)) print_error("swarm %d\n", i);
        all = worse_of(all, f);
    }
    check_free_bodies(kind < KINDS ? names[kind] : "all shapes", &all, 8 * swarms);
}

static void swarms_of_free_bodies_keep_their_momentum_and_gain_no_energy(void **state)
{
    (void)state;
    for (int kind = 0; kind < KINDS; kind++) check_swarms(kind, kind == CYLINDER ? 8 : 25);
    check_swarms(KINDS, 20);
}

/* Tests every shape against every other. */
static void two_bodies_of_any_shapes_are_never_deep_in_each_other(void **state)
{
    (void)state;
    enum { PAIRS = SANITIZED ? 10 : 40 };
    for (int a = 0; a < KINDS; a++)
        for (int b = a; b < KINDS; b++) {
            char what[64];
            facts all = {.ok = true};
            for (int i = 0; i < PAIRS; i++) {
                throw t;
                trm_random random = trm_random_seed(1000 * SEED + (uint64_t)i);
                throw_two(&t, &random, a, b);
                running r = run_scene(&t.s, STEP);
                all = worse_of(all, facts_of(&r, STEP, 1));
            }
            snprintf(what, sizeof what, "%s on %s", names[a], names[b]);
            check_free_bodies(what, &all, PAIRS / 2);
        }
}

/* A cylinder with e = 1 that becomes flat: its contact point goes round the rim in no time, and it rises again. Two
 * out of a thousand random ones. */
static void an_elastic_cylinder_that_comes_flat_keeps_its_energy(void **state)
{
    (void)state;
    const double little = 1e-4; /* contact points of rims move by at most 0.05 rad in a step */
    static const struct {
        double friction, radius, length;
        trm_quat q;
        trm_vec3 v, w;
    } falls[] = {
        {0.716263884630679,
         0.32706817783535813,
         0.2798428506153584,
         {0.9999460136892723, 0.00990532511095271, -0.0028657259394398475, 0.0012813493747777958},
         {0.4383944756268132, 2.2001855091220754, -0.3810301030680945},
         {8.696857469090435, 7.775549796344656, 9.50157673121527}},
        {1.3778069538667914,
         0.3941207361797281,
         0.388340628771229,
         {0.8676241505289467, 0.21597811161343158, -0.07559846951747352, -0.44143703982497373},
         {1.366808494163708, 2.45298773590346, 1.5729515391130473},
         {-1.6963139490598742, 8.87570110911269, 7.6510557573291464}},
    };
    for (int i = 0; i < 2; i++) {
        scene s;
        scene_init(&s, falls[i].friction, 1);
        trm_body_def *body =
            add_solid(&s, round_of("cylinder", falls[i].radius, falls[i].length), 1, trm_v3(0, 0, 0.8));
        body->orientation = falls[i].q;
        body->velocity = falls[i].v;
        body->angular_velocity = falls[i].w;
        add_floor(&s);
        running r = run_scene(&s, STEP);
        const facts f = facts_of(&r, STEP, 1);
        tell("a cylinder that comes flat", &f);
        assert_true(f.ok);
        assert_true(f.impacts > 10);
        assert_true(f.work <= DIGITS);
        assert_true(f.off <= little);
        assert_true(f.deepest <= DEEP);
    }
}

static void chains_that_fall_on_each_other_gain_no_energy_and_stay_closed(void **state)
{
    (void)state;
    enum { FALLS = SANITIZED ? 2 : 8 };
    facts all = {.ok = true};
    for (int i = 0; i < FALLS; i++) {
        throw t;
        trm_random random = trm_random_seed(1000 * SEED + (uint64_t)i);
        throw_chains(&t, &random);
        running r = run_scene(&t.s, 0.5 * STEP);
        const facts f = facts_of(&r, 0.5 * STEP, 1);
        if (!(f.deepest <= DEEP && f.work <= DIGITS && f.ok)) print_error("fall %d\n", i);
        all = worse_of(all, f);
    }
    tell("chains", &all);
    print_message("    joints are open by %.0e m\n", all.gap);
    assert_true(all.ok);
    assert_true(all.impacts > 10 * FALLS);
    assert_true(all.work <= DIGITS);
    assert_true(all.off <= ROLLING);
    assert_true(all.deepest <= DEEP);
    assert_true(all.gap <= OPEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(swarms_of_free_bodies_keep_their_momentum_and_gain_no_energy),
        cmocka_unit_test(two_bodies_of_any_shapes_are_never_deep_in_each_other),
        cmocka_unit_test(an_elastic_cylinder_that_comes_flat_keeps_its_energy),
        cmocka_unit_test(chains_that_fall_on_each_other_gain_no_energy_and_stay_closed),
    };
    return RUN_TESTS(tests);
}

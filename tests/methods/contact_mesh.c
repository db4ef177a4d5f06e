/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Bodies on fixed triangle meshes: edges inside a level surface have no effect, nothing passes through, and a ball
 * stays in a bowl. */

#include "random_bodies.h"
#include "scenes.h"

static const double STEP = 0.01;  /* s */
static const double LEVEL = 1e-9; /* m, m/s: difference of a mesh and the plane under it */
static const double RADIUS = 0.1; /* m, of the ball */

/* ---- Meshes --------------------------------------------------------------------------------- */

enum { SIDE = 21, MOST_POINTS = SIDE * SIDE, MOST_TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) };

typedef struct grid {
    trm_vec3 points[MOST_POINTS];
    int triangles[MOST_TRIANGLES][3];
} grid;

typedef double (*height_function)(double x, double y);

static double level(double x, double y)
{
    (void)x, (void)y;
    return 0;
}

/* Returns the height of a sphere of 2 m about (0, 0, 2), for its lower half. */
static double bowl(double x, double y)
{
    return 2 - sqrt(4 - fmin(x * x + y * y, 3.9));
}

/* Returns a grid from -size to size, with lines displaced at random and squares divided in either direction. */
static trm_shape_def grid_of(grid *g, double size, height_function height, trm_random *random)
{
    trm_shape_def mesh = shape_of("mesh");
    const double pitch = 2 * size / (SIDE - 1);
    int count = 0;
    for (int i = 0; i < SIDE; i++)
        for (int k = 0; k < SIDE; k++) {
            const trm_vec3 aside = random_vector(random, 0.3 * pitch);
            const double x = -size + pitch * i + aside.x, y = -size + pitch * k + aside.y;
            g->points[SIDE * i + k] = trm_v3(x, y, height(x, y));
        }
    for (int i = 0; i + 1 < SIDE; i++)
        for (int k = 0; k + 1 < SIDE; k++) {
            const int a = SIDE * i + k, b = a + SIDE, c = b + 1, d = a + 1;
            const bool this_way = trm_random_bits(random) % 2;
            const int two[2][3] = {{a, b, this_way ? c : d}, {this_way ? a : b, c, d}};
            memcpy(g->triangles[count], two, sizeof two);
            count += 2;
        }
    mesh.points = g->points;
    mesh.point_count = MOST_POINTS;
    mesh.triangles = (const int(*)[3])g->triangles;
    mesh.triangle_count = count;
    return mesh;
}

static void add_ground(scene *s, grid *g, bool as_mesh, height_function height)
{
    trm_random random = trm_random_seed(3);
    if (as_mesh)
        add_wall(s, grid_of(g, 3, height, &random), trm_v3(0, 0, 0));
    else
        add_floor(s);
}

/* ---- As on a plane --------------------------------------------------------------------------- */

typedef struct ending {
    trm_vec3 p, v, w;
} ending;

static ending run_on(bool as_mesh, trm_shape_def shape, double e, double lean_by, const trm_body_def *start,
                     double time)
{
    static grid g;
    scene s;
    scene_init(&s, 0.5, e);
    lean(&s, lean_by);
    trm_body_def *body = add_solid(&s, shape, 1, start->position);
    body->orientation = start->orientation;
    body->velocity = start->velocity;
    body->angular_velocity = start->angular_velocity;
    add_ground(&s, &g, as_mesh, level);
    running r = run_scene(&s, STEP);
    go(&r, time);
    const trm_spatial V = motion_of(&r, "b1");
    const ending end = {place_of(&r, "b1"), V.lin, V.ang};
    stop(&r);
    return end;
}

static double difference(const ending *a, const ending *b)
{
    return fmax(trm_v3_length(trm_v3_sub(a->p, b->p)),
                fmax(trm_v3_length(trm_v3_sub(a->v, b->v)), trm_v3_length(trm_v3_sub(a->w, b->w))));
}

static double mesh_and_plane_differ_by(trm_shape_def shape, double e, double lean_by, const trm_body_def *start,
                                       double time)
{
    const ending plane = run_on(false, shape, e, lean_by, start, time);
    const ending mesh = run_on(true, shape, e, lean_by, start, time);
    return difference(&plane, &mesh);
}

static trm_body_def start_at(double x, double y, double z)
{
    trm_body_def start = trm_default_body_def();
    start.position = trm_v3(x, y, z);
    return start;
}

static void a_ball_rolls_over_edges_inside_a_level_mesh_as_on_a_plane(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(5);
    double worst = 0;
    for (int i = 0; i < 20; i++) {
        trm_body_def start = start_at(-1, trm_random_uniform(&random, -1, 1), RADIUS);
        start.velocity = trm_v3(2, trm_random_uniform(&random, -1, 1), 0);
        start.angular_velocity = random_vector(&random, 20);
        worst = fmax(worst, mesh_and_plane_differ_by(sphere_of(RADIUS), 0, 0, &start, 1));
    }
    print_message("    rolling for 1 s over some ten triangles it is off by %.1e\n", worst);
    assert_true(worst <= LEVEL);
}

static void a_ball_bounces_on_a_level_mesh_as_on_a_plane(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(6);
    double worst = 0;
    for (int i = 0; i < 20; i++) {
        trm_body_def start = start_at(-1, trm_random_uniform(&random, -1, 1), 0.5);
        start.velocity = trm_v3(1.5, trm_random_uniform(&random, -1, 1), 0);
        start.angular_velocity = random_vector(&random, 20);
        worst = fmax(worst, mesh_and_plane_differ_by(sphere_of(RADIUS), 0.9, 0, &start, 1.5));
    }
    print_message("    after four bounces it is off by %.1e\n", worst);
    assert_true(worst <= LEVEL);
}

/* All other convex shapes are thrown at random. */
static void bodies_land_on_a_level_mesh_as_on_a_plane(void **state)
{
    (void)state;
    const trm_shape_def shapes[] = {box_of(0.3, 0.2, 0.15), round_of("capsule", 0.1, 0.3),
                                    round_of("cylinder", 0.15, 0.2)};
    trm_random random = trm_random_seed(7);
    for (int k = 0; k < 3; k++) {
        double worst = 0;
        for (int i = 0; i < 5; i++) {
            trm_body_def start = start_at(0, 0, 0.5);
            start.orientation = random_rotation(&random);
            start.velocity = random_vector(&random, 1);
            start.angular_velocity = random_vector(&random, 2);
            worst = fmax(worst, mesh_and_plane_differ_by(shapes[k], 0.5, 0, &start, 0.6));
        }
        print_message("    %s: off by %.1e after the first impacts\n", shapes[k].type, worst);
        assert_true(worst <= LEVEL);
    }
}

/* A block of 0.4 x 0.4 x 0.2 m on a slope, mu = 0.5: at 20 degrees it stays, at 35 it slides by g (sin - mu cos) t^2
 * / 2. */
static void a_block_stands_and_slides_on_a_mesh_by_the_closed_form(void **state)
{
    (void)state;
    const trm_body_def start = start_at(-1.5, 0.1, 0.1);
    const trm_shape_def block = box_of(0.4, 0.4, 0.2);
    const ending still = run_on(true, block, 0, 20 * DEG, &start, 2);
    const ending slides = run_on(true, block, 0, 35 * DEG, &start, 1.5);
    const double way = 0.5 * G * (sin(35 * DEG) - 0.5 * cos(35 * DEG)) * 1.5 * 1.5;
    print_message("    creep %.1e m; slide off by %.1e m\n", trm_v3_length(trm_v3_sub(still.p, start.position)),
                  fabs(slides.p.x + 1.5 - way));
    assert_near(trm_v3_length(trm_v3_sub(still.p, start.position)), 0, 1e-11);
    assert_near(slides.p.x, -1.5 + way, LEVEL);
    assert_near(slides.p.y, 0.1, LEVEL);
    assert_near(slides.p.z, 0.1, LEVEL);
}

/* ---- A bowl ---------------------------------------------------------------------------------- */

static double energy_of(const running *r)
{
    const trm_energy e = trm_state_energy(trm_sim_state(r->sim));
    return e.kinetic + e.potential;
}

/* A ball that rolls down in a bowl. */
typedef struct descent {
    double start, end, most; /* J: energies, and the largest gain of a step */
} descent;

/* Lets the ball roll for 2 s at a step of h. It stays in the bowl. */
static descent roll_down(double h)
{
    static grid g;
    scene s;
    scene_init(&s, 0.5, 0.2);
    add_solid(&s, sphere_of(RADIUS), 1, trm_v3(0.9, 0.3, bowl(0.9, 0.3) + 0.3))->velocity = trm_v3(0, 1, 0);
    trm_random random = trm_random_seed(3);
    add_wall(&s, grid_of(&g, 1.3, bowl, &random), trm_v3(0, 0, 0));
    running r = run_scene(&s, h);
    descent d = {.start = energy_of(&r)};
    double last = d.start;
    for (double t = h; t < 2; t += h) {
        go(&r, t);
        const trm_vec3 p = place_of(&r, "b1");
        assert_true(hypot(p.x, p.y) < 1.2);
        assert_true(p.z > bowl(p.x, p.y)); /* facets are above the sphere, whose centre is above all */
        d.most = fmax(d.most, energy_of(&r) - last);
        last = energy_of(&r);
    }
    d.end = last;
    print_message(
        "    h = %g: %lld impacts; the most that a step gained is %.1e of %.1e J, at the end %.2e J is left\n", h,
        trm_sim_counters(r.sim)->impacts, d.most, d.start, d.end);
    stop(&r);
    return d;
}

/* The ball rolls down from facet to facet, loses energy at every edge that it meets, and stays in the bowl. It rolls
 * round the edges that it leaves, so that a step gains energy of its order: h^3. */
static void a_ball_in_a_bowl_stays_in_it_and_gains_no_energy(void **state)
{
    (void)state;
    static const double GAIN = 1e-6;         /* fraction of the energy: a ball that leaves a facet late gains more */
    static const double SHRINKS = 0.5 * 0.5; /* half the step leaves 1/8 of the gain of a step, and 1/4 at most */
    const descent coarse = roll_down(STEP / 2), fine = roll_down(STEP / 4);
    assert_true(coarse.most <= GAIN * coarse.start);
    assert_true(fine.most <= SHRINKS * coarse.most);
    assert_true(fine.end < 0.8 * fine.start);
}

/* ---- Nothing passes ---------------------------------------------------------------------------- */

/* A sphere of 1 mm at 1000 m/s against a sheet without thickness: 10 m in a step. */
static void a_fast_sphere_does_not_pass_a_sheet_of_triangles(void **state)
{
    (void)state;
    static const double steps[] = {0.1, 0.01, 0.001};
    static grid g;
    trm_random random = trm_random_seed(9);
    for (int i = 0; i < 30; i++) {
        scene s;
        scene_init(&s, 0, 0.5);
        s.m.def->gravity = trm_v3(0, 0, 0);
        const trm_vec3 aside = random_vector(&random, 1);
        add_solid(&s, sphere_of(0.001), 0.001, trm_v3(aside.x, aside.y, 1))->velocity = trm_v3(0, 0, -1000);
        add_ground(&s, &g, true, level);
        running r = run_scene(&s, steps[i % 3]);
        go_every(&r, 0.1, 0.1);
        assert_near(velocity_of(&r, "b1").z, 500, LEVEL);
        assert_int_equal(trm_sim_counters(r.sim)->impacts, 1);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ball_rolls_over_edges_inside_a_level_mesh_as_on_a_plane),
        cmocka_unit_test(a_ball_bounces_on_a_level_mesh_as_on_a_plane),
        cmocka_unit_test(bodies_land_on_a_level_mesh_as_on_a_plane),
        cmocka_unit_test(a_block_stands_and_slides_on_a_mesh_by_the_closed_form),
        cmocka_unit_test(a_ball_in_a_bowl_stays_in_it_and_gains_no_energy),
        cmocka_unit_test(a_fast_sphere_does_not_pass_a_sheet_of_triangles),
    };
    return RUN_TESTS(tests);
}

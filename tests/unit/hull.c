/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Convex hulls: regular solids with closed-form volume and inertia, with redundant points, at any place and of any
 * size; difficult clouds; points without a hull; out of memory. */

#include "math/hull.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/random.h"
#include "check.h"
#include "failing_allocator.h"
#include "math/inertia.h"
#include "math/rotation.h"

/* Relative tolerance of volume and inertia. At a distance of 100 m a coordinate of a solid of size 1 m is rounded by
 * 7e-15 m: about 1e-14 of its moments, within this tolerance. */
static const double exactness = 1e-12;

/* How far a point may lie outside of a facet, relative to the size of the cloud: points within rounding are omitted,
 * and so are the middle points of slivers. */
static const double convexity = 1e-13;

enum { MOST_POINTS = 4000 };

typedef struct cloud {
    trm_vec3 points[MOST_POINTS];
    int count;
} cloud;

static int set_up(void **state)
{
    trm_arena *arena = test_malloc(sizeof *arena);
    trm_arena_init(arena, NULL);
    *state = arena;
    return 0;
}

static int tear_down(void **state)
{
    trm_arena_destroy(*state);
    test_free(*state);
    return 0;
}

static void add_point(cloud *c, trm_vec3 point)
{
    assert_true(c->count < MOST_POINTS);
    c->points[c->count++] = point;
}

static trm_vec3 random_in_box(trm_random *random)
{
    const double x = trm_random_uniform(random, -1, 1), y = trm_random_uniform(random, -1, 1);
    return trm_v3(x, y, trm_random_uniform(random, -1, 1));
}

static trm_pose random_pose(trm_random *random, double distance)
{
    const trm_quat turn = trm_quat_exp(trm_v3_scale(2, random_in_box(random)));
    return (trm_pose){turn, trm_v3_scale(distance, random_in_box(random))};
}

static double size_of(const cloud *c)
{
    double size = 0;
    for (int i = 0; i < c->count; i++) size = fmax(size, trm_v3_length(trm_v3_sub(c->points[i], c->points[0])));
    return size;
}

/* Asserts that no point is outside of any facet by more than tolerance, relative to the size of the cloud. If its
 * corners are uncertain by that, a facet of longest edge e and height h is tilted by tolerance/h, which is the same
 * displacement at a distance h. */
static void assert_convex_and_outward(const trm_mesh *hull, const cloud *c, double tolerance)
{
    const double size = size_of(c);
    for (int t = 0; t < hull->triangle_count; t++) {
        const int *corner = hull->triangles[t];
        const trm_vec3 a = hull->vertices[corner[0]];
        const trm_vec3 ab = trm_v3_sub(hull->vertices[corner[1]], a), ac = trm_v3_sub(hull->vertices[corner[2]], a);
        const trm_vec3 normal = trm_v3_cross(ab, ac);
        const double edge = fmax(trm_v3_length(trm_v3_sub(ab, ac)), fmax(trm_v3_length(ab), trm_v3_length(ac)));
        const double allowed = tolerance * size * (trm_v3_length(normal) + edge * size);
        for (int i = 0; i < c->count; i++) assert_true(trm_v3_dot(normal, trm_v3_sub(c->points[i], a)) <= allowed);
    }
}

/* Asserts that every vertex equals a point of the cloud bit for bit, in the order of the cloud. */
static void assert_vertices_are_points_in_order(const trm_mesh *hull, const cloud *c)
{
    int next = 0;
    for (int i = 0; i < c->count && next < hull->vertex_count; i++)
        if (memcmp(&c->points[i], &hull->vertices[next], sizeof(trm_vec3)) == 0) next++;
    assert_int_equal(next, hull->vertex_count);
}

static trm_mesh checked_hull(trm_arena *arena, const cloud *c, double tolerance)
{
    trm_mesh hull;
    const char *why;
    assert_int_equal(trm_convex_hull(arena, c->points, c->count, &hull, &why), TRM_OK);
    assert_null(why);
    assert_true(trm_mesh_is_closed(&hull, arena));
    assert_int_equal(2 * hull.vertex_count - 4, hull.triangle_count); /* Euler */
    assert_vertices_are_points_in_order(&hull, c);
    assert_convex_and_outward(&hull, c, tolerance);
    return hull;
}

static trm_mass mass_of(double density, const trm_mesh *hull)
{
    return trm_mass_polyhedron(density, hull->vertices, (const int(*)[3])hull->triangles, hull->triangle_count);
}

/* ---- Solids with closed forms ------------------------------------------------------------- */

typedef struct solid {
    cloud corners;
    double volume;
    trm_vec3 moments; /* for density one */
    int facets;       /* triangles of the hull */
} solid;

static solid tetrahedron(void)
{
    solid s = {{{{1, 1, 1}, {1, -1, -1}, {-1, 1, -1}, {-1, -1, 1}}, 4}, .volume = 8.0 / 3, .facets = 4};
    const double edge2 = 8, J = s.volume * edge2 / 20;
    s.moments = trm_v3(J, J, J);
    return s;
}

static solid octahedron(void)
{
    solid s = {.volume = 4.0 / 3, .facets = 8};
    for (int k = 0; k < 6; k++) add_point(&s.corners, trm_v3_scale(k < 3 ? 1 : -1, trm_axis(k % 3)));
    const double edge2 = 2, J = s.volume * edge2 / 10;
    s.moments = trm_v3(J, J, J);
    return s;
}

static solid icosahedron(void)
{
    const double golden = (1 + sqrt(5)) / 2;
    solid s = {.facets = 20};
    for (int k = 0; k < 3; k++)
        for (int signs = 0; signs < 4; signs++) {
            const double one = signs & 1 ? 1 : -1, long_side = signs & 2 ? golden : -golden;
            add_point(&s.corners,
                      trm_v3_add_scaled(trm_v3_scale(one, trm_axis(k)), long_side, trm_axis((k + 1) % 3)));
        }
    const double edge = 2;
    s.volume = 5 * (3 + sqrt(5)) / 12 * edge * edge * edge;
    const double J = s.volume * edge * edge * golden * golden / 10;
    s.moments = trm_v3(J, J, J);
    return s;
}

static solid box(void)
{
    const trm_vec3 size = {0.8, 2, 1.4};
    const trm_mass mass = trm_mass_box(1, size);
    solid s = {.volume = mass.mass, .facets = 12};
    s.moments = trm_v3(mass.inertia.m[0][0], mass.inertia.m[1][1], mass.inertia.m[2][2]);
    for (int i = 0; i < 8; i++)
        add_point(&s.corners,
                  trm_v3(((i & 1) - 0.5) * size.x, ((i >> 1 & 1) - 0.5) * size.y, ((i >> 2 & 1) - 0.5) * size.z));
    return s;
}

static solid make_solid(int which)
{
    return which == 0 ? tetrahedron() : which == 1 ? octahedron() : which == 2 ? icosahedron() : box();
}

enum { SOLIDS = 4 };

/* Adds points in the body, on its facets and edges (up to rounding), and its corners again, before and after. */
static void add_idle_points(cloud *c, trm_random *random)
{
    const int corners = c->count;
    for (int n = 0; n < 200; n++) {
        trm_vec3 mix = {0, 0, 0};
        double total = 0;
        for (int i = 0; i < corners; i++) {
            const double share = trm_random_uniform(random, 0, 1);
            mix = trm_v3_add_scaled(mix, share, c->points[i]), total += share;
        }
        add_point(c, trm_v3_scale(1 / total, mix));
    }
    for (int i = 0; i < corners; i++)
        for (int j = 0; j < i; j++) {
            const double share = trm_random_uniform(random, 0, 1);
            const trm_vec3 between = trm_v3_add_scaled(trm_v3_scale(share, c->points[i]), 1 - share, c->points[j]);
            add_point(c, between);
            add_point(c, trm_v3_add_scaled(trm_v3_scale(0.5, between), 0.5, c->points[(i + j) % corners]));
        }
    for (int i = 0; i < corners; i++) add_point(c, c->points[i]);
}

static void place(cloud *c, trm_pose X, double scale)
{
    for (int i = 0; i < c->count; i++) c->points[i] = trm_pose_point(X, trm_v3_scale(scale, c->points[i]));
}

/* Asserts that the hull's mass, centre and inertia are those of the solid scaled and moved to X. */
static void check_solid(trm_arena *arena, const cloud *c, const solid *s, trm_pose X, double scale)
{
    const trm_mesh hull = checked_hull(arena, c, convexity + 1e-15 * trm_v3_length(X.p) / scale);
    const trm_mass found = mass_of(1, &hull);
    const double volume = s->volume * pow(scale, 3), unit = pow(scale, 5);
    const trm_mass own = {.mass = volume, .inertia = trm_diag(trm_v3_scale(unit, s->moments))};
    const trm_mass expected = trm_mass_moved(own, X);
    const double largest = unit * fmax(s->moments.x, fmax(s->moments.y, s->moments.z));
    assert_near(found.mass, volume, exactness * volume);
    assert_near(trm_v3_length(trm_v3_sub(found.com, expected.com)), 0, exactness * scale);
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) assert_near(found.inertia.m[r][k], expected.inertia.m[r][k], exactness * largest);
}

static void hulls_of_regular_solids_have_their_volume_and_inertia(void **state)
{
    trm_random random = trm_random_seed(31);
    for (int which = 0; which < SOLIDS; which++)
        for (int n = 0; n < 20; n++) {
            const solid s = make_solid(which);
            cloud c = s.corners;
            const trm_pose X = n ? random_pose(&random, 100) : trm_pose_identity();
            place(&c, X, 1);
            check_solid(*state, &c, &s, X, 1);
            const trm_mesh hull = checked_hull(*state, &c, convexity + 1e-13);
            assert_int_equal(hull.triangle_count, s.facets);
            assert_int_equal(hull.vertex_count, s.corners.count);
        }
}

static void points_inside_on_facets_and_twice_change_nothing(void **state)
{
    trm_random random = trm_random_seed(32);
    for (int which = 0; which < SOLIDS; which++)
        for (int n = 0; n < 20; n++) {
            const solid s = make_solid(which);
            cloud c = s.corners;
            add_idle_points(&c, &random);
            const trm_pose X = n ? random_pose(&random, n % 2 ? 1 : 100) : trm_pose_identity();
            place(&c, X, 1);
            check_solid(*state, &c, &s, X, 1);
        }
}

static void hulls_do_not_depend_on_the_size(void **state)
{
    const double scales[] = {1e-30, 1e-9, 1e-3, 1e9, 1e30};
    trm_random random = trm_random_seed(33);
    for (int which = 0; which < SOLIDS; which++)
        for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) {
            const solid s = make_solid(which);
            cloud c = s.corners;
            add_idle_points(&c, &random);
            const trm_pose X = random_pose(&random, scales[i]);
            place(&c, X, scales[i]);
            check_solid(*state, &c, &s, X, scales[i]);
        }
}

/* ---- Difficult clouds --------------------------------------------------------------------- */

static void clouds_of_random_points_have_convex_hulls(void **state)
{
    trm_random random = trm_random_seed(34);
    for (int on_sphere = 0; on_sphere < 2; on_sphere++) {
        cloud c = {.count = 0};
        for (int i = 0; i < 1000; i++) {
            const trm_vec3 p = random_in_box(&random);
            add_point(&c, on_sphere ? trm_v3_unit(p) : p);
        }
        const trm_mesh hull = checked_hull(*state, &c, convexity);
        if (on_sphere) assert_int_equal(hull.vertex_count, c.count);
    }
}

/* Hundreds of points in each face, none of them exact after the rotation. */
static void a_turned_grid_of_points_is_a_box(void **state)
{
    trm_random random = trm_random_seed(35);
    for (int n = 0; n < 10; n++) {
        solid s = {.volume = 8, .moments = {16.0 / 3, 16.0 / 3, 16.0 / 3}};
        cloud c = {.count = 0};
        for (int i = 0; i < 12 * 12 * 12; i++)
            add_point(&c, trm_v3(i % 12 / 5.5 - 1, i / 12 % 12 / 5.5 - 1, i / 144 / 5.5 - 1));
        const trm_pose X = random_pose(&random, n % 2 ? 0 : 10);
        place(&c, X, 1);
        check_solid(*state, &c, &s, X, 1);
    }
}

/* A prism over a regular n-gon: two facets of n corners each and quadrangles between. */
static void a_turned_prism_of_many_sides_has_its_volume(void **state)
{
    enum { SIDES = 256 };
    const double step = 8 * atan(1) / SIDES;
    trm_random random = trm_random_seed(36);
    for (int n = 0; n < 10; n++) {
        cloud c = {.count = 0};
        for (int i = 0; i < 2 * SIDES; i++)
            add_point(&c, trm_v3(cos(i / 2 * step), sin(i / 2 * step), i % 2 ? 1 : -1));
        place(&c, random_pose(&random, 10), 1);
        const trm_mesh hull = checked_hull(*state, &c, 1e-12);
        assert_near(mass_of(1, &hull).mass, SIDES * sin(step), exactness * SIDES);
    }
}

/* Points a few roundings apart, for which merging facets is hardest. */
static void bundles_of_points_within_rounding_have_a_hull(void **state)
{
    const double spreads[] = {1e-16, 3e-16, 1e-15, 1e-14, 1e-13, 1e-10};
    trm_random random = trm_random_seed(37);
    for (size_t k = 0; k < sizeof spreads / sizeof *spreads; k++)
        for (int n = 0; n < 20; n++) {
            const solid s = make_solid(n % SOLIDS);
            cloud c = {.count = 0};
            for (int i = 0; i < 30 * s.corners.count; i++)
                add_point(&c, trm_v3_add_scaled(s.corners.points[i / 30], spreads[k], random_in_box(&random)));
            const trm_mesh hull = checked_hull(*state, &c, 1e-9);
            assert_near(mass_of(1, &hull).mass, s.volume, (exactness + 10 * spreads[k]) * s.volume);
        }
}

/* Qhull 2020.2 refuses these without further options: merged facets do not close. */
static void bundles_that_qhull_refuses_have_a_hull(void **state)
{
    const uint64_t seeds[] = {12620, 27718, 28048, 32569, 40811};
    const double spread = 2e-13, merging = 4e-11;
    for (size_t k = 0; k < sizeof seeds / sizeof *seeds; k++) {
        trm_random random = trm_random_seed(seeds[k]);
        cloud c = {.count = 0};
        for (int i = 0; i < 40; i++) {
            const trm_vec3 corner = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
            add_point(&c, trm_v3_add_scaled(corner, spread, random_in_box(&random)));
        }
        const trm_mesh hull = checked_hull(*state, &c, merging);
        assert_near(mass_of(1, &hull).mass, 8, 8 * merging);
    }
}

/* Points of a bundle form slivers with other corners; one point of each bundle must remain. */
static void bundles_of_any_spread_keep_their_corners(void **state)
{
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        trm_random random = trm_random_seed(seed);
        const double spread = pow(10, trm_random_uniform(&random, -17, -9));
        const trm_pose X = random_pose(&random, 10);
        cloud c = {.count = 0};
        for (int i = 0; i < 40; i++) {
            const trm_vec3 corner = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
            add_point(&c, trm_v3_add_scaled(corner, spread, random_in_box(&random)));
        }
        place(&c, X, 1);
        trm_mesh hull;
        const trm_arena_mark mark = trm_arena_get_mark(*state);
        assert_int_equal(trm_convex_hull(*state, c.points, c.count, &hull, NULL), TRM_OK);
        assert_near(mass_of(1, &hull).mass, 8, 8 * (exactness + 10 * spread));
        trm_arena_reset(*state, mark);
    }
}

static void a_thin_plate_has_a_hull(void **state)
{
    trm_random random = trm_random_seed(38);
    cloud c = box().corners;
    for (int i = 0; i < c.count; i++) c.points[i].z *= 1e-9;
    place(&c, random_pose(&random, 0), 1);
    const trm_mesh hull = checked_hull(*state, &c, convexity);
    assert_near(mass_of(1, &hull).mass, box().volume * 1e-9, 1e-15);
}

static void the_same_points_give_the_same_mesh(void **state)
{
    trm_random random = trm_random_seed(39);
    cloud c = {.count = 0};
    for (int i = 0; i < 500; i++) add_point(&c, random_in_box(&random));
    const trm_mesh a = checked_hull(*state, &c, convexity), b = checked_hull(*state, &c, convexity);
    assert_int_equal(a.triangle_count, b.triangle_count);
    assert_memory_equal(a.triangles, b.triangles, (size_t)a.triangle_count * sizeof *a.triangles);
    assert_memory_equal(a.vertices, b.vertices, (size_t)a.vertex_count * sizeof *a.vertices);
}

/* ---- No hull ------------------------------------------------------------------------------ */

static void assert_refused(trm_arena *arena, const cloud *c, const char *reason)
{
    trm_mesh hull;
    const char *why;
    const size_t before = arena->bytes_used;
    assert_int_equal(trm_convex_hull(arena, c->points, c->count, &hull, &why), TRM_BAD_INPUT);
    assert_string_equal(why, reason);
    assert_true(!hull.vertices && !hull.triangles && hull.vertex_count == 0 && hull.triangle_count == 0);
    assert_int_equal(arena->bytes_used, before);
    assert_int_equal(trm_convex_hull(arena, c->points, c->count, &hull, NULL), TRM_BAD_INPUT);
}

static void few_equal_or_infinite_points_are_refused(void **state)
{
    const cloud three = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, 3}, none = {.count = 0};
    const cloud same = {{{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}}, 5};
    cloud broken = tetrahedron().corners;
    assert_refused(*state, &none, "fewer than 4 points");
    assert_refused(*state, &three, "fewer than 4 points");
    assert_refused(*state, &same, "all points are the same");
    broken.points[2].y = NAN;
    assert_refused(*state, &broken, "a coordinate is not finite");
    broken.points[2].y = -INFINITY;
    assert_refused(*state, &broken, "a coordinate is not finite");
}

/* After rotation and at a distance such points are in their plane or on their line only up to rounding. */
static void points_in_a_plane_or_on_a_line_are_refused(void **state)
{
    trm_random random = trm_random_seed(40);
    for (int n = 0; n < 300; n++) {
        cloud c = {.count = 0};
        for (int i = 0; i < 4 + n; i++) {
            const trm_vec3 p = random_in_box(&random);
            add_point(&c, n % 2 ? trm_v3(p.x, p.y, 0) : trm_v3(p.x, 0, 0));
        }
        place(&c, n < 4 ? trm_pose_identity() : random_pose(&random, n % 3 ? 100 : 0), n % 5 ? 1 : 1e-4);
        assert_refused(*state, &c, n % 2 ? "all points lie in a plane" : "all points lie on a line");
    }
}

static void the_largest_numbers_do_no_harm(void **state)
{
    cloud c = tetrahedron().corners;
    place(&c, trm_pose_identity(), 1.5e308);
    trm_mesh hull;
    assert_int_equal(trm_convex_hull(*state, c.points, c.count, &hull, NULL), TRM_OK);
    assert_int_equal(hull.triangle_count, 4);
    c = tetrahedron().corners;
    place(&c, trm_pose_identity(), 1e-300);
    assert_int_equal(trm_convex_hull(*state, c.points, c.count, &hull, NULL), TRM_OK);
    assert_int_equal(hull.triangle_count, 4);
}

/* Redirects standard output and error to a file meanwhile. */
static void nothing_is_printed(void **state)
{
    const cloud flat = {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, 4};
    FILE *file = tmpfile();
    assert_non_null(file);
    fflush(stdout), fflush(stderr);
    const int out = dup(STDOUT_FILENO), error = dup(STDERR_FILENO);
    dup2(fileno(file), STDOUT_FILENO), dup2(fileno(file), STDERR_FILENO);
    trm_mesh hull;
    const trm_status status = trm_convex_hull(*state, flat.points, flat.count, &hull, NULL);
    fflush(stdout), fflush(stderr);
    dup2(out, STDOUT_FILENO), dup2(error, STDERR_FILENO);
    close(out), close(error);
    assert_int_equal(status, TRM_BAD_INPUT);
    assert_int_equal(lseek(fileno(file), 0, SEEK_END), 0);
    fclose(file);
}

static void out_of_memory_is_reported_without_leaks(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(41);
    cloud c = {.count = 0};
    for (int i = 0; i < 1000; i++) add_point(&c, trm_v3_unit(random_in_box(&random)));
    trm_status status = TRM_OUT_OF_MEMORY;
    long k = 0;
    do {
        failing_allocator memory;
        failing_allocator_reset(&memory, ++k, false);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_arena arena;
        trm_arena_init(&arena, &hooks);
        trm_mesh hull;
        status = trm_convex_hull(&arena, c.points, c.count, &hull, NULL);
        assert_int_equal(status, memory.refusals ? TRM_OUT_OF_MEMORY : TRM_OK);
        assert_true(status == TRM_OK || (!hull.vertices && arena.bytes_used == 0));
        trm_arena_destroy(&arena);
        assert_true(failing_allocator_is_clean(&memory));
    } while (status != TRM_OK);
    assert_true(k > 4); /* points, numbers, triangles, edges */
}

/* ---- Closed meshes ------------------------------------------------------------------------ */

static bool is_closed(trm_arena *arena, int (*triangles)[3], int count)
{
    const trm_mesh mesh = {.triangles = triangles, .triangle_count = count};
    return trm_mesh_is_closed(&mesh, arena);
}

static void closed_means_every_edge_both_ways_once(void **state)
{
    int tetra[8][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}, {0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    int turned_over[4][3] = {{0, 1, 2}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    int collapsed[1][3] = {{0, 0, 1}};
    assert_true(is_closed(*state, tetra, 4));
    assert_false(is_closed(*state, tetra, 3));
    assert_false(is_closed(*state, tetra, 8));
    assert_false(is_closed(*state, tetra, 0));
    assert_false(is_closed(*state, turned_over, 4));
    assert_false(is_closed(*state, collapsed, 1));
    assert_int_equal(((trm_arena *)*state)->bytes_used, 0);
}

static void closing_without_memory_is_reported(void **state)
{
    (void)state;
    int tetra[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    failing_allocator memory;
    failing_allocator_reset(&memory, 1, false);
    const trm_allocator hooks = failing_allocator_hooks(&memory);
    trm_arena arena;
    trm_arena_init(&arena, &hooks);
    assert_false(is_closed(&arena, tetra, 4));
    assert_true(arena.failed);
    trm_arena_destroy(&arena);
}

#define WITH_ARENA(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_ARENA(hulls_of_regular_solids_have_their_volume_and_inertia),
        WITH_ARENA(points_inside_on_facets_and_twice_change_nothing),
        WITH_ARENA(hulls_do_not_depend_on_the_size),
        WITH_ARENA(clouds_of_random_points_have_convex_hulls),
        WITH_ARENA(a_turned_grid_of_points_is_a_box),
        WITH_ARENA(a_turned_prism_of_many_sides_has_its_volume),
        WITH_ARENA(bundles_of_points_within_rounding_have_a_hull),
        WITH_ARENA(bundles_that_qhull_refuses_have_a_hull),
        WITH_ARENA(bundles_of_any_spread_keep_their_corners),
        WITH_ARENA(a_thin_plate_has_a_hull),
        WITH_ARENA(the_same_points_give_the_same_mesh),
        WITH_ARENA(few_equal_or_infinite_points_are_refused),
        WITH_ARENA(points_in_a_plane_or_on_a_line_are_refused),
        WITH_ARENA(the_largest_numbers_do_no_harm),
        WITH_ARENA(nothing_is_printed),
        cmocka_unit_test(out_of_memory_is_reported_without_leaks),
        WITH_ARENA(closed_means_every_edge_both_ways_once),
        cmocka_unit_test(closing_without_memory_is_reported),
    };
    return RUN_TESTS(tests);
}

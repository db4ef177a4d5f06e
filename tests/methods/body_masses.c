/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Sources of a body's mass: point masses, a mass distributed over shapes, ellipsoids. */

#include "check.h"
#include "choosing.h"

static double sum_of(trm_vec3 v)
{
    return v.x + v.y + v.z;
}

/* Half the trace of the inertia is the sum of m r^2, and the determinant for three points in a plane is known. */
static void point_masses_make_a_body(void **state)
{
    (void)state;
    trm_model *model =
        quoted("{ 'trammel': 1, 'bodies': [{ 'name': 'b', 'masses': [{ 'mass': 2, 'position': [0, 0, 0] },"
               "{ 'mass': 1, 'position': [3, 0, 0] }, { 'mass': 1, 'position': [0, 4, 0] }] }]}");
    const trm_body_info b = trm_body_info_of(model, 1);
    assert_near(b.mass, 4, 0);
    assert_near(b.principal.p.x, 0.75, 1e-15);
    assert_near(b.principal.p.y, 1, 1e-15);
    const double xx = 9 - 4 * 0.75 * 0.75, yy = 16 - 4 * 1.0, xy = -4 * 0.75; /* second moments about the centre */
    assert_near(sum_of(b.moments), 2 * (xx + yy), 1e-13);
    assert_near(b.moments.x * b.moments.y * b.moments.z, (xx + yy) * (xx * yy - xy * xy), 1e-10);
    trm_model_destroy(model);
}

/* Two boxes of equal density, whatever its value, or of given densities in proportion. */
static void mass_without_inertia_is_spread_over_the_shapes(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        trm_model *model =
            quoted(i == 0 ? "{ 'trammel': 1, 'bodies': [{ 'name': 'b', 'mass': 6, 'shapes': ["
                            "{ 'type': 'box', 'size': [1, 1, 1] },"
                            "{ 'type': 'box', 'size': [1, 1, 2], 'position': [2, 0, 0] }] }]}"
                          : "{ 'trammel': 1, 'bodies': [{ 'name': 'b', 'mass': 6, 'shapes': ["
                            "{ 'type': 'box', 'size': [1, 1, 1], 'density': 14 },"
                            "{ 'type': 'box', 'size': [1, 1, 2], 'position': [2, 0, 0], 'density': 14 },"
                            "{ 'type': 'sphere', 'radius': 9 }] }]}");
        const trm_body_info b = trm_body_info_of(model, 1);
        assert_near(b.mass, 6, 1e-15);
        assert_near(b.principal.p.x, 4.0 / 3, 1e-14);
        /* 2 kg cube, 4 kg bar; about x: 2/6 + 4 (1 + 4)/12 */
        const double Jx = 2.0 / 6 + 4 * 5.0 / 12, far = 2 * 16.0 / 9 + 4 * 4.0 / 9;
        assert_near(sum_of(b.moments), Jx + (2.0 / 6 + 4 * 5.0 / 12 + far) + (2.0 / 6 + 4 * 2.0 / 12 + far), 1e-12);
        trm_model_destroy(model);
    }
}

static void an_ellipsoid_has_its_mass(void **state)
{
    (void)state;
    trm_model *model = quoted("{ 'trammel': 1, 'bodies': [{ 'name': 'b', 'shapes': [{ 'type': 'ellipsoid',"
                              "'size': [2, 4, 6], 'density': 3 }] }]}");
    const trm_body_info b = trm_body_info_of(model, 1);
    const double m = 3 * 4.0 / 3 * 3.14159265358979323846 * 1 * 2 * 3;
    assert_near(b.mass, m, 1e-12);
    assert_near(b.moments.x, m / 5 * (4 + 9), 1e-11);
    assert_near(b.moments.y, m / 5 * (1 + 9), 1e-11);
    assert_near(b.moments.z, m / 5 * (1 + 4), 1e-11);
    trm_model_destroy(model);
}

static running egg(const char *place, const char *spin, double step)
{
    char text[600];
    snprintf(text, sizeof text,
             "{ 'trammel': 1, 'gravity': [0, 0, -9.81], 'bodies': [{ 'name': 'egg', 'position': %s,"
             "'angular_velocity': [0, %s, 0], 'velocity': ['0.3*%s', 0, 0],"
             "'shapes': [{ 'type': 'ellipsoid', 'size': [1, 0.8, 0.6], 'density': 1000, 'friction': 0.5 }] },"
             "{ 'name': 'floor', 'fixed': true, 'shapes': [{ 'type': 'plane', 'normal': [0, 0, 1] }] }]}",
             place, spin, spin);
    return run_chosen(quoted(text), (way){.choice = "impulse", .step = step});
}

/* It rests on its shortest axis at that half length. */
static void an_ellipsoid_rests_on_the_ground(void **state)
{
    (void)state;
    running r = egg("[0, 0, 0.31]", "0", 0.002);
    go(&r, 1);
    assert_near(place_of(&r, "egg").z, 0.3, 1e-9);
    assert_near(trm_v3_length(velocity_of(&r, "egg")), 0, 1e-9);
    stop(&r);
}

/* It rolls on a surface of radius of curvature a^2/c, with its centre at height c: omega^2 = g (a^2/c - c) / (I/m +
 * c^2) with I/m = (a^2 + c^2)/5, to the square of the angle. After a whole period it is back at its start. */
static void an_ellipsoid_rocks_with_the_frequency_of_its_curvature(void **state)
{
    (void)state;
    const double a = 0.5, c = 0.3, spin = 1e-3;
    const double omega = sqrt(9.81 * (a * a / c - c) / ((a * a + c * c) / 5 + c * c));
    running r = egg("[0, 0, 0.3]", "1e-3", 2 * 3.14159265358979323846 / omega / 1000);
    go(&r, 0.5 * 3.14159265358979323846 / omega);
    assert_near(place_of(&r, "egg").x, c * spin / omega, 1e-5 * c * spin / omega);
    go(&r, 2 * 3.14159265358979323846 / omega);
    assert_near(place_of(&r, "egg").x, 0, 1e-4 * c * spin / omega);
    assert_near(velocity_of(&r, "egg").x, c * spin, 1e-5 * c * spin);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_masses_make_a_body),
        cmocka_unit_test(mass_without_inertia_is_spread_over_the_shapes),
        cmocka_unit_test(an_ellipsoid_has_its_mass),
        cmocka_unit_test(an_ellipsoid_rests_on_the_ground),
        cmocka_unit_test(an_ellipsoid_rocks_with_the_frequency_of_its_curvature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A Stewart platform on legs of a universal joint, a cylinder and a universal joint each, with driven translations of
 * the cylinders, so that the platform moves up and down by z(t) without rotation.
 *
 * Each leg stays in its vertical plane, r the horizontal distance of its ends, l^2 = r^2 + z^2, theta' = r z'/l^2,
 * l' = z z'/l. Its lower rod (m1, L1) turns about the base joint, the middle of its upper rod (m2, L2) is at
 * s = l - L2/2. With the platform's mass m, one coordinate is left:
 *
 *     M(z) = m + 6 ((m1 L1^2/3 + m2 s^2 + m2 L2^2/12) r^2/l^4 + m2 z^2/l^2)
 *     V(z) = m g z + 6 g (m1 L1/2 + m2 s) z/l,        6 f z/l = M z'' + M' z'^2/2 + V' */

#include <math.h>

#include "check.h"
#include "choosing.h"

enum { LEGS = 6 };
static const double G = 9.81, MASS = 20, M1 = 2, L1 = 0.5, M2 = 1.5, L2 = 0.6;
static const double BASE = 0.6, TOP = 0.35; /* m: radii of the circles of joints */

static double height(double t)
{
    return 0.8 + 0.1 * sin(2 * t);
}

/* Returns an end of leg k: the joints form pairs, 20 degrees apart below, 80 degrees above. */
static trm_vec3 joint_below(int k)
{
    const double angle = (120 * (k / 2) + (k % 2 ? 10 : -10)) * TRM_PI / 180;
    return trm_v3(BASE * cos(angle), BASE * sin(angle), 0);
}

static trm_vec3 joint_above(int k, double z)
{
    const double angle = (120 * (k / 2) + (k % 2 ? 40 : -40)) * TRM_PI / 180;
    return trm_v3(TOP * cos(angle), TOP * sin(angle), z);
}

/* Returns the horizontal distance of the ends of a leg, equal for all legs. */
static double reach(void)
{
    return trm_v3_length(trm_v3_sub(joint_above(0, 0), joint_below(0)));
}

static double inertia(double z)
{
    const double r = reach(), l = sqrt(r * r + z * z), s = l - L2 / 2;
    return MASS +
           LEGS * ((M1 * L1 * L1 / 3 + M2 * s * s + M2 * L2 * L2 / 12) * r * r / pow(l, 4) + M2 * z * z / (l * l));
}

static double potential(double z)
{
    const double r = reach(), l = sqrt(r * r + z * z);
    return MASS * G * z + LEGS * G * (M1 * L1 / 2 + M2 * (l - L2 / 2)) * z / l;
}

static double slope_of(double f(double), double z)
{
    const double h = 1e-3; /* order 6 */
    return (45 * (f(z + h) - f(z - h)) - 9 * (f(z + 2 * h) - f(z - 2 * h)) + f(z + 3 * h) - f(z - 3 * h)) / (60 * h);
}

static double leg_force(double t)
{
    const double z = height(t), v = 0.2 * cos(2 * t), a = -0.4 * sin(2 * t), r = reach();
    const double force = inertia(z) * a + 0.5 * slope_of(inertia, z) * v * v + slope_of(potential, z);
    return force * sqrt(r * r + z * z) / (LEGS * z);
}

#define XYZ(v) (v).x, (v).y, (v).z

static size_t put_leg(char *to, size_t room, int k, int what)
{
    const trm_vec3 B = joint_below(k), P = joint_above(k, height(0)), u = trm_v3_unit(trm_v3_sub(P, B));
    const trm_vec3 x = trm_v3_unit(trm_v3_cross(u, trm_v3(0, 0, 1))), y = trm_v3_cross(u, x);
    const trm_vec3 low = trm_v3_add_scaled(B, L1, u), high = trm_v3_add_scaled(P, -L2, u);
    if (what == 0)
        return (size_t)snprintf(
            to, room,
            ", { 'name': 'lower%d', 'rod': { 'from': [%.17g, %.17g, %.17g], 'to': [%.17g, %.17g, "
            "%.17g], 'mass': %g } }, { 'name': 'upper%d', 'rod': { 'from': [%.17g, %.17g, %.17g], "
            "'to': [%.17g, %.17g, %.17g], 'mass': %g } }",
            k, XYZ(B), XYZ(low), M1, k, XYZ(high), XYZ(P), M2);
    if (what == 1)
        return (size_t)snprintf(to, room,
                                "%s{ 'name': 'foot%d', 'type': 'universal', 'bodies': ['ground', 'lower%d'], "
                                "'anchor': [%.17g, %.17g, %.17g], "
                                "'axis': [%.17g, %.17g, %.17g], 'axis2': [%.17g, %.17g, %.17g] }, { 'name': "
                                "'tube%d', 'type': 'cylinder', "
                                "'bodies': ['lower%d', 'upper%d'], 'anchor': [%.17g, %.17g, %.17g], 'axis': [%.17g, "
                                "%.17g, %.17g] }, { 'name': "
                                "'head%d', 'type': 'universal', 'bodies': ['upper%d', 'top'], 'anchor': [%.17g, "
                                "%.17g, %.17g], 'axis': [%.17g, "
                                "%.17g, %.17g], 'axis2': [%.17g, %.17g, %.17g] }",
                                k > 0 ? ", " : "", k, k, XYZ(B), XYZ(x), XYZ(y), k, k, k, XYZ(B), XYZ(u), k, k,
                                XYZ(P), XYZ(x), XYZ(y));
    return (size_t)snprintf(to, room,
                            "%s{ 'name': 'd%d', 'type': 'drive', 'joint': 'tube%d', 'coordinate': 2, 'motion': "
                            "'sqrt(%.17g + (0.8 + 0.1*sin(2*t))^2) - %.17g' }",
                            k > 0 ? ", " : "", k, k, reach() * reach(), trm_v3_length(trm_v3_sub(P, B)));
}

static trm_model *platform(void)
{
    static char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text,
                                 "{ 'trammel': 1, 'gravity': [0, 0, %.17g], 'bodies': [{ 'name': 'top', 'mass': %g, "
                                 "'inertia': [1, 1, 2], 'position': [0, 0, %.17g] }",
                                 -G, MASS, height(0));
    for (int what = 0; what < 3; what++) {
        static const char *const before[] = {"", "], 'joints': [", "], 'forces': ["};
        at += (size_t)snprintf(text + at, sizeof text - at, "%s", before[what]);
        for (int k = 0; k < LEGS; k++) at += put_leg(text + at, sizeof text - at, k, what);
    }
    snprintf(text + at, sizeof text - at, "] }");
    return quoted(text);
}

static void a_stewart_platform_driven_on_its_cylinders_is_where_it_should_be(void **state)
{
    static const way ways[] = {{.choice = "impulse", .step = 0.01, .tolerance = 1e-13},
                               {.choice = "lagrange:integrator=rk4", .step = 0.01},
                               {.choice = "minimal", .step = 0.01}};
    (void)state;
    for (int i = 0; i < 3; i++) {
        running r = run_chosen(platform(), ways[i]);
        double off = 0, force = 0;
        trm_sim_enable_reactions(r.sim, true);
        for (int k = 1; k <= 10; k++) {
            const double t = 0.1 * k, expected = leg_force(t);
            go(&r, t);
            const trm_vec3 p = place_of(&r, "top");
            off = fmax(off, fmax(fabs(p.z - height(t)), fmax(fabs(p.x), fabs(p.y))));
            for (int leg = 0; leg < LEGS; leg++) {
                char name[8];
                snprintf(name, sizeof name, "d%d", leg);
                const trm_spatial F = trm_joint_reaction(trm_sim_state(r.sim), trm_find_joint(r.model, name));
                force = fmax(force, fabs(trm_v3_length(F.lin) - expected) / expected);
            }
        }
        print_message("%s: off by %.2g m, leg forces by %.2g of %.4g N\n", ways[i].choice, off, force, leg_force(1));
        assert_near(off, 0, 1e-10);
        assert_near(force, 0, 1e-8);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stewart_platform_driven_on_its_cylinders_is_where_it_should_be),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

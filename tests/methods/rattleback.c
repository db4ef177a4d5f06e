/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The rattleback: an ellipsoid that rolls on a plane without slipping. The independent solution integrates the
 * equations of rolling by a rule of order 4 with short steps. With n the normal of the plane, S = R A A^T R^T of the
 * base, c the centre of mass in the frame of the base, and rho from it to the contact point:
 *
 *     rho = -S n / w - R c,  w = sqrt(n.S n),   v = -omega x rho,   m (dv/dt - g) = F,
 *     (J + m (rho.rho 1 - rho rho^T)) domega/dt = -omega x J omega - m rho x (omega x drho/dt + g). */

#include "check.h"
#include "choosing.h"

static const double AXES[3] = {0.2, 0.03, 0.02}, MASS = 1, DEPTH = 0.01, G = 9.81;
static const trm_mat3 INERTIA = {{{0.0002, -0.00002, 0}, {-0.00002, 0.0016, 0}, {0, 0, 0.0017}}};

/* Rotation, angular velocity and centre of the base; and their rates. */
typedef struct rolling {
    trm_quat q;
    trm_vec3 omega, x;
} rolling;

static trm_vec3 solved(trm_mat3 m, trm_vec3 b)
{
    const trm_vec3 x = trm_column(m, 0), y = trm_column(m, 1), z = trm_column(m, 2);
    const double volume = trm_v3_dot(x, trm_v3_cross(y, z));
    return trm_v3_scale(1 / volume, trm_v3(trm_v3_dot(b, trm_v3_cross(y, z)), trm_v3_dot(b, trm_v3_cross(z, x)),
                                           trm_v3_dot(b, trm_v3_cross(x, y))));
}

static rolling rolling_rate(const rolling *s)
{
    const trm_vec3 n = trm_v3(0, 0, 1), down = trm_v3(0, 0, -G), o = s->omega;
    const trm_mat3 R = trm_quat_matrix(s->q), A = trm_mat_mul(R, trm_diag(trm_v3(AXES[0], AXES[1], AXES[2])));
    const trm_mat3 S = trm_mat_mul(A, trm_transpose(A)), J = trm_mat_mul(trm_mat_mul(R, INERTIA), trm_transpose(R));
    const trm_vec3 Sn = trm_mat_vec(S, n), com = trm_mat_vec(R, trm_v3(0, 0, -DEPTH));
    const double w = sqrt(trm_v3_dot(n, Sn));
    const trm_vec3 dSn = trm_v3_sub(trm_v3_cross(o, Sn), trm_mat_vec(S, trm_v3_cross(o, n)));
    const double dw = trm_v3_dot(n, trm_v3_cross(o, Sn)) / w;
    const trm_vec3 to = trm_v3_scale(-1 / w, Sn),
                   dto = trm_v3_add_scaled(trm_v3_scale(-1 / w, dSn), dw / (w * w), Sn);
    const trm_vec3 rho = trm_v3_sub(to, com), drho = trm_v3_sub(dto, trm_v3_cross(o, com));

    trm_mat3 M = trm_mat_add_scaled(J, MASS * trm_v3_dot(rho, rho), trm_diag(trm_v3(1, 1, 1)));
    M = trm_mat_add_scaled(M, -MASS, trm_outer(rho, rho));
    const trm_vec3 pull = trm_v3_add(trm_v3_cross(o, drho), down);
    const trm_vec3 b =
        trm_v3_add_scaled(trm_v3_neg(trm_v3_cross(o, trm_mat_vec(J, o))), -MASS, trm_v3_cross(rho, pull));
    const trm_quat spin = {0, o.x, o.y, o.z}, dq = trm_quat_mul(spin, s->q);
    return (rolling){{0.5 * dq.w, 0.5 * dq.x, 0.5 * dq.y, 0.5 * dq.z}, solved(M, b), trm_v3_neg(trm_v3_cross(o, to))};
}

static rolling moved(const rolling *s, double h, const rolling *k)
{
    return (rolling){{s->q.w + h * k->q.w, s->q.x + h * k->q.x, s->q.y + h * k->q.y, s->q.z + h * k->q.z},
                     trm_v3_add_scaled(s->omega, h, k->omega),
                     trm_v3_add_scaled(s->x, h, k->x)};
}

static rolling rolled(rolling s, double time, int steps)
{
    const double h = time / steps;
    for (int i = 0; i < steps; i++) {
        const rolling k1 = rolling_rate(&s), at1 = moved(&s, 0.5 * h, &k1), k2 = rolling_rate(&at1);
        const rolling at2 = moved(&s, 0.5 * h, &k2), k3 = rolling_rate(&at2), at3 = moved(&s, h, &k3),
                      k4 = rolling_rate(&at3);
        s = moved(&s, h / 6, &k1), s = moved(&s, h / 3, &k2), s = moved(&s, h / 3, &k3), s = moved(&s, h / 6, &k4);
        s.q = trm_quat_unit(s.q);
    }
    return s;
}

static rolling state_now(const running *r)
{
    const int body = trm_find_body(r->model, "stone");
    const trm_pose X = trm_body_pose(trm_sim_state(r->sim), body);
    return (rolling){X.q, trm_body_velocity(trm_sim_state(r->sim), body).ang, X.p};
}

/* Rattling, and errors with it, grows by a factor e about every 0.3 s. */
static void it_moves_as_the_equations_of_rolling_say(void **state)
{
    (void)state;
    const double end = 1.5, near = 1e-6;
    double off[2];
    for (int k = 0; k < 2; k++) {
        running r = run_chosen(model_of_file(TRM_EXAMPLES "/rattleback.json"),
                               (way){.choice = "impulse", .step = 0.004 / (1 << k), .order = 4});
        const rolling then = rolled(state_now(&r), end, 20000);
        go(&r, end);
        const rolling now = state_now(&r);
        off[k] = trm_v3_length(trm_v3_sub(now.omega, then.omega));
        assert_near(now.x.x, then.x.x, near);
        assert_near(now.x.y, then.x.y, near);
        stop(&r);
    }
    printf("angular velocity off by %.2e, %.2e rad/s at h = 4, 2 ms\n", off[0], off[1]);
    assert_true(off[1] < 1e-3 && off[1] < off[0] / 12);
}

static double energy_of(const running *r)
{
    const trm_energy e = trm_state_energy(trm_sim_state(r->sim));
    return e.kinetic + e.potential;
}

static void its_spin_turns_round_and_energy_stays(void **state)
{
    (void)state;
    running r = run_chosen(model_of_file(TRM_EXAMPLES "/rattleback.json"),
                           (way){.choice = "impulse", .step = 0.001, .order = 4});
    const double energy = energy_of(&r);
    go(&r, 10);
    const double spin = trm_body_velocity(trm_sim_state(r.sim), trm_find_body(r.model, "stone")).ang.z;
    printf("spin -5 -> %.2f rad/s\n", spin);
    assert_true(spin > 4.9);
    assert_near(energy_of(&r), energy, 1e-6);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_moves_as_the_equations_of_rolling_say),
        cmocka_unit_test(its_spin_turns_round_and_energy_stays),
    };
    return RUN_TESTS(tests);
}

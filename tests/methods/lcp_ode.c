/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The method lcp with the parameters of ODE reproduces ODE's motion. The tables contain results of dWorldStep of ODE
 * 0.16.2 for the same examples, in double precision with its defaults: ERP 0.2, CFM 1e-10, implicit gyroscopic
 * torque, infinitesimal rotations. `bench_ode --reference` prints them (bench/ode). */

#include "choosing.h"

/* m: required agreement. Equal formulas in another order of operations differ by 1e-14 here. */
static const double SAME_PLACE = 1e-6;

/* Required agreement relative to the lost energy. Until 10 s rounding grows to 1e-8 m and changes the seventh
 * digit. */
static const double SAME_LOSS = 0.1;

/* m: least difference between two ways of rotating bodies. In ODE it is at least 6e-4. */
static const double ANOTHER_PLACE = 1e-4;

enum { PLACES = 4, BETWEEN = 50, SECONDS = 10 }; /* BETWEEN: steps between two positions */

static const char AS_ODE[] = "lcp:solver=dantzig:erp=0.2:cfm=1e-10:gyroscopic=implicit:rotation=infinitesimal";
static const char TURNED_FINITELY[] = "lcp:solver=dantzig:erp=0.2:cfm=1e-10:gyroscopic=implicit:rotation=finite";
static const char WITHOUT_TORQUE[] = "lcp:solver=dantzig:erp=0.2:cfm=1e-10:gyroscopic=none:rotation=infinitesimal";

/* Centres of mass after 50, 100, ... steps of 0.01 s, m. */
static const trm_vec3 DOUBLE_PENDULUM[PLACES][2] = {
    {{0.21195093244003244, -0.45388739744945261, 0}, {0.851500462211225, -1.1724586253550444, 0}},
    {{-0.46896649283222813, -0.17882154399734571, 0}, {-1.3032241639867783, -0.69912491413241562, 0}},
    {{-0.45371410604335283, -0.21167978160704126, 0}, {-1.3403306810996316, -0.1716574294452817, 0}},
    {{-0.040162631121063996, -0.49869744619633327, 0}, {0.11755273052612097, -1.4728799609634096, 0}},
};

static const trm_vec3 FOUR_BAR[PLACES][3] = {
    {{-0.078552776553765885, 0.062851320727949536, 0},
     {0.068058503096628767, 0.23437808494478829, 0},
     {0.39661127965502785, 0.17152676419512747, 0}},
    {{0.089090617158446225, 0.046260859926887152, 0},
     {0.37864376990390358, 0.24245163152293364, 0},
     {0.53955315275617388, 0.19619077156907855, 0}},
    {{-0.10035134976059766, -0.026038719334838659, 0},
     {-0.0029684537043339035, 0.1036339511111074, 0},
     {0.34738289602794692, 0.12967267039346986, 0}},
    {{0.054198906948071744, -0.086840690464173198, 0},
     {0.17640142541854298, 0.067627966271984849, 0},
     {0.37220251846698588, 0.15446865669040755, 0}},
};

static const trm_vec3 HEAVY_TOP[PLACES][1] = {
    {{0.38683193703811647, -0.30876438941636619, -0.88330170700152733}},
    {{-0.83482139840349623, 0.019231782966608203, -0.55303799104245566}},
    {{-0.0019301425462699001, 0.29370859076847894, -0.96078080695762169}},
    {{0.28968633293173596, -0.49573436146015776, -0.81925496938922104}},
};

/* Change of the energy of the 8-Loop after 1, 2, ... s, J. */
static const struct {
    double step; /* s */
    double change[SECONDS];
} EIGHT_LOOP[] = {
    {0.01,
     {-30.127854686418498, -52.361865260375623, -56.217974974251717, -60.469088257052903, -61.653039733581636,
      -62.478613695914518, -62.595772942368583, -62.709611821671771, -62.929011007219373, -63.236763949820713}},
    {0.005,
     {-14.899089036073587, -20.145691488533895, -26.536731149676879, -34.834419539533897, -40.607132943950432,
      -45.799624693499027, -48.129189718578871, -49.842081706562766, -51.91021490285712, -53.305726862154813}},
};

static const char TOP[] = "problems/r10-heavy-top";

static running run_example(const char *name, const char *choice, double step)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    return run_chosen(model_of_file(path), (way){.choice = choice, .step = step});
}

static void make_steps(const running *r, int count, double step)
{
    for (int i = 0; i < count; i++) assert_good(trm_sim_step(r->sim, step));
}

static trm_vec3 centre_of(const running *r, int body)
{
    return trm_point_position(trm_sim_state(r->sim), body, trm_body_info_of(r->model, body).principal.p);
}

/* Returns the largest distance between a centre of mass and its row of the table. */
static double farthest(const char *example, const char *choice, const trm_vec3 *table, int bodies)
{
    const double step = 0.01;
    double most = 0;
    running r = run_example(example, choice, step);
    assert_int_equal(trm_body_count(r.model), bodies + 1);
    for (int i = 0; i < PLACES; i++) {
        make_steps(&r, BETWEEN, step);
        for (int k = 0; k < bodies; k++)
            most = fmax(most, trm_v3_length(trm_v3_sub(centre_of(&r, k + 1), table[i * bodies + k])));
    }
    stop(&r);
    print_message("    %s, %s: %.1e m from ODE\n", example, choice, most);
    return most;
}

static void a_double_pendulum_goes_as_in_ode(void **state)
{
    (void)state;
    assert_true(farthest("double-pendulum", AS_ODE, DOUBLE_PENDULUM[0], 2) <= SAME_PLACE);
}

static void a_four_bar_goes_as_in_ode(void **state)
{
    (void)state;
    assert_true(farthest("four-bar", AS_ODE, FOUR_BAR[0], 3) <= SAME_PLACE);
}

/* The only one of these machines that turns about more than one axis: planar motion has no gyroscopic torque. */
static void a_heavy_top_goes_as_in_ode(void **state)
{
    (void)state;
    assert_true(farthest(TOP, AS_ODE, HEAVY_TOP[0], 1) <= SAME_PLACE);
}

static void a_top_without_gyroscopic_torque_goes_elsewhere(void **state)
{
    (void)state;
    assert_true(farthest(TOP, WITHOUT_TORQUE, HEAVY_TOP[0], 1) >= ANOTHER_PLACE);
}

static void finite_rotations_go_elsewhere(void **state)
{
    (void)state;
    assert_true(farthest("double-pendulum", TURNED_FINITELY, DOUBLE_PENDULUM[0], 2) >= ANOTHER_PLACE);
}

static double energy_now(const running *r)
{
    assert_good(trm_sim_observe(r->sim));
    const trm_energy e = trm_state_energy(trm_sim_state(r->sim));
    return e.kinetic + e.potential;
}

static void the_eight_loop_loses_energy_as_in_ode(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof EIGHT_LOOP / sizeof *EIGHT_LOOP; i++) {
        const double step = EIGHT_LOOP[i].step;
        running r = run_example("eight-loop", AS_ODE, step);
        const double start = energy_now(&r);
        for (int k = 0; k < SECONDS; k++) {
            make_steps(&r, (int)lround(1 / step), step);
            const double ratio = (energy_now(&r) - start) / EIGHT_LOOP[i].change[k];
            print_message("    8-Loop, h = %g, %2d s: %.7f of what ODE loses\n", step, k + 1, ratio);
            assert_true(fabs(ratio - 1) <= SAME_LOSS);
        }
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_pendulum_goes_as_in_ode),
        cmocka_unit_test(a_four_bar_goes_as_in_ode),
        cmocka_unit_test(a_heavy_top_goes_as_in_ode),
        cmocka_unit_test(a_top_without_gyroscopic_torque_goes_elsewhere),
        cmocka_unit_test(finite_rotations_go_elsewhere),
        cmocka_unit_test(the_eight_loop_loses_energy_as_in_ode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

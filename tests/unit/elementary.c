/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Elementary functions: within 1 unit in the last place of long double and, where it is installed, of MPFR; special
 * values as in ISO C, Annex F; and bit-identical everywhere, by a hash of results that does not depend on compiler,
 * flags or library. */

#include "trammel/elementary.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef TRM_HAS_MPFR
#include <mpfr.h>
#endif

#include "base/hash.h"
#include "base/larger.h"
#include "base/random.h"
#include "check.h"

typedef struct range {
    double low, high;
    bool by_exponent; /* magnitudes from low to high are uniform in their exponent, with both signs */
} range;

enum { RANGES = 4 };

typedef struct entry {
    const char *name;
    double (*one)(double);
    double (*two)(double, double);
    long double (*long_one)(long double);
    long double (*long_two)(long double, long double);
#ifdef TRM_HAS_MPFR
    int (*precise_one)(mpfr_t, const mpfr_t, mpfr_rnd_t);
    int (*precise_two)(mpfr_t, const mpfr_t, const mpfr_t, mpfr_rnd_t);
#endif
    range x[RANGES], y[RANGES];
    bool positive; /* first argument */
} entry;

#ifdef TRM_HAS_MPFR
#define ONE(name) #name, trm_##name, NULL, name##l, NULL, mpfr_##name, NULL
#define TWO(name) #name, NULL, trm_##name, NULL, name##l, NULL, mpfr_##name
#else
#define ONE(name) #name, trm_##name, NULL, name##l, NULL
#define TWO(name) #name, NULL, trm_##name, NULL, name##l
#endif

static double sine_at_once(double x)
{
    return trm_sin_cos(x).sine;
}

static double cosine_at_once(double x)
{
    return trm_sin_cos(x).cosine;
}

static const entry entries[] = {
    {ONE(sin), .x = {{-0.9, 0.9, false}, {-7, 7, false}, {-1e6, 1e6, false}, {1e-300, 1e300, true}}},
    {ONE(cos), .x = {{-0.9, 0.9, false}, {-7, 7, false}, {-1e6, 1e6, false}, {1e-300, 1e300, true}}},
    {ONE(tan), .x = {{-0.9, 0.9, false}, {-7, 7, false}, {-1e6, 1e6, false}, {1e-300, 1e300, true}}},
    {ONE(asin), .x = {{-0.6, 0.6, false}, {-1, 1, false}, {0.99, 1, false}, {1e-300, 1, true}}},
    {ONE(acos), .x = {{-0.6, 0.6, false}, {-1, 1, false}, {0.99, 1, false}, {1e-300, 1, true}}},
    {ONE(atan), .x = {{-0.1, 0.1, false}, {-1.1, 1.1, false}, {-50, 50, false}, {1e-300, 1e300, true}}},
    {TWO(atan2), .x = {{-1, 1, false}, {-0.1, 0.1, false}, {1e-300, 1e300, true}, {1e-2, 1e2, true}},
     .y = {{-1, 1, false}, {-1, 1, false}, {1e-300, 1e300, true}, {1e-2, 1e2, true}}},
    {ONE(exp), .x = {{-0.1, 0.1, false}, {-5, 5, false}, {-745, 709.7, false}, {1e-300, 700, true}}},
    {ONE(expm1), .x = {{-0.1, 0.1, false}, {-5, 5, false}, {-50, 709, false}, {1e-300, 700, true}}},
    {ONE(log), .x = {{0.9, 1.1, false}, {0.3, 3, false}, {0, 1000, false}, {1e-320, 1e308, true}}, .positive = true},
    {ONE(log10), .x = {{0.9, 1.1, false}, {0.3, 3, false}, {0, 1000, false}, {1e-320, 1e308, true}},
     .positive = true},
    {ONE(log1p), .x = {{-0.1, 0.1, false}, {-0.999, 3, false}, {0, 1000, false}, {1e-300, 0.999, true}}},
    {TWO(pow), .x = {{0.9, 1.1, false}, {0.1, 10, false}, {1e-300, 1e300, true}, {0.999, 1.001, false}},
     .y = {{-1000, 1000, false}, {-100, 100, false}, {1e-5, 3, true}, {-5e5, 5e5, false}}, .positive = true},
    {ONE(sinh), .x = {{-0.4, 0.4, false}, {-5, 5, false}, {-710, 710, false}, {1e-300, 700, true}}},
    {ONE(cosh), .x = {{-0.4, 0.4, false}, {-5, 5, false}, {-710, 710, false}, {1e-300, 700, true}}},
    {ONE(tanh), .x = {{-0.4, 0.4, false}, {-5, 5, false}, {-22, 22, false}, {1e-300, 700, true}}},
    {TWO(hypot), .x = {{-1, 1, false}, {-1, 1, false}, {1e-300, 1e300, true}, {1e-2, 1e2, true}},
     .y = {{-1, 1, false}, {-0.1, 0.1, false}, {1e-300, 1e300, true}, {1e-2, 1e2, true}}},
    {ONE(cbrt), .x = {{-1, 1, false}, {1, 8, false}, {-1000, 1000, false}, {1e-320, 1e308, true}}},
};

enum { ENTRIES = sizeof entries / sizeof entries[0] };

static double draw(trm_random *random, range r)
{
    if (!r.by_exponent) return r.low + (r.high - r.low) * trm_random_uniform(random, 0, 1);
    const double low = log2(r.low), size = exp2(low + (log2(r.high) - low) * trm_random_uniform(random, 0, 1));
    return trm_random_uniform(random, 0, 1) < 0.5 ? -size : size;
}

/* Returns the spacing of doubles at a value. */
static double spacing(long double value)
{
    int exponent;
    frexpl(value, &exponent);
    return ldexp(1, exponent - 53 < -1074 ? -1074 : exponent - 53);
}

static double value_of(const entry *e, double x, double y)
{
    return e->one ? e->one(x) : e->two(x, y);
}

static long double long_value_of(const entry *e, double x, double y)
{
    return e->one ? e->long_one(x) : e->long_two(x, y);
}

/* Returns the difference between a result and long double's in units in the last place. */
static double error_of(const entry *e, double x, double y)
{
    const double value = value_of(e, x, y);
    const long double exact = long_value_of(e, x, y);
    if ((double)exact == value || (isnan(exact) && isnan(value))) return 0;
    return (double)(fabsl((long double)value - exact) / (long double)spacing(exact));
}

/* long double needs 64 bits of mantissa for this test; without them it is skipped, and MPFR is the reference. */
static bool long_double_is_longer(void)
{
    return LDBL_MANT_DIG >= 64;
}

static const double allowed = 1; /* units in the last place */

static void check_range(const entry *e, int r, int count, double (*error)(const entry *, double, double),
                        double *worst)
{
    trm_random random = trm_random_seed((uint64_t)(100 * (e - entries) + r));
    for (int i = 0; i < count; i++) {
        double x = draw(&random, e->x[r]);
        const double y = draw(&random, e->y[r]);
        if (e->positive) x = fabs(x);
        const double units = error(e, x, y);
        if (!(units <= allowed)) print_error("%s(%.17g, %.17g): %.3f units\n", e->name, x, y, units);
        assert_true(units <= allowed);
        if (units > *worst) *worst = units;
    }
}

static void check_all(int count, double (*error)(const entry *, double, double), const char *against)
{
    for (int k = 0; k < ENTRIES; k++) {
        double worst = 0;
        for (int r = 0; r < RANGES; r++) check_range(&entries[k], r, count, error, &worst);
        printf("%-6s %.3f units in the last place against %s\n", entries[k].name, worst, against);
    }
}

static void results_are_within_one_unit_of_long_double(void **state)
{
    (void)state;
    if (long_double_is_longer()) check_all(10000, error_of, "long double");
}

#ifdef TRM_HAS_MPFR
static double precise_error_of(const entry *e, double x, double y)
{
    mpfr_t a, b, exact;
    mpfr_inits2(200, a, b, exact, (mpfr_ptr)0);
    mpfr_set_d(a, x, MPFR_RNDN);
    mpfr_set_d(b, y, MPFR_RNDN);
    if (e->one)
        e->precise_one(exact, a, MPFR_RNDN);
    else
        e->precise_two(exact, a, b, MPFR_RNDN);
    const double value = value_of(e, x, y), rounded = mpfr_get_d(exact, MPFR_RNDN);
    double units = 0;
    if (rounded != value && isfinite(rounded)) {
        const double unit = spacing(mpfr_get_ld(exact, MPFR_RNDN));
        mpfr_sub_d(exact, exact, value, MPFR_RNDN);
        units = fabs(mpfr_get_d(exact, MPFR_RNDN)) / unit;
    }
    mpfr_clears(a, b, exact, (mpfr_ptr)0);
    return units;
}
#endif

static void results_are_within_one_unit_of_mpfr(void **state)
{
    (void)state;
#ifdef TRM_HAS_MPFR
    check_all(1500, precise_error_of, "MPFR");
#else
    skip();
#endif
}

static void both_at_once_are_the_same_bits(void **state)
{
    (void)state;
    trm_random random = trm_random_seed(7);
    for (int i = 0; i < 20000; i++) {
        const double x = draw(&random, (range){1e-20, 1e20, true});
        assert_true(sine_at_once(x) == trm_sin(x) && cosine_at_once(x) == trm_cos(x));
    }
}

/* Near multiples of pi/2 nearly all digits cancel. 6381956970095103 * 2^797 is the nearest of all doubles (Kahan
 * 1983, "Minimizing q*m - n"). */
static void next_to_multiples_of_half_pi_no_digit_is_lost(void **state)
{
    (void)state;
    const entry *functions[] = {&entries[0], &entries[1], &entries[2]};
    for (int k = 0; k < 3; k++) {
        assert_true(error_of(functions[k], ldexp(6381956970095103.0, 797), 0) <= allowed);
        for (int n = -3000; n <= 3000; n++)
            for (int step = -2; step <= 2; step++) {
                double x = n * 0x1.921fb54442d18p+0;
                for (int i = 0; i < abs(step); i++) x = nextafter(x, step < 0 ? -HUGE_VAL : HUGE_VAL);
                assert_true(error_of(functions[k], x, 0) <= allowed);
            }
    }
}

/* Arguments at the limits between two formulas. */
static void no_formula_is_wrong_at_its_ends(void **state)
{
    (void)state;
    const double ends[] = {0x1p-60,
                           0x1p-54,
                           0x1p-27,
                           0x1p-20,
                           1.0 / 256,
                           1.0 / 128,
                           0.125,
                           0.3,
                           0.4,
                           0.5,
                           0.49 / 64,
                           0.51 / 64,
                           0.7853981633974483,
                           1,
                           2,
                           22,
                           40,
                           690,
                           708.4,
                           709.78271289338397,
                           -708.5,
                           -745.13321910194111,
                           -745.1332191019412,
                           710.4758600739439,
                           0x1p20,
                           0x1p52,
                           0x1p53,
                           0x1p54,
                           0x1p500,
                           0x1p-400,
                           0x1p-1022,
                           0x1p-1074,
                           0x1.fffffffffffffp1023,
                           0x1.fffffffffffffp-1023};
    enum { ENDS = sizeof ends / sizeof ends[0] };
    if (!long_double_is_longer()) return;
    for (int k = 0; k < ENTRIES; k++)
        for (int i = 0; i < 6 * ENDS; i++) {
            const double end = ends[i % ENDS], x = nextafter(end, (double[]){-1e308, 0, 1e308}[i / ENDS % 3]);
            const double around = i / ENDS % 3 == 2 ? nextafter(x, 1e308) : x,
                         signed_x = i >= 3 * ENDS ? -around : around;
            for (int j = 0; j < (entries[k].two ? ENDS : 1); j++) {
                const double units = error_of(&entries[k], signed_x, ends[j]);
                const bool out_of_range = fabsl(long_value_of(&entries[k], signed_x, ends[j])) > (long double)DBL_MAX;
                if (out_of_range) {
                    assert_true(isinf(value_of(&entries[k], signed_x, ends[j])));
                    continue;
                }
                if (!(units <= allowed)) print_error("%s(%a, %a): %.3f\n", entries[k].name, signed_x, ends[j], units);
                assert_true(units <= allowed);
            }
        }
}

/* Zeros with their signs, infinities and NaN as in Annex F. */
static void special_values_are_those_of_annex_f(void **state)
{
    (void)state;
    const double values[] = {0.0,    -0.0,    1,          -1,         2,     -2,     3,        -3,        0.5, -0.5,
                             0x1p53, -0x1p53, 0x1p53 - 1, 1 - 0x1p53, 1e300, -1e300, HUGE_VAL, -HUGE_VAL, NAN};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (int k = 0; k < ENTRIES; k++)
        for (int i = 0; i < VALUES; i++)
            for (int j = 0; j < (entries[k].two ? VALUES : 1); j++) {
                const double value = value_of(&entries[k], values[i], values[j]);
                const double expected = (double)long_value_of(&entries[k], values[i], values[j]);
                const bool same = isnan(expected) ? isnan(value)
                                                  : signbit(value) == signbit(expected) &&
                                                        (value == expected || nextafter(value, expected) == expected);
                if (!same)
                    print_error("%s(%g, %g) = %g, not %g\n", entries[k].name, values[i], values[j], value, expected);
                assert_true(same);
            }
}

/* trm_fmax, which is expanded inline, is fmax, also for NaN; the sign of a zero is not specified. */
static void the_larger_of_two_numbers_is_that_of_fmax(void **state)
{
    (void)state;
    const double values[] = {0.0, -0.0, 1, -1, 0x1p-1074, -0x1p-1074, 1e300, -1e300, HUGE_VAL, -HUGE_VAL, NAN};
    enum { VALUES = sizeof values / sizeof values[0] };
    for (int i = 0; i < VALUES; i++)
        for (int j = 0; j < VALUES; j++) {
            const double larger = trm_fmax(values[i], values[j]), expected = fmax(values[i], values[j]);
            assert_true(isnan(expected) ? isnan(larger) : larger == expected);
        }
}

/* x^1, x^2 of few bits, 10^n, log10(10^n), 2^n: representable results are exact. */
static void exact_results_are_exact(void **state)
{
    (void)state;
    double ten = 1;
    for (int n = 0; n <= 22; n++, ten *= 10) {
        assert_true(trm_pow(10, n) == ten);
        assert_true(trm_log10(ten) == n);
    }
    for (int n = -1074; n <= 1023; n++) assert_true(trm_pow(2, n) == ldexp(1, n));
    for (int n = 1; n < 2000; n++) {
        assert_true(trm_pow(n, 2) == (double)n * n);
        assert_true(trm_pow(n, 1) == n);
        assert_true(trm_cbrt((double)n * n * n) == n);
        assert_true(trm_hypot(3.0 * n, 4.0 * n) == 5.0 * n);
    }
}

/* Hash of results, the same for every compiler, optimisation level and processor. */
static const uint64_t bits_of_results = UINT64_C(0x8a6edd98b6ff9b36);

static void the_bits_are_the_same_everywhere(void **state)
{
    (void)state;
    uint64_t hash = TRM_HASH_START;
    for (int k = 0; k < ENTRIES; k++) {
        trm_random random = trm_random_seed((uint64_t)k);
        for (int i = 0; i < 4000; i++) {
            const double y = 32 * trm_random_uniform(&random, 0, 1) - 16,
                         x = 4 * trm_random_uniform(&random, 0, 1) - 2;
            const double value = value_of(&entries[k], entries[k].positive ? fabs(x) : x, y);
            const double shown = isnan(value) ? 0 : value;
            hash = trm_hash_bytes(hash, &shown, sizeof shown);
        }
    }
    printf("bits of results: %#llx\n", (unsigned long long)hash);
    assert_true(hash == bits_of_results);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_within_one_unit_of_long_double),
        cmocka_unit_test(results_are_within_one_unit_of_mpfr),
        cmocka_unit_test(both_at_once_are_the_same_bits),
        cmocka_unit_test(next_to_multiples_of_half_pi_no_digit_is_lost),
        cmocka_unit_test(no_formula_is_wrong_at_its_ends),
        cmocka_unit_test(special_values_are_those_of_annex_f),
        cmocka_unit_test(the_larger_of_two_numbers_is_that_of_fmax),
        cmocka_unit_test(exact_results_are_exact),
        cmocka_unit_test(the_bits_are_the_same_everywhere),
    };
    return RUN_TESTS(tests);
}

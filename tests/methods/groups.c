/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Groups of shapes: bit masks decide which shapes collide. */

#include "check.h"
#include "choosing.h"

#define BALL(name, x, bits)                                                                                          \
    "{ \"name\": \"" name "\", \"mass\": 1, \"inertia\": [0.1, 0.1, 0.1], \"position\": [" x ", 0, 0.5],"            \
    "  \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1" bits " }] }"

/* On a plane, and on a box, which has a bounding box. */
static void shapes_collide_by_their_groups(void **state)
{
    (void)state;
    static const char *const floors[] = {"{ \"type\": \"plane\", \"normal\": [0, 0, 1], \"group\": 4, \"mask\": 9 }",
                                         "{ \"type\": \"box\", \"size\": [9, 9, 1], \"position\": [0, 0, -0.5],"
                                         "  \"group\": 4, \"mask\": 9 }"};
    static const char *const choices[] = {"impulse", "lcp"};
    for (int i = 0; i < 4; i++) {
        char text[2000];
        snprintf(text, sizeof text,
                 "{ \"trammel\": 1, \"gravity\": [0, 0, -10], \"bodies\": [{ \"name\": \"floor\", \"fixed\": true,"
                 "\"shapes\": [%s] }," BALL("plain", "0", "") "," BALL(
                     "other", "1", ", \"group\": 2, \"mask\": 2") "," BALL("mask", "2",
                                                                           ", \"group\": 0, \"mask\": 4") "] }",
                 floors[i % 2]);
        running r = run_chosen(model_of_text(text), (way){.choice = choices[i / 2], .step = 0.005});
        go(&r, 1);
        assert_near(place_of(&r, "plain").z, 0.1, 1e-3); /* group 1 is in the mask 9 of the floor */
        assert_near(place_of(&r, "mask").z, 0.1, 1e-3);  /* the floor's group 4 is in the mask of the shape */
        assert_near(place_of(&r, "other").z, 0.5 - 5, 0.1);
        stop(&r);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shapes_collide_by_their_groups)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

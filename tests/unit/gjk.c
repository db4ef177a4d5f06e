/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "collide/gjk.h"
#include "check.h"
#include "shape_pairs.h"

static const double rounding = 1e-14; /* sizes of about 1 */

static const char *const types[] = {"sphere", "capsule", "box", "hull"};
enum { TYPES = 4 };

static trm_pair pair_of(const shape_pair *shapes, const trm_pose *poses)
{
    const trm_pose X = trm_pose_mul(trm_pose_inverse(poses[1]), poses[0]);
    return (trm_pair){.a = &shapes->solid[0], .b = &shapes->solid[1], .R = trm_quat_matrix(X.q), .t = X.p};
}

static void check_closest(const shape_pair *shapes, const trm_pose *poses)
{
    const trm_solid *a = &shapes->solid[0], *b = &shapes->solid[1];
    const double radii = a->radius + b->radius;
    const double expected = distance_by_trying(a, poses[0], b, poses[1]) + radii;
    const trm_pair pair = pair_of(shapes, poses);
    const trm_closest found = trm_gjk(&pair);
    if (fabs(found.distance - fmax(expected, 0)) > rounding)
        print_error("%s, %s, seed %llu\n", shapes->shape[0].type->name, shapes->shape[1].type->name,
                    (unsigned long long)shapes->seed);
    assert_near(found.distance, fmax(expected, 0), rounding);
    if (found.distance == 0) return;
    const trm_vec3 d = trm_v3_sub(found.on_a, found.on_b);
    assert_near(trm_v3_length(trm_v3_add_scaled(d, -found.distance, found.normal)), 0, 10 * rounding);
}

static void parted_cores_are_as_far_apart_as_by_trying_everything(void **state)
{
    (void)state;
    enum { ROUNDS = 800 };
    for (int i = 0; i < TYPES; i++)
        for (int k = 0; k < TYPES; k++)
            for (uint64_t n = 0; n < ROUNDS; n++) {
                shape_pair shapes = {.seed = 1000000 * (uint64_t)(10 * i + k) + n};
                trm_random random = trm_random_seed(shapes.seed);
                trm_arena_init(&shapes.arena, NULL);
                shapes.shape[0] = random_shape(&random, &shapes.arena, types[i]);
                shapes.shape[1] = random_shape(&random, &shapes.arena, types[k]);
                assert_true(make_pair(&shapes, true, true));
                const trm_pose poses[2] = {random_pose(&random), random_pose(&random)};
                check_closest(&shapes, poses);
                trm_arena_destroy(&shapes.arena);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parted_cores_are_as_far_apart_as_by_trying_everything),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Messages to a live page with failing allocations and with a sink that refuses. tests/viewer/machine.c checks their
 * numbers. */

#include "check.h"
#include "failing_allocator.h"
#include "running.h"
#include "small_sink.h"
#include "trammel/trammel.h"

static running observed(const char *model)
{
    char path[1000];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, model);
    running r = run_file(path, 0.01, 1e-10);
    assert_good(trm_sim_observe(r.sim));
    return r;
}

/* Sends the messages with one allocation after the other failing. */
static bool tell(trm_sim *sim, const trm_allocator *allocator)
{
    static const trm_frame_def def = {.scene = 1, .number = 1, .reactions = true};
    trm_live *live = trm_live_create(sim, allocator);
    trm_text *text = trm_text_create(NULL);
    const bool told = live && trm_live_write_scene(live, "name", 1, trm_text_sink(text)) == TRM_OK &&
                      trm_live_write_frame(live, &def, trm_text_sink(text)) &&
                      trm_live_write_row(live, trm_text_sink(text));
    trm_text_destroy(text);
    trm_live_destroy(live);
    return told;
}

static void memory_may_run_out(void **state)
{
    static const char *const models[] = {"eight-loop", "crane", "stack"};
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++) {
        running r = observed(models[i]);
        failing_allocator memory;
        bool done = false;
        long k = 0;
        while (!done) {
            failing_allocator_reset(&memory, ++k, false);
            const trm_allocator hooks = failing_allocator_hooks(&memory);
            done = tell(r.sim, &hooks);
            assert_true(failing_allocator_is_clean(&memory));
            assert_true(done == (memory.refusals == 0));
        }
        assert_true(k > 3);
        stop(&r);
    }
}

static void a_sink_may_refuse(void **state)
{
    static const trm_frame_def def = {.scene = 1, .number = 1, .reactions = true};
    running r = observed("crane");
    trm_live *live = trm_live_create(r.sim, NULL);
    trm_text *text = trm_text_create(NULL);
    (void)state;
    assert_int_equal(trm_live_write_scene(live, "name", 1, trm_text_sink(text)), TRM_OK);
    const size_t whole = trm_text_length(text);
    for (size_t room = 0; room < whole; room += 97) {
        small_sink s = {.left = room};
        assert_int_equal(trm_live_write_scene(live, "name", 1, (trm_sink){write_some, &s}), TRM_IO_ERROR);
        assert_int_equal(s.refusals, 1);
    }
    for (size_t room = 0; room < 32; room += 7) {
        small_sink s = {.left = room};
        assert_false(trm_live_write_frame(live, &def, (trm_sink){write_some, &s}));
        assert_int_equal(s.refusals, 1);
    }
    for (size_t room = 0; room < 8; room += 3) {
        small_sink s = {.left = room};
        assert_false(trm_live_write_row(live, (trm_sink){write_some, &s}));
        assert_int_equal(s.refusals, 1);
    }
    trm_text_destroy(text);
    trm_live_destroy(live);
    stop(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_may_run_out),
        cmocka_unit_test(a_sink_may_refuse),
    };
    return RUN_TESTS(tests);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Minimal coordinates give the known states at 1 s and 10 s with each joint cut and each choice of angles. */

#include "minimal_cases.h"

static const double STATE = 1e-7; /* m, rad: with a tolerance of 1e-12 */

/* Copies the next word of a list and returns the rest of the list; NULL: no more words. */
static const char *next_word(const char *list, char *word, size_t size)
{
    size_t length = strcspn(list, " ");
    if (length == 0) return NULL;
    snprintf(word, size, "%.*s", (int)length, list);
    return list + length + (list[length] == ' ');
}

static double value_of(const running *r, const char *joints)
{
    char word[20];
    double sum = 0;
    if (strncmp(joints, "x:", 2) == 0) return place_of(r, joints + 2).x;
    if (strncmp(joints, "y:", 2) == 0) return place_of(r, joints + 2).y;
    for (const char *rest = joints; (rest = next_word(rest, word, sizeof word));) sum += coordinate_of(r, word);
    return sum;
}

static double farthest(const running *r, const machine_case *c, bool late)
{
    double most = 0;
    for (int i = 0; i < MOST_READ && c->list[i].joints; i++) {
        const double wanted = late ? c->list[i].at_10 : c->list[i].at_1;
        most = fmax(most, fabs(value_of(r, c->list[i].joints) - wanted));
    }
    return most;
}

static void reach_states(const machine_case *c, const char *more)
{
    running r = start(c, more, 1e-12);
    go_every(&r, 1, EVERY);
    const double early = farthest(&r, c, false);
    go_every(&r, 10, EVERY);
    const double late = farthest(&r, c, true), gap = trm_sim_accuracy(r.sim).gap.position;
    print_message("%s%s: off by %.1e at 1 s, %.1e at 10 s, %.0e m open\n", c->name, more, early, late, gap);
    stop(&r);
    assert_true(early <= STATE);
    assert_true(late <= c->late);
    assert_true(gap <= GAP);
}

static void every_cut_and_every_angle_leads_to_the_known_states(void **state)
{
    const machine_case *c = *state;
    char word[20], more[100];
    for (const char *rest = c->cuts; (rest = next_word(rest, word, sizeof word));) {
        snprintf(more, sizeof more, ":cut=%s", word);
        reach_states(c, more);
    }
    reach_states(c, c->own);
}

int main(void)
{
    return run_on_all_cases(every_cut_and_every_angle_leads_to_the_known_states);
}

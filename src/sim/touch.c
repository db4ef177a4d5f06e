/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The first moment of a step at which shapes come to touch.
 *
 * Behind a step every pair of shapes that can have met in it is looked at along the way that the bodies went, a polynomial
 * through both ends of the step:
 *
 *     apart at the start     it is followed by steps of distance / (fastest that any point of both can approach): whatever
 *                            the speed, nothing passes through anything
 *     touching at the start  contacts at the end that are deeper than nothing were open before: corners of a body that rocks
 *
 * The contact that is first is a smooth function of the poses from then on; the step is made again up to where its gap is
 * nothing (Newton's method in the length of the step), joints closing and other contacts holding in every try. */

#include <float.h>

#include "base/message.h"
#include "collide/collide.h"
#include "sim/interpolate.h"
#include "sim/sim.h"

/* Steps along the way of a pair, and tries of a step. */
enum { MOST_ADVANCES = 200, MOST_TRIES = 30, MOST_SECANTS = 12, MOST_CUTS = 200 };
/* The polynomial may be faster than the speeds at its ends. */
static const double FASTER = 1.5;
/* Parts of a step shorter than which there is nothing between its ends. */
static const double NO_TIME = 1e-13;
/* Parts of a step by which the end of a slide may be missed. */
static const double NEARLY = 1e-6;

/* A contact that opens or closes within the step. */
typedef struct meeting {
    trm_contact contact;
    double at;   /* s, from the start of the step; inf: there is none */
    double sunk; /* m/s: at which those part at the start that are deep at the end, never having been open; 0: none */
} meeting;

/* ---- Along the way ------------------------------------------------------------------------ */

typedef struct way {
    trm_sim *sim;
    const trm_near_pair *pair;
    double h;     /* s */
    double speed; /* m/s: at most that points of both come nearer by */
} way;

static trm_pose pose_at(const way *y, int body, double s)
{
    if (s == 0 || s == y->h) return (s == 0 ? y->sim->event_start : y->sim->state)->pose[body];
    return trm_interpolate_pose(y->sim->event_start, y->sim->state, body, y->sim->event_start->clock->time + s);
}

static double distance_at(const way *y, double s)
{
    return trm_shape_distance(y->sim->stepper.collider, y->pair, pose_at(y, y->pair->body[0], s),
                              pose_at(y, y->pair->body[1], s));
}

static double gap_at(const way *y, const trm_contact *contact, double s)
{
    return trm_contact_at_poses(contact, pose_at(y, contact->body[0], s), pose_at(y, contact->body[1], s)).gap;
}

/* At a state; rate: m/s by which it opens. */
static double gap_in(const trm_state *state, const trm_contact *contact, double *rate)
{
    const trm_contact_at at =
        trm_contact_at_poses(contact, state->pose[contact->body[0]], state->pose[contact->body[1]]);
    *rate = 0;
    for (int k = 0; k < 2; k++) {
        const trm_spatial V = state->velocity[contact->body[k]];
        const trm_vec3 arm = trm_sub(at.point[k], state->pose[contact->body[k]].p);
        *rate += (k ? -1 : 1) * trm_dot(at.normal, trm_add(V.lin, trm_cross(V.ang, arm)));
    }
    return at.gap;
}

/* Fastest of any point of a body's shapes in the step. */
static double speed_of(const trm_sim *sim, int body)
{
    double most = 0;
    const trm_state *ends[] = {sim->event_start, sim->state};
    for (int i = 0; i < 2; i++) {
        const trm_spatial V = ends[i]->velocity[body];
        most = fmax(most, trm_length(V.lin) + trm_length(V.ang) * sim->reach[body]);
    }
    return most;
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* The least gap among the contacts of a pair at poses on the way; false: out of memory. */
static bool nearest_contact(const way *y, double s, double margin, trm_contact *contact, double *gap)
{
    trm_sim *sim = y->sim;
    sim->met.count = 0;
    *gap = INFINITY;
    for (int k = 0; k < 2; k++) sim->met_pose[y->pair->body[k]] = pose_at(y, y->pair->body[k], s);
    if (!trm_find_contacts(sim->stepper.collider, y->pair, sim->met_pose, margin, &sim->met)) return false;
    for (int i = 0; i < sim->met.count; i++) {
        const trm_contact *here = &sim->met.items[i];
        const double g = trm_contact_at_poses(here, sim->met_pose[here->body[0]], sim->met_pose[here->body[1]]).gap;
        if (g < *gap) *gap = g, *contact = *here;
    }
    return true;
}

/* Between a moment at which the gap of a contact is open and one at which it is not: where it is nothing. */
static double close_in(const way *y, const trm_contact *contact, double low, double high)
{
    double at_low = gap_at(y, contact, low), at_high = gap_at(y, contact, high);
    for (int cut = 0; cut < MOST_CUTS && high - low > NO_TIME * y->h; cut++) {
        const double share = cut % 4 == 3 ? 0.5 : at_low / (at_low - at_high);
        const double middle = low + share * (high - low), here = gap_at(y, contact, middle);
        if (here == 0) return middle;
        if (here > 0)
            low = middle, at_low = here;
        else
            high = middle, at_high = here;
    }
    return low;
}

/* A pair that is apart at the start. */
static bool advance_pair(const way *y, double near, meeting *first)
{
    double s = 0, d = distance_at(y, 0), last = 0;
    const double end = fmin(y->h, first->at);
    for (int i = 0; d > 0.5 * near; i++) {
        last = s;
        s += i < MOST_ADVANCES ? d / y->speed : y->h / MOST_ADVANCES;
        if (s >= end) {
            if (end < y->h || distance_at(y, y->h) > 0) return true; /* it is not the first, or does not come */
            s = y->h;
        }
        d = distance_at(y, s);
    }
    trm_contact contact;
    double gap;
    if (!nearest_contact(y, s, 2 * near, &contact, &gap)) return false;
    if (!isfinite(gap)) return true;
    first->contact = contact;
    first->at = gap < 0 && gap_at(y, &contact, last) > 0 ? close_in(y, &contact, last, s) : s;
    return true;
}

/* A moment at which a contact that is deep at the end is open; -1: none is known. What has just bounced is open for a short
 * while only, what rocks for most of the step. */
static double last_open(const way *y, const trm_contact *contact)
{
    enum { EVEN = 16, SHORTEST = 40 };
    for (int k = EVEN - 1; k > 0; k--)
        if (gap_at(y, contact, y->h * k / EVEN) > 0) return y->h * k / EVEN;
    for (int k = 5; k <= SHORTEST; k++)
        if (gap_at(y, contact, ldexp(y->h, -k)) > 0) return ldexp(y->h, -k);
    return gap_at(y, contact, 0) > y->sim->nearness.position ? 0 : -1;
}

/* A pair that touches at the start: what is deeper than nothing at the end. */
static bool follow_contacts(const way *y, double near, meeting *first)
{
    trm_sim *sim = y->sim;
    trm_contact ignored;
    double deepest;
    if (!nearest_contact(y, y->h, 0, &ignored, &deepest)) return false;
    for (int i = 0; i < sim->met.count; i++) {
        const trm_contact contact = sim->met.items[i];
        if (gap_at(y, &contact, y->h) >= -near) continue;
        const double low = last_open(y, &contact);
        if (low < 0) {
            double parting;
            gap_in(sim->event_start, &contact, &parting);
            first->sunk = fmax(first->sunk, parting);
            continue;
        }
        const double at = close_in(y, &contact, low, y->h);
        if (at < first->at) first->contact = contact, first->at = at;
    }
    return true;
}

/* The first meeting in the step that was just made; false: out of memory. */
static bool find_meeting(trm_sim *sim, double h, meeting *first)
{
    const double near = sim->nearness.position;
    const trm_near_pair *pairs;
    *first = (meeting){.at = INFINITY};
    for (int i = 0; i < sim->state->model->body_count; i++) sim->travel[i] = FASTER * h * speed_of(sim, i);
    const int count = trm_near_pairs(sim->stepper.collider, sim->event_start->pose, sim->travel, near,
                                     sim->event_start->attached, &pairs);
    for (int i = 0; i < count; i++) {
        const way y = {sim, &pairs[i], h,
                       (sim->travel[pairs[i].body[0]] + sim->travel[pairs[i].body[1]]) / h + DBL_MIN};
        const double d = distance_at(&y, 0);
        if (d > y.speed * h + near) continue;
        const bool apart = d > TRM_TOUCHING * near; /* else it may hold, and what holds closes what is open */
        if (!(apart ? advance_pair(&y, near, first) : follow_contacts(&y, near, first))) return false;
    }
    return count >= 0;
}

/* ---- The step up to it -------------------------------------------------------------------- */

static bool out_of_memory(trm_outcome *outcome)
{
    *outcome = (trm_outcome){.residual = NAN, .element = "contacts", .why = "out of memory"};
    return false;
}

static bool step_again(trm_sim *sim, double h, trm_outcome *outcome)
{
    trm_state_copy(sim->state, sim->event_start);
    if (h > 0) *outcome = trm_sim_try(sim, h, sim->event_start->clock->time + h);
    return outcome->ok && sim->method->fit_velocities(sim->workspace, outcome);
}

/* Newton's method in the length of the step, as close as numbers are. */
static bool step_to_meeting(trm_sim *sim, const meeting *first, double *h, trm_outcome *outcome)
{
    double s = first->at, rate, best = INFINITY;
    for (int tries = 0; tries < MOST_TRIES; tries++) {
        if (!step_again(sim, s, outcome)) return false;
        const double gap = gap_in(sim->state, &first->contact, &rate), next = s - gap / rate;
        if (!(next >= 0 && next <= *h) && (tries > 0 || fabs(gap) < sim->nearness.position)) break; /* it grazes */
        if (fabs(gap) >= 0.5 * best || !(rate < 0) || fabs(next - s) <= NO_TIME * 1e-2 * *h) break;
        best = fabs(gap);
        s = fmin(fmax(next, 0), *h);
    }
    *h = s;
    return true;
}

/* A slide that ends within the step: up to there, by secants. One that does not end by them, as where a disc pivots, is no
 * event, and the step stays whole. */
static bool step_to_end_of_slide(trm_sim *sim, double part, double *h, bool *ended, trm_outcome *outcome)
{
    double s = *h;
    for (int tries = 0; tries < MOST_SECANTS && part < 1 - NO_TIME; tries++) {
        s *= part;
        if (!step_again(sim, s, outcome)) return false;
        part = sim->method->slide_ends(sim->workspace);
    }
    *ended = part > 1 - NEARLY;
    if (*ended) *h = s;
    return *ended || step_again(sim, *h, outcome);
}

/* What parts so slowly that it is pressed back before it was open to be seen is held from the start of the step. */
static bool hold_what_sinks(trm_sim *sim, double h, trm_outcome *outcome)
{
    enum { MOST_HOLDS = 8 };
    meeting first;
    for (int tries = 0; tries < MOST_HOLDS; tries++) {
        if (!find_meeting(sim, h, &first)) return out_of_memory(outcome);
        if (!(2 * first.sunk > sim->stepper.leaving)) break;
        sim->stepper.leaving = 2 * first.sunk;
        if (!step_again(sim, h, outcome)) return false;
    }
    return true;
}

static bool shorten(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome)
{
    meeting first;
    if (!hold_what_sinks(sim, *h, outcome)) return false;
    const double part = sim->method->slide_ends(sim->workspace);
    if (part < 1 - NO_TIME && !step_to_end_of_slide(sim, part, h, shortened, outcome)) return false;
    if (!find_meeting(sim, *h, &first)) return out_of_memory(outcome);
    if (!(first.at < *h * (1 - NO_TIME))) return true;
    *shortened = true;
    return step_to_meeting(sim, &first, h, outcome);
}

bool trm_sim_shorten_to_contact(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome)
{
    *shortened = false;
    if (!sim->stepper.collider || sim->stepper.window || *h <= 0) return true;
    const bool good = shorten(sim, h, shortened, outcome);
    sim->stepper.leaving = 0;
    return good;
}

/* ---- At the start ------------------------------------------------------------------------- */

/* m: less is what rounding leaves of shapes that are to touch. */
static const double OVERLAP = 1e-7;

static void say_overlap(const trm_sim *sim, const trm_near_pair *pair, double depth, trm_messages *messages)
{
    const trm_body *bodies = sim->state->model->bodies;
    const char *a = bodies[pair->body[0]].name, *b = bodies[pair->body[1]].name;
    if (sim->window)
        trm_say(messages, TRM_WARNING, (trm_place){0}, "",
                "bodies '%s' and '%s' overlap by %.3g m at the start; they are pushed apart", a, b, depth);
    else
        trm_say(messages, TRM_ERROR, (trm_place){0}, "",
                "bodies '%s' and '%s' overlap by %.3g m at the start; move them apart, name them under "
                "\"no_collide\", or let "
                "\"impact\": \"window\" push them apart",
                a, b, depth);
}

bool trm_sim_look_for_overlaps(trm_sim *sim, trm_messages *messages)
{
    const trm_near_pair *pairs;
    const trm_state *state = sim->state;
    if (!sim->stepper.collider) return true;
    const int count = trm_near_pairs(sim->stepper.collider, state->pose, NULL, 0, state->attached, &pairs);
    for (int i = 0; i < count; i++) {
        const double d = trm_shape_distance(sim->stepper.collider, &pairs[i], state->pose[pairs[i].body[0]],
                                            state->pose[pairs[i].body[1]]);
        if (d < -OVERLAP) say_overlap(sim, &pairs[i], -d, messages);
    }
    return count >= 0;
}

/* ---- What comes of it --------------------------------------------------------------------- */

static bool is_of(const trm_event *event, const trm_near_pair *pair)
{
    return (event->bodies[0] == pair->body[0] && event->bodies[1] == pair->body[1]) ||
           (event->bodies[0] == pair->body[1] && event->bodies[1] == pair->body[0]);
}

bool trm_sim_touches(trm_sim *sim, const trm_event *event, bool *touch)
{
    const trm_near_pair *pairs;
    const trm_state *state = sim->state;
    const int count = trm_near_pairs(sim->stepper.collider, state->pose, NULL, TRM_TOUCHING * sim->nearness.position,
                                     state->attached, &pairs);
    *touch = false;
    for (int i = 0; i < count && !*touch; i++)
        *touch = is_of(event, &pairs[i]) &&
                 trm_shape_distance(sim->stepper.collider, &pairs[i], state->pose[pairs[i].body[0]],
                                    state->pose[pairs[i].body[1]]) <= TRM_TOUCHING * sim->nearness.position;
    return count >= 0;
}

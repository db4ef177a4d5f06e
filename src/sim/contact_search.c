/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The time of the first new contact in a step.
 *
 * After a step every pair of shapes that may have met in it is checked along the path of the bodies, a polynomial
 * through both ends of the step:
 *
 *     apart at the start       advances by steps of distance / (highest speed of approach of any two points):
 *                              shapes never pass through each other, whatever their speed
 *     in contact at the start  contacts that penetrate at the end were open before: corners of a body that rocks;
 *                              a pair that separates is followed from there; where features that stay in contact
 *                              end, as a face does under a ball that rolls over its edge, forces jump
 *
 * From then on the gap of the first contact is a smooth function of the poses. The step is made again up to where
 * this gap is zero (Newton's method in the length of the step). Joints and other contacts are satisfied in every
 * trial. */

#include <float.h>

#include "base/message.h"
#include "collide/collide.h"
#include "model/shape.h"
#include "sim/interpolate.h"
#include "sim/sim.h"
#include "trammel/elementary.h"

/* Steps along the path of a pair, trials of a step, and other limits of iterations. */
enum { MOST_ADVANCES = 200, MOST_TRIES = 30, MOST_SECANTS = 12, MOST_JUMPS = 3, MOST_CUTS = 200 };
/* The polynomial may be faster than the speeds at its ends by this factor. With a larger value more pairs are
 * searched, which costs time; below 1 impacts are missed (a tenth fails in test methods_contact_landings). */
static const double FASTER = 1.5;
/* rad: the contact point of a rim moves round it by at most this in a step; the energy error of a coin that falls flat
 * is then about 1e-5 of its energy. A larger value loses energy where a coin falls flat, with its square. With a tenth
 * a wobbling disc loses its order (test methods_contact_friction), because steps are cut at places that depend on h. */
static const double MOST_TURN = 0.05;
/* rad: a body that may collide turns by at most this in a step, because the polynomial cannot represent more than
 * half a turn. With a larger value impacts of bodies that spin fast are missed, a smaller one only costs steps. */
static const double MOST_SPIN = 1;
/* In units of the nearness of positions, within which contacts are kept: a smaller depth does not count as
 * penetration. A larger value leaves visible penetrations, a smaller one counts the tolerance of contacts as an
 * impact. Tests pass with a tenth and with ten times of it. */
static const double NO_DEPTH = 10;
/* In units of the nearness of positions: rounding of a closed gap. m/s: contacts that separate faster than this are
 * not closed. Larger values count contacts that have just opened as closed, smaller ones count rounding as an
 * opening. Tests pass with a tenth and with ten times of it. */
static const double CLOSED_GAP = 1e-2, LEAVES = 1e-7;
/* Fractions of a step: the rate of a gap is computed over SHORT_PART; lengths must differ by more than DISTINCT for a
 * secant. A larger SHORT_PART blurs the rate of a gap, a smaller one loses its digits. A larger DISTINCT replaces
 * secants by bisections, a smaller one divides rounding by rounding. Tests pass with a tenth and with ten times of
 * it. */
static const double SHORT_PART = 1e-3, DISTINCT = 1e-7;
/* Fraction of a depth that counts as penetration, because the path between the ends of a step is not exactly that of
 * a rolling body. A larger value misses shallow impacts between steps, a smaller one counts the error of the path as
 * an impact. Tests pass with a tenth and with ten times of it. */
static const double NOTICED = 0.1;
/* Fractions of a step. NEARLY: accepted error of the end of a slide, which changes the remaining slip by 1e-12 of the
 * slide. NEAR_END: distance from that end within which secants are used. A larger NEARLY shows in the slip after a
 * slide, a smaller one costs rounds; a larger NEAR_END uses secants where they diverge, a smaller one bisects longer.
 * Tests pass with a tenth and with ten times of it. */
static const double NEARLY = 1e-6, NEAR_END = 0.4;

/* A contact that opens or closes within the step, or whose features end. */
typedef struct meeting {
    trm_contact contact;
    double at;   /* s: time from the start of the step; inf: there is none */
    double rate; /* m/s: rate of its gap along the path at that time */
    double
        sunk; /* m/s: initial separation speed of contacts that penetrate at the end, but were never open; 0: none */
    /* largest rotation in the step, of the contact point of a rim around it or of a body, in units of the allowed one */
    double turn;
    bool rough; /* other features may have met before */
    bool ends;  /* at that time the shapes have left the features of the contact, whose gap stays closed */
    bool again; /* repeated search, in a step up to a meeting: only contacts that penetrate at its end count */
} meeting;

/* ---- Path of a pair ----------------------------------------------------------------------- */

/* Paths of the bodies of a pair, computed when they are first needed. */
typedef struct pair_paths {
    bool known[2];
    trm_path of[2];
} pair_paths;

typedef struct pair_motion {
    trm_sim *sim;
    const trm_near_pair *pair;
    double h;     /* s */
    double speed; /* m/s: bound of the speed at which points of both approach */
    pair_paths *paths;
} pair_motion;

static trm_pose pose_at(const pair_motion *y, int body, double s)
{
    if (s == 0 || s == y->h) return (s == 0 ? y->sim->events.start : y->sim->state)->pose[body];
    const int k = body == y->pair->body[1];
    if (!y->paths->known[k]) trm_path_make(y->sim->events.start, y->sim->state, body, &y->paths->of[k]);
    y->paths->known[k] = true;
    return trm_path_pose(&y->paths->of[k], y->sim->events.start->clock->time + s);
}

static double distance_at(const pair_motion *y, double s)
{
    return trm_shape_distance(y->sim->stepper.collider, y->pair, pose_at(y, y->pair->body[0], s),
                              pose_at(y, y->pair->body[1], s));
}

static double gap_at(const pair_motion *y, const trm_contact *contact, double s)
{
    return trm_contact_at_poses(contact, pose_at(y, contact->body[0], s), pose_at(y, contact->body[1], s)).gap;
}

/* Returns the gap of a contact at a state. rate: m/s, positive if it opens. */
static double gap_in(const trm_state *state, const trm_contact *contact, double *rate)
{
    const trm_contact_at at =
        trm_contact_at_poses(contact, state->pose[contact->body[0]], state->pose[contact->body[1]]);
    *rate = 0;
    for (int k = 0; k < 2; k++) {
        const trm_spatial V = state->velocity[contact->body[k]];
        const trm_vec3 arm = trm_v3_sub(at.point[k], state->pose[contact->body[k]].p);
        *rate += (k ? -1 : 1) * trm_v3_dot(at.normal, trm_v3_add(V.lin, trm_v3_cross(V.ang, arm)));
    }
    return at.gap;
}

/* Returns the highest speed of any point of a body's shapes in the step. */
static double speed_of(const trm_sim *sim, int body)
{
    double most = 0;
    const trm_state *ends[] = {sim->events.start, sim->state};
    for (int i = 0; i < 2; i++) {
        const trm_spatial V = ends[i]->velocity[body];
        most = fmax(most, trm_v3_length(V.lin) + trm_v3_length(V.ang) * sim->contact_search.reach[body]);
    }
    return most;
}

/* Returns the angle by which a shape of a pair rotates in the step, rad. Returns 0 if the rotation does not move its
 * surface, or if its pose is known at all times. */
static double spin_of(const trm_sim *sim, const trm_near_pair *pair, int k, double h)
{
    const trm_body *body = &sim->state->model->bodies[pair->body[k]];
    const trm_shape *shape = &body->shapes[pair->shape[k]];
    const bool is_ball = shape->type->geometry == TRM_GEOMETRY_SPHERE && trm_v3_length(shape->pose.p) == 0;
    if (body->inverse_mass == 0 || is_ball) return 0;
    const trm_spatial *start = sim->events.start->velocity, *end = sim->state->velocity;
    return h * fmax(trm_v3_length(start[pair->body[k]].ang), trm_v3_length(end[pair->body[k]].ang));
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Finds the contact of a pair with the least gap at the poses at time s. Returns false if out of memory. */
static bool nearest_contact(const pair_motion *y, double s, double margin, trm_contact *contact, double *gap)
{
    trm_sim *sim = y->sim;
    sim->contact_search.met.count = 0;
    *gap = INFINITY;
    for (int k = 0; k < 2; k++) sim->contact_search.pose[y->pair->body[k]] = pose_at(y, y->pair->body[k], s);
    if (!trm_find_contacts(sim->stepper.collider, y->pair, sim->contact_search.pose, margin,
                           &sim->contact_search.met))
        return false;
    for (int i = 0; i < sim->contact_search.met.count; i++) {
        const trm_contact *here = &sim->contact_search.met.items[i];
        const double g = trm_contact_at_poses(here, sim->contact_search.pose[here->body[0]],
                                              sim->contact_search.pose[here->body[1]])
                             .gap;
        if (g < *gap) *gap = g, *contact = *here;
    }
    return true;
}

/* Returns the time at which the gap of a contact is zero, between `low`, where it is open, and `high`, where it is
 * not. */
static double time_of_closing(const pair_motion *y, const trm_contact *contact, double low, double high)
{
    double at_low = gap_at(y, contact, low), at_high = gap_at(y, contact, high);
    for (int cut = 0; cut < MOST_CUTS && high - low > TRM_NO_TIME * y->h; cut++) {
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

/* Returns the time at which a pair reaches a depth, between `low`, where it is less deep, and `high`, where it is
 * deeper. */
static double time_of_depth(const pair_motion *y, double depth, double low, double high)
{
    enum { HALVINGS = 40 };
    for (int i = 0; i < HALVINGS && high - low > TRM_NO_TIME * y->h; i++) {
        const double middle = 0.5 * (low + high);
        *(distance_at(y, middle) >= -depth ? &low : &high) = middle;
    }
    return low;
}

/* Finds the contact of a pair with the least gap at a time, if the pair is near then. Returns false if out of
 * memory. */
static bool meet_at(const pair_motion *y, double s, double near, meeting *at)
{
    double gap;
    if (!nearest_contact(y, s, 2 * near, &at->contact, &gap)) return false;
    at->at = isfinite(gap) ? s : INFINITY;
    return true;
}

/* Checks whether other features have met before those of a meeting, which is possible because features have no ends.
 * If so, the meeting becomes the time at which the pair exceeds the allowed depth, later than `low`. Returns false if
 * out of memory. */
static bool check_earlier_features(const pair_motion *y, double depth, double low, double near, meeting *at)
{
    const double high = fmin(at->at, y->h), beyond = -depth - distance_at(y, high);
    if (beyond <= 0) return true;
    at->rough = true;
    return meet_at(y, time_of_depth(y, depth + NOTICED * beyond, low, high), near, at);
}

static void take_earlier(const pair_motion *y, meeting *first, const meeting *mine)
{
    if (!(mine->at < first->at)) return;
    const double before = fmax(0, mine->at - SHORT_PART * y->h), after = fmin(y->h, mine->at + SHORT_PART * y->h);
    first->contact = mine->contact, first->at = mine->at, first->rough = mine->rough, first->ends = mine->ends;
    first->rate = (gap_at(y, &mine->contact, after) - gap_at(y, &mine->contact, before)) / (after - before);
}

/* Follows a pair that is apart at the time `from`. Returns false if out of memory. */
static bool advance_pair(const pair_motion *y, double from, double near, meeting *first)
{
    double s = from, d = distance_at(y, from), last = from;
    const double end = fmin(y->h, first->at);
    for (int i = 0; d > 0.5 * near; i++) {
        last = s;
        s += i < MOST_ADVANCES ? d / y->speed : y->h / MOST_ADVANCES;
        if (s >= end) {
            if (end < y->h || distance_at(y, y->h) > 0) return true; /* it is not the first, or never meets */
            s = y->h;
        }
        d = distance_at(y, s);
    }
    meeting mine = {.at = INFINITY};
    if (first->again && distance_at(y, y->h) >= -near) return true;
    if (!meet_at(y, s, near, &mine)) return false;
    if (mine.at <= s && gap_at(y, &mine.contact, s) < 0 && gap_at(y, &mine.contact, last) > 0)
        mine.at = time_of_closing(y, &mine.contact, last, s);
    if (!check_earlier_features(y, near, last, near, &mine)) return false;
    take_earlier(y, first, &mine);
    return true;
}

/* Returns a time at which a contact that penetrates at the end is open; -1: none is known. After a bounce it is open
 * for a short time only; on a rocking body it is open for most of the step. */
static double last_open(const pair_motion *y, const trm_contact *contact)
{
    enum { EVEN = 16, SHORTEST = 40 };
    double parting;
    gap_in(y->sim->events.start, contact, &parting);
    const double rounding = parting > LEAVES ? 0 : CLOSED_GAP * y->sim->events.nearness.position;
    for (int k = EVEN - 1; k > 0; k--)
        if (gap_at(y, contact, y->h * k / EVEN) > rounding) return y->h * k / EVEN;
    for (int k = 5; k <= SHORTEST; k++)
        if (gap_at(y, contact, ldexp(y->h, -k)) > rounding) return ldexp(y->h, -k);
    return gap_at(y, contact, 0) > y->sim->events.nearness.position ? 0 : -1;
}

/* Returns the vector from the centre of a rim to its contact point. */
static trm_vec3 arm_at(const pair_motion *y, const trm_contact *contact, int k, double s)
{
    const trm_pose a = pose_at(y, contact->body[0], s), b = pose_at(y, contact->body[1], s);
    const trm_vec3 centre = trm_pose_point(k ? b : a, contact->feature[k].point);
    return trm_v3_sub(trm_contact_at_poses(contact, a, b).point[k], centre);
}

/* Returns the angle by which the contact point of a rim moves round it. On a rim that lies nearly flat the point may
 * jump, however slowly the body turns. */
static double turn_of(const pair_motion *y, const trm_contact *contact)
{
    enum { PARTS = 8 };
    double turn = 0;
    for (int k = 0; k < 2; k++) {
        if (contact->feature[k].kind != TRM_FEATURE_CIRCLE) continue;
        trm_vec3 last = arm_at(y, contact, k, 0);
        for (int i = 1; i <= PARTS; i++) {
            const trm_vec3 arm = arm_at(y, contact, k, y->h * i / PARTS);
            turn += trm_atan2(trm_v3_length(trm_v3_cross(last, arm)), trm_v3_dot(last, arm));
            last = arm;
        }
    }
    return turn;
}

/* Returns an early time at which a pair in contact at the start is apart; h: none is known. */
static double time_of_separation(const pair_motion *y, double near)
{
    enum { EARLIEST = 10 };
    if (!(distance_at(y, y->h) > near)) return y->h;
    for (int k = EARLIEST; k > 0; k--)
        if (distance_at(y, ldexp(y->h, -k)) > TRM_CONTACT_DISTANCE * near) return ldexp(y->h, -k);
    return y->h;
}

/* Returns by how much shapes are farther apart than the features of a contact, which have no ends. */
static double beyond_features(const pair_motion *y, const trm_contact *contact, double s)
{
    return distance_at(y, s) - gap_at(y, contact, s);
}

/* Returns whether a contact has a feature of a ball, capsule, cylinder or ellipsoid. */
static bool is_round(const trm_contact *contact)
{
    bool round = false;
    for (int k = 0; k < 2; k++) {
        const trm_feature *feature = &contact->feature[k];
        round = round || feature->radius > 0 || feature->kind == TRM_FEATURE_ELLIPSOID;
    }
    return round;
}

/* Finds the time at which a pair that is apart at the end of the step has left features that are in contact from its
 * start to its end: a ball leaves the face over whose edge it rolls, an edge or a face slides beyond the end of
 * another one, but the contact keeps its features until the end of the step. Faces have left each other where no
 * corner counts as over the other face: before, the next step would begin with the same contacts. Returns false if
 * out of memory. */
static bool find_end_of_features(const pair_motion *y, double near, meeting *first)
{
    trm_sim *sim = y->sim;
    meeting mine = {.ends = true};
    double gap;
    if (!(distance_at(y, y->h) > NO_DEPTH * near)) return true;
    if (!nearest_contact(y, 0, TRM_CONTACT_DISTANCE * near, &mine.contact, &gap)) return false;
    for (int i = 0; i < sim->contact_search.met.count; i++) {
        mine.contact = sim->contact_search.met.items[i];
        if (gap_at(y, &mine.contact, y->h) > near) continue;
        const bool faces = sim->contact_search.met.count > 1 && !is_round(&mine.contact);
        const double over = faces ? trm_shape_flush(sim->stepper.collider, y->pair) : 0;
        if (beyond_features(y, &mine.contact, 0) > fmax(near, over)) continue;
        if (beyond_features(y, &mine.contact, y->h) <= over) continue;
        double low = 0;
        mine.at = y->h;
        while (mine.at - low > TRM_NO_TIME * y->h) {
            const double middle = 0.5 * (low + mine.at);
            *(beyond_features(y, &mine.contact, middle) > fmax(CLOSED_GAP * near, over) ? &mine.at : &low) = middle;
        }
        take_earlier(y, first, &mine);
    }
    return true;
}

/* Finds the contacts that penetrate at the end of the step, of a pair that is in contact at its start. Such a pair
 * may also separate, meet again elsewhere, and be apart at the end. Returns false if out of memory. */
static bool follow_contacts(const pair_motion *y, double near, meeting *first)
{
    trm_sim *sim = y->sim;
    meeting mine = {.at = INFINITY};
    double deepest;
    bool sinks = false; /* also at features new to the pair: a capsule rolls from its end to its side */
    if (!nearest_contact(y, y->h, TRM_CONTACT_DISTANCE * near, &mine.contact, &deepest)) return false;
    for (int i = 0; i < sim->contact_search.met.count; i++) {
        const trm_contact contact = sim->contact_search.met.items[i];
        first->turn = fmax(first->turn, turn_of(y, &contact) / MOST_TURN);
        const double gap = gap_at(y, &contact, y->h), low = gap < -near ? last_open(y, &contact) : 0;
        if (gap >= (low < 0 ? -NO_DEPTH : -1) * near) continue;
        if (low < 0) {
            double parting;
            gap_in(sim->events.start, &contact, &parting);
            first->sunk = fmax(first->sunk, parting);
            sinks = true;
            continue;
        }
        const double at = time_of_closing(y, &contact, low, y->h);
        if (at < mine.at) mine.contact = contact, mine.at = at;
    }
    const double depth = NO_DEPTH * near + fmax(0, -distance_at(y, 0));
    if ((sinks || isfinite(mine.at)) && !check_earlier_features(y, depth, 0, near, &mine)) return false;
    take_earlier(y, first, &mine);
    if (sinks || isfinite(mine.at)) return true;
    if (!find_end_of_features(y, near, first)) return false;
    const double parted = time_of_separation(y, near);
    return parted == y->h || advance_pair(y, parted, near, first);
}

/* Returns whether a body was at rest during the whole step. */
static bool was_at_rest(const trm_sim *sim, int body)
{
    const trm_body *b = &sim->state->model->bodies[body];
    const bool slept = trm_body_sleeps(sim->events.start, body) && trm_body_sleeps(sim->state, body);
    return slept || (b->inverse_mass == 0 && !b->motion);
}

/* Finds the first meeting in the step that was just made. Returns false if out of memory. */
static bool find_meeting(trm_sim *sim, double h, bool again, meeting *first)
{
    const double near = sim->events.nearness.position;
    const trm_near_pair *pairs;
    *first = (meeting){.at = INFINITY, .again = again};
    for (int i = 0; i < sim->state->model->body_count; i++)
        sim->contact_search.travel[i] = FASTER * h * speed_of(sim, i);
    const int count = trm_near_pairs(sim->stepper.collider, sim->events.start->pose, sim->contact_search.travel, near,
                                     sim->events.start->attached, &pairs);
    for (int i = 0; i < count; i++) {
        if (was_at_rest(sim, pairs[i].body[0]) && was_at_rest(sim, pairs[i].body[1])) continue;
        const double *travel = sim->contact_search.travel;
        pair_paths paths;
        paths.known[0] = paths.known[1] = false;
        const pair_motion y = {.sim = sim,
                               .pair = &pairs[i],
                               .h = h,
                               .speed = (travel[pairs[i].body[0]] + travel[pairs[i].body[1]]) / h + DBL_MIN,
                               .paths = &paths};
        const double d = distance_at(&y, 0);
        if (d > y.speed * h + near) continue;
        for (int k = 0; k < 2; k++) first->turn = fmax(first->turn, spin_of(sim, &pairs[i], k, h) / MOST_SPIN);
        const bool apart = d > TRM_CONTACT_DISTANCE * near; /* else contacts may close the gap */
        if (!(apart ? advance_pair(&y, 0, near, first) : follow_contacts(&y, near, first))) return false;
    }
    return count >= 0;
}

/* ---- The step up to a meeting ------------------------------------------------------------- */

static bool step_again(trm_sim *sim, double h, trm_outcome *outcome)
{
    trm_state_copy(sim->state, sim->events.start);
    if (h > 0) *outcome = trm_sim_try(sim, h, sim->events.start->clock->time + h);
    return outcome->ok && sim->method->project_velocities(sim->workspace, outcome);
}

/* Search for the length of the step at which the gap of a meeting is zero. */
typedef struct gap_search {
    const meeting *first;
    bool looks_ahead;          /* the gap is known without ending the step */
    double h;                  /* s: length of the whole step */
    double s, last;            /* s: present length, and the one before */
    double gap, rate;          /* m, m/s: gap and its rate at s */
    double last_gap, smallest; /* m: gap at the length before, and the smallest so far */
    int tries;
} gap_search;

/* Computes the gap at the end of a step of length s. Its rate comes from the velocities there, or from the last two
 * lengths. Returns false on failure. */
static bool find_gap(trm_sim *sim, gap_search *a, trm_outcome *outcome)
{
    const trm_contact *contact = &a->first->contact;
    a->last_gap = a->gap;
    if (!a->looks_ahead) {
        if (!step_again(sim, a->s, outcome)) return false;
        a->gap = gap_in(sim->state, contact, &a->rate);
        return true;
    }
    const trm_pose *ahead;
    trm_state_copy(sim->state, sim->events.start);
    *outcome = trm_sim_look_ahead(sim, a->s, sim->events.start->clock->time + a->s, &ahead);
    if (!outcome->ok) return false;
    a->gap = trm_contact_at_poses(contact, ahead[contact->body[0]], ahead[contact->body[1]]).gap;
    const double moved = a->s - a->last, rate = (a->gap - a->last_gap) / moved;
    if (a->tries > 0 && fabs(moved) > DISTINCT * a->h) a->rate = rate;
    return true;
}

/* Returns whether the length is exact up to rounding. If not, computes the next one by Newton's method or a
 * secant. */
static bool has_found(const trm_sim *sim, gap_search *a)
{
    const double next = a->s - a->gap / a->rate;
    const bool grazes = a->tries > 0 || a->first->rough || fabs(a->gap) < sim->events.nearness.position;
    if (!(next >= 0 && next <= a->h) && grazes) return true;
    if (fabs(a->gap) >= 0.5 * a->smallest || !(a->rate < 0) || fabs(next - a->s) <= TRM_NO_TIME * 1e-2 * a->h)
        return true;
    a->smallest = fabs(a->gap);
    a->last = a->s;
    a->s = fmin(fmax(next, 0), a->h);
    return false;
}

/* Makes the step up to where the gap of a meeting is zero, or its features end. If the bodies separate there, which
 * rounding may cause in very small bounces, the previous length is used. Returns false on failure. */
static bool step_to_meeting(trm_sim *sim, const meeting *first, double *h, trm_outcome *outcome)
{
    gap_search a = {.first = first,
                    .looks_ahead = !sim->modes.freezes && first->rate < 0,
                    .h = *h,
                    .s = first->at,
                    .last = first->at,
                    .rate = first->rate,
                    .smallest = INFINITY};
    if (first->ends) {
        *h = first->at;
        return step_again(sim, *h, outcome);
    }
    for (; a.tries < MOST_TRIES; a.tries++) {
        if (!find_gap(sim, &a, outcome)) return false;
        if (has_found(sim, &a)) break;
    }
    if (a.looks_ahead && !step_again(sim, a.s, outcome)) return false;
    gap_in(sim->state, &first->contact, &a.rate);
    *h = a.rate < 0 ? a.s : a.last;
    return *h == a.s || step_again(sim, *h, outcome);
}

/* Search for the length of the step at which a slide ends. `off` is the end of the slide minus the length s, in a
 * step of that length: it is 0 at the end of the slide. */
typedef struct slide_search {
    double low, high;      /* s: lengths at which no slide has ended, and at which one has; 0: not known */
    double s, off;         /* s: last length, and `off` there */
    double last, last_off; /* s: length before, and `off` there; NAN: none */
    int jumps;             /* how often `off` was far from 0 between both bounds */
} slide_search;

/* Stores the part of a step of length s after which a slide ends. */
static void note_length(slide_search *a, double s, double part)
{
    a->last = a->s, a->last_off = a->off;
    a->s = s, a->off = s * (part - 1);
    *(part < 1 ? &a->high : &a->low) = s;
    a->jumps += a->low > 0 && fabs(part - 1) > NEAR_END;
}

/* Returns whether the end is found, or cannot be found: where the mode of another contact changes, the end of a slide
 * jumps. */
static bool is_over(const slide_search *a)
{
    return fabs(a->off) <= NEARLY * a->s || !isfinite(a->off) || a->jumps > MOST_JUMPS;
}

/* Returns the next length, within the bounds: by a secant where both lengths are near the end, else as the last one
 * predicts. */
static double next_length(const slide_search *a)
{
    const double predicted = a->s + a->off, slope = (a->off - a->last_off) / (a->s - a->last);
    const bool near = fabs(a->off) < NEAR_END * a->s && fabs(a->last_off) < NEAR_END * a->last;
    const double next = near && slope < 0 ? a->s - a->off / slope : predicted;
    return next > a->low && next < a->high ? next : 0.5 * (a->low + a->high);
}

/* Computes the part of a step of length h after which the first slide ends, without ending the step. Returns false
 * on failure. */
static bool find_end_of_slide(trm_sim *sim, double h, double *part, trm_outcome *outcome)
{
    trm_state_copy(sim->state, sim->events.start);
    *outcome = trm_sim_look_ahead(sim, h, sim->events.start->clock->time + h, NULL);
    *part = outcome->ok ? sim->method->contacts->slide_ends(sim->stepper.machine) : NAN;
    return outcome->ok;
}

/* Makes the step up to the end of a slide within it. A slide whose end is not found, for example of a pivoting disc,
 * is not an event: the step stays whole. Returns false on failure. */
static bool step_to_end_of_slide(trm_sim *sim, double part, double *h, bool *ended, trm_outcome *outcome)
{
    slide_search a = {.s = NAN, .off = NAN};
    note_length(&a, *h, part);
    for (int tries = 0; tries < MOST_SECANTS && !is_over(&a); tries++) {
        const double s = next_length(&a);
        if (!find_end_of_slide(sim, s, &part, outcome)) return false;
        note_length(&a, s, part);
    }
    const bool found = fabs(a.off) <= NEARLY * a.s;
    *ended = found || a.low > 0; /* else up to where no slide has ended yet */
    if (*ended) *h = found ? a.s : a.low;
    return step_again(sim, *h, outcome);
}

/* Closes the contacts from the start of the step that separate so slowly that they penetrate again before the search
 * sees them open. Then finds the first meeting in the new step. Returns false on failure. */
static bool close_sinking_contacts(trm_sim *sim, double h, meeting *first, trm_outcome *outcome)
{
    enum { MOST_HOLDS = 8 };
    for (int tries = 0;; tries++) {
        if (!find_meeting(sim, h, false, first)) return trm_fail_memory(outcome, "contacts");
        if (tries == MOST_HOLDS || !(2 * first->sunk > sim->stepper.leaving)) return true;
        sim->stepper.leaving = 2 * first->sunk;
        if (!step_again(sim, h, outcome)) return false;
    }
}

/* Shortens a step in which the contact point of a rim moves too far round it, or a body turns too far. Returns false on
 * failure. */
static bool shorten_for_turns(trm_sim *sim, double *h, meeting *first, trm_outcome *outcome)
{
    if (!close_sinking_contacts(sim, *h, first, outcome)) return false;
    for (int tries = 0; tries < MOST_TRIES && first->turn > 1; tries++) {
        *h *= fmax(0.5 / first->turn, 0.1);
        if (!step_again(sim, *h, outcome) || !close_sinking_contacts(sim, *h, first, outcome)) return false;
    }
    return true;
}

static bool shorten(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome)
{
    enum { MOST_LOOKS = 8 };
    meeting first;
    if (!shorten_for_turns(sim, h, &first, outcome)) return false;
    const double part = sim->modes.freezes ? INFINITY : sim->method->contacts->slide_ends(sim->stepper.machine);
    const bool known =
        part >= 1 - TRM_NO_TIME && !sim->modes.freezes; /* the first meeting is known: the step stays whole */
    if (part < 1 - TRM_NO_TIME && !step_to_end_of_slide(sim, part, h, shortened, outcome)) return false;
    if (sim->modes.freezes && !trm_sim_shorten_to_mode(sim, h, shortened, outcome)) return false;
    for (int tries = 0; tries < MOST_LOOKS; tries++) { /* shapes that are apart at the end may penetrate before */
        if ((tries > 0 || !known) && !find_meeting(sim, *h, tries > 0, &first))
            return trm_fail_memory(outcome, "contacts");
        if (!(first.at < *h * (1 - TRM_NO_TIME))) return true;
        *shortened = true;
        if (!step_to_meeting(sim, &first, h, outcome)) return false;
        if (!(*h > 0)) return true;
    }
    return true;
}

bool trm_sim_shorten_to_contact(trm_sim *sim, double *h, bool *shortened, trm_outcome *outcome)
{
    *shortened = false;
    if (!sim->stepper.collider || sim->stepper.window || *h <= 0) return true;
    const long long steps = sim->counters.steps;
    const bool good = shorten(sim, h, shortened, outcome);
    sim->counters.steps = steps; /* trials are not counted */
    sim->stepper.leaving = 0;
    sim->modes.same = false;
    return good;
}

/* ---- At the start ------------------------------------------------------------------------- */

/* m: smaller overlaps are rounding of shapes that are meant to be in contact. A larger value accepts overlaps that
 * throw bodies apart without a message, a smaller one reports overlaps of files with seven digits. Tests pass with a
 * tenth and with ten times of it. */
static const double OVERLAP = 1e-7;

static void report_overlap(const trm_sim *sim, const trm_near_pair *pair, double depth, trm_messages *messages)
{
    const trm_body *bodies = sim->state->model->bodies;
    const char *a = bodies[pair->body[0]].name, *b = bodies[pair->body[1]].name;
    if (sim->contact_search.window)
        trm_add_warning(messages, (trm_place){0},
                        "bodies '%s' and '%s' overlap by %.3g m at the start; they are pushed apart", a, b, depth);
    else
        trm_add_error(messages, (trm_place){0},
                      "bodies '%s' and '%s' overlap by %.3g m at the start; move them apart, name them under "
                      "\"no_collide\", or let \"impact\": \"window\" push them apart",
                      a, b, depth);
}

bool trm_sim_find_overlaps(trm_sim *sim, trm_messages *messages)
{
    const trm_near_pair *pairs;
    const trm_state *state = sim->state;
    if (!sim->stepper.collider) return true;
    const int count = trm_near_pairs(sim->stepper.collider, state->pose, NULL, 0, state->attached, &pairs);
    for (int i = 0; i < count; i++) {
        const double d = trm_shape_distance(sim->stepper.collider, &pairs[i], state->pose[pairs[i].body[0]],
                                            state->pose[pairs[i].body[1]]);
        if (!(d < -OVERLAP)) continue;
        report_overlap(sim, &pairs[i], -d, messages);
        sim->contact_search.overlap = fmax(sim->contact_search.overlap, -d);
    }
    if (trm_collider_is_crowded(sim->stepper.collider))
        trm_add_error(
            messages, (trm_place){0},
            "more than %d pairs of shapes touch or overlap at the start; move the bodies apart, or name those "
            "that never collide under \"no_collide\"",
            trm_most_near_pairs(sim->stepper.collider));
    return count >= 0 || trm_collider_is_crowded(sim->stepper.collider);
}

/* ---- Events of contacts ------------------------------------------------------------------- */

static bool is_of(const trm_event *event, const trm_near_pair *pair)
{
    return (event->bodies[0] == pair->body[0] && event->bodies[1] == pair->body[1]) ||
           (event->bodies[0] == pair->body[1] && event->bodies[1] == pair->body[0]);
}

bool trm_sim_in_contact(trm_sim *sim, const trm_event *event, bool *contact_search)
{
    const trm_near_pair *pairs;
    const trm_state *state = sim->state;
    const int count = trm_near_pairs(sim->stepper.collider, state->pose, NULL,
                                     TRM_CONTACT_DISTANCE * sim->events.nearness.position, state->attached, &pairs);
    *contact_search = false;
    for (int i = 0; i < count && !*contact_search; i++)
        *contact_search =
            is_of(event, &pairs[i]) &&
            trm_shape_distance(sim->stepper.collider, &pairs[i], state->pose[pairs[i].body[0]],
                               state->pose[pairs[i].body[1]]) <= TRM_CONTACT_DISTANCE * sim->events.nearness.position;
    return count >= 0;
}

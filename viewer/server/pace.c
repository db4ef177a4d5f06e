/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "pace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* s: time between frames; time over which the pace is measured and between statuses */
static const double FRAME = 1.0 / 60, WHILE = 0.5;
static const double ROW = 1.0 / 60; /* s, simulated: largest interval of rows of curves */
/* fraction of a step: times nearer to that of a frame count as equal */
static const double ROUNDING = 1e-6;
static const double PATIENCE = 0.25; /* s: a step is interrupted by requests only after this time */
static const double SLOWEST = 1e-3, FASTEST = 1e3;

/* ---- Publishing ---------------------------------------------------------------------------- */

/* Adds a row of curves for the current state, which has been observed. */
static void add_row(pace *p)
{
    trm_text *row = trm_text_create(NULL);
    if (row && machine_write_row(p->m, trm_text_sink(row))) mailbox_add_row(p->d, row);
    trm_text_destroy(row);
    p->row = machine_time(p->m);
}

static bool publish(pace *p, sheet s, unsigned number)
{
    const machine_status status = {p->playing, p->was_late, p->speed, p->pace, p->wall, mailbox_pages(p->d)};
    trm_text *text = trm_text_create(NULL);
    bool good = text != NULL;
    if (good && s == SHEET_SCENE) good = machine_write_scene(p->m, trm_text_sink(text));
    if (good && s == SHEET_STATUS) good = machine_write_status(p->m, &status, trm_text_sink(text));
    if (good && s == SHEET_FRAME) good = machine_write_frame(p->m, number, trm_text_sink(text));
    /* while paused, values may change although the time does not */
    if (good && s == SHEET_FRAME && (!p->playing || machine_time(p->m) != p->row)) add_row(p);
    if (good)
        mailbox_publish(p->d, s, text, number);
    else
        trm_text_destroy(text);
    return good;
}

/* Publishes a frame, then the status, which says why if the simulation could not be observed. */
static bool show(pace *p)
{
    p->stale = p->moved = false;
    return publish(p, SHEET_FRAME, ++p->frame) && publish(p, SHEET_STATUS, ++p->status);
}

/* Publishes the scene of a new model, before its first frame. */
static bool show_scene(pace *p)
{
    return machine_scene(p->m) == mailbox_number(p->d, SHEET_SCENE) || publish(p, SHEET_SCENE, machine_scene(p->m));
}

/* ---- Requests ------------------------------------------------------------------------------ */

static void count_from_here(pace *p)
{
    p->t_0 = p->while_t = machine_time(p->m);
    p->now_0 = p->while_now = seconds_now();
    p->next = fmin(fmax(p->next, p->now_0), p->now_0 + FRAME);
}

static void make_step(pace *p)
{
    p->step_began = seconds_now();
    if (!machine_step(p->m)) p->playing = false;
    p->wall += seconds_now() - p->step_began;
}

/* Returns whether a long step may continue: it must not block requests. */
static bool step_may_continue(void *context)
{
    const pace *p = context;
    return seconds_now() < p->step_began + PATIENCE || !mailbox_has_requests(p->d);
}

/* Sets the speed. Simulated time that is already due stays due. Returns false with the reason in why. */
static bool set_speed(pace *p, double speed, char *why)
{
    const double now = seconds_now();
    if (speed >= SLOWEST && speed <= FASTEST) {
        p->t_0 += p->speed * (now - p->now_0);
        p->now_0 = now;
        p->speed = speed;
        return true;
    }
    snprintf(why, SENTENCE, "the speed is %g simulated seconds per second; it must be from %g to %g", speed, SLOWEST,
             FASTEST);
    return false;
}

/* Resets the computing time of the steps if the simulation is back at its start. Returns is_at_start. */
static bool reset_wall_time(pace *p, bool is_at_start)
{
    if (is_at_start) p->wall = 0;
    return is_at_start;
}

/* Discards messages for a page that has been closed. */
static void forget_page(pace *p, unsigned page)
{
    machine_forget_page(p->m, page);
    for (char *left; (left = mailbox_take_reply(p->d, page));) free(left);
}

/* Executes a request. Returns false, with the reason as a sentence for the page in why. */
static bool execute(pace *p, const request *r, char *why)
{
    const double *n = r->numbers;
    machine *m = p->m;
    switch (r->kind) {
    case REQUEST_PLAY: p->playing = !machine_stopped(m)[0]; return true;
    case REQUEST_PAUSE: p->playing = false; return true;
    case REQUEST_STEP:
        p->playing = false;
        make_step(p);
        return true;
    case REQUEST_RESET: return reset_wall_time(p, machine_reset(m, why));
    case REQUEST_SPEED: return set_speed(p, n[0], why);
    case REQUEST_SET: return machine_set(m, r->name, r->value, why);
    case REQUEST_REWIND: p->playing = false; return machine_rewind(m, n[0], why);
    case REQUEST_JOG: p->playing = false; return machine_jog(m, n[0], n[1], why);
    case REQUEST_PLACE:
        p->playing = false;
        return machine_place(m, n[0], trm_v3(n[1], n[2], n[3]), trm_v3(n[4], n[5], n[6]), why);
    case REQUEST_CONSTANT: return reset_wall_time(p, machine_set_constant(m, r->name, r->value, why));
    case REQUEST_GRAB: return machine_grab(m, r->page, n[0], trm_v3(n[1], n[2], n[3]), why);
    case REQUEST_PULL: machine_pull(m, r->page, trm_v3(n[0], n[1], n[2])); return true;
    case REQUEST_WANT: machine_enable_reactions(m, r->page, n[0] > 0); return true;
    case REQUEST_CONTROL: return machine_control(m, n[0], n[1], why);
    case REQUEST_UNCONTROL: return machine_control(m, n[0], NAN, why);
    case REQUEST_RELOAD: return reset_wall_time(p, machine_reload(m, why));
    case REQUEST_MODEL: return reset_wall_time(p, machine_replace(m, r->name, r->text, r->length, why));
    case REQUEST_RELEASE: machine_release(m, r->page); return true;
    case REQUEST_GONE: forget_page(p, r->page); return true;
    case REQUEST_LOAD: return reset_wall_time(p, machine_load(m, r->name, r->files, why));
    case REQUEST_SEEN:
    case REQUEST_DROP:
    case REQUEST_FILE: break; /* handled by the server */
    }
    return true;
}

/* Returns whether a request changes the simulated time or the pace, so that the clock restarts. */
static bool changes_time(const request *r)
{
    return r->kind == REQUEST_PLAY || r->kind == REQUEST_RESET || r->kind == REQUEST_SET ||
           r->kind == REQUEST_RELOAD || r->kind == REQUEST_MODEL || r->kind == REQUEST_LOAD ||
           r->kind == REQUEST_REWIND || r->kind == REQUEST_CONSTANT;
}

/* Executes a request or sends the reason why not. After a long step, further requests for a step that are waiting are
 * skipped, because people press the key again when nothing happens. */
static void execute_or_refuse(pace *p, const request *r)
{
    char why[SENTENCE] = "";
    const bool is_step = r->kind == REQUEST_STEP, passed_over = is_step && p->was_cut;
    if (!passed_over && (!execute(p, r, why) || machine_take_note(p->m, why))) mailbox_reply(p->d, r->page, why);
    if (is_step) p->was_cut = passed_over || seconds_now() - p->step_began > PATIENCE;
    if (changes_time(r)) count_from_here(p);
    if (r->kind == REQUEST_PULL)
        p->moved = true;
    else
        p->stale = true;
}

/* Executes as many requests as the time of a frame permits, so that frames are shown even if requests come faster. */
static void execute_some(pace *p)
{
    const double until = seconds_now() + FRAME;
    while (seconds_now() < until && !mailbox_is_ending(p->d)) {
        request *r = mailbox_take(p->d);
        if (!r) {
            p->was_cut = false;
            return;
        }
        execute_or_refuse(p, r);
        free(r);
    }
}

/* ---- Turns --------------------------------------------------------------------------------- */

/* Makes steps up to the present time, or until the next frame is due. */
static void advance(pace *p, double now)
{
    const double goal = p->t_0 + p->speed * (now - p->now_0), h = machine_step_length(p->m);
    while (p->playing && machine_time(p->m) + (1 - ROUNDING) * h <= goal && seconds_now() < now + FRAME) {
        if (machine_time(p->m) >= p->row + (1 - ROUNDING) * ROW && machine_observe(p->m)) add_row(p);
        make_step(p);
    }
    if (machine_time(p->m) + h > goal) return;
    p->t_0 = machine_time(p->m); /* late: the lost time is not made up later */
    p->now_0 = now;
    p->is_late = true;
}

/* Measures the pace. Unless steps were late, it equals the speed up to the length of a step. */
static void measure_pace(pace *p, double now)
{
    const double reached = (machine_time(p->m) - p->while_t) / (now - p->while_now);
    p->pace = !p->playing ? 0 : p->is_late ? reached : p->speed;
    p->was_late = p->is_late;
    p->is_late = false;
    p->while_t = machine_time(p->m);
    p->while_now = now;
    publish(p, SHEET_STATUS, ++p->status);
}

static void go_on(pace *p, bool playing)
{
    const double now = seconds_now();
    const bool was = p->playing;
    if (playing && now >= p->next) {
        const double before = machine_time(p->m);
        advance(p, now);
        p->next = fmax(p->next + FRAME, seconds_now());
        if (machine_time(p->m) != before) publish(p, SHEET_FRAME, ++p->frame);
        if (machine_stopped(p->m)[0]) p->playing = false;
    }
    if (!playing && p->moved && now >= p->next) {
        p->next = now + FRAME;
        p->moved = !publish(p, SHEET_FRAME, ++p->frame);
    }
    if (p->stale || p->playing != was) show(p);
    if (now - p->while_now >= WHILE) measure_pace(p, now);
}

bool pace_begin(pace *p, machine *m, mailbox *d, bool playing, double speed, char *why)
{
    *p = (pace){.m = m, .d = d, .playing = playing};
    if (!set_speed(p, speed, why)) return false;
    count_from_here(p);
    machine_set_watch(m, step_may_continue, p);
    if (show_scene(p) && show(p)) return true;
    snprintf(why, SENTENCE, "there is not enough memory");
    return false;
}

double pace_due(const pace *p)
{
    const bool has_frame = (p->playing && p->pages > 0) || p->moved;
    return has_frame ? p->next : p->while_now + WHILE;
}

void pace_turn(pace *p)
{
    execute_some(p);
    show_scene(p);
    const int now = mailbox_pages(p->d);
    if ((now > 0) != (p->pages > 0)) count_from_here(p);
    if (now != p->pages) p->stale = true;
    p->pages = now;
    go_on(p, p->playing && p->pages > 0);
}

void *pace_run(void *context)
{
    pace *p = context;
    while (mailbox_wait(p->d, pace_due(p))) pace_turn(p);
    return NULL;
}

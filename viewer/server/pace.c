/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "pace.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const double FRAME = 1.0 / 60, WHILE = 0.5; /* s: between frames, and between statuses */
static const double ROW = 1.0 / 60;                /* s, simulated: between rows of curves, at most */
static const double ROUNDING = 1e-6;               /* of a step: t reaches a frame's time up to that */
static const double PATIENCE = 0.25;               /* s: so long a step is made even if somebody asks for something */
static const double SLOWEST = 1e-3, FASTEST = 1e3;

/* ---- What pages see ------------------------------------------------------------------------ */

/* A row of curves at the current state, which was observed. */
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
    /* while it is paused, values may change without the time */
    if (good && s == SHEET_FRAME && (!p->playing || machine_time(p->m) != p->row)) add_row(p);
    if (good)
        mailbox_publish(p->d, s, text, number);
    else
        trm_text_destroy(text);
    return good;
}

/* A frame first: if the simulation cannot be observed, the status says why. */
static bool show(pace *p)
{
    p->stale = p->moved = false;
    return publish(p, SHEET_FRAME, ++p->frame) && publish(p, SHEET_STATUS, ++p->status);
}

/* Another model has another scene, and frames must not come before it. */
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

/* A step that takes forever must not block anything. */
static bool step_may_continue(void *context)
{
    const pace *p = context;
    return seconds_now() < p->step_began + PATIENCE || !mailbox_has_requests(p->d);
}

/* What is due already stays due. */
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

/* Its time is back at the start, if it is. */
static bool begin_anew(pace *p, bool is_at_start)
{
    if (is_at_start) p->wall = 0;
    return is_at_start;
}

/* Discards messages that will not be read. */
static void forget_page(pace *p, unsigned page)
{
    machine_forget_page(p->m, page);
    for (char *left; (left = mailbox_take_reply(p->d, page));) free(left);
}

/* False: why, as a sentence for the page. */
static bool obey(pace *p, const request *r, char *why)
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
    case REQUEST_RESET: return begin_anew(p, machine_reset(m, why));
    case REQUEST_SPEED: return set_speed(p, n[0], why);
    case REQUEST_SET: return machine_set(m, r->name, r->value, why);
    case REQUEST_REWIND: p->playing = false; return machine_rewind(m, n[0], why);
    case REQUEST_JOG: p->playing = false; return machine_jog(m, n[0], n[1], why);
    case REQUEST_PLACE:
        p->playing = false;
        return machine_place(m, n[0], trm_v3(n[1], n[2], n[3]), trm_v3(n[4], n[5], n[6]), why);
    case REQUEST_CONSTANT: return begin_anew(p, machine_set_constant(m, r->name, r->value, why));
    case REQUEST_GRAB: return machine_grab(m, r->page, n[0], trm_v3(n[1], n[2], n[3]), why);
    case REQUEST_PULL: machine_pull(m, r->page, trm_v3(n[0], n[1], n[2])); return true;
    case REQUEST_WANT: machine_enable_reactions(m, r->page, n[0] > 0); return true;
    case REQUEST_CONTROL: return machine_control(m, n[0], n[1], why);
    case REQUEST_UNCONTROL: return machine_control(m, n[0], NAN, why);
    case REQUEST_RELOAD: return begin_anew(p, machine_reload(m, why));
    case REQUEST_MODEL: return begin_anew(p, machine_replace(m, r->name, r->text, r->length, why));
    case REQUEST_RELEASE: machine_release(m, r->page); return true;
    case REQUEST_GONE: forget_page(p, r->page); return true;
    case REQUEST_LOAD: return begin_anew(p, machine_load(m, r->name, r->files, why));
    case REQUEST_SEEN:
    case REQUEST_DROP:
    case REQUEST_FILE: break; /* the server's own */
    }
    return true;
}

/* After these it is counted again from where it is. */
static bool changes_time(const request *r)
{
    return r->kind == REQUEST_PLAY || r->kind == REQUEST_RESET || r->kind == REQUEST_SET ||
           r->kind == REQUEST_RELOAD || r->kind == REQUEST_MODEL || r->kind == REQUEST_LOAD ||
           r->kind == REQUEST_REWIND || r->kind == REQUEST_CONSTANT;
}

/* After a step that took long further ones that wait are passed over: people pressed the key again because nothing
 * happened. */
static void carry_out_or_refuse(pace *p, const request *r)
{
    char why[SENTENCE] = "";
    const bool is_step = r->kind == REQUEST_STEP, passed_over = is_step && p->was_cut;
    if (!passed_over && (!obey(p, r, why) || machine_take_note(p->m, why))) mailbox_reply(p->d, r->page, why);
    if (is_step) p->was_cut = passed_over || seconds_now() - p->step_began > PATIENCE;
    if (changes_time(r)) count_from_here(p);
    if (r->kind == REQUEST_PULL)
        p->moved = true;
    else
        p->stale = true;
}

/* As many as a frame has time for: who asks faster than that still sees something. */
static void obey_some(pace *p)
{
    const double until = seconds_now() + FRAME;
    while (seconds_now() < until && !mailbox_is_ending(p->d)) {
        request *r = mailbox_take(p->d);
        if (!r) {
            p->was_cut = false;
            return;
        }
        carry_out_or_refuse(p, r);
        free(r);
    }
}

/* ---- Going on ------------------------------------------------------------------------------ */

/* Up to now, or until the next frame is due. */
static void advance(pace *p, double now)
{
    const double goal = p->t_0 + p->speed * (now - p->now_0), h = machine_step_length(p->m);
    while (p->playing && machine_time(p->m) + (1 - ROUNDING) * h <= goal && seconds_now() < now + FRAME) {
        if (machine_time(p->m) >= p->row + (1 - ROUNDING) * ROW && machine_observe(p->m)) add_row(p);
        make_step(p);
    }
    if (machine_time(p->m) + h > goal) return;
    p->t_0 = machine_time(p->m); /* it is late, and does not hurry later */
    p->now_0 = now;
    p->is_late = true;
}

/* The pace is the speed, to a step, unless it was late. */
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
    obey_some(p);
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

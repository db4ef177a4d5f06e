/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel pose: finds joint coordinates that bring frames to given poses (docs/pose.md). */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "output.h"
#include "state_model.h"

enum { MOST_GOALS = 64, MOST_HELD = 256 };

typedef struct work {
    const command_line *line;
    loaded l;
    trm_goal goals[MOST_GOALS];
    char names[MOST_GOALS][200]; /* names of the frames, per goal */
    int goal_count;
    int held[MOST_HELD], held_bodies[MOST_HELD];
    trm_inverse_kinematics_def def;
} work;

/* ---- Reading ------------------------------------------------------------------------------ */

/* Reads the frame of "hand.tip=...". Returns the text after the sign; NULL after reporting what is wrong. */
static const char *read_frame(work *w, const char *key, const char *text, int *goal)
{
    const char *sign = strchr(text, '=');
    char name[200];
    if (!sign || sign == text || (size_t)(sign - text) >= sizeof name) {
        fprintf(stderr, "trammel pose: %s \"%s\": write FRAME=NUMBERS, such as hand.tip=0.3,0,0.5\n", key, text);
        return NULL;
    }
    snprintf(name, sizeof name, "%.*s", (int)(sign - text), text);
    for (*goal = 0; *goal < w->goal_count; ++*goal)
        if (strcmp(w->names[*goal], name) == 0) return sign + 1;
    if (w->goal_count == MOST_GOALS) {
        fprintf(stderr, "trammel pose: at most %d frames can be brought\n", MOST_GOALS);
        return NULL;
    }
    trm_goal made = trm_default_goal();
    if (!trm_find_frame(w->l.model, name, &made.body, &made.frame)) {
        fprintf(stderr,
                made.body < 0 ? "trammel pose: %s \"%s\": there is no body of this name; write BODY or BODY.POINT\n"
                              : "trammel pose: %s \"%s\": the body has no point or frame of this name; add it to its "
                                "\"points\" or \"frames\"\n",
                key, name);
        return NULL;
    }
    memcpy(w->names[w->goal_count], name, sizeof name);
    w->goals[w->goal_count++] = made;
    return sign + 1;
}

/* Reads numbers, or expressions, separated by commas outside of parentheses; "-" is NAN. Returns their number, or -1
 * after reporting what is wrong. */
static int read_numbers(const char *key, const char *text, double *numbers, int most)
{
    int count = 0;
    for (const char *at = text; count < most; at++) {
        char one[200], why[200];
        size_t length = 0;
        for (int depth = 0; at[length] && (at[length] != ',' || depth > 0); length++)
            depth += (at[length] == '(') - (at[length] == ')');
        snprintf(one, sizeof one, "%.*s", (int)length, at);
        if (strcmp(one, "-") == 0) {
            numbers[count] = NAN;
        } else if (length >= sizeof one || !trm_evaluate(one, &numbers[count], why, sizeof why)) {
            fprintf(stderr, "trammel pose: %s: \"%s\" is not a number: %s\n", key, one,
                    length >= sizeof one ? "too long" : why);
            return -1;
        }
        count++;
        at += length;
        if (!*at) return count;
    }
    return most + 1;
}

static bool read_position(work *w, const char *text)
{
    int goal;
    double x[3];
    const char *numbers = read_frame(w, "--bring", text, &goal);
    if (!numbers) return false;
    const int count = read_numbers("--bring", numbers, x, 3);
    if (count == 3) {
        w->goals[goal].position = trm_v3(x[0], x[1], x[2]);
        return true;
    }
    if (count >= 0)
        fprintf(stderr,
                "trammel pose: --bring \"%s\": a position is three numbers in m, x,y,z; - leaves one of them free\n",
                text);
    return false;
}

static trm_quat about(int axis, double angle)
{
    const trm_vec3 v = trm_v3_scale(trm_sin(0.5 * angle), trm_axis(axis));
    return (trm_quat){trm_cos(0.5 * angle), v.x, v.y, v.z};
}

static bool read_orientation(work *w, const char *text)
{
    int goal;
    double x[4];
    const char *numbers = read_frame(w, "--turn", text, &goal);
    if (!numbers) return false;
    const int count = read_numbers("--turn", numbers, x, 4);
    const double length = count == 4 ? x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3] : 1;
    if ((count == 3 && isfinite(x[0] + x[1] + x[2])) || (count == 4 && length > 0 && isfinite(length))) {
        w->goals[goal].oriented = true;
        w->goals[goal].orientation = count == 4
                                         ? trm_quat_unit((trm_quat){x[0], x[1], x[2], x[3]})
                                         : trm_quat_mul(about(2, x[2]), trm_quat_mul(about(1, x[1]), about(0, x[0])));
        return true;
    }
    if (count >= 0)
        fprintf(
            stderr,
            "trammel pose: --turn \"%s\": an orientation is three numbers in rad, roll,pitch,yaw, or a quaternion "
            "w,x,y,z\n",
            text);
    return false;
}

/* Reads names of joints, and of bodies without a joint that carries them. */
static bool read_held(work *w, const char *text)
{
    for (; *text; text += strcspn(text, ","), text += *text == ',') {
        char name[200];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ","), text);
        const int joint = trm_find_joint(w->l.model, name), body = trm_find_body(w->l.model, name);
        if (w->def.held_count == MOST_HELD || w->def.held_body_count == MOST_HELD || (joint < 0 && body < 0)) {
            fprintf(stderr, "trammel pose: --hold \"%s\": there is no joint and no body of this name\n", name);
            return false;
        }
        if (joint >= 0)
            w->held[w->def.held_count++] = joint;
        else
            w->held_bodies[w->def.held_body_count++] = body;
    }
    w->def.held = w->held, w->def.held_bodies = w->held_bodies;
    return true;
}

static bool read_starts(work *w)
{
    const char *text = option_value(w->line, "--starts");
    char why[200];
    double number = w->def.starts;
    const bool good = !text || (trm_evaluate(text, &number, why, sizeof why) && number >= 1 && number <= 1e6);
    if (!good) fprintf(stderr, "trammel pose: --starts takes a whole number from 1 on, not \"%s\"\n", text);
    w->def.starts = good ? (int)number : 1;
    return good;
}

static bool read_options(work *w)
{
    bool good = read_starts(w);
    for (int i = 0; good && i < w->line->option_count; i++) {
        const char *name = w->line->options[i]->name, *value = w->line->values[i];
        if (strcmp(name, "--bring") == 0) good = read_position(w, value);
        if (strcmp(name, "--turn") == 0) good = read_orientation(w, value);
        if (strcmp(name, "--hold") == 0) good = read_held(w, value);
    }
    if (good && w->goal_count == 0)
        fprintf(stderr, "trammel pose: there is no goal; give --bring hand.tip=0.3,0,0.5 or --turn\n");
    return good && w->goal_count > 0;
}

/* Sets the initial pose: that of a run, or the requested one. */
static bool begin_at_pose(work *w)
{
    const char *name = option_value(w->line, "--start");
    if (!name) name = trm_model_simulation(w->l.model)->start;
    if (!name) return true;
    const int pose = trm_find_pose(w->l.model, name);
    if (pose < 0) fprintf(stderr, "trammel pose: --start \"%s\": the model has no pose of this name\n", name);
    return pose >= 0 && trm_set_pose(w->l.state, pose) == TRM_OK;
}

/* ---- Text and JSON ------------------------------------------------------------------------ */

static void print_joints(const loaded *l)
{
    bool first = true;
    for (int i = 0; i < trm_coordinate_count(l->model); i++) {
        const trm_coordinate_name c = trm_coordinate_at(l->model, i);
        const trm_joint_info info = trm_joint_info_of(l->model, c.joint);
        double q[TRM_JOINT_COORDINATES];
        char name[300];
        const int count = trm_joint_values(l->state, c.joint, q, NULL);
        snprintf(name, sizeof name, "%s.q", info.name);
        if (count > 1) snprintf(name, sizeof name, "%s.q%d", info.name, c.coordinate + 1);
        printf("%-12s %-20s %.15g %s\n", first ? "coordinates" : "", name, q[c.coordinate],
               trm_coordinate_unit(l->model, i));
        first = false;
    }
}

static void print_result(const work *w, const trm_inverse_kinematics_result *r)
{
    printf("%s: %s after %d iterations from %d start%s\n", title_of(&w->l, w->line->words[0]),
           r->found ? "reached" : "not reached", r->iterations, r->starts, r->starts == 1 ? "" : "s");
    for (int g = 0; g < w->goal_count; g++) {
        const trm_gap left = trm_goal_left(w->l.state, &w->goals[g]);
        printf("%-12s %-20s %.3g m", g == 0 ? "left" : "", w->names[g], left.position);
        if (w->goals[g].oriented) printf(", %.3g rad", left.angle);
        printf("\n");
    }
    print_joints(&w->l);
}

static void write_json(const work *w, const trm_inverse_kinematics_result *r)
{
    trm_json_writer j = trm_json_begin(trm_file_sink(stdout));
    trm_json_open_object(&j, NULL);
    trm_json_put_bool(&j, "found", r->found);
    trm_json_put_number(&j, "distance", r->distance);
    trm_json_put_number(&j, "angle", r->angle);
    trm_json_put_integer(&j, "starts", r->starts);
    trm_json_put_integer(&j, "iterations", r->iterations);
    if (r->at_limit >= 0) trm_json_put_text(&j, "at_limit", trm_joint_info_of(w->l.model, r->at_limit).name);
    trm_json_open_object(&j, "joints");
    for (int i = 0; i < trm_joint_count(w->l.model); i++) {
        double q[TRM_JOINT_COORDINATES];
        const int count = trm_joint_values(w->l.state, i, q, NULL);
        if (count > 0) trm_json_put_numbers(&j, trm_joint_info_of(w->l.model, i).name, q, count);
    }
    trm_json_close(&j);
    trm_json_close(&j);
    trm_json_end(&j);
}

/* Warns of drives that disagree with the pose: a run of the written model would begin where its drives are. */
static void warn_of_drives(const work *w)
{
    for (int j = 0; j < trm_joint_count(w->l.model); j++) {
        const trm_joint_info info = trm_joint_info_of(w->l.model, j);
        const trm_gap gap = trm_position_gap(w->l.state, j);
        if (strcmp(info.type, "drive") != 0 || !(gap.position + gap.angle > 1e-6)) continue;
        fprintf(stderr,
                "trammel pose: warning: drive '%s' prescribes another coordinate at t = 0, %.6g away; a run of the "
                "written model begins where the drive is\n",
                info.name, gap.position + gap.angle);
    }
}

static void print_miss(const work *w, const trm_inverse_kinematics_result *r)
{
    const trm_gap left = trm_goal_left(w->l.state, &w->goals[r->goal]);
    fprintf(stderr, "trammel pose: '%s' is not reached from any of %d starts: ", w->names[r->goal], r->starts);
    fprintf(stderr, "the nearest pose found leaves %.6g m", left.position);
    if (w->goals[r->goal].oriented) fprintf(stderr, " and %.6g rad", left.angle);
    if (r->at_limit >= 0)
        fprintf(stderr, "; joint '%s' is at its limit", trm_joint_info_of(w->l.model, r->at_limit).name);
    fprintf(stderr, "\n");
}

/* ---- The command -------------------------------------------------------------------------- */

static exit_code find(work *w)
{
    trm_inverse_kinematics_result r;
    const char *out = option_value(w->line, "--out");
    if (trm_inverse_kinematics(w->l.state, w->goals, w->goal_count, &w->def, NULL, w->l.messages, &r) != TRM_OK)
        return EXIT_BAD_INPUT;
    if (has_option(w->line, "--json"))
        write_json(w, &r);
    else
        print_result(w, &r);
    if (!r.found) print_miss(w, &r);
    if (!r.found) return EXIT_STOPPED;
    if (out && !write_state_model("pose", &w->l, w->l.state, out)) return EXIT_BAD_INPUT;
    if (out) warn_of_drives(w);
    return EXIT_DONE;
}

static exit_code run(const command_line *line)
{
    work w = {.line = line, .def = trm_default_inverse_kinematics_def()};
    exit_code code = EXIT_BAD_INPUT;
    const named_file read = {"the model", line->words[0]}, written = {"--out", option_value(line, "--out")};
    if (!outputs_differ("pose", &read, 1, &written, 1)) return EXIT_USAGE;
    if (load_model(line, &w.l) == TRM_OK) code = read_options(&w) && begin_at_pose(&w) ? find(&w) : EXIT_USAGE;
    if (w.l.messages) print_messages(w.l.messages);
    unload(&w.l);
    return code;
}

static const option options[] = {
    {"--bring", "FRAME=X,Y,Z...",
     "bring a body, or a point or frame BODY.POINT, to this position in m; - leaves one free"},
    {"--turn", "FRAME=R,P,Y...",
     "turn it to roll, pitch, yaw in rad (about x, then y, then z, world), or a quaternion w,x,y,z"},
    {"--hold", "LIST...", "joints whose coordinates stay, and bodies carried by no joint that stay"},
    {"--start", "NAME", "initial pose of the search, by its name under \"poses\" (default: the model's)"},
    {"--starts", "N", "number of poses to search from before giving up (default: 100)"},
    {"--out", "FILE.json", "write the model that starts there"},
    {"--json", NULL, "the result as one JSON object"},
    MODEL_OPTIONS,
};

const command command_pose = {
    .name = "pose",
    .words = "MODEL",
    .least = 1,
    .most = 1,
    .summary = "find joint coordinates that bring frames to given poses (inverse kinematics)",
    .details = "Loops are closed, limits and ropes are obeyed; drives, motors, servos and contacts are ignored. What "
               "cannot be\n"
               "reached is approached as near as possible: the distance left is printed, and the exit code is 4.",
    .options = options,
    .option_count = COUNT_OF(options),
    .run = run,
};

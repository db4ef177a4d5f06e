/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The formulas of Hishinuma 2018 for the computations of ODE, each compared with its closed form:
 *
 *     Baumgarte (4)        c'' + 2 beta c' + gamma^2 c = 0: over-, critically and underdamped
 *     penalty (5), CFM (6) f = alpha/(alpha + m):  c'' + 2 f Omega mu c' + f Omega^2 c = m g/(alpha + m), the same for both
 *     ERP                  a gap decays by 1 - ERP in every step
 *     CFM of ODE           a weight rests lower by m g/k, k = ERP/(h CFM)
 *     pyramid (8)          midway between two of k directions friction is mu cos(pi/k)
 *     box                  mu along its sides, sqrt(2) mu along its diagonal
 *
 * A second table compares the same with ODE's step: recorded figures of ODE, and those of our method lcp (paper_ode.h).
 * Slides are those of semi-implicit Euler: a h^2 n (n + 1)/2 after n steps. */

#include <math.h>
#include <stdio.h>

#include "ode.h"
#include "paper/ode_figures.h"
#include "paper/sheet.h"
#include "trammel/elementary.h"

static const double G = 9.81, MASS = 2;

static const char *const HANGING =
    "{ \"trammel\": 1, \"gravity\": [0, -9.81, 0], \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 2,"
    "    \"position\": [0, -1, 0] }], \"joints\": [{ \"name\": \"bar\", \"type\": \"distance\","
    "    \"bodies\": [\"ground\", \"b\"], \"anchors\": [[0, 0, 0], [0, 0, 0]] }] }";

/* ---- Running ------------------------------------------------------------------------------- */

enum { MOST_OPTIONS = 5 };

/* A run: a model, a method with options, the displacement of body b before it, m. */
typedef struct trial {
    const char *method;
    double step, until;
    trm_option options[MOST_OPTIONS];
    int option_count;
    trm_vec3 shift;
} trial;

static void set_number(trial *t, const char *name, double number)
{
    t->options[t->option_count++] = (trm_option){.method = t->method, .name = name, .number = number};
}

static void set_word(trial *t, const char *name, const char *word)
{
    t->options[t->option_count++] = (trm_option){.method = t->method, .name = name, .text = word};
}

/* Runs the model in s, whose definition has been read. Sets *end to the final position of body b. */
static bool run_trial(scene *s, const trial *t, trm_vec3 *end)
{
    trm_simulation_def *o = &s->def->simulation;
    o->method = t->method, o->step = t->step;
    o->options = t->options, o->option_count = t->option_count;
    if (!scene_simulate(s, true)) return false;
    trm_state *state = trm_sim_state(s->sim);
    const int b = trm_find_body(s->model, "b");
    trm_pose pose = trm_body_pose(state, b);
    pose.p = trm_v3_add(pose.p, t->shift);
    if (trm_v3_length(t->shift) > 0) trm_set_body_pose(state, b, pose);
    const bool good = trm_sim_run(s->sim, &(trm_run_def){.until = t->until, .every = t->until}).ok;
    *end = trm_body_pose(state, b).p;
    return good;
}

static bool run_text(const char *text, const trial *t, trm_vec3 *end)
{
    scene s;
    const bool good = scene_read(&s, text) && run_trial(&s, t, end);
    scene_end(&s);
    return good;
}

static void take(sheet_row *row, const char *name, double right, double found)
{
    *row = (sheet_row){name, {right, found, right != 0 ? found / right - 1 : found}};
}

/* ---- Gaps ---------------------------------------------------------------------------------- */

/* Returns c(t) from c(0) = c0, c'(0) = 0. */
static double dying(double beta, double gamma, double c0, double t)
{
    const double square = beta * beta - gamma * gamma, root = sqrt(fabs(square));
    const double e = trm_exp(root * t), back = trm_exp(-root * t);
    const double even = square > 0 ? (e + back) / 2 : square < 0 ? trm_cos(root * t) : 1;
    const double odd = square > 0 ? (e - back) / (2 * root) : square < 0 ? trm_sin(root * t) / root : t;
    return trm_exp(-beta * t) * c0 * (even + beta * odd);
}

static bool find_baumgarte(const char *name, double beta, double gamma, sheet_row *row)
{
    trial t = {.method = "lagrange", .step = 0.0025, .until = 0.2, .shift = {0, -0.01, 0}};
    trm_vec3 end;
    set_word(&t, "integrator", "fehlberg8"), set_word(&t, "stabilise", "baumgarte");
    set_number(&t, "beta", beta), set_number(&t, "gamma", gamma);
    if (!run_text(HANGING, &t, &end)) return false;
    take(row, name, dying(beta, gamma, 0.01, t.until), trm_v3_length(end) - 1);
    return true;
}

static bool find_soft(const char *name, const char *stabilise, sheet_row *row)
{
    const double alpha = 100, omega = 30, mu = 0.3, f = alpha / (alpha + MASS), beta = f * omega * mu;
    const double swing = sqrt(f * omega * omega - beta * beta), rest = MASS * G / (alpha * omega * omega);
    trial t = {.method = "lagrange", .step = 0.002, .until = 0.1};
    trm_vec3 end;
    set_word(&t, "integrator", "fehlberg8"), set_word(&t, "stabilise", stabilise);
    set_number(&t, stabilise[0] == 'p' ? "alpha" : "cfm", stabilise[0] == 'p' ? alpha : 1 / alpha);
    set_number(&t, "omega", omega), set_number(&t, "mu", mu);
    if (!run_text(HANGING, &t, &end)) return false;
    const double turned = swing * t.until;
    take(row, name, rest * (1 - trm_exp(-beta * t.until) * (trm_cos(turned) + beta / swing * trm_sin(turned))),
         trm_v3_length(end) - 1);
    return true;
}

static const char *const FREE_POINT =
    "{ \"trammel\": 1, \"bodies\": [{ \"name\": \"b\", \"point\": true, \"mass\": 2, \"position\": [1, 0, 0] }],"
    "  \"joints\": [{ \"name\": \"j\", \"type\": \"ball\", \"bodies\": [\"ground\", \"b\"], \"anchor\": [1, 0, 0] }] "
    "}";

static bool find_erp(const char *name, double erp, sheet_row *row)
{
    enum { STEPS = 8 };
    trial t = {.method = "lcp", .step = 0.01, .until = 0.01 * STEPS, .shift = {0.01, -0.02, 0}};
    trm_vec3 end;
    double right = trm_v3_length(t.shift);
    set_number(&t, "erp", erp);
    for (int i = 0; i < STEPS; i++) right *= 1 - erp;
    if (!run_text(FREE_POINT, &t, &end)) return false;
    take(row, name, right, trm_v3_length(trm_v3_sub(end, trm_v3(1, 0, 0))));
    return true;
}

static bool find_cfm(const char *name, sheet_row *row)
{
    const double erp = 0.2, cfm = 1e-3, h = 0.01;
    trial t = {.method = "lcp", .step = h, .until = 5};
    trm_vec3 end;
    set_number(&t, "erp", erp), set_number(&t, "cfm", cfm);
    if (!run_text(HANGING, &t, &end)) return false;
    take(row, name, MASS * G * h * cfm / erp, -1 - end.y);
    return true;
}

/* ---- Friction ------------------------------------------------------------------------------ */

static const char *const BLOCK =
    "{ \"trammel\": 1, \"defaults\": { \"friction\": 0.5 }, \"bodies\": ["
    "  { \"name\": \"b\", \"position\": [0, 0, 0.1],"
    "    \"shapes\": [{ \"type\": \"box\", \"size\": [0.4, 0.4, 0.2], \"density\": 1 }] },"
    "  { \"name\": \"floor\", \"fixed\": true, \"position\": [0, 0, -0.5],"
    "    \"shapes\": [{ \"type\": \"box\", \"size\": [100, 100, 1] }] }] }";

enum { SLIDES = 100 };
static const double H = 0.01;

/* Runs the block with gravity rotated by the slope. Sets *way to the distance along the fall line, whose angle from x
 * is given, rad. */
static bool run_block(const trial *t, double angle, double *way)
{
    const double down = G * trm_sin(ode_slope);
    const trm_vec3 fall = trm_v3(trm_cos(angle), trm_sin(angle), 0);
    trm_vec3 end;
    scene s;
    bool good = scene_read(&s, BLOCK);
    if (good) s.def->gravity = trm_v3(down * fall.x, down * fall.y, -G * trm_cos(ode_slope));
    good = good && run_trial(&s, t, &end);
    scene_end(&s);
    if (good) *way = trm_v3_dot(end, fall);
    return good;
}

/* Computes the slide of a block on a slope of 35 degrees that falls along an angle from x, in degrees. directions:
 * number of directions of the pyramid; 0: a box. */
static bool find_slide(const char *name, int directions, double along, double part, sheet_row *row)
{
    trial t = {.method = "lcp", .step = H, .until = H * SLIDES};
    double way;
    set_word(&t, "solver", "lemke"), set_word(&t, "friction", directions > 0 ? "pyramid" : "box");
    if (directions > 0) set_number(&t, "directions", directions);
    if (!run_block(&t, along * TRM_PI / 180, &way)) return false;
    take(row, name, slide_of_steps(part * ode_friction, H, SLIDES), way);
    return true;
}

/* ---- Next to ODE --------------------------------------------------------------------------- */

/* Returns the parameters of the problem for lcp. */
static trial trial_of(const ode_problem *p)
{
    trial t = {.method = "lcp", .step = p->h, .until = p->h * p->steps, .shift = {0, -p->gap, 0}};
    set_number(&t, "erp", p->erp), set_number(&t, "cfm", p->cfm);
    if (p->pyramid)
        set_word(&t, "solver", "lemke"), set_word(&t, "friction", "pyramid"), set_number(&t, "directions", 4);
    return t;
}

static bool run_mass(const ode_problem *p, const trial *t, double *gap)
{
    trm_vec3 end;
    scene s;
    bool good = scene_read(&s, FREE_POINT);
    if (good) s.def->gravity = trm_v3(0, -p->gravity, 0), s.def->bodies[0].mass = p->mass;
    good = good && run_trial(&s, t, &end);
    scene_end(&s);
    if (good) *gap = -end.y;
    return good;
}

/* Compares recorded figures of ODE with ours, computed with the same parameters. */
static bool compare_with_ode(sheet_row *rows)
{
    ode_problem all[ODE_PROBLEMS];
    ode_list_problems(all);
    for (int i = 0; i < ODE_PROBLEMS; i++) {
        const trial t = trial_of(&all[i]);
        const double right = ode_closed_form(&all[i]), ode = ODE_FIGURES[i];
        double ours;
        if (!(all[i].block ? run_block(&t, all[i].direction, &ours) : run_mass(&all[i], &t, &ours))) return false;
        rows[i] = (sheet_row){all[i].name, {all[i].h, right, ode, ode - right, ours, ours - ode}};
    }
    return true;
}

static const sheet_table beside_ode = {
    .key = "ode",
    .title = "The same by ODE's step and by lcp with its parameters",
    .names = "formula",
    .name_width = 44,
    .columns = {{"step", "h", "%6g"},
                {"right", "closed form", "%13.9f"},
                {"ode", "ODE", "%13.9f"},
                {"off", "off", "%9.1e"},
                {"found", "lcp", "%13.9f"},
                {"apart", "lcp - ODE", "%9.1e"}},
};

/* ---- All ----------------------------------------------------------------------------------- */

enum { ROWS = 13 };

static const sheet_table table = {
    .key = "rows",
    .title = "Formulas of Hishinuma 2018: gaps, sags and ways, m",
    .names = "formula",
    .name_width = 44,
    .columns = {{"right", "closed form", "%13.9f"}, {"found", "ours", "%13.9f"}, {"off", "off", "%9.1e"}},
};

static bool find_rows(sheet_row *r)
{
    const double between_4 = trm_cos(TRM_PI / 4), between_8 = trm_cos(TRM_PI / 8);
    return find_baumgarte("Baumgarte, beta 20, gamma 10, after 0.2 s", 20, 10, &r[0]) &&
           find_baumgarte("Baumgarte, beta 10, gamma 10, after 0.2 s", 10, 10, &r[1]) &&
           find_baumgarte("Baumgarte, beta 3, gamma 20, after 0.2 s", 3, 20, &r[2]) &&
           find_soft("penalty (5), alpha 100, after 0.1 s", "penalty", &r[3]) &&
           find_soft("constraint force mixing (6), 1/alpha", "cfm", &r[4]) &&
           find_erp("ERP 0.2, gap after 8 steps", 0.2, &r[5]) && find_erp("ERP 0.8, gap after 8 steps", 0.8, &r[6]) &&
           find_cfm("CFM 0.001, ERP 0.2: sag of 2 kg", &r[7]) &&
           find_slide("pyramid of 4, along a direction", 4, 90, 1, &r[8]) &&
           find_slide("pyramid of 4, between two", 4, 135, between_4, &r[9]) &&
           find_slide("pyramid of 8, between two", 8, 112.5, between_8, &r[10]) &&
           find_slide("box, along a side", 0, 0, 1, &r[11]) &&
           find_slide("box, along the diagonal", 0, 45, sqrt(2), &r[12]);
}

exit_code paper_hishinuma(const paper_request *request)
{
    sheet_row rows[ROWS] = {0}, compared[ODE_PROBLEMS] = {0};
    sheet s;
    show_progress(request, "formulas");
    if (!find_rows(rows) || !compare_with_ode(compared)) return EXIT_STOPPED;
    show_progress(request, NULL);
    sheet_begin(&s, request);
    sheet_print(&s, &table, rows, ROWS);
    sheet_print(&s, &beside_ode, compared, ODE_PROBLEMS);
    sheet_note(&s,
               "off: relative, or in m where the closed form is 0; of ODE in m. Its closed forms are those of its "
               "step of first");
    sheet_note(&s, "order. Its figures are recorded: bench_ode --record, ODE " ODE_RECORDED ".");
    sheet_end(&s);
    return EXIT_DONE;
}

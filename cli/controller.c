/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A controller is a process connected by two pipes. The simulation waits for each answer, and simulated time stops
 * meanwhile, so results do not depend on the speed of the controller. The process has its own process group: it is
 * ended together with all processes that it has started, and Ctrl-C does not reach it.
 *
 * On an idle machine the scheduler wakes a process on an idle core. Waking a core takes tens of microseconds on
 * virtual machines, twice in every exchange. --controller-core shared keeps both processes on one core. They never
 * run at the same time, so nothing is lost unless the controller or the simulation has several threads. */

#define _GNU_SOURCE /* pipe2, sched_getcpu */

#include "controller.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "interrupt.h"
#include "lockstep.h"

/* Longer answers come from a program that is not a controller. */
enum { MOST_BYTES = 1 << 20 };
/* Time for a process to exit after its input is closed, and after SIGTERM, ms. */
enum { PATIENCE = 1000, GLANCE = 50 };
static const double USUAL_TIMEOUT = 10; /* s */

extern char **environ;

struct controller {
    lockstep step;
    trm_results *columns;
    pid_t process;       /* 0: it has ended and was waited for */
    int to, from;        /* pipes; -1: closed */
    double timeout;      /* s of wall-clock time */
    bool failed;         /* end it without waiting */
    double last;         /* s: simulated time of the last exchange; NAN: none */
    byte_buffer out, in; /* bytes to send, and bytes received */
    double *inputs;
};

static double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- Its core ------------------------------------------------------------------------------ */

/* Binds the calling thread, which simulates, and processes that it starts later to its present core. Returns false
 * if the system refuses; errno has the reason. */
static bool share_core(void)
{
    const int core = sched_getcpu();
    cpu_set_t set;
    if (core < 0) return false;
    CPU_ZERO(&set);
    CPU_SET((size_t)core, &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) return false;
    trm_set_threads(1); /* more threads would wait for each other */
    return true;
}

/* ---- The process --------------------------------------------------------------------------- */

static void close_pipe(int *end)
{
    if (*end >= 0) close(*end);
    *end = -1;
}

/* Restores default signals and creates a process group. */
static int spawn(const char *program, int in, int out, pid_t *process)
{
    char *const words[] = {(char *)(uintptr_t) "sh", (char *)(uintptr_t) "-c", (char *)(uintptr_t)program, NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGINT);
    sigaddset(&usual, SIGTERM);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, in, 0);
    posix_spawn_file_actions_adddup2(&files, out, 1);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigdefault(&how, &usual);
    posix_spawnattr_setsigmask(&how, &none);
    const int error = posix_spawn(process, "/bin/sh", &files, &how, words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Writing must not block: a process that does not read its input would hang the simulation. */
static int start(controller *c, const char *program)
{
    int down[2], up[2];
    if (pipe2(down, O_CLOEXEC) != 0) return errno;
    if (pipe2(up, O_CLOEXEC) != 0) {
        const int error = errno;
        close(down[0]), close(down[1]);
        return error;
    }
    signal(SIGPIPE, SIG_IGN); /* writing to a process that has ended fails with an error instead of a signal */
    const int error = spawn(program, down[0], up[1], &c->process);
    close(down[0]);
    close(up[1]);
    c->to = down[1];
    c->from = up[0];
    if (error == 0 && fcntl(c->to, F_SETFL, O_NONBLOCK) == 0) return 0;
    return error ? error : errno;
}

/* Waits at most this many ms. Returns whether the process has ended; status then says how. */
static bool has_ended(controller *c, int patience, int *status)
{
    for (int waited = 0; c->process > 0; waited++) {
        if (waitpid(c->process, status, WNOHANG) == c->process) {
            c->process = 0;
            break;
        }
        if (waited >= patience) return false;
        poll(NULL, 0, 1);
    }
    return true;
}

/* "ended with exit code 1" */
static bool describe_end(controller *c, char *why, size_t size)
{
    int status = 0;
    if (!has_ended(c, PATIENCE, &status))
        snprintf(why, size, "has closed its output");
    else if (WIFSIGNALED(status))
        snprintf(why, size, "was ended by signal %d", WTERMSIG(status));
    else
        snprintf(why, size, "has ended with exit code %d", WEXITSTATUS(status));
    return false;
}

/* ---- Waiting ------------------------------------------------------------------------------- */

/* Waits until the pipe is ready. Polls in short intervals, because a signal may arrive between two of them.
 * Returns false with the reason. */
static bool wait_for(const controller *c, int pipe, short event, double until, char *why, size_t size)
{
    struct pollfd ready = {.fd = pipe, .events = event};
    for (;;) {
        if (poll(&ready, 1, GLANCE) > 0) return true;
        if (interrupted()) snprintf(why, size, "was interrupted");
        if (interrupted()) return false;
        if (seconds_now() > until) break;
    }
    snprintf(why, size, "did not %s within %g s; --controller-timeout sets how long it may take",
             event == POLLIN ? "answer" : "read its input", c->timeout);
    return false;
}

static bool write_all(controller *c, double until, char *why, size_t size)
{
    size_t written = 0;
    while (written < c->out.length) {
        const ssize_t count = write(c->to, c->out.bytes + written, c->out.length - written);
        if (count >= 0)
            written += (size_t)count;
        else if (errno == EAGAIN) {
            if (!wait_for(c, c->to, POLLOUT, until, why, size)) return false;
        } else if (errno != EINTR)
            return describe_end(c, why, size);
    }
    c->out.length = 0;
    return true;
}

/* Reads the next bytes of the answer. A blocking read would be cheaper than a poll before it, but only a poll has
 * a timeout. */
static bool read_some(controller *c, double until, char *why, size_t size)
{
    char bytes[4096];
    if (!wait_for(c, c->from, POLLIN, until, why, size)) return false;
    const ssize_t count = read(c->from, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return true;
    if (count <= 0) return describe_end(c, why, size);
    if (c->in.length + (size_t)count <= MOST_BYTES && buffer_add(&c->in, bytes, (size_t)count)) return true;
    snprintf(why, size, "has written %d bytes without an end of line; an answer is one line", MOST_BYTES);
    return false;
}

/* Every message has one answer: bytes received before a message is sent are an error. */
static bool exchange(controller *c, const trm_state *state, char *why, size_t size)
{
    const double until = seconds_now() + c->timeout, time = trm_state_time(state);
    const bool reset = time < c->last;
    size_t length;
    c->last = time;
    if (!lockstep_write_values(&c->step, state, reset, &c->out)) {
        snprintf(why, size, "could not be sent a message: out of memory");
        return false;
    }
    if (c->in.length > 0) {
        snprintf(why, size, "has written more than one answer to a message");
        return false;
    }
    if (!write_all(c, until, why, size)) return false; /* with the greeting, the first time */
    while ((length = lockstep_answer_length(&c->step, &c->in)) == 0)
        if (!read_some(c, until, why, size)) return false;
    const bool good = lockstep_read_answer(&c->step, c->in.bytes, length, time, c->inputs, why, size);
    buffer_drop(&c->in, length);
    return good;
}

trm_outcome controller_exchange(controller *c, trm_sim *sim)
{
    trm_outcome outcome = {.time = trm_state_time(trm_sim_state(sim)), .residual = NAN, .element = "controller"};
    c->failed = !exchange(c, trm_sim_state(sim), outcome.why, sizeof outcome.why);
    if (c->failed) return outcome;
    return trm_sim_inputs(sim, c->inputs);
}

/* ---- Beginning and ending ------------------------------------------------------------------ */

/* A growing text; good stays false after an allocation has failed. */
typedef struct list {
    trm_text *text;
    bool good;
} list;

static void list_add(list *l, const char *name, const char *suffix, int number)
{
    char digits[16] = "";
    const trm_sink sink = trm_text_sink(l->text);
    if (number > 0) snprintf(digits, sizeof digits, "%d", number);
    l->good = l->good && trm_put_text(sink, trm_text_length(l->text) > 0 ? "," : "") && trm_put_text(sink, name) &&
              trm_put_text(sink, suffix) && trm_put_text(sink, digits);
}

static void list_sensors(list *l, const trm_model *model, const trm_state *state)
{
    double values[TRM_SENSOR_NUMBERS];
    for (int i = 0; i < trm_sensor_count(model); i++)
        list_add(l, trm_sensor_name(model, i), trm_sensor_values(state, i, values) > 1 ? ".*" : "", 0);
}

static void list_joints(list *l, const trm_model *model)
{
    for (int i = 0; i < trm_joint_count(model); i++) {
        const trm_joint_info joint = trm_joint_info_of(model, i);
        for (int k = 0; k < joint.coordinates; k++) {
            const int number = joint.coordinates > 1 ? k + 1 : 0;
            list_add(l, joint.name, ".q", number);
            list_add(l, joint.name, ".qd", number);
        }
    }
}

/* Returns patterns of the columns to send: all sensors, otherwise joint coordinates, otherwise energies. Returns
 * NULL if out of memory. */
static char *usual_columns(const trm_model *model)
{
    trm_state *state = trm_state_create(model, NULL);
    list l = {.text = trm_text_create(NULL)};
    l.good = state && l.text;
    if (l.good) list_sensors(&l, model, state);
    if (l.good && trm_text_length(l.text) == 0) list_joints(&l, model);
    if (l.good && trm_text_length(l.text) == 0) list_add(&l, "E_kin,E_pot", "", 0);
    char *columns = l.good ? strdup(trm_text_get(l.text)) : NULL;
    trm_text_destroy(l.text);
    trm_state_destroy(state);
    return columns;
}

/* Returns the positive number of an option, NAN after an error message. */
static double positive_option(const char *who, const command_line *line, const char *name, double usual)
{
    const char *text = option_value(line, name);
    char why[200] = "it must be positive";
    double value;
    if (!text) return usual;
    if (trm_evaluate(text, &value, why, sizeof why) && value > 0 && isfinite(value)) return value;
    fprintf(stderr, "trammel %s: %s %s: %s\n", who, name, text, why);
    return NAN;
}

/* Reads an option with two possible words and returns whether it has the second; the first is the default. Reports
 * any other word and returns false. */
static bool read_choice(const char *who, const command_line *line, const char *name, const char *const words[2],
                        bool *second)
{
    const char *word = option_value(line, name);
    *second = word && strcmp(word, words[1]) == 0;
    if (!word || *second || strcmp(word, words[0]) == 0) return true;
    fprintf(stderr, "trammel %s: %s %s: it must be %s or %s\n", who, name, word, words[0], words[1]);
    return false;
}

static bool read_format(const char *who, const command_line *line, lockstep_format *format)
{
    static const char *const words[] = {"json", "binary"};
    bool binary;
    if (!read_choice(who, line, "--controller-format", words, &binary)) return false;
    *format = binary ? LOCKSTEP_BINARY : LOCKSTEP_JSON;
    return true;
}

static bool read_core(const char *who, const command_line *line)
{
    static const char *const words[] = {"any", "shared"};
    bool shared;
    if (!read_choice(who, line, "--controller-core", words, &shared)) return false;
    if (!shared) return true;
    if (share_core()) return true;
    fprintf(stderr, "trammel %s: --controller-core shared: the system does not bind processes to a core: %s\n", who,
            strerror(errno));
    return false;
}

/* Reads the columns and the period of the exchange. Returns false after an error message. */
static bool read_options(controller *c, const char *who, const command_line *line, const trm_simulation_def *options,
                         trm_messages *messages)
{
    const trm_model *model = c->step.model;
    const char *chosen = option_value(line, "--controller-columns");
    c->step.period = positive_option(who, line, "--controller-period", options->step);
    c->timeout = positive_option(who, line, "--controller-timeout", USUAL_TIMEOUT);
    if (isnan(c->step.period) || isnan(c->timeout) || !read_format(who, line, &c->step.format)) return false;
    if (!read_core(who, line)) return false;
    if (trm_input_count(model) == 0) {
        fprintf(stderr, "trammel %s: --controller: the model has no \"inputs\" that a controller could set\n", who);
        return false;
    }
    char *usual = chosen ? NULL : usual_columns(model);
    trm_status status = TRM_OUT_OF_MEMORY;
    if (chosen || usual) status = trm_results_create(model, chosen ? chosen : usual, NULL, messages, &c->columns);
    free(usual);
    c->step.columns = c->columns;
    c->inputs = malloc((size_t)trm_input_count(model) * sizeof *c->inputs);
    if (status == TRM_OUT_OF_MEMORY || !c->inputs) fprintf(stderr, "trammel %s: out of memory\n", who);
    return status == TRM_OK && c->inputs;
}

/* The greeting is sent with the first message, so that a process that has ended by then is reported like any that
 * ends later. */
static bool start_and_greet(controller *c, const char *who, const char *program)
{
    const int error = start(c, program);
    const bool greeted = error == 0 && lockstep_write_greeting(&c->step, &c->out);
    if (!greeted)
        fprintf(stderr, "trammel %s: the controller cannot be started: %s\n", who,
                error ? strerror(error) : "out of memory");
    return greeted;
}

bool controller_begin(const char *who, const command_line *line, const trm_model *model,
                      const trm_simulation_def *options, trm_messages *messages, controller **made)
{
    const char *program = option_value(line, "--controller");
    *made = NULL;
    if (!program) return true;
    controller *c = calloc(1, sizeof *c);
    if (!c) fprintf(stderr, "trammel %s: out of memory\n", who);
    if (!c) return false;
    *c = (controller){.step = {.model = model}, .to = -1, .from = -1, .last = NAN};
    if (read_options(c, who, line, options, messages) && start_and_greet(c, who, program)) {
        *made = c;
        return true;
    }
    controller_end(c);
    return false;
}

/* The process first may exit by itself, then gets SIGTERM together with all processes that it has started, then
 * SIGKILL. */
static void end_process(controller *c)
{
    static const int signals[] = {SIGTERM, SIGKILL};
    const pid_t group = c->process;
    int status, patience = c->failed ? 0 : PATIENCE;
    for (int i = 0; i < COUNT_OF(signals) && !has_ended(c, patience, &status); i++) {
        kill(-group, signals[i]);
        patience = PATIENCE;
    }
    if (!has_ended(c, PATIENCE, &status)) return; /* it cannot be ended */
    if (group > 0) kill(-group, SIGKILL);         /* processes that it has started */
}

void controller_end(controller *c)
{
    if (!c) return;
    close_pipe(&c->to);
    close_pipe(&c->from);
    end_process(c);
    trm_results_destroy(c->columns);
    free(c->out.bytes);
    free(c->in.bytes);
    free(c->inputs);
    free(c);
}

double controller_period(const controller *c)
{
    return c->step.period;
}

bool controller_needs_reactions(const controller *c)
{
    return trm_results_need_reactions(c->columns);
}

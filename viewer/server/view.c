/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* trammel-view view MODEL: the server of the live page, with the simulation in a second thread. */

#define _GNU_SOURCE /* pthread_timedjoin_np */

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "cli/page.h"
#include "cli/view.h"
#include "pace.h"
#include "server.h"

static bool read_number(const command_line *line, const char *name, double least, double most, bool whole,
                        double *number)
{
    const char *text = option_value(line, name);
    char why[200] = "";
    if (!text) return true;
    const bool is_number = trm_evaluate(text, number, why, sizeof why);
    if (is_number && *number >= least && *number <= most && (!whole || *number == floor(*number))) return true;
    fprintf(stderr, "trammel view: %s %s: ", name, text);
    if (why[0])
        fprintf(stderr, "%s\n", why);
    else
        fprintf(stderr, "it must be %s from %g to %g\n", whole ? "a whole number" : "a number", least, most);
    return false;
}

/* Limits the memory to half of that of the machine, so that a model dropped on the page cannot use all of it; the
 * page then gets an error. No limit is set with sanitisers, because the memory that they reserve would count. */
static void limit_memory(void)
{
#ifndef __SANITIZE_ADDRESS__
    const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    if (pages <= 0 || bytes <= 0 || getrlimit(RLIMIT_DATA, &limit) != 0) return;
    const rlim_t half = (rlim_t)pages / 2 * (rlim_t)bytes;
    if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < half) return;
    limit.rlim_cur = half;
    setrlimit(RLIMIT_DATA, &limit);
#endif
}

static const char *listen_address(const command_line *line)
{
    const char *address = option_value(line, "--listen");
    return address ? address : "127.0.0.1";
}

/* ---- The browser --------------------------------------------------------------------------- */

static bool has_display(void)
{
    return getenv("DISPLAY") || getenv("WAYLAND_DISPLAY");
}

/* Detaches the browser from the terminal: from Ctrl-C, and from output. */
static void leave_terminal(void)
{
    const int nowhere = open("/dev/null", O_RDWR);
    setsid();
    for (int i = 0; nowhere >= 0 && i < 3; i++) dup2(nowhere, i);
}

/* Opens the address in a browser. Forks twice, so that no process has to wait for the browser. */
static void open_browser(const char *address)
{
    const pid_t child = fork();
    if (child == 0) {
        if (fork() == 0) {
            leave_terminal();
            execlp("xdg-open", "xdg-open", address, (char *)NULL);
            _exit(1);
        }
        _exit(0);
    }
    if (child > 0) waitpid(child, NULL, 0);
}

static void print_address(const server *s, const char *listen, bool opens)
{
    char address[200];
    snprintf(address, sizeof address, "http://%s:%d/%s/", strcmp(listen, "0.0.0.0") == 0 ? "127.0.0.1" : listen,
             server_port(s), server_token(s));
    printf("%s\n", address);
    fflush(stdout);
    if (strncmp(listen, "127.", 4) != 0)
        fprintf(
            stderr,
            "warning: listening at %s: whoever reaches this machine and learns the address can see and change the\n"
            "simulation, and what is sent is not encrypted\n",
            listen);
    fprintf(stderr, "Open the address in a browser; Ctrl-C ends.\n");
    if (opens && has_display()) open_browser(address);
}

/* ---- The command --------------------------------------------------------------------------- */

/* Starts the simulation thread with all signals blocked, so that the server thread gets them. */
static bool start_thread(pthread_t *thread, pace *p)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool started = pthread_create(thread, NULL, pace_run, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

static bool may_continue(void)
{
    return !interrupted();
}

/* Waits for the simulation thread. It may be in a computation that cannot be interrupted, such as the analysis of a
 * model that was made to take hours. As no result is needed, the program then ends without it. */
static void join_or_abandon(pthread_t thread)
{
    enum { PATIENCE = 3 }; /* s */
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += PATIENCE;
    if (pthread_timedjoin_np(thread, NULL, &until) == 0) return;
    fprintf(stderr, "trammel view: the simulation did not answer and was abandoned\n");
    _Exit(EXIT_DONE);
}

/* Serves until the program is to end; the simulation wakes the server until its thread has ended. */
static exit_code serve(server *s, mailbox *d, machine *m, const command_line *line, double speed)
{
    pthread_t thread;
    pace p;
    char why[SENTENCE] = "there is not enough memory";
    if (!pace_begin(&p, m, d, !has_option(line, "--paused"), speed, why) || !start_thread(&thread, &p)) {
        fprintf(stderr, "trammel view: %s\n", why);
        return EXIT_STOPPED;
    }
    listen_to_signals();
    print_address(s, listen_address(line), !has_option(line, "--no-open"));
    limit_memory(); /* after the browser and the model of the command line, which are not limited */
    server_run(s, may_continue);
    mailbox_end(d);
    join_or_abandon(thread);
    return EXIT_DONE;
}

/* Returns whether a message names the file, as in "pendulum.json:3:5: error: ...". */
static bool is_of_file(const command_line *line, const char *why)
{
    return strncmp(why, line->words[0], strlen(line->words[0])) == 0;
}

exit_code view_run(const command_line *line)
{
    char why[SENTENCE] = "there is not enough memory";
    double port = 0, speed = 1;
    if (!read_number(line, "--port", 0, 65535, true, &port) ||
        !read_number(line, "--speed", 1e-3, 1e3, false, &speed))
        return EXIT_USAGE;
    if (!view_page()) {
        fprintf(stderr,
                "trammel view: this program was built without its pages; build it with node and npm installed\n");
        return EXIT_USAGE;
    }
    machine *m = machine_open(line, why);
    mailbox *d = m ? mailbox_create() : NULL;
    const server_def def = {.address = listen_address(line), .port = (int)port, .page = view_page(), .mailbox = d};
    server *s = d ? server_create(&def, why, sizeof why) : NULL;
    exit_code code = EXIT_BAD_INPUT;
    if (s)
        code = serve(s, d, m, line, speed);
    else
        fprintf(stderr, "%s%s\n", is_of_file(line, why) ? "" : "trammel view: ", why);
    if (s) server_destroy(s);
    if (d) mailbox_destroy(d);
    if (m) machine_close(m);
    return code;
}

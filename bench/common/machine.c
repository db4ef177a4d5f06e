/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "common/machine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static void processor_name(char *text, size_t size)
{
    char line[300];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(text, size, "unknown processor");
    while (file && fgets(line, sizeof line, file)) {
        const char *name = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !name) continue;
        snprintf(text, size, "%.*s", (int)strcspn(name + 2, "\n"), name + 2);
        break;
    }
    if (file) fclose(file);
}

void describe_machine(char *text, size_t size)
{
    char processor[120], day[20] = "";
    const time_t now = time(NULL);
    struct tm utc;
    processor_name(processor, sizeof processor);
    if (gmtime_r(&now, &utc)) strftime(day, sizeof day, "%Y-%m-%d", &utc);
#ifdef __clang__
    snprintf(text, size, "%s; %s; clang %s", day, processor, __clang_version__);
#else
    snprintf(text, size, "%s; %s; gcc %s", day, processor, __VERSION__);
#endif
}

double processor_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void be_single_threaded(char **argv)
{
    const char *threads = getenv("OMP_NUM_THREADS");
    if (threads && strcmp(threads, "1") == 0) return;
    setenv("OMP_NUM_THREADS", "1", 1);
    setenv("OPENBLAS_NUM_THREADS", "1", 1);
    execv("/proc/self/exe", argv);
}

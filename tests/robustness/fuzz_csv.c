/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any bytes as a result file are either refused, or rows with as many numbers as the header has
 * columns. */

#define _GNU_SOURCE /* memfd_create */

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/result_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[60];
    result_file f;
    int numbers = 0;
    const int number = memfd_create("results", 0);
    if (number < 0 || write(number, data, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", number);
    if (open_results(&f, "fuzz", path)) {
        if (f.time_column < 0 || f.time_column >= f.column_count) abort();
        for (int i = 0; i < f.column_count; i++)
            if (strlen(f.names[i]) == 0 || find_column(&f, f.names[i]) < 0) abort();
        while (next_row(&f))
            for (int i = 0; i < f.column_count; i++) numbers += f.values[i] != 0;
        if (numbers < 0) abort();
    } else if (!f.failed) {
        abort();
    }
    close_results(&f);
    close(number);
    return 0;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Helper of tests that run every example. */

#ifndef TRM_TESTS_METHODS_WALKING_H
#define TRM_TESTS_METHODS_WALKING_H

#include <dirent.h>
#include <stdio.h>
#include <string.h>

#include "check.h"

/* Calls check with the name of each model in a folder of examples, "" or "problems/", including the folder. Returns
 * how many models it checked. */
static inline int walk_examples(const char *folder, bool (*check)(const char *name))
{
    char path[1000], name[300];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", TRM_EXAMPLES, folder);
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries));) {
        const char *end = strstr(entry->d_name, ".json");
        if (!end || end[5]) continue;
        snprintf(name, sizeof name, "%s%.*s", folder, (int)(end - entry->d_name), entry->d_name);
        count += check(name);
    }
    closedir(entries);
    return count;
}

#endif

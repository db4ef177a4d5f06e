/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* json_get FILE [KEY...]: reads a JSON file with jansson, independently of our code, and prints the value that the
 * keys select (a number selects an element of an array, "#" prints the length of one). Exit code 1: not JSON, or no
 * such value. */

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const json_t *step_into(const json_t *value, const char *key)
{
    return json_is_array(value) ? json_array_get(value, strtoul(key, NULL, 10)) : json_object_get(value, key);
}

static int print_value(const json_t *value, int count, char **keys)
{
    for (int i = 0; value && i < count; i++) {
        if (strcmp(keys[i], "#") == 0) {
            printf("%zu\n", json_is_array(value) ? json_array_size(value) : json_object_size(value));
            return 0;
        }
        value = step_into(value, keys[i]);
    }
    if (!value) {
        fprintf(stderr, "json_get: there is no such value\n");
        return 1;
    }
    if (json_is_string(value))
        printf("%s", json_string_value(value));
    else
        json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_COMPACT);
    printf("\n");
    return 0;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: json_get FILE [KEY...]\n");
        return 2;
    }
    json_error_t error;
    json_t *root = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
    if (!root) {
        fprintf(stderr, "json_get: %s:%d: %s\n", argv[1], error.line, error.text);
        return 1;
    }
    const int code = print_value(root, argc - 2, argv + 2);
    json_decref(root);
    return code;
}

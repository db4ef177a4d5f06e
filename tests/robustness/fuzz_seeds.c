/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The program around a fuzz target where libFuzzer is not there: gives the target each named file once. The
 * sanitisers end it if the target reads or writes what is not its own. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST_BYTES = 1 << 20 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Gives the target a copy as long as the file, so that the sanitisers notice a read beyond its end. Returns whether
 * the file was read. */
static int try_file(const char *name)
{
    static uint8_t room[MOST_BYTES];
    FILE *file = fopen(name, "rb");
    if (!file) return 0;
    const size_t size = fread(room, 1, sizeof room, file);
    const int whole = feof(file) && !ferror(file);
    fclose(file);
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy) return 0;
    for (size_t i = 0; i < size; i++) copy[i] = room[i];
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
    return whole;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (!try_file(argv[i])) {
            fprintf(stderr, "%s could not be read\n", argv[i]);
            return 1;
        }
    printf("%d seeds\n", argc - 1);
    return argc > 1 ? 0 : 1;
}

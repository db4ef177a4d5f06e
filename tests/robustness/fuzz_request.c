/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any bytes that a page may send are refused with a reason, or a request whose parts are inside the
 * message and whose numbers are finite. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "viewer/server/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *message = (const char *)data;
    char why[40] = "";
    request r;
    if (!read_request(message, size, &r, why, sizeof why)) {
        require(why[0] != 0);
        return 0;
    }
    for (int i = 0; i < 7; i++) require(isfinite(r.numbers[i]));
    require(memchr(r.name, 0, sizeof r.name) && memchr(r.value, 0, sizeof r.value));
    require(!r.files);
    if (r.kind == REQUEST_MODEL || r.kind == REQUEST_FILE)
        require(r.text > message && r.text + r.length == message + size);
    return 0;
}

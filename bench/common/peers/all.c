/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "common/peers/peers.h"

#include <stddef.h>

const peer *const all_peers[] = {
#define PEERS(file, package) file##_peers,
#include "list.h"
#undef PEERS
    NULL,
};

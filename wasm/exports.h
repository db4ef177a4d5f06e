/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The functions that the module exports to JavaScript (wasm/package/module.ts). Input texts are zero-terminated UTF-8
 * in memory from take_memory. Output texts are returned as the answer: one text, which the next call with an answer
 * replaces. */

#ifndef TRM_WASM_EXPORTS_H
#define TRM_WASM_EXPORTS_H

#include "trammel/trammel.h"

/* Declares and exports a function under its name. */
#define EXPORT(type, name, ...)                                                                                      \
    type name(__VA_ARGS__);                                                                                          \
    __attribute__((export_name(#name))) type name(__VA_ARGS__)

/* Returns a sink for the answer, which is empty at first. */
trm_sink begin_answer(void);

/* Writes messages as a list of objects under a key. */
void put_messages(trm_json_writer *w, const char *key, const trm_messages *messages);

#endif

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the module gives to JavaScript (wasm/package/module.ts). Texts come in as zero-terminated UTF-8 in memory from take_memory, and
 * go out by the answer: one text, which the next call that answers replaces. */

#ifndef TRM_WASM_EXPORTS_H
#define TRM_WASM_EXPORTS_H

#include "trammel/trammel.h"

/* Declares and exports a function under its name. */
#define EXPORT(type, name, ...)                                                                                      \
    type name(__VA_ARGS__);                                                                                          \
    __attribute__((export_name(#name))) type name(__VA_ARGS__)

/* Where an answer is written, empty at first. */
trm_sink begin_answer(void);

/* As a list of objects under a key. */
void put_messages(trm_json_writer *w, const char *key, const trm_messages *messages);

#endif

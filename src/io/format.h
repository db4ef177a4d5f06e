/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Formats of model files. Each is one file and one line in formats.h: it recognises a document by its content, and
 * reads it into a definition. It reports everything that it does not read (xml.h). */

#ifndef TRM_IO_FORMAT_H
#define TRM_IO_FORMAT_H

#include "base/arena.h"
#include "base/message.h"
#include "io/xml.h"
#include "trammel/io.h"

/* Meshes that could not be read, all for the same reason. */
typedef struct trm_lost_mesh {
    const char *why, *uri; /* the reason; URI of the first of these meshes */
    trm_place place;       /* place that names the first of them */
    int count;
} trm_lost_mesh;

/* The context of reading a document into a definition. */
typedef struct trm_import {
    trm_model_def *def; /* result; its arena owns all parts; def->file is the name for messages */
    trm_arena *scratch; /* memory that is released after reading */
    /* folder of the document; NULL: the document is in memory, and no other file can be read */
    const char *directory;
    const trm_read_options *options; /* never NULL */
    /* bits of trm_without: those of the options and those that the document itself sets */
    unsigned without;
    trm_messages *messages;
    trm_lost_mesh *lost; /* one entry per reason */
    int lost_count;
    trm_xml_count counted; /* numbers of elements of an XML document and of those that it includes */
} trm_import;

typedef struct trm_format {
    const char *name;
    bool (*recognises)(const char *text, size_t length);
    /* Reads the document and reports errors as messages. Returns false if out of memory. */
    bool (*read)(trm_import *import, const char *text, size_t length);
    /* elements that an XML reader ignores, with reasons; NULL: the format is not XML */
    const trm_xml_reason *reasons;
} trm_format;

#define TRM_FORMAT(name) extern const trm_format trm_format_##name;
#include "io/formats.h"
#undef TRM_FORMAT

/* Returns whether the root element of an XML document has this name. Comments and declarations are skipped. */
bool trm_xml_root_is(const char *text, size_t length, const char *name);

#endif

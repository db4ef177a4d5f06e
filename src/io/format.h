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

/* Meshes that could not be read for the same reason. */
typedef struct trm_lost_mesh {
    const char *why, *uri; /* the first of them, */
    trm_place place;       /* and where it is named */
    int count;
} trm_lost_mesh;

/* The context of reading a document into a definition. */
typedef struct trm_import {
    trm_model_def *def;              /* its arena owns what it holds; def->file is the name for messages */
    trm_arena *scratch;              /* for what is not needed afterwards */
    const char *directory;           /* where the document is; NULL: in memory, and no other file can be read */
    const trm_read_options *options; /* never NULL */
    unsigned without;                /* trm_without: that of the options, and what the document itself leaves out */
    trm_messages *messages;
    trm_lost_mesh *lost; /* by reasons */
    int lost_count;
    trm_xml_count counted; /* of an XML document and those that it includes */
} trm_import;

typedef struct trm_format {
    const char *name;
    bool (*recognises)(const char *text, size_t length);
    /* Reads the document and reports errors as messages. Returns false if out of memory. */
    bool (*read)(trm_import *import, const char *text, size_t length);
    const trm_xml_reason *reasons; /* what a reader of XML names, and why; NULL: it is not XML */
} trm_format;

#define TRM_FORMAT(name) extern const trm_format trm_format_##name;
#include "io/formats.h"
#undef TRM_FORMAT

/* Returns whether the root element of an XML document has this name. Comments and declarations are skipped. */
bool trm_xml_root_is(const char *text, size_t length, const char *name);

#endif

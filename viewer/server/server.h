/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Gives the page to browsers and speaks with it over a WebSocket (libwebsockets; viewer/DATA.md, "Live").
 *
 * Who may: whoever knows the token in the address. A page of another site in the same browser does not, and is refused by
 * its Origin besides; a name that somebody lets point here is refused by the Host. */

#ifndef TRM_VIEWER_SERVER_H
#define TRM_VIEWER_SERVER_H

#include "mailbox.h"
#include "parcel.h"

enum { TOKEN = 32 }; /* hexadecimal digits */

typedef struct server server;

typedef struct server_def {
    const char *address; /* of the interface, "127.0.0.1"; "0.0.0.0": all */
    int port;            /* 0: any that is free */
    const char *page;    /* HTML */
    mailbox *mailbox;    /* where what pages see and ask for lies; outlives the server */
} server_def;

/* Listens. Returns NULL with the reason in why. */
server *server_create(const server_def *def, char *why, size_t size);
void server_destroy(server *s);

int server_port(const server *s);
const char *server_token(const server *s);

/* Serves until may_continue returns false. It is called at least twice a second while the mailbox has messages. */
void server_run(server *s, bool (*may_continue)(void));

#endif

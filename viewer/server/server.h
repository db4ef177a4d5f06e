/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Serves the page to browsers and communicates with it over a WebSocket (libwebsockets; viewer/DATA.md, "Live").
 *
 * Access is granted to clients that know the token in the address. Pages of other sites in the same browser do not
 * know it, and are also refused by their Origin. Foreign names that resolve to this machine are refused by the Host
 * header. */

#ifndef TRM_VIEWER_SERVER_H
#define TRM_VIEWER_SERVER_H

#include "mailbox.h"
#include "parcel.h"

enum { TOKEN = 32 }; /* hexadecimal digits */

typedef struct server server;

typedef struct server_def {
    const char *address; /* address of the interface, "127.0.0.1"; "0.0.0.0": all interfaces */
    int port;            /* 0: any free port */
    const char *page;    /* HTML */
    mailbox *mailbox;    /* exchange with the simulation thread; must outlive the server */
} server_def;

/* Creates a server that listens. Returns NULL with the reason in why. */
server *server_create(const server_def *def, char *why, size_t size);
void server_destroy(server *s);

int server_port(const server *s);
const char *server_token(const server *s);

/* Serves until may_continue returns false. It is called at least twice a second while the mailbox has messages. */
void server_run(server *s, bool (*may_continue)(void));

#endif

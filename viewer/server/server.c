/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <libwebsockets.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    MOST_CONNECTIONS = 200,
    MOST_GUESTS = 100, /* connections that are not pages (yet) */
    MOST_HEADER = 16384,
    MOST_UNSEEN = 2,
    CHUNK = 16384,
    LONGEST_WORD = 300,
    LONGEST_REASON = 120
};

static const double GOODBYE = 0.5, PATIENCE = 1; /* s, at most */
enum { STILL = 30000 };                          /* us: time between a refusal and closing the connection */

/* A connection: of an open page, or of a browser that fetches the page. */
typedef struct visit {
    bool is_given; /* the page is being sent over HTTP */
    size_t given;  /* number of its bytes sent so far */
    unsigned page;
    unsigned scene, status; /* numbers of the last scene and status that were sent */
    unsigned sent, seen;    /* numbers of the last frame sent and of the last frame drawn */
    unsigned unseen;        /* number of frames sent and not drawn yet */
    unsigned row;           /* number of the next row of curves */
    char *message;          /* the part of a message received so far */
    size_t length, room;
    parcel *files;   /* files being dropped; NULL: none */
    bool is_lost;    /* the drop has failed and the page knows; the rest of it is ignored */
    bool is_refused; /* it is being closed */
    double refused;  /* s: time of the refusal */
    enum lws_close_status refusal_code;
    char reason[LONGEST_REASON];
} visit;

struct server {
    struct lws_context *context;
    struct lws_vhost *host;
    struct lws_protocols protocols[2];
    const char *page;
    size_t page_length;
    char token[TOKEN + 1];
    char address[INET_ADDRSTRLEN];
    bool is_loopback;
    mailbox *d;
    struct lws *guests[MOST_GUESTS]; /* connections that are not pages, least recently active first */
    int guest_count;
    int pages;
    unsigned last_page; /* number of the last page */
    bool ending;
};

/* ---- Access -------------------------------------------------------------------------------- */

static bool make_token(char *token)
{
    unsigned char bytes[TOKEN / 2];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes) return false;
    for (int i = 0; i < TOKEN / 2; i++) snprintf(token + 2 * i, 3, "%02x", bytes[i]);
    return true;
}

/* Returns whether a text is the token. Takes the same time wherever they differ. */
static bool is_token(const server *s, const char *text)
{
    unsigned differs = 0;
    if (strlen(text) < TOKEN) return false;
    for (int i = 0; i < TOKEN; i++) differs |= (unsigned)(text[i] ^ s->token[i]);
    return differs == 0;
}

/* Returns whether a path is "/TOKEN/rest". */
static bool is_path(const server *s, const char *path, const char *rest)
{
    return path[0] == '/' && is_token(s, path + 1) && strcmp(path + 1 + TOKEN, rest) == 0;
}

static bool header(struct lws *wsi, enum lws_token_indexes which, char *text)
{
    text[0] = 0;
    return lws_hdr_total_length(wsi, which) == 0 || lws_hdr_copy(wsi, text, LONGEST_WORD, which) >= 0;
}

/* Returns whether the Host header may name this server. The port is not compared, because a tunnel may change it.
 * Beyond the loopback any name is accepted, because the machine's names are not known; the token must suffice. */
static bool is_host(const server *s, const char *host)
{
    const char *names[] = {"127.0.0.1", "localhost", s->address};
    const size_t length = strcspn(host, ":");
    for (int i = 0; i < 3; i++)
        if (strlen(names[i]) == length && strncmp(host, names[i], length) == 0) return true;
    return !s->is_loopback && length > 0;
}

/* Returns why a request for the path is refused. Returns NULL if it is accepted. */
static const char *objection(const server *s, struct lws *wsi, const char *path, const char *rest)
{
    char host[LONGEST_WORD], origin[LONGEST_WORD];
    if (!header(wsi, WSI_TOKEN_HOST, host) || !header(wsi, WSI_TOKEN_ORIGIN, origin)) return "A header is too long.";
    if (!is_host(s, host)) return "This server answers to 127.0.0.1 and localhost only.";
    if (origin[0] && (strncmp(origin, "http://", 7) != 0 || strcmp(origin + 7, host) != 0))
        return "A page of another origin may not speak with this server.";
    if (is_path(s, path, "")) return "This address lacks the slash at its end.";
    if (!is_path(s, path, rest))
        return "This address lacks the token. trammel view printed the whole one when it started.";
    return NULL;
}

/* ---- Connections that are not pages -------------------------------------------------------- */

/* Connections that send no request, or read no answer, must not block others. If there are too many, the one that has
 * been idle for longest is closed. Browsers send a request as soon as they are connected. */

/* Removes a connection from the guests. Returns whether it was one. */
static bool remove_guest(server *s, const struct lws *wsi)
{
    const int before = s->guest_count;
    int kept = 0;
    for (int i = 0; i < before; i++)
        if (s->guests[i] != wsi) s->guests[kept++] = s->guests[i];
    s->guest_count = kept;
    return kept < before;
}

static void welcome_guest(server *s, struct lws *wsi)
{
    if (s->guest_count == MOST_GUESTS) {
        struct lws *longest = s->guests[0];
        remove_guest(s, longest);
        shutdown(lws_get_socket_fd(longest), SHUT_RDWR); /* otherwise unread data would be waited for */
        lws_set_timeout(longest, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    }
    s->guests[s->guest_count++] = wsi;
}

/* Notes that a guest has been active. A connection that is being closed is no longer a guest. */
static void note_guest(server *s, struct lws *wsi)
{
    if (remove_guest(s, wsi)) s->guests[s->guest_count++] = wsi;
}

/* ---- The page over HTTP -------------------------------------------------------------------- */

typedef struct head {
    unsigned char bytes[LWS_PRE + 1024];
    unsigned char *next, *end;
} head;

static bool add_header(struct lws *wsi, head *h, const char *name, const char *value)
{
    return lws_add_http_header_by_name(wsi, (const unsigned char *)name, (const unsigned char *)value,
                                       (int)strlen(value), &h->next, h->end) == 0;
}

/* Writes the headers. The page has its own policy for scripts; these headers forbid framing, caching and sending its
 * address to others. */
static bool write_head(struct lws *wsi, unsigned code, const char *type, size_t length)
{
    head h;
    h.next = h.bytes + LWS_PRE;
    h.end = h.bytes + sizeof h.bytes;
    return lws_add_http_common_headers(wsi, code, type, length, &h.next, h.end) == 0 &&
           add_header(wsi, &h, "content-security-policy:", "frame-ancestors 'none'") &&
           add_header(wsi, &h, "x-content-type-options:", "nosniff") &&
           add_header(wsi, &h, "referrer-policy:", "no-referrer") &&
           add_header(wsi, &h, "cache-control:", "no-store") &&
           lws_finalize_write_http_header(wsi, h.bytes + LWS_PRE, &h.next, h.end) == 0;
}

static int write_body(struct lws *wsi, const char *text, size_t length, bool last)
{
    unsigned char *copy = malloc(LWS_PRE + length);
    if (!copy) return -1;
    memcpy(copy + LWS_PRE, text, length);
    const int written = lws_write(wsi, copy + LWS_PRE, length, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP);
    free(copy);
    return written < (int)length ? -1 : 0;
}

static int complete(struct lws *wsi)
{
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int refuse(struct lws *wsi, unsigned code, const char *sentence)
{
    if (!write_head(wsi, code, "text/plain; charset=utf-8", strlen(sentence)) ||
        write_body(wsi, sentence, strlen(sentence), true) != 0)
        return -1;
    return complete(wsi);
}

static int send_page(server *s, struct lws *wsi, visit *v, const char *path)
{
    const char *why = objection(s, wsi, path, "/");
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0)
        return refuse(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "This server answers GET requests only.");
    if (strcmp(path, "/favicon.ico") == 0) return refuse(wsi, HTTP_STATUS_NOT_FOUND, "There is none.");
    if (why) return refuse(wsi, HTTP_STATUS_FORBIDDEN, why);
    if (!write_head(wsi, HTTP_STATUS_OK, "text/html; charset=utf-8", s->page_length)) return -1;
    v->is_given = true;
    v->given = 0;
    lws_callback_on_writable(wsi);
    return 0;
}

static int send_more(server *s, struct lws *wsi, visit *v)
{
    const size_t left = s->page_length - v->given, now = left < CHUNK ? left : CHUNK;
    if (!v->is_given) return 0; /* connections are woken that wait for something else */
    if (write_body(wsi, s->page + v->given, now, now == left) != 0) return -1;
    v->given += now;
    note_guest(s, wsi);
    if (now == left) {
        v->is_given = false;
        return complete(wsi);
    }
    lws_callback_on_writable(wsi);
    return 0;
}

/* ---- Open pages ---------------------------------------------------------------------------- */

static int close_with(struct lws *wsi, enum lws_close_status code, const char *reason)
{
    unsigned char text[LONGEST_REASON];
    const size_t length = strlen(reason) < sizeof text ? strlen(reason) : sizeof text;
    memcpy(text, reason, length);
    lws_close_reason(wsi, code, text, length);
    return -1;
}

static void forget_message(visit *v)
{
    free(v->message);
    v->message = NULL;
    v->length = v->room = 0;
}

/* Closes a page with a reason. Data that are still arriving are read and dropped first, because closing a connection
 * with unread data resets it, and the reason would be lost. */
static int refuse_page(struct lws *wsi, visit *v, enum lws_close_status code, const char *reason)
{
    forget_message(v);
    v->refusal_code = code;
    snprintf(v->reason, sizeof v->reason, "%s", reason);
    v->is_refused = true;
    v->refused = seconds_now();
    lws_set_timer_usecs(wsi, STILL);
    return 0;
}

/* Decides whether a connection may become a page, before the protocol changes, so that a refusal is answered in
 * HTTP. */
static int confirm_upgrade(server *s, struct lws *wsi)
{
    char path[LONGEST_WORD];
    if (!header(wsi, WSI_TOKEN_GET_URI, path)) path[0] = 0;
    const char *why = objection(s, wsi, path, "/socket");
    if (!why && s->pages == MOST_PAGES) why = "There are too many pages already.";
    return why ? refuse(wsi, HTTP_STATUS_FORBIDDEN, why) == 0 ? 1 : -1 : 0;
}

static void open_visit(server *s, struct lws *wsi, visit *v)
{
    *v = (visit){.page = ++s->last_page, .row = mailbox_last_row(s->d)};
    remove_guest(s, wsi);
    mailbox_count_pages(s->d, ++s->pages);
    lws_callback_on_writable(wsi);
}

static void close_visit(server *s, visit *v)
{
    if (v->page == 0) return; /* the connection never became a page */
    const request gone = {.kind = REQUEST_GONE, .page = v->page};
    forget_message(v);
    parcel_destroy(v->files);
    mailbox_post(s->d, &gone);
    mailbox_count_pages(s->d, --s->pages);
}

/* Notes that a frame was drawn, so that the next may be sent. */
static void note_seen(struct lws *wsi, visit *v, double number)
{
    const bool is_new = number > v->seen && number <= v->sent;
    if (is_new) v->seen = (unsigned)number;
    if (v->seen == v->sent)
        v->unseen = 0;
    else if (is_new && v->unseen > 1)
        v->unseen = 1;
    lws_callback_on_writable(wsi);
}

/* ---- Files that are dropped on a page ------------------------------------------------------- */

/* Ends a drop that failed and tells the page why, once. The page may begin another. */
static void fail_drop(server *s, visit *v, const char *why)
{
    parcel_destroy(v->files);
    v->files = NULL;
    v->is_lost = true;
    mailbox_reply(s->d, v->page, why);
}

static void begin_drop(server *s, visit *v)
{
    parcel_destroy(v->files);
    v->files = parcel_create();
    v->is_lost = false;
    if (!v->files) fail_drop(s, v, "There is not enough memory for the files.");
}

static void take_piece(server *s, visit *v, const request *r)
{
    char why[SENTENCE];
    if (v->files && !parcel_add(v->files, r->name, r->text, r->length, why)) fail_drop(s, v, why);
}

/* Passes the files to the simulation. */
static void load_drop(server *s, visit *v, request *r)
{
    v->is_lost = false; /* later files belong to another drop */
    if (!v->files) return;
    r->files = v->files;
    v->files = NULL;
    if (mailbox_post(s->d, r)) return;
    parcel_destroy(r->files);
    mailbox_reply(s->d, v->page, "The simulation cannot process requests this fast; the files were not taken.");
}

/* ---- Requests ------------------------------------------------------------------------------- */

static void take_request(server *s, struct lws *wsi, visit *v, request *r)
{
    if (r->kind == REQUEST_SEEN)
        note_seen(wsi, v, r->numbers[0]);
    else if (r->kind == REQUEST_DROP)
        begin_drop(s, v);
    else if (r->kind == REQUEST_FILE)
        take_piece(s, v, r);
    else if (r->kind == REQUEST_LOAD)
        load_drop(s, v, r);
    else if (!mailbox_post(s->d, r))
        mailbox_reply(s->d, v->page, "The simulation cannot process requests this fast; this one was ignored.");
}

static int take_message(server *s, struct lws *wsi, visit *v)
{
    request r;
    char why[LONGEST_REASON];
    const bool is_binary = lws_frame_is_binary(wsi);
    const bool is_request = read_request(v->message ? v->message : "", v->length, &r, why, sizeof why);
    if (is_binary != (is_request && r.kind == REQUEST_FILE) && (is_binary || is_request))
        return refuse_page(wsi, v, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE,
                           is_binary ? "messages are text, except pieces of files" : "pieces of files are binary");
    if (!is_request) return refuse_page(wsi, v, LWS_CLOSE_STATUS_PROTOCOL_ERR, why);
    const bool needs_drop = r.kind == REQUEST_FILE || r.kind == REQUEST_LOAD;
    if (needs_drop && !v->files && !v->is_lost)
        return refuse_page(wsi, v, LWS_CLOSE_STATUS_PROTOCOL_ERR, "files come after drop");
    r.page = v->page;
    take_request(s, wsi, v, &r);
    forget_message(v);
    return 0;
}

/* Receives a message, which may come in pieces. */
static int receive(server *s, struct lws *wsi, visit *v, const char *piece, size_t length)
{
    if (v->is_refused) {
        if (seconds_now() < v->refused + PATIENCE) lws_set_timer_usecs(wsi, STILL);
        return 0;
    }
    if (v->length + length > MOST_REQUEST_BYTES)
        return refuse_page(wsi, v, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE, "the message is larger than 4 MiB");
    if (v->length + length > v->room) {
        const size_t room = 2 * (v->length + length);
        char *larger = realloc(v->message, room);
        if (!larger) return refuse_page(wsi, v, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, "there is not enough memory");
        v->message = larger;
        v->room = room;
    }
    if (length > 0) memcpy(v->message + v->length, piece, length);
    v->length += length;
    return lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0 ? take_message(s, wsi, v) : 0;
}

/* ---- Sending to pages ---------------------------------------------------------------------- */

static int send_bytes(struct lws *wsi, unsigned char *bytes, size_t length, enum lws_write_protocol how)
{
    return lws_write(wsi, bytes + LWS_PRE, length, how) < (int)length ? -1 : 0;
}

static int send_sheet(server *s, struct lws *wsi, sheet what, unsigned *number)
{
    size_t length;
    unsigned char *bytes = mailbox_copy(s->d, what, LWS_PRE, &length, number);
    const int result = bytes ? send_bytes(wsi, bytes, length, LWS_WRITE_TEXT) : -1;
    free(bytes);
    return result;
}

static int send_status(struct lws *wsi, const char *sentence)
{
    trm_text *text = trm_text_create(NULL);
    if (!text) return -1;
    trm_json_writer w = trm_json_begin(trm_text_sink(text));
    trm_json_open_object_flat(&w, NULL);
    trm_json_put_text(&w, "kind", "trouble");
    trm_json_put_text(&w, "sentence", sentence);
    trm_json_close(&w);
    const bool written = trm_json_end(&w);
    const size_t length = trm_text_length(text);
    unsigned char *bytes = written ? malloc(LWS_PRE + length) : NULL;
    if (bytes) memcpy(bytes + LWS_PRE, trm_text_get(text), length);
    const int result = bytes ? send_bytes(wsi, bytes, length, LWS_WRITE_TEXT) : -1;
    free(bytes);
    trm_text_destroy(text);
    return result;
}

/* Sends the scene. Frames of the previous scene are no longer drawn or acknowledged. */
static int send_scene(server *s, struct lws *wsi, visit *v)
{
    v->seen = v->sent;
    v->unseen = 0;
    return send_sheet(s, wsi, SHEET_SCENE, &v->scene);
}

static int send_frame(server *s, struct lws *wsi, visit *v)
{
    size_t length;
    unsigned char *bytes = mailbox_copy_frame(s->d, LWS_PRE, &v->row, &length, &v->sent);
    const int result = bytes ? send_bytes(wsi, bytes, length, LWS_WRITE_BINARY) : -1;
    v->unseen++;
    free(bytes);
    return result;
}

/* Sends one message, the most urgent first. */
static int send_to_page(server *s, struct lws *wsi, visit *v)
{
    int result = 0;
    char *sentence = NULL;
    if (v->is_refused) return 0;
    if (s->ending) return close_with(wsi, LWS_CLOSE_STATUS_GOINGAWAY, "trammel view was ended");
    if (v->scene != mailbox_number(s->d, SHEET_SCENE))
        result = send_scene(s, wsi, v);
    else if ((sentence = mailbox_take_reply(s->d, v->page)))
        result = send_status(wsi, sentence);
    else if (v->status != mailbox_number(s->d, SHEET_STATUS))
        result = send_sheet(s, wsi, SHEET_STATUS, &v->status);
    else if (v->sent != mailbox_number(s->d, SHEET_FRAME) && v->unseen < MOST_UNSEEN)
        result = send_frame(s, wsi, v);
    else
        return 0;
    free(sentence);
    lws_callback_on_writable(wsi);
    return result;
}

/* ---- libwebsockets ------------------------------------------------------------------------- */

static int callback(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
    server *s = lws_context_user(lws_get_context(wsi));
    visit *v = user;
    switch (reason) {
    case LWS_CALLBACK_SERVER_NEW_CLIENT_INSTANTIATED: welcome_guest(s, wsi); return 0;
    case LWS_CALLBACK_FILTER_HTTP_CONNECTION: note_guest(s, wsi); return 0;
    case LWS_CALLBACK_WSI_DESTROY: remove_guest(s, wsi); return 0;
    case LWS_CALLBACK_HTTP: return send_page(s, wsi, v, in);
    case LWS_CALLBACK_HTTP_WRITEABLE: return send_more(s, wsi, v);
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE: return confirm_upgrade(s, wsi);
    case LWS_CALLBACK_ESTABLISHED: open_visit(s, wsi, v); return 0;
    case LWS_CALLBACK_CLOSED:
        if (v) close_visit(s, v);
        return 0;
    case LWS_CALLBACK_RECEIVE: return receive(s, wsi, v, in, length);
    case LWS_CALLBACK_TIMER: return v->is_refused ? close_with(wsi, v->refusal_code, v->reason) : 0;
    case LWS_CALLBACK_SERVER_WRITEABLE: return send_to_page(s, wsi, v);
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
        lws_callback_on_writable_all_protocol(s->context, &s->protocols[0]);
        return 0;
    default: return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

/* Wakes the server, because the mailbox has something new. The simulation thread calls it, too. */
static void wake(void *context)
{
    const server *s = context;
    lws_cancel_service(s->context);
}

static void ignore_log(int level, const char *line)
{
    (void)level, (void)line;
}

/* Returns whether the server can listen on the address. libwebsockets would listen on all interfaces if it does not
 * understand the address, and would wait for an interface that does not exist. */
static bool can_listen(const server_def *def, char *why, size_t size)
{
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_port = htons((uint16_t)def->port)};
    if (inet_pton(AF_INET, def->address, &at.sin_addr) != 1) {
        snprintf(why, size, "\"%s\" is not an address to listen on, such as 127.0.0.1", def->address);
        return false;
    }
    const int yes = 1, trial = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (trial >= 0) setsockopt(trial, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const bool can = trial >= 0 && bind(trial, (const struct sockaddr *)&at, sizeof at) == 0 && listen(trial, 1) == 0;
    if (!can) snprintf(why, size, "cannot listen on %s, port %d: %s", def->address, def->port, strerror(errno));
    if (trial >= 0) close(trial);
    return can;
}

server *server_create(const server_def *def, char *why, size_t size)
{
    server *s = calloc(1, sizeof *s);
    const bool has_token = s && make_token(s->token);
    if (!has_token)
        snprintf(why, size, s ? "no random numbers are available for a token" : "there is not enough memory");
    if (!has_token || !can_listen(def, why, size)) {
        free(s);
        return NULL;
    }
    s->d = def->mailbox;
    s->page = def->page;
    s->page_length = strlen(def->page);
    snprintf(s->address, sizeof s->address, "%s", def->address);
    s->is_loopback = strncmp(def->address, "127.", 4) == 0;
    s->protocols[0] = (struct lws_protocols){
        .name = "trammel", .callback = callback, .per_session_data_size = sizeof(visit), .rx_buffer_size = CHUNK};
    lws_set_log_level(0, ignore_log);
    const struct lws_context_creation_info info = {
        .port = def->port,
        .iface = strcmp(def->address, "0.0.0.0") == 0 ? NULL : def->address,
        .protocols = s->protocols,
        .user = s,
        .fd_limit_per_thread = MOST_CONNECTIONS, /* otherwise memory for the system's limit would be allocated */
        .max_http_header_data = MOST_HEADER,     /* browsers also send the cookies of other servers of this machine */
        /* otherwise 127.0.0.1 would mean all interfaces */
        .options = LWS_SERVER_OPTION_DISABLE_IPV6 | LWS_SERVER_OPTION_EXPLICIT_VHOSTS,
        .gid = -1,
        .uid = -1,
    };
    s->context = lws_create_context(&info);
    s->host = s->context ? lws_create_vhost(s->context, &info) : NULL;
    if (s->host && server_port(s) > 0) {
        mailbox_set_wake(s->d, wake, s);
        return s;
    }
    snprintf(why, size, "cannot listen on %s, port %d", def->address, def->port);
    server_destroy(s);
    return NULL;
}

void server_destroy(server *s)
{
    if (s->context) lws_context_destroy(s->context);
    free(s);
}

int server_port(const server *s)
{
    return lws_get_vhost_listen_port(s->host);
}

const char *server_token(const server *s)
{
    return s->token;
}

/* Tells pages that the server ends, and does not wait for pages that do not read. */
static void close_visits(server *s)
{
    const double until = seconds_now() + GOODBYE;
    s->ending = true;
    lws_callback_on_writable_all_protocol(s->context, &s->protocols[0]);
    while (s->pages > 0 && seconds_now() < until && lws_service(s->context, 0) >= 0) continue;
}

void server_run(server *s, bool (*may_continue)(void))
{
    while (may_continue() && lws_service(s->context, 0) >= 0) continue;
    close_visits(s);
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes logs in the MCAP format (mcap.dev/spec, version 0). A file is
 *
 *     magic, Header, then the data:  (Chunk, MessageIndex ...) ..., DataEnd
 *     then the summary:              Schema ..., Channel ..., Statistics, ChunkIndex ..., SummaryOffset ..., Footer, magic
 *
 * A record consists of one byte for its kind, 8 bytes for its length, and its content. Numbers are little-endian.
 * Texts and lists are preceded by their length in 4 bytes. A chunk contains messages, and the first one also all
 * schemas and channels; its index lists the time and place of each message, per channel. A checksum of 0 means that
 * there is none.
 *
 * Columns are messages in JSON, one channel for all columns of the same owner: /rod has x, y, z of the body rod.
 * The channel /run has the columns without an owner. */

#include "io/result_mcap.h"

#include <string.h>

#include "base/memory.h"
#include "motion/state.h"

enum opcode {
    HEADER = 1,
    FOOTER = 2,
    SCHEMA = 3,
    CHANNEL = 4,
    MESSAGE = 5,
    CHUNK = 6,
    MESSAGE_INDEX = 7,
    CHUNK_INDEX = 8,
    STATISTICS = 11,
    SUMMARY_OFFSET = 14,
    DATA_END = 15,
};
enum { TRANSFORMS = 1, SCENE = 2, FIRST_OWNER = 3, MOST_CHANNELS = 60000, CHUNK_BYTES = 1 << 20 };
static const char MAGIC[8] = {(char)0x89, 'M', 'C', 'A', 'P', '0', '\r', '\n'};

/* ---- Bytes --------------------------------------------------------------------------------- */

typedef struct bytes {
    const trm_allocator *allocator;
    char *at;
    size_t length, room;
    bool failed; /* memory has run out; stays true */
} bytes;

static bool add_bytes(void *context, const char *from, size_t count)
{
    bytes *b = context;
    if (!b->failed && b->length + count > b->room) {
        const size_t room = 2 * (b->length + count);
        char *larger = trm_allocate(b->allocator, room);
        b->failed = !larger;
        if (larger) {
            if (b->length > 0) memcpy(larger, b->at, b->length);
            trm_release(b->allocator, b->at, b->room);
            b->at = larger;
            b->room = room;
        }
    }
    if (b->failed) return false;
    if (count > 0) memcpy(b->at + b->length, from, count);
    b->length += count;
    return true;
}

static void add_number(bytes *b, uint64_t number, int size)
{
    char text[8];
    for (int i = 0; i < size; i++) text[i] = (char)(unsigned char)(number >> (8 * i));
    add_bytes(b, text, (size_t)size);
}

static void add_text(bytes *b, const char *text)
{
    add_number(b, strlen(text), 4);
    add_bytes(b, text, strlen(text));
}

static void set_number(bytes *b, size_t place, uint64_t number, int size)
{
    for (int i = 0; !b->failed && i < size; i++) b->at[place + (size_t)i] = (char)(unsigned char)(number >> (8 * i));
}

/* Begins a record whose length is not known yet. Returns its start, which end_record needs. */
static size_t begin_record(bytes *b, enum opcode kind)
{
    add_number(b, (uint64_t)kind, 1);
    add_number(b, 0, 8);
    return b->length;
}

static void end_record(bytes *b, size_t start)
{
    set_number(b, start - 8, b->length - start, 8);
}

static trm_sink sink_of(bytes *b)
{
    return (trm_sink){add_bytes, b};
}

/* ---- The log ------------------------------------------------------------------------------- */

/* A channel, with an index of its messages in the current chunk: pairs of time and place. */
typedef struct channel {
    char *topic; /* "/rod" */
    uint64_t count;
    uint32_t sequence;
    bytes index;
    int first, last; /* first and last of its columns; -1: none */
} channel;

struct trm_mcap {
    trm_arena arena;
    trm_sink sink;
    const trm_results *columns;
    channel *channels; /* by their numbers; the first entry is not used */
    int channel_count; /* number of entries, including the first */
    int *next;         /* per column: next column of its channel; -1: it is the last */
    bytes chunk;       /* records of the current chunk */
    bytes chunk_index; /* index records of the chunks written so far */
    bytes record;      /* workspace for other records */
    uint64_t written, chunks, chunk_start, chunk_end, start, end; /* start and end in ns */
    bool refused;                                                 /* the sink has failed */
};

static void write_out(trm_mcap *m, const char *from, size_t count)
{
    m->written += count;
    if (!m->refused && count > 0 && !m->sink.write(m->sink.context, from, count)) m->refused = true;
}

static void write_record(trm_mcap *m)
{
    if (!m->record.failed) write_out(m, m->record.at, m->record.length);
    m->record.length = 0;
}

static trm_status status_of(const trm_mcap *m)
{
    bool failed = m->chunk.failed || m->chunk_index.failed || m->record.failed || m->arena.failed;
    for (int i = 1; i < m->channel_count && m->channels; i++) failed = failed || m->channels[i].index.failed;
    return failed ? TRM_OUT_OF_MEMORY : m->refused ? TRM_IO_ERROR : TRM_OK;
}

uint64_t trm_mcap_nanoseconds(double time)
{
    return time > 0 && time < 1e10 ? (uint64_t)(time * 1e9 + 0.5) : 0;
}

/* ---- Owners -------------------------------------------------------------------------------- */

/* Returns the number of characters before the last point of a column's name; 0 if it has no point. */
static size_t owner_length(const char *name)
{
    const char *point = strrchr(name, '.');
    return point ? (size_t)(point - name) : 0;
}

static const char *part_of(const char *name)
{
    return owner_length(name) > 0 ? name + owner_length(name) + 1 : name;
}

/* Returns "/lower/tip" for lower.tip.x. Returns NULL if out of memory. */
static char *topic_of(trm_arena *arena, const char *name)
{
    const size_t length = owner_length(name);
    char *topic = length > 0 ? trm_arena_array(arena, length + 2, 1) : trm_arena_text(arena, "/run");
    if (!topic || length == 0) return topic;
    topic[0] = '/';
    for (size_t i = 0; i < length; i++) topic[i + 1] = name[i] == '.' ? '/' : name[i];
    return topic;
}

/* Returns the channel of this topic, which is added if there is none. The search begins with the last channels,
 * because columns of one owner are adjacent. */
static int find_channel(trm_mcap *m, char *topic)
{
    for (int i = m->channel_count - 1; i >= FIRST_OWNER; i--)
        if (strcmp(m->channels[i].topic, topic) == 0) return i;
    m->channels[m->channel_count] =
        (channel){.topic = topic, .index = {.allocator = &m->arena.allocator}, .first = -1, .last = -1};
    return m->channel_count++;
}

static bool make_channels(trm_mcap *m)
{
    const int columns = trm_result_count(m->columns);
    m->channels = TRM_NEW_ARRAY(&m->arena, channel, columns + FIRST_OWNER);
    m->next = TRM_NEW_ARRAY(&m->arena, int, columns + 1);
    if (!m->channels || !m->next) return false;
    for (int i = 0; i < FIRST_OWNER; i++) m->channels[i].index.allocator = &m->arena.allocator;
    m->channels[TRANSFORMS].topic = trm_arena_text(&m->arena, "/tf");
    m->channels[SCENE].topic = trm_arena_text(&m->arena, "/scene");
    m->channel_count = FIRST_OWNER;
    for (int i = 0; i < columns; i++) {
        char *topic = topic_of(&m->arena, trm_result_name(m->columns, i));
        if (!topic) return false;
        channel *c = &m->channels[find_channel(m, topic)];
        m->next[i] = -1;
        *(c->last < 0 ? &c->first : &m->next[c->last]) = i;
        c->last = i;
    }
    return !m->arena.failed;
}

/* ---- Schemas and channels ------------------------------------------------------------------ */

static void put_owner_schema(const trm_mcap *m, int number, trm_sink sink)
{
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object_flat(&w, NULL);
    trm_json_put_text(&w, "type", "object");
    trm_json_open_object_flat(&w, "properties");
    for (int i = m->channels[number].first; i >= 0; i = m->next[i]) {
        trm_json_open_object_flat(&w, part_of(trm_result_name(m->columns, i)));
        trm_json_put_text(&w, "type", "number");
        trm_json_put_text(&w, "description", trm_result_unit(m->columns, i));
        trm_json_close(&w);
    }
    trm_json_close(&w);
    trm_json_close(&w);
    trm_json_end(&w);
}

static void add_schema(const trm_mcap *m, int number, bytes *b)
{
    const size_t start = begin_record(b, SCHEMA);
    add_number(b, (uint64_t)number, 2);
    add_text(b, number == TRANSFORMS ? "foxglove.FrameTransforms"
                : number == SCENE    ? "foxglove.SceneUpdate"
                                     : m->channels[number].topic + 1);
    add_text(b, "jsonschema");
    const size_t length = b->length;
    add_number(b, 0, 4);
    if (number >= FIRST_OWNER)
        put_owner_schema(m, number, sink_of(b));
    else
        trm_put_text(sink_of(b), number == TRANSFORMS ? trm_mcap_transforms_schema : trm_mcap_scene_schema);
    set_number(b, length, b->length - length - 4, 4);
    end_record(b, start);
}

static void add_channel(const trm_mcap *m, int number, bytes *b)
{
    const size_t start = begin_record(b, CHANNEL);
    add_number(b, (uint64_t)number, 2);
    add_number(b, (uint64_t)number, 2); /* its schema */
    add_text(b, m->channels[number].topic);
    add_text(b, "json");
    add_number(b, 0, 4); /* no metadata */
    end_record(b, start);
}

/* ---- Messages ------------------------------------------------------------------------------ */

static size_t begin_message(trm_mcap *m, int number, uint64_t time)
{
    channel *c = &m->channels[number];
    add_number(&c->index, time, 8);
    add_number(&c->index, m->chunk.length, 8);
    const size_t start = begin_record(&m->chunk, MESSAGE);
    add_number(&m->chunk, (uint64_t)number, 2);
    add_number(&m->chunk, c->sequence++, 4);
    add_number(&m->chunk, time, 8);
    add_number(&m->chunk, time, 8);
    c->count++;
    return start;
}

static void put_owner(trm_mcap *m, int number, const trm_state *state)
{
    trm_json_writer w = trm_json_begin(sink_of(&m->chunk));
    trm_json_open_object_flat(&w, NULL);
    for (int i = m->channels[number].first; i >= 0; i = m->next[i])
        trm_json_put_number(&w, part_of(trm_result_name(m->columns, i)), trm_result_value(m->columns, i, state));
    trm_json_close(&w);
    trm_json_end(&w);
}

/* ---- Chunks -------------------------------------------------------------------------------- */

/* Writes the index of each channel with messages in the chunk, after the chunk, and adds their places to the index of
 * the chunk. */
static void write_message_indices(trm_mcap *m)
{
    const size_t length = m->chunk_index.length;
    add_number(&m->chunk_index, 0, 4);
    const uint64_t before = m->written;
    for (int i = 1; i < m->channel_count; i++) {
        bytes *index = &m->channels[i].index;
        if (index->length == 0 || index->failed) continue;
        add_number(&m->chunk_index, (uint64_t)i, 2);
        add_number(&m->chunk_index, m->written, 8);
        const size_t start = begin_record(&m->record, MESSAGE_INDEX);
        add_number(&m->record, (uint64_t)i, 2);
        add_number(&m->record, index->length, 4);
        add_bytes(&m->record, index->at, index->length);
        end_record(&m->record, start);
        write_record(m);
        index->length = 0;
    }
    set_number(&m->chunk_index, length, m->chunk_index.length - length - 4, 4);
    add_number(&m->chunk_index, m->written - before, 8);
}

static void write_chunk(trm_mcap *m)
{
    if (m->chunk.length == 0 || status_of(m) != TRM_OK) return;
    const uint64_t place = m->written, size = m->chunk.length;
    add_number(&m->record, CHUNK, 1);
    add_number(&m->record, 8 + 8 + 8 + 4 + 4 + 8 + size, 8);
    add_number(&m->record, m->chunk_start, 8);
    add_number(&m->record, m->chunk_end, 8);
    add_number(&m->record, size, 8);
    add_number(&m->record, 0, 4);
    add_text(&m->record, "");
    add_number(&m->record, size, 8);
    write_record(m);
    write_out(m, m->chunk.at, m->chunk.length);
    const size_t start = begin_record(&m->chunk_index, CHUNK_INDEX);
    add_number(&m->chunk_index, m->chunk_start, 8);
    add_number(&m->chunk_index, m->chunk_end, 8);
    add_number(&m->chunk_index, place, 8);
    add_number(&m->chunk_index, m->written - place, 8);
    write_message_indices(m);
    add_text(&m->chunk_index, "");
    add_number(&m->chunk_index, size, 8);
    add_number(&m->chunk_index, size, 8);
    end_record(&m->chunk_index, start);
    m->chunk.length = 0;
    m->chunks++;
}

static void note_time(trm_mcap *m, uint64_t time, bool first)
{
    if (m->chunk.length == 0 || time < m->chunk_start) m->chunk_start = time;
    if (m->chunk.length == 0 || time > m->chunk_end) m->chunk_end = time;
    if (first || time < m->start) m->start = time;
    if (first || time > m->end) m->end = time;
}

/* ---- Beginning and end of a log ------------------------------------------------------------ */

/* Returns the first chunk begins with all schemas and channels, for readers that do not know the summary. */
static trm_status begin_log(trm_mcap *m, const trm_state *state)
{
    const uint64_t time = trm_mcap_nanoseconds(trm_state_time(state));
    if (!make_channels(m)) return TRM_OUT_OF_MEMORY;
    if (m->channel_count > MOST_CHANNELS) return TRM_BAD_INPUT;
    write_out(m, MAGIC, sizeof MAGIC);
    const size_t header = begin_record(&m->record, HEADER);
    add_text(&m->record, "");
    add_text(&m->record, "trammel");
    end_record(&m->record, header);
    write_record(m);
    note_time(m, time, true);
    for (int i = 1; i < m->channel_count; i++) add_schema(m, i, &m->chunk), add_channel(m, i, &m->chunk);
    const size_t scene = begin_message(m, SCENE, time);
    const trm_status status = trm_mcap_put_scene(state, &m->arena.allocator, sink_of(&m->chunk));
    end_record(&m->chunk, scene);
    return status == TRM_OUT_OF_MEMORY ? status : status_of(m); /* the status of the log says why */
}

trm_status trm_mcap_create(const trm_results *columns, const trm_state *start, const trm_allocator *allocator,
                           trm_sink sink, trm_mcap **mcap)
{
    *mcap = NULL;
    trm_mcap *m = trm_owner_create(allocator, sizeof *m);
    if (!m) return TRM_OUT_OF_MEMORY;
    m->sink = sink;
    m->columns = columns;
    m->chunk.allocator = m->chunk_index.allocator = m->record.allocator = &m->arena.allocator;
    const trm_status status = begin_log(m, start);
    if (status == TRM_OK)
        *mcap = m;
    else
        trm_mcap_destroy(m);
    return status;
}

trm_status trm_mcap_add(trm_mcap *m, const trm_state *state)
{
    const uint64_t time = trm_mcap_nanoseconds(trm_state_time(state));
    note_time(m, time, false);
    const size_t transforms = begin_message(m, TRANSFORMS, time);
    trm_mcap_put_transforms(state->model, state, sink_of(&m->chunk));
    end_record(&m->chunk, transforms);
    for (int i = FIRST_OWNER; i < m->channel_count; i++) {
        const size_t message = begin_message(m, i, time);
        put_owner(m, i, state);
        end_record(&m->chunk, message);
    }
    if (m->chunk.length >= CHUNK_BYTES) write_chunk(m);
    return status_of(m);
}

static void add_statistics(const trm_mcap *m, bytes *b)
{
    uint64_t count = 0;
    const size_t start = begin_record(b, STATISTICS);
    for (int i = 1; i < m->channel_count; i++) count += m->channels[i].count;
    add_number(b, count, 8);
    add_number(b, (uint64_t)m->channel_count - 1, 2);
    add_number(b, (uint64_t)m->channel_count - 1, 4);
    add_number(b, 0, 4); /* attachments */
    add_number(b, 0, 4); /* metadata */
    add_number(b, m->chunks, 4);
    add_number(b, m->start, 8);
    add_number(b, m->end, 8);
    add_number(b, 10 * ((uint64_t)m->channel_count - 1), 4);
    for (int i = 1; i < m->channel_count; i++) {
        add_number(b, (uint64_t)i, 2);
        add_number(b, m->channels[i].count, 8);
    }
    end_record(b, start);
}

/* Writes one group of the summary, and adds its place to offsets. */
static void write_group(trm_mcap *m, enum opcode kind, bytes *offsets)
{
    const uint64_t place = m->written;
    for (int i = 1; i < m->channel_count && kind == SCHEMA; i++) add_schema(m, i, &m->record);
    for (int i = 1; i < m->channel_count && kind == CHANNEL; i++) add_channel(m, i, &m->record);
    if (kind == STATISTICS) add_statistics(m, &m->record);
    if (kind == CHUNK_INDEX) add_bytes(&m->record, m->chunk_index.at, m->chunk_index.length);
    write_record(m);
    if (m->written == place) return;
    const size_t start = begin_record(offsets, SUMMARY_OFFSET);
    add_number(offsets, (uint64_t)kind, 1);
    add_number(offsets, place, 8);
    add_number(offsets, m->written - place, 8);
    end_record(offsets, start);
}

trm_status trm_mcap_end(trm_mcap *m)
{
    static const enum opcode groups[] = {SCHEMA, CHANNEL, STATISTICS, CHUNK_INDEX};
    bytes offsets = {.allocator = &m->arena.allocator};
    write_chunk(m);
    const size_t data_end = begin_record(&m->record, DATA_END);
    add_number(&m->record, 0, 4);
    end_record(&m->record, data_end);
    write_record(m);
    const uint64_t summary = m->written;
    for (int i = 0; i < 4; i++) write_group(m, groups[i], &offsets);
    const uint64_t summary_offsets = m->written;
    const bool failed = offsets.failed;
    if (!failed) write_out(m, offsets.at, offsets.length);
    const size_t footer = begin_record(&m->record, FOOTER);
    add_number(&m->record, summary, 8);
    add_number(&m->record, summary_offsets, 8);
    add_number(&m->record, 0, 4);
    end_record(&m->record, footer);
    write_record(m);
    write_out(m, MAGIC, sizeof MAGIC);
    trm_release(&m->arena.allocator, offsets.at, offsets.room);
    return failed ? TRM_OUT_OF_MEMORY : status_of(m);
}

void trm_mcap_destroy(trm_mcap *m)
{
    if (!m) return;
    const trm_allocator from = m->arena.allocator;
    for (int i = 1; i < m->channel_count && m->channels; i++)
        trm_release(&from, m->channels[i].index.at, m->channels[i].index.room);
    trm_release(&from, m->chunk.at, m->chunk.room);
    trm_release(&from, m->chunk_index.at, m->chunk_index.room);
    trm_release(&from, m->record.at, m->record.room);
    trm_owner_destroy(m, sizeof *m);
}

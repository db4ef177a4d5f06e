/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes archives in the ZIP format (APPNOTE 6.3), whose entries are not compressed:
 *
 *     local header, name, bytes      for each entry
 *     central header, name           for each entry
 *     end record                     place and number of the central headers
 *
 * Numbers are little endian. CRC-32 is that of ISO 3309, polynomial 0xedb88320 reflected. Times are those of 1980-01-01, so that the
 * same contents give the same bytes. */

#include <string.h>

#include "base/memory.h"
#include "trammel/app.h"
#include "trammel/io.h"

enum {
    LOCAL = 0x04034b50,
    CENTRAL = 0x02014b50,
    END = 0x06054b50,
    VERSION = 20,              /* 2.0 */
    MADE_BY_UNIX = 3 << 8,     /* so that permissions are read */
    UTF8_NAMES = 1 << 11,      /* general purpose flag */
    FIRST_DAY = 1 << 5 | 1,    /* 1980-01-01 */
    CENTRAL_BYTES = 46,        /* without the name */
    LOCAL_BYTES = 30,          /* likewise */
    END_BYTES = 22,            /* without a comment */
    MOST_ENTRIES = 0xffff - 1, /* more would need Zip64, as would an archive larger than MOST_BYTES */
};
static const uint64_t MOST_BYTES = 0xffffffff;

struct trm_zip {
    trm_allocator allocator;
    trm_sink sink;
    uint64_t written;
    trm_text *central; /* the central headers so far */
    int entries;
    uint32_t table[256]; /* of CRC-32 */
};

static void make_table(uint32_t *table)
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t c = i;
        for (int k = 0; k < 8; k++) c = c & 1 ? UINT32_C(0xedb88320) ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
}

static uint32_t crc_of(const uint32_t *table, const void *bytes, size_t count)
{
    const unsigned char *b = bytes;
    uint32_t c = UINT32_MAX;
    for (size_t i = 0; i < count; i++) c = table[(c ^ b[i]) & 0xff] ^ (c >> 8);
    return ~c;
}

static unsigned char *put(unsigned char *to, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++) *to++ = (unsigned char)(number >> (8 * i));
    return to;
}

static bool write_bytes(trm_zip *zip, const void *bytes, size_t count)
{
    zip->written += count;
    return zip->sink.write(zip->sink.context, bytes, count);
}

trm_zip *trm_zip_create(trm_sink sink, const trm_allocator *allocator)
{
    const trm_allocator from = trm_allocator_or_default(allocator);
    trm_zip *zip = trm_allocate(&from, sizeof *zip);
    if (!zip) return NULL;
    *zip = (trm_zip){.allocator = from, .sink = sink, .central = trm_text_create(&from)};
    make_table(zip->table);
    if (zip->central) return zip;
    trm_zip_destroy(zip);
    return NULL;
}

void trm_zip_destroy(trm_zip *zip)
{
    if (!zip) return;
    const trm_allocator from = zip->allocator;
    trm_text_destroy(zip->central);
    trm_release(&from, zip, sizeof *zip);
}

/* Writes the fields common to both headers: flags, method 0 (stored), date, CRC, sizes, length of the name, no extra
 * field. Returns the end. */
static unsigned char *put_common(unsigned char *to, uint32_t crc, size_t count, size_t name)
{
    to = put(put(put(to, VERSION, 2), UTF8_NAMES, 2), 0, 2);
    to = put(put(put(to, 0, 2), FIRST_DAY, 2), crc, 4);
    to = put(put(to, count, 4), count, 4);
    return put(put(to, name, 2), 0, 2);
}

static bool note_entry(trm_zip *zip, const char *name, uint32_t crc, size_t count, uint64_t offset, bool executable)
{
    unsigned char head[CENTRAL_BYTES], *to = head;
    const uint64_t mode = executable ? 0100755 : 0100644;
    const trm_sink central = trm_text_sink(zip->central);
    to = put(put(to, CENTRAL, 4), MADE_BY_UNIX | VERSION, 2);
    to = put_common(to, crc, count, strlen(name));
    to = put(put(put(to, 0, 2), 0, 2), 0, 2); /* comment, disk, internal attributes */
    to = put(put(to, mode << 16, 4), offset, 4);
    return central.write(central.context, (const char *)head, sizeof head) && trm_put_text(central, name);
}

trm_status trm_zip_add(trm_zip *zip, const char *name, const void *bytes, size_t count, bool executable)
{
    unsigned char head[LOCAL_BYTES];
    const uint64_t offset = zip->written;
    const size_t length = strlen(name);
    const uint64_t end =
        offset + LOCAL_BYTES + length + count + trm_text_length(zip->central) + CENTRAL_BYTES + length + END_BYTES;
    if (count >= MOST_BYTES || end >= MOST_BYTES || length > 0xffff || zip->entries == MOST_ENTRIES)
        return TRM_BAD_INPUT;
    const uint32_t crc = crc_of(zip->table, bytes, count);
    put_common(put(head, LOCAL, 4), crc, count, length);
    if (!note_entry(zip, name, crc, count, offset, executable)) return TRM_OUT_OF_MEMORY;
    zip->entries++;
    return write_bytes(zip, head, sizeof head) && write_bytes(zip, name, length) && write_bytes(zip, bytes, count)
               ? TRM_OK
               : TRM_IO_ERROR;
}

trm_status trm_zip_end(trm_zip *zip)
{
    unsigned char last[END_BYTES], *to = last;
    const uint64_t offset = zip->written, length = trm_text_length(zip->central);
    to = put(put(put(to, END, 4), 0, 2), 0, 2);
    to = put(put(to, (uint64_t)zip->entries, 2), (uint64_t)zip->entries, 2);
    put(put(put(to, length, 4), offset, 4), 0, 2);
    return write_bytes(zip, length > 0 ? trm_text_get(zip->central) : "", (size_t)length) &&
                   write_bytes(zip, last, sizeof last)
               ? TRM_OK
               : TRM_IO_ERROR;
}

/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Writes pages with their data inside: a template made by viewer/build.mjs, in which one line is replaced by scripts
 * that are not run (viewer/DATA.md). */

#include <string.h>

#include "trammel/app.h"
#include "trammel/io.h"

static const char PLACE[] = "<!--TRAMMEL-DATA-->";

/* Writes JSON with each < as \u003c, because text that begins with < may end a script or hide its end. Returns false
 * if the sink failed. */
static bool write_inside_script(void *context, const char *text, size_t length)
{
    static const char less[] = "\\u003c";
    const trm_sink *to = context;
    size_t from = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] != '<') continue;
        if (!to->write(to->context, text + from, i - from) || !to->write(to->context, less, strlen(less)))
            return false;
        from = i + 1;
    }
    return to->write(to->context, text + from, length - from);
}

bool trm_write_base64(const void *bytes, size_t count, trm_sink sink)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *b = bytes;
    char line[1024];
    size_t length = 0;
    for (size_t i = 0; i < count; i += 3) {
        const size_t left = count - i;
        const unsigned three =
            (unsigned)b[i] << 16 | (left > 1 ? (unsigned)b[i + 1] << 8 : 0) | (left > 2 ? b[i + 2] : 0);
        line[length++] = digits[three >> 18];
        line[length++] = digits[three >> 12 & 63];
        line[length++] = left > 1 ? digits[three >> 6 & 63] : '=';
        line[length++] = left > 2 ? digits[three & 63] : '=';
        if (length < sizeof line && i + 3 < count) continue;
        if (!sink.write(sink.context, line, length)) return false;
        length = 0;
    }
    return true;
}

static bool open_script(const trm_page_part *part, trm_sink sink)
{
    const bool named = trm_put_text(sink, "<script type=\"") &&
                       trm_put_text(sink, part->form ? "text/plain" : "application/json") &&
                       trm_put_text(sink, "\" id=\"") && trm_put_text(sink, part->id);
    const bool formed = !part->form || (trm_put_text(sink, "\" data-form=\"") && trm_put_text(sink, part->form));
    return named && formed && trm_put_text(sink, "\">");
}

static trm_status write_part(const trm_page_part *part, trm_sink sink)
{
    const trm_sink inside = {write_inside_script, &sink};
    if (!open_script(part, sink)) return TRM_IO_ERROR;
    const trm_status status = part->write(part->context, inside);
    if (status != TRM_OK) return status;
    return trm_put_text(sink, "</script>") ? TRM_OK : TRM_IO_ERROR;
}

trm_status trm_write_page(const char *page, const trm_page_part *parts, int count, trm_sink sink)
{
    const char *place = strstr(page, PLACE);
    if (!place) return TRM_BAD_INPUT;
    if (!sink.write(sink.context, page, (size_t)(place - page))) return TRM_IO_ERROR;
    for (int i = 0; i < count; i++) {
        if (i > 0 && !trm_put_text(sink, "\n")) return TRM_IO_ERROR;
        const trm_status status = write_part(&parts[i], sink);
        if (status != TRM_OK) return status;
    }
    return trm_put_text(sink, place + strlen(PLACE)) ? TRM_OK : TRM_IO_ERROR;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads messages of HTTP/1.1 (RFC 9112) as their bytes come: requests, or
 * responses to requests other than HEAD.
 *
 * Messages are untrusted: one that is malformed, too large or ambiguous about
 * its length is INFER_ERROR_INVALID_ARGUMENT, and nothing that follows it is
 * read.  One thread at a time. */

#pragma once

#include "infer/error.h"

/* The most bytes of a head. */
#define PROTOCOL_HTTP_MOST_HEAD (32 * 1024)

typedef struct _ProtocolHttp ProtocolHttp;

typedef enum
{
  PROTOCOL_HTTP_MORE, /* bytes are missing */
  PROTOCOL_HTTP_HEAD, /* the head is there; the next answer is another one */
  PROTOCOL_HTTP_DONE, /* the message is there */
  PROTOCOL_HTTP_FAILED,
} ProtocolHttpProgress;

/* @requests: reads requests, else responses. @most_body: bytes. */
ProtocolHttp *protocol_http_new (gboolean requests, gsize most_body);
void protocol_http_free (ProtocolHttp *http); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProtocolHttp, protocol_http_free)

/* Where the next bytes go, at least one.  Not after DONE or FAILED. */
guint8 *protocol_http_space (ProtocolHttp *http, gsize *size);
/* Reads on, after @n bytes have come, 0 or more. */
ProtocolHttpProgress protocol_http_add (
    ProtocolHttp *http, gsize n, GError **error);
/* The peer sends nothing more.  DONE: that ends the message; MORE: it came
 * between two messages. */
ProtocolHttpProgress protocol_http_end (ProtocolHttp *http, GError **error);
/* After DONE: the next message, of which bytes may be there already: call
 * protocol_http_add. */
void protocol_http_next (ProtocolHttp *http);

/* Whether nothing has come of the message. */
gboolean protocol_http_is_empty (const ProtocolHttp *http);

/* --- of the head, until the next message --- */

const char *protocol_http_method (const ProtocolHttp *http);
/* Without scheme, host and query. */
const char *protocol_http_path (const ProtocolHttp *http);
/* The status of a response.  After a request that FAILED: the status to answer
 * it with. */
guint protocol_http_status (const ProtocolHttp *http);
/* Of the first header @name; NULL: none. */
const char *protocol_http_header (const ProtocolHttp *http, const char *name);
/* The same as a size.  FALSE: it is none; *@size is -1 without the header. */
gboolean protocol_http_header_size (
    const ProtocolHttp *http, const char *name, gint64 *size);
/* Whether the connection stays for another message. */
gboolean protocol_http_stays (const ProtocolHttp *http);

/* Whole after DONE.  (transfer full) */
GBytes *protocol_http_take_body (ProtocolHttp *http);

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Messages of HTTP, one after the other, in pieces: the first byte says whether
 * they are requests, the second how large the pieces are.  The same messages
 * are found in pieces of any size. */

#include "tests/fuzz/support/fuzz.h"

#include <string.h>

#include "protocol/http/http.h"

#define MOST 10000

/* The bodies of all messages, and how it ended. */
static GString *
read_all (const uint8_t *data, size_t size, gboolean requests, gsize step)
{
  g_autoptr (ProtocolHttp) http = protocol_http_new (requests, MOST);
  g_autoptr (GError) error = NULL;
  GString *found = g_string_new (NULL);
  ProtocolHttpProgress progress = PROTOCOL_HTTP_MORE;
  gint64 number;

  while (progress != PROTOCOL_HTTP_FAILED) {
    if (progress == PROTOCOL_HTTP_DONE) {
      g_autoptr (GBytes) body = protocol_http_take_body (http);
      g_assert_cmpuint (g_bytes_get_size (body), <=, MOST);
      g_string_append_printf (found, "%u %d %zu\n",
          requests ? 0 : protocol_http_status (http),
          protocol_http_stays (http), g_bytes_get_size (body));
      g_string_append_len (found, g_bytes_get_data (body, NULL),
          (gssize) g_bytes_get_size (body));
      protocol_http_next (http);
      progress = protocol_http_add (http, 0, &error);
    } else if (progress == PROTOCOL_HTTP_HEAD) {
      if (requests)
        g_string_append (found, protocol_http_path (http));
      protocol_http_header_size (http, "X", &number);
      progress = protocol_http_add (http, 0, &error);
    } else if (size > 0) {
      gsize most;
      guint8 *space = protocol_http_space (http, &most);
      const gsize n = MIN (MIN (most, step), size);

      memcpy (space, data, n);
      data += n;
      size -= n;
      progress = protocol_http_add (http, n, &error);
    } else {
      progress = protocol_http_end (http, &error);
      if (progress == PROTOCOL_HTTP_MORE)
        break;
      size = 0;
      if (progress == PROTOCOL_HTTP_DONE) {
        g_string_append (found, "end");
        break;
      }
    }
  }
  g_assert_true ((progress == PROTOCOL_HTTP_FAILED) == (error != NULL));
  return found;
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
  if (size < 2)
    return 0;
  g_autoptr (GString) whole =
      read_all (data + 2, size - 2, data[0] % 2, G_MAXSIZE);
  g_autoptr (GString) pieces =
      read_all (data + 2, size - 2, data[0] % 2, 1 + data[1]);

  g_assert_cmpstr (whole->str, ==, pieces->str);
  return 0;
}

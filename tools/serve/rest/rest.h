/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The front end of HTTP: the protocol's REST interface and metrics, on a thread
 * of its own. */

#pragma once

#include "tools/serve/server.h"

typedef struct _ServeRest ServeRest;

/* Listens on the ports that are not 0, and serves.  (transfer full) */
ServeRest *serve_rest_new (ServeServer *server, GError **error);
/* Takes no further requests, gives those that run @seconds.  Blocks. */
void serve_rest_free (ServeRest *rest, double seconds);

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The front ends that this build has. */

#pragma once

#include "tools/serve/server.h"

typedef struct _ServeFront ServeFront;

/* INFER_ERROR_UNSUPPORTED: a port is asked for that this build cannot serve. */
gboolean serve_front_check (const ServeSettings *settings, GError **error);
/* (transfer full) */
ServeFront *serve_front_new (ServeServer *server, GError **error);
void serve_front_free (ServeFront *front, double seconds);

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Statistics of a server's inferences, one set for each model, in the form that
 * clients of Triton ask for. */

#pragma once

#include "protocol/parts.h"

typedef struct
{
  const char *name, *version;
  guint64 last_ms; /* when the last one ended; of the Unix epoch */
  guint64 done, failed;
  /* Sums of those that were done: from arrival to answer, waiting, computing;
   * of those that failed. */
  guint64 done_ns, queue_ns, compute_ns, failed_ns;
} ServeStatistics;

void serve_statistics_to_grpc (
    const ServeStatistics *models, guint n, ProtocolParts *parts);
void serve_statistics_to_json (
    const ServeStatistics *models, guint n, GString *json);

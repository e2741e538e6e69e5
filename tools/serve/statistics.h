/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a server says of the inferences of its models, as clients of Triton ask
 * for it. */

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

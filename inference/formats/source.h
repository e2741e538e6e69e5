/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For backends whose models are no files: loads those with a URL. */

#pragma once

#include "infer/error.h"
#include "infer/model.h"

/* To add a source: `const InferModelSource NAME_source` in the backend NAME,
 * and NAME in the list of sources of the root meson.build. */
typedef struct
{
  const char *const *schemes; /* "grpc"; NULL-terminated */
  InferModel *(*load) (const char *url, GError **error);
} InferModelSource;

/* TRUE: @path is a URL. */
gboolean infer_source_is_url (const char *path);
/* (transfer full) */
InferModel *infer_source_load (const char *url, GError **error);

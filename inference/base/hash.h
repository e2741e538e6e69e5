/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* 128 bits that tell contents apart, at the speed of memory.  Not for secrets:
 * whoever wants two equal ones finds them. */

#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  guint64 words[2];
} InferHash;

/* @seed: hashes of other things, to chain several pieces; nullable.  The same
 * on every machine. */
InferHash infer_hash (gconstpointer data, gsize size, const InferHash *seed);

/* 32 digits and a NUL. */
void infer_hash_to_string (const InferHash *hash, char text[33]);

G_END_DECLS

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A 128-bit content hash at memory speed; not cryptographic. */

#pragma once

#include <glib.h>

typedef struct
{
  guint64 words[2];
} InferHash;

/* @seed: the hash of the pieces before, nullable.  The result is the same on
 * every machine. */
InferHash infer_hash (gconstpointer data, gsize size, const InferHash *seed);

/* For tables of what files say: it differs from process to process, so that
 * nobody can choose keys that collide. */
guint64 infer_hash_key (gconstpointer data, gsize size);

/* 32 digits and a NUL. */
void infer_hash_to_string (const InferHash *hash, char text[33]);

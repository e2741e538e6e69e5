/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Published figures of peers, used if their source files are missing: the table
 * of models/INDEX.md in the shared files. */

#pragma once

#include "bench/compare/row.h"

typedef struct _Published Published;

/* NULL if the file is missing or has no such table. */
Published *published_read (const char *shared);
void published_free (Published *published); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Published, published_free)

/* Adds a published latency of a peer, scaled: OpenVINO's latency here, times
 * the published ratio of the peer to OpenVINO. */
void published_add (const Published *published, int threads, Row *row);

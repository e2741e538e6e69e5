/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was measured elsewhere of peers, for want of their source files: the
 * table of models/INDEX.md among the shared files. */

#pragma once

#include "bench/compare/row.h"

G_BEGIN_DECLS

typedef struct _Published Published;

/* NULL where the file is not there or has no such table: nothing is known. */
Published *published_read (const char *shared);
void published_free (Published *published); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Published, published_free)

/* Adds a latency of the peer that the table has: that of OpenVINO here, times
 * the peer's over OpenVINO's there. */
void published_add (const Published *published, int threads, Row *row);

G_END_DECLS

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A GstStructure as JSON, as tests/python/told.py reads it. */

#pragma once

#include "gst/common/json-text.h"

/* Appends "@name":{…}. */
void told_structure (GString *line, const char *name, const GstStructure *s);
/* Appends "@name":[…] of @n numbers, with all their digits. */
void told_reals (GString *line, const char *name, guint n, const double *v);
/* Appends "@name":"…": @data [@size bytes] in base64. */
void told_bytes (
    GString *line, const char *name, gconstpointer data, gsize size);

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The figures as a table and as JSON. */

#pragma once

#include "bench/compare/row.h"

typedef struct
{
  const GArray *engines; /* (element-type OpenEngine) */
  int threads;
  double seconds;
} ReportHead;

void report_print_head (const ReportHead *head);
void report_print_row (const Row *row);
/* Means of groups. */
void report_print_groups (const GArray *groups);

gboolean report_write_json (const char *path, const ReportHead *head,
    const GArray *rows, GError **error);

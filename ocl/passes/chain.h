/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For the pass `chain`: a chain of launches, and its source. */

#pragma once

#include "ocl/plan/launch.h"
#include "ocl/plan/plan.h"

typedef struct
{
  OclPlan *plan;
  GPtrArray *links;    /* (element-type OclLaunch) */
  GPtrArray *programs; /* of them, each once */
  GArray *buffers;     /* (element-type OclArg): each once */
  GString *text;
  GArray *numbers; /* (element-type gint64): the table; NULL: none */
} OclChain;

/* The index of the buffer of @arg; `buffers->len` if the chain has none. */
guint ocl_chain_find_buffer (const OclChain *chain, const OclArg *arg);

/* Appends the source of the kernel `chain` to `text`, and fills `numbers`. */
void ocl_chain_append_text (OclChain *chain);

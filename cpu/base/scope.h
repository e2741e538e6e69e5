/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Shared by all models of one runtime on the CPU: the kernel table, packed
 * constants, memory of activations, teams of threads.  Any thread. */

#pragma once

#include "cpu/base/arenas.h"
#include "cpu/base/rates.h"
#include "cpu/base/step.h"
#include "cpu/threads/team.h"
#include "inference/runtime/backend.h"

typedef struct _CpuPack CpuPack;

#define CPU_MAX_PACK_PARAMS 20
/* Kinds that scope.c knows, since they are as fast to make as to read from a
 * cache: always, or of floats of 32 bits. */
#define CPU_PACK_FLOATS "floats"
#define CPU_PACK_FITS_F16 "fits_f16"
#define CPU_PACK_INTEGERS "gemm-integers"
#define CPU_PACK_CONV "conv-nspc-3"
#define CPU_PACK_GEMM "gemm"
#define CPU_PACK_RECURRENT "recurrent"

CpuScope *cpu_scope_new (const InferConfig *config);
void cpu_scope_free (CpuScope *scope);

const CpuKernels *cpu_scope_kernels (const CpuScope *scope);
CpuIsa cpu_scope_isa (const CpuScope *scope);
guint cpu_scope_threads (const CpuScope *scope);
gboolean cpu_scope_perf_count (const CpuScope *scope);
InferDump *cpu_scope_dump (const CpuScope *scope);   /* nullable */
InferCache *cpu_scope_cache (const CpuScope *scope); /* nullable */
InferPrecision cpu_scope_precision (const CpuScope *scope);
guint cpu_scope_quantized_group (const CpuScope *scope); /* of InferConfig */
/* Measured when first asked for. */
const CpuRates *cpu_scope_rates (CpuScope *scope);
gboolean cpu_scope_tunes (const CpuScope *scope);
/* FALSE with INFER_ERROR_NO_MEMORY if one graph of a request must not have
 * @bytes for its values. */
gboolean cpu_scope_allows (const CpuScope *scope, gsize bytes, GError **error);

/* The choice stored under @key when the scope first asked; NULL: none.  It does
 * not change while the scope lives. */
#define CPU_CHOICE_KIND "cpu-choice-2"
const char *cpu_scope_choice (CpuScope *scope, const char *key);

/* For cpu_step_pack; @constant is the tensor of the step's input.
 * (transfer full), NULL where memory is short. */
CpuPack *cpu_scope_pack (CpuScope *scope, const CpuStep *step, guint input,
    InferTensor *constant, const char *kind, guint n_params,
    const gint64 *params, CpuPackFunc make, gpointer data);
gconstpointer cpu_pack_data (const CpuPack *pack);
void cpu_pack_unref (CpuScope *scope, CpuPack *pack);

/* The source of the pack is not read any more. */
void cpu_pack_forget (const CpuPack *pack);
/* Bytes of all packs now. */
gsize cpu_scope_packed_bytes (CpuScope *scope);

/* Upper limit of the grain of cpu_step_parallel; the environment variable
 * INFER_CPU_GRAIN lowers it for tests, whose loops are small. */
gsize cpu_scope_most_grain (const CpuScope *scope);

/* Memory for the time of one run. */
CpuArenas *cpu_scope_arenas (CpuScope *scope);

/* A team for the time of one run; NULL where one thread is asked for. */
CpuTeam *cpu_scope_take_team (CpuScope *scope);
void cpu_scope_give_team (CpuScope *scope, CpuTeam *team);

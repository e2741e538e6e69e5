/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* oneDNN's primitive for a product, on the calling thread, in the memory
 * layouts that oneDNN prefers: its own network would keep results in them. */

#pragma once

#include "bench/steps/product.h"

typedef struct _BenchDnn BenchDnn;

/* Caps oneDNN as INFER_CPU_ISA caps the runtime, which must not have used it
 * yet, and limits it to one thread. */
void bench_dnn_begin (void);

/* @bf16: operands and results are bf16, else f32.  NULL: oneDNN has none. */
BenchDnn *bench_dnn_new (const BenchProduct *product, gboolean bf16);
void bench_dnn_free (BenchDnn *dnn); /* NULL is fine */

/* Bytes of the input and of the result. */
gsize bench_dnn_data_bytes (const BenchDnn *dnn);
gsize bench_dnn_out_bytes (const BenchDnn *dnn);
/* Such as "jit:avx2"; lives as long as @dnn. */
const char *bench_dnn_kernel (const BenchDnn *dnn);

/* Once, before the first run: where input and result lie.  FALSE: oneDNN
 * failed. */
gboolean bench_dnn_bind (BenchDnn *dnn, gpointer data, gpointer out);
gboolean bench_dnn_run (BenchDnn *dnn);

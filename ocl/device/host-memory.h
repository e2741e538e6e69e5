/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that host and device share, for tensors of requests.  If the device
 * has no memory of its own, kernels read and write it in place; else transfers
 * from and to it are fastest.
 *
 * The host owns it except between `lend` and `give_back`.  Any thread; the
 * memory of a tensor may outlive scope and context. */

#pragma once

#include "infer/tensor.h"
#include "ocl/device/scope.h"

typedef struct _OclHostMemory OclHostMemory;

/* As infer_tensor_new. */
InferTensor *ocl_host_tensor_new (
    OclScope *scope, InferType type, const InferShape *shape, GError **error);

/* The memory of @tensor; NULL if kernels of @scope cannot use it in place.
 * (transfer none) */
OclHostMemory *ocl_host_memory_of (
    const InferTensor *tensor, const OclScope *scope);
/* The buffer for kernel arguments, while lent. */
OclBuffer *ocl_host_memory_buffer (const OclHostMemory *memory);

/* Lends the memory to the device; several runs may read it at a time.  Once
 * each has given it back, the host sees what kernels wrote.  If either call
 * fails and the memory stays unmapped, @tensor gets ordinary memory. */
gboolean ocl_host_memory_lend (
    OclHostMemory *memory, InferTensor *tensor, GError **error);
gboolean ocl_host_memory_give_back (
    OclHostMemory *memory, InferTensor *tensor, GError **error);

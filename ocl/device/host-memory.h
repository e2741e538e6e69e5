/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Memory that host and device both see, for tensors of requests.  Where the
 * device has no memory of its own kernels read and write it in place; elsewhere
 * it is what transfers are fastest from.
 *
 * The host owns it but between `lend` and `give_back`.  Any thread; a tensor
 * keeps its memory, whatever becomes of scope and context. */

#pragma once

#include "infer/tensor.h"
#include "ocl/device/scope.h"

G_BEGIN_DECLS

typedef struct _OclHostMemory OclHostMemory;

/* As infer_tensor_new. */
InferTensor *ocl_host_tensor_new (
    OclScope *scope, InferType type, const InferShape *shape, GError **error);

/* What @tensor lies in, if kernels of @scope can use it in place; (transfer
 * none), nullable. */
OclHostMemory *ocl_host_memory_of (
    const InferTensor *tensor, const OclScope *scope);
/* For arguments of kernels, while lent. */
OclBuffer *ocl_host_memory_buffer (const OclHostMemory *memory);

/* To the device; several runs may read it at a time.  It stays until each has
 * given it back; then the host sees what kernels wrote.  Where either fails and
 * the host has lost it, @tensor gets ordinary memory. */
gboolean ocl_host_memory_lend (
    OclHostMemory *memory, InferTensor *tensor, GError **error);
gboolean ocl_host_memory_give_back (
    OclHostMemory *memory, InferTensor *tensor, GError **error);

G_END_DECLS

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The operations of op-list.h: cpu_op_NAME computes the class infer_op_NAME. */

#pragma once

#include "cpu/base/step.h"

#define OP(name, file) extern const CpuOp cpu_op_##name;
#include "cpu/ops/op-list.h"
#undef OP

/* How this backend computes operations of @klass; NULL: it does not. */
const CpuOp *cpu_op_find (const InferOpClass *klass);

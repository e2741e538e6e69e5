/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For builds without oneDNN: the other implementations do everything. */

#include "cpu/conv/impl.h"

static gboolean
can (CpuStep *step, gconstpointer problem)
{
  return FALSE;
}

const CpuImpl cpu_conv_impl_onednn = { .name = "onednn", .can = can };

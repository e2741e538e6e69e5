/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A request's inputs and outputs: lent to the device if their memory is shared
 * with it, else copied to and from buffers. */

#pragma once

#include "ocl/device/host-memory.h"
#include "ocl/plan/plan.h"

typedef struct
{
  OclHostMemory *memory; /* NULL: not lent */
  InferTensor *tensor;
} OclLoan;

typedef struct
{
  OclScope *scope;
  cl_command_queue queue; /* of transfers */
  guint n_inputs, n_outputs;
  OclBuffer **own_inputs, **own_results; /* for copies; nullable */
  OclBuffer **inputs, **results;         /* of this run; borrowed */
  OclLoan *loans;     /* while running: of inputs, then of outputs */
  gboolean *in_place; /* per output: this run writes the tensor itself */
} OclPorts;

void ocl_ports_init (OclPorts *ports, OclScope *scope, cl_command_queue queue,
    guint n_inputs, guint n_outputs);
void ocl_ports_clear (OclPorts *ports);

/* Copies inputs that will not be lent. */
gboolean ocl_ports_upload (
    OclPorts *ports, InferTensor *const *inputs, GError **error);
/* Before a run: shapes the outputs, sets `inputs` and `results`.  Must be
 * followed by `give_back`, even if it fails. */
gboolean ocl_ports_lend (OclPorts *ports, const OclPlan *plan,
    InferTensor *const *inputs, InferTensor **outputs, GError **error);
/* After the run. */
gboolean ocl_ports_give_back (OclPorts *ports, GError **error);
gboolean ocl_ports_download (OclPorts *ports, const OclPlan *plan,
    InferTensor **outputs, GError **error);

/* Copies @tensor to *@buffer, replacing a missing or small buffer. */
gboolean ocl_ports_write (OclPorts *ports, OclMemory memory, OclBuffer **buffer,
    const InferTensor *tensor, GError **error);

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* For those who keep requests that are idle. */

#pragma once

#include "infer/request.h"

/* @request, which is idle, will not run for a while: where the backend can, the
 * memory of its activations is given back to the system until it does, and what
 * was prepared for other shapes than the last few.  Inputs, outputs and states
 * stay. */
void infer_request_rest (InferRequest *request);

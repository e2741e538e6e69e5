/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A model with its weights and what is to be done with it, as one input:
 *
 *   XML, NUL, FUZZ_CONTROL bytes, weights
 *
 * Of the control bytes, the first says what is done (FuzzActions), the second
 * where (runtimes.h); the others are choices.  What is missing at the end is
 * zero, so an XML file is an input. */

#pragma once

#include "infer/tensor.h"

#define FUZZ_CONTROL 16

typedef enum
{
  FUZZ_ADD_OUTPUT = 1 << 0,
  FUZZ_RESHAPE = 1 << 1,
  FUZZ_LOW_LATENCY = 1 << 2,
  FUZZ_TIE_STATES = 1 << 3,
} FuzzActions;

typedef struct
{
  const char *xml;
  gsize xml_size;
  guint8 control[FUZZ_CONTROL];
  const guint8 *weights;
  gsize n_weights;
  guint actions;
  guint n_taken; /* of the choices */
} FuzzInput;

/* @data must outlive it. */
void fuzz_input_init (FuzzInput *input, const guint8 *data, gsize size);

/* The next choice; @n > 0. */
guint fuzz_input_below (FuzzInput *input, guint n);
/* A static shape that mostly matches @pattern. */
InferShape fuzz_input_shape (FuzzInput *input, const InferShape *pattern);
/* Fills a dense tensor: ordinary numbers, edges of the type, or any bytes. */
void fuzz_input_fill (FuzzInput *input, InferTensor *tensor);

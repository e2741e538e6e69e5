/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A conformance case: a directory with case.txt, a model and .npy files, or one
 * in the layout of ONNX (onnx-case.h). */

#pragma once

#include "infer/tensor.h"

typedef struct
{
  InferDesc desc;    /* as OpenVINO reports it */
  double rtol, atol; /* of outputs; both 0: exact */
} CasePort;

typedef enum
{
  CASE_RESET, /* every variable */
  CASE_RESET_ONE,
  CASE_MOVE, /* read the states, set them on a new request */
  CASE_SET,
} CaseActionKind;

/* Changes of the states before a step. */
typedef struct
{
  CaseActionKind kind;
  guint step;
  char *variable, *file;
} CaseAction;

typedef struct
{
  char *name, *file;
  InferType type;
} CaseVariable;

typedef struct
{
  char *dir, *name;
  gboolean onnx; /* in the layout of ONNX: the other fields are empty */
  guint format;  /* only 1 is known */
  guint ir;
  gboolean near; /* integers may be off by one, as OpenVINO's are */
  guint sets, steps;
  char *refused;     /* nullable: must fail with this in the message */
  GArray *inputs;    /* (element-type CasePort) */
  GArray *outputs;   /* (element-type CasePort) */
  GArray *actions;   /* (element-type CaseAction) in order */
  GArray *variables; /* (element-type CaseVariable) */
} Case;

/* INFER_ERROR_NOT_FOUND if @dir has neither case.txt nor model.onnx. */
Case *case_load (const char *dir, GError **error);
void case_free (Case *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Case, case_free)

/* A file of the case; a symbolic link that was checked out as a small text (git
 * without core.symlinks) is followed.  (transfer full) */
char *case_path (const Case *self, const char *file);

/* The same for printf-style names of .npy files, read as @desc. */
InferTensor *case_read (const Case *self, const InferDesc *desc, GError **error,
    const char *format, ...) G_GNUC_PRINTF (4, 5);

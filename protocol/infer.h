/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A request for an inference, or the response to one, whatever carries it:
 * grpc.h and rest.h read and write it.
 *
 * Borrowed memory of tensors is that of @message, or of somebody else. */

#pragma once

#include "protocol/tensor.h"

typedef enum
{
  PROTOCOL_BOOL,
  PROTOCOL_INT,
  PROTOCOL_DOUBLE,
  PROTOCOL_STRING,
} ProtocolParameterType;

typedef struct
{
  char *key;
  ProtocolParameterType type;
  gint64 integer; /* and of a BOOL */
  double number;
  char *string;
} ProtocolParameter;

/* An output that a request asks for. */
typedef struct
{
  char *name;
  gboolean binary; /* REST: behind the JSON */
  guint classes;   /* the classification extension; 0: the tensor itself */
} ProtocolOutput;

typedef struct
{
  char *model, *version, *id; /* never NULL; "": not given */
  GArray *parameters;         /* ProtocolParameter */
  GArray *tensors; /* ProtocolTensor: inputs of a request, outputs of a
                      response */
  GArray *outputs; /* ProtocolOutput, of a request; empty: all */
  gboolean binary; /* REST: outputs without a wish of their own are binary */
  GBytes *message; /* nullable; keeps borrowed memory */
} ProtocolInfer;

ProtocolInfer *protocol_infer_new (const char *model, const char *version);
void protocol_infer_free (ProtocolInfer *infer); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (ProtocolInfer, protocol_infer_free)

/* Replaces a field; NULL: "".  FALSE: it is not UTF-8. */
gboolean protocol_infer_set (char **field, const char *value, GError **error);

/* A new tensor or output at the end; valid until the next one is added. */
ProtocolTensor *protocol_infer_add_tensor (ProtocolInfer *infer);
ProtocolOutput *protocol_infer_add_output (
    ProtocolInfer *infer, const char *name);
ProtocolTensor *protocol_infer_tensor (const ProtocolInfer *infer, guint i);
ProtocolOutput *protocol_infer_output (const ProtocolInfer *infer, guint i);

void protocol_infer_add_bool (
    ProtocolInfer *infer, const char *key, gboolean value);
void protocol_infer_add_int (
    ProtocolInfer *infer, const char *key, gint64 value);
void protocol_infer_add_double (
    ProtocolInfer *infer, const char *key, double value);
void protocol_infer_add_string (
    ProtocolInfer *infer, const char *key, const char *value);

/* NULL: not given. */
const ProtocolParameter *protocol_infer_find (
    const ProtocolInfer *infer, const char *key);
/* @flag stays as it is if the parameter is absent; an error if it is no bool
 * and neither 0 nor 1. */
gboolean protocol_infer_get_bool (const ProtocolInfer *infer, const char *key,
    gboolean *flag, GError **error);

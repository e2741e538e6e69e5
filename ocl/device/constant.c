/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/device/scope.h"

#include <string.h>

struct _OclConstant
{
  const char *kind;
  guint n_params;
  gint64 params[OCL_MAX_PARAMS];
  InferTensor *tensor; /* the source */
  guint hash;
  OclBuffer *buffer;
  guint refs; /* under the scope's lock */
};

/* A sample of the content is enough: equality compares all of it. */
static guint
hash_content (const InferTensor *tensor)
{
  const guchar *bytes = tensor->data;
  gsize step = MAX (tensor->size / 256, 1);
  guint hash = (guint) tensor->size;

  for (gsize i = 0; i < tensor->size; i += step)
    hash = hash * 31 + bytes[i];
  return hash;
}

guint
ocl_constant_hash (gconstpointer key)
{
  return ((const OclConstant *) key)->hash;
}

gboolean
ocl_constant_equal (gconstpointer pa, gconstpointer pb)
{
  const OclConstant *a = pa, *b = pb;
  const InferTensor *ta = a->tensor, *tb = b->tensor;

  return strcmp (a->kind, b->kind) == 0 && a->n_params == b->n_params
         && memcmp (a->params, b->params, a->n_params * sizeof *a->params) == 0
         && ta->type == tb->type && infer_shape_equal (&ta->shape, &tb->shape)
         && (ta->data == tb->data
             || memcmp (ta->data, tb->data, ta->size) == 0);
}

static void
constant_free (OclConstant *constant)
{
  ocl_buffer_unref (constant->buffer);
  infer_tensor_unref (constant->tensor);
  g_free (constant);
}

static gboolean
upload (
    OclScope *scope, OclConstant *constant, OclPackFunc make, GError **error)
{
  gsize bytes = constant->tensor->size;
  gconstpointer data = constant->tensor->data;
  g_autofree gpointer made = NULL;

  if (make != NULL) {
    made = make (constant->tensor, constant->params, &bytes);
    if (made == NULL)
      return infer_fail (error, INFER_ERROR_NO_MEMORY,
          "no memory to prepare a constant of %" G_GSIZE_FORMAT " bytes",
          constant->tensor->size);
    data = made;
  }
  constant->buffer =
      ocl_buffer_new (scope->context, OCL_MEMORY_DEVICE, bytes, error);
  if (constant->buffer == NULL)
    return FALSE;
  return bytes == 0
         || ocl_check (
             ocl_api.clEnqueueWriteBuffer (scope->streams[0].copy,
                 constant->buffer->mem, CL_TRUE, 0, bytes, data, 0, NULL, NULL),
             "clEnqueueWriteBuffer", error);
}

/* Under the lock, so that two models that load at once share the constant. */
static OclConstant *
find_or_make (
    OclScope *scope, OclConstant *wanted, OclPackFunc make, GError **error)
{
  OclConstant *found = g_hash_table_lookup (scope->constants, wanted);

  if (found == NULL) {
    if (!upload (scope, wanted, make, error)) {
      constant_free (wanted);
      return NULL;
    }
    g_hash_table_add (scope->constants, wanted);
    found = wanted;
  }
  found->refs++;
  if (found != wanted)
    constant_free (wanted);
  return found;
}

OclConstant *
ocl_scope_constant (OclScope *scope, InferTensor *tensor, const char *kind,
    guint n_params, const gint64 *params, OclPackFunc make, GError **error)
{
  OclConstant *wanted = g_new0 (OclConstant, 1);

  g_assert (n_params <= OCL_MAX_PARAMS);
  wanted->kind = kind;
  wanted->n_params = n_params;
  if (n_params > 0)
    memcpy (wanted->params, params, n_params * sizeof *params);
  wanted->tensor = infer_tensor_ref (tensor);
  wanted->hash = hash_content (tensor);
  pthread_mutex_lock (&scope->lock);
  OclConstant *found = find_or_make (scope, wanted, make, error);
  pthread_mutex_unlock (&scope->lock);
  return found;
}

OclBuffer *
ocl_constant_buffer (const OclConstant *constant)
{
  return constant->buffer;
}

void
ocl_constant_unref (OclScope *scope, OclConstant *constant)
{
  pthread_mutex_lock (&scope->lock);
  if (--constant->refs == 0) {
    g_hash_table_remove (scope->constants, constant);
    constant_free (constant);
  }
  pthread_mutex_unlock (&scope->lock);
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/backend.h"

#include <string.h>

#include "infer/error.h"

/* The list in the root meson.build. */
extern const InferBackend INFER_BACKENDS;

#define MAX_ADDED 4

static const InferBackend *added[MAX_ADDED];

void
infer_backend_add (const InferBackend *backend)
{
  guint i = 0;

  while (i < MAX_ADDED && added[i] != NULL && added[i] != backend)
    i++;
  g_return_if_fail (i < MAX_ADDED);
  added[i] = backend;
}

const InferBackend *const *
infer_backends (void)
{
  static const InferBackend *const backends[] = { INFER_BACKEND_POINTERS,
    NULL };

  return backends;
}

const InferEvaluator *
infer_find_evaluator (void)
{
  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++)
    if ((*b)->evaluator != NULL)
      return (*b)->evaluator;
  return NULL;
}

static void
append_devices (const InferBackend *backend, GPtrArray *names)
{
  guint n = backend->n_devices ();

  if (n == 1)
    g_ptr_array_add (names, g_strdup (backend->name));
  for (guint i = 0; n > 1 && i < n; i++)
    g_ptr_array_add (names, g_strdup_printf ("%s.%u", backend->name, i));
}

GStrv
infer_runtime_list_devices (void)
{
  GPtrArray *names = g_ptr_array_new ();

  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++)
    append_devices (*b, names);
  g_ptr_array_add (names, NULL);
  return (GStrv) g_ptr_array_free (names, FALSE);
}

static char *
describe (const InferBackend *backend, guint index)
{
  return backend->describe != NULL ? backend->describe (index)
                                   : g_strdup (backend->name);
}

/* The first device whose description contains @part. */
static gboolean
find_by_name (const InferBackend *backend, const char *part, guint *index)
{
  g_autofree char *wanted = g_utf8_casefold (part, -1);
  const guint n = *wanted != '\0' ? backend->n_devices () : 0;

  for (guint i = 0; i < n; i++) {
    g_autofree char *name = describe (backend, i);
    g_autofree char *folded = g_utf8_casefold (name, -1);

    if (strstr (folded, wanted) == NULL)
      continue;
    *index = i;
    return TRUE;
  }
  return FALSE;
}

/* "NAME", "NAME.index" or "NAME:part of the description", case-insensitive. */
static gboolean
matches (const InferBackend *backend, const char *device, guint *index)
{
  gsize length = strlen (backend->name);
  guint64 number = 0;

  if (g_ascii_strncasecmp (device, backend->name, length) != 0)
    return FALSE;
  if (device[length] == ':')
    return find_by_name (backend, device + length + 1, index);
  if (device[length] != '\0'
      && (device[length] != '.'
          || !g_ascii_string_to_unsigned (
              device + length + 1, 10, 0, G_MAXUINT, &number, NULL)))
    return FALSE;
  *index = (guint) number;
  return number < backend->n_devices ();
}

/* --- GPU --- */

static gboolean
is_gpu (const InferBackend *backend, guint index)
{
  return backend->rank != NULL
         && backend->rank (index) >= INFER_RANK_INTEGRATED;
}

/* "GPU" or "GPU.index", as OpenVINO calls them: GPUs of any backend, counted in
 * the order of its devices.  @asked: @device is such a name. */
static const InferBackend *
find_gpu (const char *device, guint *index, gboolean *asked)
{
  guint64 n = 0;

  *asked = g_ascii_strncasecmp (device, "GPU", 3) == 0
           && (device[3] == '\0'
               || (device[3] == '.'
                   && g_ascii_string_to_unsigned (
                       device + 4, 10, 0, G_MAXUINT, &n, NULL)));
  if (!*asked)
    return NULL;
  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++)
    for (guint i = 0; i < (*b)->n_devices (); i++)
      if (is_gpu (*b, i) && n-- == 0) {
        *index = i;
        return *b;
      }
  return NULL;
}

/* --- errors --- */

/* "OPENCL.0 (a name), OPENCL.1 (another name)". */
static char *
list_names (const InferBackend *backend)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GString) text = g_string_new (NULL);

  append_devices (backend, names);
  for (guint i = 0; i < names->len; i++) {
    g_autofree char *name = describe (backend, i);

    g_string_append_printf (
        text, "%s%s (%s)", i > 0 ? ", " : "", (char *) names->pdata[i], name);
  }
  return g_strdup (text->str);
}

static void
fail_name (const InferBackend *backend, const char *device, GError **error)
{
  g_autofree char *names = list_names (backend);

  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "no device '%s': no description contains that; there are: %s", device,
      *names != '\0' ? names : "none");
}

/* Says whether the backend or its device is missing. */
static void
fail_unknown (const char *device, GError **error)
{
  g_auto (GStrv) names = infer_runtime_list_devices ();
  g_autofree char *known = g_strjoinv (", ", names);
  const gsize length = strcspn (device, ".:");

  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++)
    if (g_ascii_strncasecmp (device, (*b)->name, length) == 0
        && (*b)->name[length] == '\0') {
      if (device[length] == ':' && (*b)->n_devices () > 0)
        fail_name (*b, device, error);
      else
        infer_fail (error, INFER_ERROR_NOT_FOUND,
            "no device '%s': its backend has %u; there are: %s", device,
            (*b)->n_devices (), known);
      return;
    }
  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "no device '%s': this build has no such backend; there are: %s", device,
      known);
}

static void
fail_gpu (const char *device, GError **error)
{
  g_autoptr (GString) known = g_string_new (NULL);

  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++) {
    g_autofree char *names = list_names (*b);

    if (*names != '\0')
      g_string_append_printf (known, "%s%s", known->len > 0 ? ", " : "", names);
  }
  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "no device '%s': it stands for a GPU with an OpenCL driver, and there is "
      "no such GPU; there are: %s",
      device, known->str);
}

const InferBackend *
infer_backend_find (const char *device, guint *index, GError **error)
{
  gboolean is_gpu_name;
  const InferBackend *gpu = find_gpu (device, index, &is_gpu_name);

  if (gpu != NULL)
    return gpu;
  for (const InferBackend *const *b = infer_backends (); *b != NULL; b++) {
    if (matches (*b, device, index))
      return *b;
  }
  for (guint i = 0; i < MAX_ADDED && added[i] != NULL; i++) {
    if (matches (added[i], device, index))
      return added[i];
  }
  if (is_gpu_name)
    fail_gpu (device, error);
  else
    fail_unknown (device, error);
  return NULL;
}

char *
infer_runtime_describe_device (const char *device, GError **error)
{
  guint index;
  const InferBackend *backend = infer_backend_find (device, &index, error);

  return backend != NULL ? describe (backend, index) : NULL;
}

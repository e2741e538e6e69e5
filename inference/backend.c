/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/backend.h"

#include <string.h>

#include "inference/error.h"

#define BACKEND(name) extern const InferBackend name##_backend;
#include "inference/backend-list.h"
#undef BACKEND

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
  static const InferBackend *const backends[] = {
#define BACKEND(name) &name##_backend,
#include "inference/backend-list.h"
#undef BACKEND
    NULL
  };
  return backends;
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

  for (const InferBackend *const *b = infer_backends (); *b; b++)
    append_devices (*b, names);
  g_ptr_array_add (names, NULL);
  return (GStrv) g_ptr_array_free (names, FALSE);
}

/* "NAME" or "NAME.index", without regard to case. */
static gboolean
matches (const InferBackend *backend, const char *device, guint *index)
{
  gsize length = strlen (backend->name);
  guint64 number = 0;

  if (g_ascii_strncasecmp (device, backend->name, length) != 0)
    return FALSE;
  if (device[length] != '\0'
      && (device[length] != '.'
          || !g_ascii_string_to_unsigned (
              device + length + 1, 10, 0, G_MAXUINT, &number, NULL)))
    return FALSE;
  *index = (guint) number;
  return number < backend->n_devices ();
}

/* Whether the backend is absent, or its devices are. */
static void
fail_unknown (const char *device, GError **error)
{
  g_auto (GStrv) names = infer_runtime_list_devices ();
  g_autofree char *known = g_strjoinv (", ", names);
  const gsize length = strcspn (device, ".");

  for (const InferBackend *const *b = infer_backends (); *b; b++)
    if (g_ascii_strncasecmp (device, (*b)->name, length) == 0
        && (*b)->name[length] == '\0') {
      infer_fail (error, INFER_ERROR_NOT_FOUND,
          "no device '%s': %u of its kind were found; there are: %s", device,
          (*b)->n_devices (), known);
      return;
    }
  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "no device '%s': this build has no such backend; there are: %s", device,
      known);
}

const InferBackend *
infer_backend_find (const char *device, guint *index, GError **error)
{
  for (const InferBackend *const *b = infer_backends (); *b; b++) {
    if (matches (*b, device, index))
      return *b;
  }
  for (guint i = 0; i < MAX_ADDED && added[i]; i++) {
    if (matches (added[i], device, index))
      return added[i];
  }
  fail_unknown (device, error);
  return NULL;
}

char *
infer_runtime_describe_device (const char *device, GError **error)
{
  guint index;
  const InferBackend *backend = infer_backend_find (device, &index, error);

  if (!backend)
    return NULL;
  return backend->describe ? backend->describe (index)
                           : g_strdup (backend->name);
}

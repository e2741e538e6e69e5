/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/library.h"

#include <dlfcn.h>
#include <gst/gst.h>

#include "infer/error.h"

static gboolean
load (const GstInferLibrary *library, GError **error)
{
  void *handle = dlopen (library->file, RTLD_NOW | RTLD_LOCAL);
  void **to = library->functions;

  if (handle == NULL)
    return infer_fail (error, INFER_ERROR_NOT_FOUND, "%s; please install %s",
        dlerror (), library->package);
  for (gsize i = 0; i < library->n; i++) {
    to[i] = dlsym (handle, library->names[i]);
    if (to[i] == NULL) {
      dlclose (handle);
      return infer_fail (error, INFER_ERROR_NOT_FOUND,
          "%s has no function %s; please install a newer %s", library->file,
          library->names[i], library->package);
    }
  }
  return TRUE;
}

gboolean
gst_infer_library_load (GstInferLibrary *library, GError **error)
{
  static GMutex lock;

  if (g_atomic_int_get (&library->loaded))
    return TRUE;
  g_mutex_lock (&lock);
  gboolean ok = library->loaded || load (library, error);
  g_atomic_int_set (&library->loaded, ok);
  g_mutex_unlock (&lock);
  return ok;
}

gboolean
gst_infer_library_find (GstInferLibrary *library)
{
  g_autoptr (GError) error = NULL;

  if (g_atomic_int_get (&library->absent))
    return FALSE;
  if (gst_infer_library_load (library, &error))
    return TRUE;
  GST_INFO ("%s", error->message);
  g_atomic_int_set (&library->absent, TRUE);
  return FALSE;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A module is libinfer-remote-NAME.so in the folder infer-1 beside the runtime;
 * $INFER_MODULES names other folders,
 * with colons between. */

#include "remote/module.h"

#include <dlfcn.h>

static char *
folder_of_runtime (void)
{
  static const char anchor;
  Dl_info info;

  return dladdr (&anchor, &info) != 0 && info.dli_fname != NULL
             ? g_path_get_dirname (info.dli_fname)
             : g_strdup (".");
}

/* (transfer full) */
static void *
open_module (const char *name, char **tried)
{
  g_autofree char *file = g_strdup_printf ("libinfer-remote-%s.so", name);
  g_autofree char *folder = folder_of_runtime ();
  const char *given = g_getenv ("INFER_MODULES");
  g_auto (GStrv) folders = g_strsplit (given != NULL ? given : "", ":", -1);
  g_autofree char *path = NULL;
  void *handle = NULL;

  for (guint i = 0; handle == NULL && folders[i] != NULL; i++) {
    g_free (path);
    path = g_build_filename (folders[i], file, NULL);
    handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  }
  /* Beside this library, as it is installed and as it is built. */
  for (guint built = 0; handle == NULL && built < 2; built++) {
    g_free (path);
    path = built ? g_build_filename (folder, "remote", name, file, NULL)
                 : g_build_filename (folder, "infer-1", file, NULL);
    if (g_file_test (path, G_FILE_TEST_EXISTS))
      handle = dlopen (path, RTLD_NOW | RTLD_LOCAL);
  }
  if (handle == NULL) {
    const char *reason = dlerror ();

    *tried = reason != NULL ? g_strdup (reason)
                            : g_strdup_printf (
                                "there is no %s in %s/infer-1", file, folder);
  }
  return handle;
}

static const RemoteProtocol *
load (const char *name, GError **error)
{
  g_autofree char *tried = NULL;
  void *handle = open_module (name, &tried);

  if (handle == NULL) {
    infer_fail (error, INFER_ERROR_UNSUPPORTED,
        "the client for %s servers cannot be loaded: %s; is the runtime "
        "installed with it?",
        name, tried);
    return NULL;
  }
  const RemoteProtocol *protocol = dlsym (handle, REMOTE_PROTOCOL_SYMBOL);
  if (protocol != NULL && protocol->version == REMOTE_PROTOCOL_VERSION)
    return protocol;
  dlclose (handle);
  infer_fail (error, INFER_ERROR_UNSUPPORTED,
      "the client for %s servers is of another version of the runtime", name);
  return NULL;
}

const RemoteProtocol *
remote_module_load (const char *name, GError **error)
{
  static GMutex lock;
  static const RemoteProtocol *loaded[2];
  const RemoteProtocol **entry = &loaded[g_str_equal (name, "http")];

  g_mutex_lock (&lock);
  if (*entry == NULL)
    *entry = load (name, error);
  const RemoteProtocol *protocol = *entry;
  g_mutex_unlock (&lock);
  return protocol;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/runtime-private.h"

#include "inference/runtime/config.h"
#include "inference/graph/model-private.h"
#include "inference/graph/op.h"
#include "inference/passes/pass.h"
#include "inference/base/trace.h"

static gboolean
begin_trace (InferRuntime *runtime, GError **error)
{
  runtime->tracing = runtime->config.trace != NULL
                     && infer_trace_acquire (runtime->config.trace, error);
  return runtime->tracing || runtime->config.trace == NULL;
}

/* Without devices yet. */
static InferRuntime *
runtime_new (
    InferDeviceKind kind, char *name, const char *config, GError **error)
{
  InferRuntime *runtime = g_new0 (InferRuntime, 1);

  infer_trace_init ();
  runtime->refs = 1;
  runtime->kind = kind;
  runtime->name = name;
  runtime->config_text = g_strdup (config);
  runtime->constants = infer_constants_new ();
  pthread_mutex_init (&runtime->lock, NULL);
  if (infer_config_parse (config, &runtime->config, error)
      && begin_trace (runtime, error))
    return runtime;
  infer_runtime_unref (runtime);
  return NULL;
}

/* Members use the owner's cache and dump. */
static void
share_config (InferRuntime *runtime, const InferRuntime *owner)
{
  infer_config_clear (&runtime->config);
  runtime->config = owner->config;
  if (runtime->config.cache != NULL)
    infer_cache_ref (runtime->config.cache);
  if (runtime->config.dump != NULL)
    infer_dump_ref (runtime->config.dump);
}

static InferRuntime *
plain_new (const InferDevice *device, const char *config,
    const InferRuntime *owner, GError **error)
{
  const InferBackend *backend = device->backend;
  g_autoptr (InferRuntime) runtime = runtime_new (
      INFER_DEVICE_PLAIN, infer_device_to_string (device), config, error);

  if (runtime == NULL)
    return NULL;
  if (owner != NULL)
    share_config (runtime, owner);
  runtime->backend = backend;
  runtime->device = device->index;
  GError *cause = NULL;
  runtime->scope = backend->scope_new (device->index, &runtime->config, &cause);
  if (cause != NULL) {
    g_propagate_prefixed_error (error, cause, "device %s: ", runtime->name);
    return NULL;
  }
  if (backend->wait != NULL) {
    g_autofree char *name = g_strdup_printf ("wait-%s", runtime->name);
    runtime->wait_executor = infer_executor_new_pool (name, 1);
    if (runtime->wait_executor == NULL) {
      infer_fail (error, INFER_ERROR_FAILED,
          "device %s: its thread cannot be started; are there too many?",
          runtime->name);
      return NULL;
    }
  }
  return g_steal_pointer (&runtime);
}

InferRuntime *
infer_runtime_new_for_backend (const InferBackend *backend, guint device,
    const char *config, GError **error)
{
  return plain_new (&(InferDevice){ backend, device }, config, NULL, error);
}

static char *
composite_name (const InferDeviceName *name)
{
  GString *text = g_string_new (infer_device_kind_name (name->kind));

  for (guint i = 0; i < name->n; i++) {
    g_autofree char *device = infer_device_to_string (&name->devices[i]);

    g_string_append_printf (text, "%c%s", i > 0 ? ',' : ':', device);
  }
  return g_string_free (text, FALSE);
}

static InferRuntime *
composite_new (const InferDeviceName *name, const char *config, GError **error)
{
  g_autoptr (InferRuntime) runtime =
      runtime_new (name->kind, composite_name (name), config, error);

  if (runtime == NULL)
    return NULL;
  for (guint i = 0; i < name->n; i++) {
    GError *cause = NULL;
    InferRuntime *member =
        plain_new (&name->devices[i], config, runtime, &cause);

    if (member != NULL) {
      runtime->members[runtime->n_members++] = member;
    } else if (name->kind == INFER_DEVICE_AUTO
               && (runtime->n_members > 0 || i + 1 < name->n)) {
      g_warning ("%s: %s", runtime->name, cause->message);
      g_error_free (cause);
    } else {
      g_propagate_prefixed_error (error, cause, "%s: ", runtime->name);
      return NULL;
    }
  }
  return g_steal_pointer (&runtime);
}

InferRuntime *
infer_runtime_new (const char *device, const char *config, GError **error)
{
  InferDeviceName name;

  if (!infer_device_name_parse (device, &name, error))
    return NULL;
  if (name.kind != INFER_DEVICE_PLAIN)
    return composite_new (&name, config, error);
  return plain_new (&name.devices[0], config, NULL, error);
}

InferPlace
infer_runtime_place (const InferRuntime *runtime)
{
  return (InferPlace){ runtime->backend, runtime->scope, runtime->name };
}

InferRuntime *
infer_runtime_get_fallback (InferRuntime *runtime, GError **error)
{
  const InferBackend *backend = infer_backends ()[0];

  if (runtime->backend == backend)
    return NULL;
  pthread_mutex_lock (&runtime->lock);
  if (runtime->fallback == NULL)
    runtime->fallback = plain_new (
        &(InferDevice){ backend, 0 }, runtime->config_text, runtime, error);
  pthread_mutex_unlock (&runtime->lock);
  return runtime->fallback;
}

InferRuntime *
infer_runtime_ref (InferRuntime *runtime)
{
  g_return_val_if_fail (runtime != NULL, NULL);
  g_atomic_int_inc (&runtime->refs);
  return runtime;
}

void
infer_runtime_unref (InferRuntime *runtime)
{
  g_return_if_fail (runtime != NULL);
  if (!g_atomic_int_dec_and_test (&runtime->refs))
    return;
  for (guint i = 0; i < runtime->n_members; i++)
    infer_runtime_unref (runtime->members[i]);
  g_clear_pointer (&runtime->fallback, infer_runtime_unref);
  g_clear_pointer (&runtime->wait_executor, infer_executor_unref);
  if (runtime->scope != NULL)
    runtime->backend->scope_free (runtime->scope);
  if (runtime->tracing)
    infer_trace_release ();
  infer_config_clear (&runtime->config);
  infer_constants_free (runtime->constants);
  pthread_mutex_destroy (&runtime->lock);
  g_free (runtime->config_text);
  g_free (runtime->name);
  g_free (runtime);
}

const char *
infer_runtime_get_device (const InferRuntime *runtime)
{
  return runtime->name;
}

InferModel *
infer_runtime_load (InferRuntime *runtime, const char *path,
    const char *weights_path, GError **error)
{
  return infer_model_load_with (path, weights_path, runtime->config.cache,
      !runtime->config.no_mapping, error);
}

/* --- query --- */

GStrv
infer_runtime_query (const char *device, InferModel *model, GError **error)
{
  InferDeviceName name;
  InferPlace places[INFER_MAX_DEVICES] = { 0 };

  if (!infer_device_name_parse (device, &name, error))
    return NULL;
  g_autoptr (InferModel) reduced = infer_passes_run (model, NULL, error);
  if (reduced == NULL)
    return NULL;
  for (guint i = 0; i < name.n; i++)
    places[i] = (InferPlace){ name.devices[i].backend, NULL,
      name.devices[i].backend->name };
  g_autoptr (GPtrArray) lines = infer_graph_unsupported (
      infer_model_get_graph (reduced), places, name.n, NULL);
  GStrv copy = g_new0 (char *, lines->len + 1);
  for (guint i = 0; i < lines->len; i++)
    copy[i] = g_strdup (g_ptr_array_index (lines, i));
  return copy;
}

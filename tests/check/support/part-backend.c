/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/part-backend.h"

#include <pthread.h>

#include "infer/error.h"
#include "inference/graph/op.h"
#include "inference/runtime/state-private.h"

static PartSettings settings[PART_N];
static gint n_starts[PART_N], n_objects;
static int at_once, max_at_once;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static gboolean released;

typedef struct
{
  guint part;
  gpointer inner;             /* the CPU backend's */
  InferState *const *running; /* of a step between start and wait */
} Object;

static const InferBackend *
cpu (void)
{
  return infer_backends ()[0];
}

static gpointer
object_new (guint part, gpointer inner)
{
  if (inner == NULL)
    return NULL;
  Object *object = g_new0 (Object, 1);
  object->part = part;
  object->inner = inner;
  g_atomic_int_inc (&n_objects);
  return object;
}

static gpointer
object_steal (gpointer data)
{
  gpointer inner = ((Object *) data)->inner;

  g_atomic_int_add (&n_objects, -1);
  g_free (data);
  return inner;
}

static void
count_at_once (int by)
{
  pthread_mutex_lock (&lock);
  at_once += by;
  max_at_once = MAX (max_at_once, at_once);
  pthread_mutex_unlock (&lock);
}

static gboolean
enter (const Object *object, InferStage stage, GError **error)
{
  const PartSettings *mine = &settings[object->part];
  guint count = (guint) g_atomic_int_get (&n_starts[object->part]);

  if (stage == INFER_STAGE_START) {
    count = (guint) g_atomic_int_add (&n_starts[object->part], 1) + 1;
    if (mine->delay_us > 0)
      g_usleep (mine->delay_us);
  }
  if (mine->fail_stage != (int) stage || count <= mine->fail_after)
    return TRUE;
  return infer_fail (error, INFER_ERROR_DEVICE, "the device was lost");
}

/* --- the vtable --- */

static gboolean
is_listed (const char *list, const char *type)
{
  g_auto (GStrv) words = g_strsplit (list, " ", -1);

  return g_strv_contains ((const char *const *) words, type);
}

static gboolean
supports (guint part, const InferOperation *op, GError **error)
{
  const char *runs = settings[part].runs;

  if (settings[part].known_targets && infer_op_is (op, &infer_op_reshape)
      && infer_op_is (op->inputs[1].op, &infer_op_parameter))
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "target not known");
  if (runs == NULL || infer_op_is (op, &infer_op_const)
      || infer_op_is (op, &infer_op_parameter)
      || infer_op_is (op, &infer_op_result)
      || is_listed (runs, op->klass->type))
    return cpu ()->supports (op, error);
  return infer_fail (error, INFER_ERROR_UNSUPPORTED, "not known here");
}

static gpointer
scope_new (guint part, const InferConfig *config, GError **error)
{
  if (settings[part].fail_open) {
    infer_fail (error, INFER_ERROR_DEVICE, "told not to open");
    return NULL;
  }
  return object_new (part, cpu ()->scope_new (0, config, error));
}

static void
scope_free (gpointer scope)
{
  cpu ()->scope_free (object_steal (scope));
}

static gpointer
compile (gpointer data, const InferModel *model, GError **error)
{
  const Object *scope = data;
  const PartSettings *mine = &settings[scope->part];

  pthread_mutex_lock (&lock);
  while (mine->hold_compile && !released)
    pthread_cond_wait (&changed, &lock);
  pthread_mutex_unlock (&lock);
  if (mine->fail_compile) {
    infer_fail (error, INFER_ERROR_DEVICE, "told not to compile");
    return NULL;
  }
  return object_new (scope->part, cpu ()->compile (scope->inner, model, error));
}

static void
executable_free (gpointer executable)
{
  cpu ()->executable_free (object_steal (executable));
}

static gpointer
context_new (gpointer data, GError **error)
{
  const Object *executable = data;

  if (settings[executable->part].fail_context) {
    infer_fail (error, INFER_ERROR_DEVICE, "told to make no context");
    return NULL;
  }
  return object_new (
      executable->part, cpu ()->context_new (executable->inner, error));
}

static void
context_free (gpointer context)
{
  cpu ()->context_free (object_steal (context));
}

static gboolean
upload (gpointer context, InferTensor *const *inputs, GError **error)
{
  return enter (context, INFER_STAGE_UPLOAD, error);
}

static void
end_step (Object *context, gboolean ok)
{
  InferState *const *states = g_steal_pointer (&context->running);

  if (states != NULL)
    infer_states_settle (states, ok);
}

/* States change in `wait`. */
static gboolean
start (gpointer data, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  Object *context = data;

  count_at_once (1);
  context->running = states;
  if (states != NULL)
    infer_states_hold (states);
  gboolean ok =
      enter (context, INFER_STAGE_START, error)
      && cpu ()->start (context->inner, inputs, outputs, states, error);
  if (!ok)
    end_step (context, FALSE);
  count_at_once (-1);
  return ok;
}

static gboolean
wait (gpointer context, GError **error)
{
  gboolean ok = enter (context, INFER_STAGE_WAIT, error);

  end_step (context, ok);
  return ok;
}

static gboolean
download (gpointer context, InferTensor **outputs, GError **error)
{
  return enter (context, INFER_STAGE_DOWNLOAD, error);
}

static GArray *
op_timings (gpointer context)
{
  return cpu ()->op_timings (((const Object *) context)->inner);
}

#define PART(number)                                                           \
  static guint n_devices_##number (void)                                       \
  {                                                                            \
    return settings[number].n_devices;                                         \
  }                                                                            \
  static gboolean supports_##number (const InferOperation *op, GError **error) \
  {                                                                            \
    return supports (number, op, error);                                       \
  }                                                                            \
  static gpointer scope_new_##number (                                         \
      guint device, const InferConfig *config, GError **error)                 \
  {                                                                            \
    return scope_new (number, config, error);                                  \
  }

PART (0)
PART (1)

#define TABLE(number, text)                                                    \
  [number] = {                                                                 \
    .name = text,                                                              \
    .n_devices = n_devices_##number,                                           \
    .supports = supports_##number,                                             \
    .scope_new = scope_new_##number,                                           \
    .scope_free = scope_free,                                                  \
    .compile = compile,                                                        \
    .executable_free = executable_free,                                        \
    .context_new = context_new,                                                \
    .context_free = context_free,                                              \
    .upload = upload,                                                          \
    .start = start,                                                            \
    .wait = wait,                                                              \
    .download = download,                                                      \
    .op_timings = op_timings,                                                  \
  }

InferBackend part_backends[PART_N] = {
  TABLE (0, "PART_A"),
  TABLE (1, "PART_B"),
};

/* --- for tests --- */

PartSettings *
part_reset (void)
{
  /* GLib sets up error domains at the first error, with locks that
   * ThreadSanitizer cannot see: make one before any thread starts. */
  g_autoptr (GError) first = NULL;

  infer_fail (&first, INFER_ERROR_FAILED, "first");
  released = FALSE;
  at_once = max_at_once = 0;
  for (guint part = 0; part < PART_N; part++) {
    settings[part] = (PartSettings){ .fail_stage = -1, .n_devices = 1 };
    n_starts[part] = 0;
    infer_backend_add (&part_backends[part]);
  }
  return settings;
}

void
part_release_compile (void)
{
  pthread_mutex_lock (&lock);
  released = TRUE;
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&lock);
}

guint
part_n_starts (guint part)
{
  return (guint) g_atomic_int_get (&n_starts[part]);
}

int
part_n_objects (void)
{
  return g_atomic_int_get (&n_objects);
}

int
part_max_at_once (void)
{
  return max_at_once;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/support/fake-backend.h"

#include <pthread.h>
#include <string.h>

#include "infer/error.h"
#include "inference/graph/op.h"
#include "inference/runtime/runtime-private.h"

#define MAX_STEPS 100000
#define N_DEVICES 2

static FakeSettings settings;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static gboolean released;
static guint n_hanging, n_entered;
static guint n_steps;
static float steps[MAX_STEPS];
static guint counts[INFER_N_STAGES];
static GThread *threads[N_DEVICES][INFER_N_STAGES];
static int steps_at_once, max_steps_at_once;
static gint n_objects;

typedef struct
{
  guint device;
} FakeScope;

typedef struct
{
  FakeScope *scope;
} FakeCode;

typedef struct
{
  FakeCode *code;
  InferState *next; /* committed by wait */
} FakeContext;

FakeSettings *
fake_reset (void)
{
  /* GLib sets up error domains at the first error, with locks that
   * ThreadSanitizer cannot see: make one before any thread starts. */
  g_autoptr (GError) first = NULL;
  infer_fail (&first, INFER_ERROR_FAILED, "first");

  settings =
      (FakeSettings){ .fail_stage = FAKE_NEVER, .hang_stage = FAKE_NEVER };
  released = FALSE;
  n_hanging = n_steps = n_entered = 0;
  steps_at_once = max_steps_at_once = 0;
  memset (counts, 0, sizeof counts);
  memset (threads, 0, sizeof threads);
  return &settings;
}

void
fake_release (void)
{
  pthread_mutex_lock (&lock);
  released = TRUE;
  pthread_cond_broadcast (&changed);
  pthread_mutex_unlock (&lock);
}

void
fake_await_hanging (void)
{
  pthread_mutex_lock (&lock);
  while (n_hanging == 0)
    pthread_cond_wait (&changed, &lock);
  pthread_mutex_unlock (&lock);
}

guint
fake_n_steps (void)
{
  return n_steps;
}

float
fake_step (guint index)
{
  return steps[index];
}

guint
fake_count (InferStage stage)
{
  return counts[stage];
}

int
fake_n_objects (void)
{
  return g_atomic_int_get (&n_objects);
}

int
fake_max_steps_at_once (void)
{
  return max_steps_at_once;
}

GThread *
fake_thread (guint device, InferStage stage)
{
  return threads[device][stage];
}

static gboolean
enter (const FakeContext *context, InferStage stage, GError **error)
{
  pthread_mutex_lock (&lock);
  guint count = ++counts[stage];
  gboolean fails =
      settings.fail_stage == (int) stage
      || (settings.fail_every > 0 && ++n_entered % settings.fail_every == 0);
  threads[context->code->scope->device][stage] = g_thread_self ();
  while (settings.hang_stage == (int) stage && !released) {
    n_hanging++;
    pthread_cond_broadcast (&changed);
    pthread_cond_wait (&changed, &lock);
  }
  pthread_mutex_unlock (&lock);
  guint delay = settings.delay_us[stage];
  if (settings.jitter_us > 0)
    delay += count * 2654435761u / 4096 % settings.jitter_us;
  if (delay > 0)
    g_usleep (delay);
  return !fails
         || infer_fail (error, INFER_ERROR_DEVICE, "told to fail in %s",
             infer_stage_name (stage));
}

static void
change_steps (int by)
{
  pthread_mutex_lock (&lock);
  steps_at_once += by;
  max_steps_at_once = MAX (max_steps_at_once, steps_at_once);
  pthread_mutex_unlock (&lock);
}

static void
record (float value)
{
  pthread_mutex_lock (&lock);
  if (n_steps < MAX_STEPS)
    steps[n_steps++] = value;
  pthread_mutex_unlock (&lock);
}

/* --- the vtable --- */

static guint
n_devices (void)
{
  return N_DEVICES;
}

static gboolean
supports (const InferOperation *op, GError **error)
{
  return settings.refused == NULL
         || strstr (settings.refused, op->klass->type) == NULL
         || infer_fail (error, INFER_ERROR_UNSUPPORTED, "refused");
}

static gpointer
scope_new (guint device, const InferConfig *config, GError **error)
{
  FakeScope *scope = g_new0 (FakeScope, 1);

  scope->device = device;
  g_atomic_int_inc (&n_objects);
  return scope;
}

static void
object_free (gpointer object)
{
  g_atomic_int_add (&n_objects, -1);
  g_free (object);
}

static gpointer
compile (gpointer scope, const InferModel *model, GError **error)
{
  FakeCode *code = g_new0 (FakeCode, 1);

  code->scope = scope;
  g_atomic_int_inc (&n_objects);
  return code;
}

static gpointer
context_new (gpointer code, GError **error)
{
  FakeContext *context = g_new0 (FakeContext, 1);

  context->code = code;
  g_atomic_int_inc (&n_objects);
  return context;
}

static gboolean
upload (gpointer context, InferTensor *const *inputs, GError **error)
{
  return enter (context, INFER_STAGE_UPLOAD, error);
}

static gboolean
same (const InferTensor *tensor, const InferTensor *like)
{
  return tensor->type == like->type
         && infer_shape_equal (&tensor->shape, &like->shape);
}

/* out = in + state; the sum also becomes the next state. */
static gboolean
compute (FakeContext *context, const InferTensor *in, InferTensor *out,
    InferState *const *states, GError **error)
{
  gsize n = infer_shape_count (&in->shape);

  if (!same (out, in)
      && !infer_tensor_reshape (out, in->type, &in->shape, error))
    return FALSE;
  InferState *state = states != NULL ? states[0] : NULL;
  const InferTensor *value = state != NULL ? infer_state_peek (state) : NULL;
  InferTensor *next = NULL;
  if (state != NULL) {
    next = infer_state_next (state, in->type, &in->shape, error);
    if (next == NULL)
      return FALSE;
  }
  g_assert_true (n == 0 || in->data != out->data);
  const float *a = in->data;
  gsize rows = in->shape.rank > 0 ? (gsize) in->shape.dims[0] : 1;
  for (gsize i = 0; n > 0 && settings.fail_value != 0 && i < rows; i++)
    if (a[i * (n / rows)] == settings.fail_value)
      return infer_fail (
          error, INFER_ERROR_DEVICE, "told to fail at %g", a[i * (n / rows)]);
  const float *b = value != NULL && same (value, in) ? value->data : NULL;
  float *sum = out->data;
  for (gsize i = 0; i < n; i++) {
    sum[i] = a[i] + (b != NULL ? b[i] : 0);
    if (next != NULL)
      ((float *) next->data)[i] = sum[i];
  }
  if (n > 0)
    record (a[0]);
  context->next = state;
  return TRUE;
}

static void
commit (FakeContext *context)
{
  InferState *state = g_steal_pointer (&context->next);

  if (state != NULL)
    infer_state_commit (state);
}

static gboolean
start_device (gpointer data, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  change_steps (1);
  gboolean ok = enter (data, INFER_STAGE_START, error)
                && compute (data, inputs[0], outputs[0], states, error);
  if (!ok)
    change_steps (-1);
  return ok;
}

static gboolean
start_all (gpointer data, InferTensor *const *inputs, InferTensor **outputs,
    InferState *const *states, GError **error)
{
  if (!start_device (data, inputs, outputs, states, error))
    return FALSE;
  commit (data);
  change_steps (-1);
  return TRUE;
}

static gboolean
wait_device (gpointer data, GError **error)
{
  gboolean ok = enter (data, INFER_STAGE_WAIT, error);

  if (ok)
    commit (data);
  change_steps (-1);
  return ok;
}

static gboolean
download (gpointer context, InferTensor **outputs, GError **error)
{
  return enter (context, INFER_STAGE_DOWNLOAD, error);
}

const InferBackend fake_cpu = {
  .name = "FAKECPU",
  .n_devices = n_devices,
  .supports = supports,
  .scope_new = scope_new,
  .scope_free = object_free,
  .compile = compile,
  .executable_free = object_free,
  .context_new = context_new,
  .context_free = object_free,
  .start = start_all,
};

static char *
describe (guint device)
{
  return g_strdup_printf ("%s Pipe 3000", device == 0 ? "Red" : "Blue");
}

const InferBackend fake_device = {
  .name = "FAKE",
  .n_devices = n_devices,
  .describe = describe,
  .supports = supports,
  .scope_new = scope_new,
  .scope_free = object_free,
  .compile = compile,
  .executable_free = object_free,
  .context_new = context_new,
  .context_free = object_free,
  .upload = upload,
  .start = start_device,
  .wait = wait_device,
  .download = download,
};

/* --- models --- */

static char *
port (const char *id, const char *shape)
{
  g_auto (GStrv) dims = g_strsplit (shape, ",", -1);
  GString *xml = g_string_new (NULL);

  g_string_append_printf (xml, "<port id=\"%s\" precision=\"FP32\">", id);
  for (guint i = 0; dims[i] != NULL && *shape; i++)
    g_string_append_printf (
        xml, "<dim>%s</dim>", strcmp (dims[i], "?") == 0 ? "-1" : dims[i]);
  g_string_append (xml, "</port>");
  return g_string_free (xml, FALSE);
}

static void
add_layer (GString *xml, int id, const char *name, const char *type,
    const char *data, const char *inputs, const char *output)
{
  g_string_append_printf (xml,
      "<layer id=\"%d\" name=\"%s\" type=\"%s\" version=\"opset6\">%s", id,
      name, type, data);
  if (inputs != NULL)
    g_string_append_printf (xml, "<input>%s</input>", inputs);
  if (output != NULL)
    g_string_append_printf (xml, "<output>%s</output>", output);
  g_string_append (xml, "</layer>\n");
}

InferModel *
fake_model (const char *shape, const char *state)
{
  g_autoptr (GString) xml = g_string_new (
      "<?xml version=\"1.0\"?>\n<net name=\"fake\" version=\"11\"><layers>\n");
  g_autofree char *p0 = port ("0", shape);
  g_autofree char *p1 = port ("1", shape);
  g_autofree char *p2 = port ("2", shape);
  g_autofree char *two = g_strconcat (p0, p1, NULL);
  g_autofree char *parameter =
      g_strdup_printf ("<data shape=\"%s\" element_type=\"f32\"/>", shape);
  g_autoptr (GError) error = NULL;

  add_layer (xml, 0, "in", "Parameter", parameter, NULL, p0);
  if (state != NULL) {
    g_autofree char *variable =
        g_strdup_printf ("<data variable_id=\"sum\" variable_type=\"f32\" "
                         "variable_shape=\"%s\"/>",
            state);
    g_autofree char *s0 = port ("0", state);
    add_layer (xml, 1, "read", "ReadValue", variable, NULL, s0);
    add_layer (xml, 2, "add", "Add", "", two, p2);
    add_layer (xml, 3, "save", "Assign", variable, p0, p1);
  }
  add_layer (xml, 4, "out", "Result", "", p0, NULL);
  g_string_append (xml, "</layers><edges>\n");
  g_string_append (xml,
      state != NULL ? "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"2\" "
                      "to-port=\"0\"/>"
                      "<edge from-layer=\"1\" from-port=\"0\" to-layer=\"2\" "
                      "to-port=\"1\"/>"
                      "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"3\" "
                      "to-port=\"0\"/>"
                      "<edge from-layer=\"2\" from-port=\"2\" to-layer=\"4\" "
                      "to-port=\"0\"/>"
                    : "<edge from-layer=\"0\" from-port=\"0\" to-layer=\"4\" "
                      "to-port=\"0\"/>");
  g_string_append (xml, "</edges></net>\n");
  g_autoptr (GBytes) bytes = g_bytes_new (xml->str, xml->len);
  InferModel *model = infer_model_load_bytes (bytes, NULL, "fake.xml", &error);
  g_assert_no_error (error);
  return model;
}

InferExecutable *
fake_executable (const InferBackend *backend, guint device, const char *config,
    const char *shape, const char *state)
{
  g_autoptr (InferModel) model = fake_model (shape, state);
  g_autoptr (GError) error = NULL;
  g_autoptr (InferRuntime) runtime =
      infer_runtime_new_for_backend (backend, device, config, &error);

  g_assert_no_error (error);
  InferExecutable *executable = infer_executable_new (model, runtime, &error);
  g_assert_no_error (error);
  return executable;
}

void
fake_add_cases (const char *prefix, const FakeCase *cases, guint n)
{
  for (guint i = 0; i < 2 * n; i++) {
    const InferBackend *backend = i < n ? &fake_cpu : &fake_device;
    g_autofree char *path =
        g_strconcat (prefix, "/", backend->name, "/", cases[i % n].name, NULL);

    g_test_add_data_func (path, backend, cases[i % n].run);
  }
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "ocl/device/sources.h"

#include "ocl/device/scope.h"

#include <string.h>

struct _OclProgram
{
  OclScope *scope;
  char *text; /* the complete source, after a line with the options: the key */
  char *options; /* of the compiler */
  char id[33];
  pthread_mutex_t lock;
  cl_program built; /* under lock */
  char *link;       /* under lock; nullable */
};

/* A hash for long sources. */
guint
ocl_program_text_hash (gconstpointer text)
{
  return (guint) infer_hash (text, strlen (text), NULL).words[0];
}

static const char *
find_source (const char *family)
{
  for (const OclSource *source = ocl_sources; source->family != NULL; source++)
    if (strcmp (source->family, family) == 0)
      return source->text;
  g_assert_not_reached ();
}

static char *
make_options (const OclScope *scope, const char *options)
{
  const OclDevice *device = scope->device;

  return g_strdup_printf ("-cl-std=CL1.2 -w -DCHUNK=%u%s%s %s", device->chunk,
      device->f64 ? " -DHAVE_F64" : "", device->fast_fma ? " -DHAVE_FMA" : "",
      options != NULL ? options : "");
}

static void
make_id (const char *text, char *id)
{
  const InferHash hash = infer_hash (text, strlen (text), NULL);

  infer_hash_to_string (&hash, id);
}

/* Both arguments: (transfer full). */
static OclProgram *
intern (OclScope *scope, char *options_given, char *text_given)
{
  g_autofree char *options = options_given;
  g_autofree char *text = text_given;

  pthread_mutex_lock (&scope->lock);
  OclProgram *program = g_hash_table_lookup (scope->programs, text);
  if (program == NULL) {
    program = g_new0 (OclProgram, 1);
    program->scope = scope;
    program->text = g_steal_pointer (&text);
    program->options = g_steal_pointer (&options);
    make_id (program->text, program->id);
    pthread_mutex_init (&program->lock, NULL);
    g_hash_table_insert (scope->programs, program->text, program);
  }
  pthread_mutex_unlock (&scope->lock);
  return program;
}

OclProgram *
ocl_scope_program (OclScope *scope, const char *family, const char *options,
    const char *generated)
{
  char *all_options = make_options (scope, options);

  return intern (scope, all_options,
      g_strconcat ("/* ", all_options, " */\n", find_source ("common"),
          generated != NULL ? generated : "", find_source (family), NULL));
}

OclProgram *
ocl_scope_program_of_text (OclScope *scope, const char *text)
{
  return intern (scope, g_strdup ("-cl-std=CL1.2 -w"), g_strdup (text));
}

gboolean
ocl_scope_has_text (OclScope *scope, const char *text)
{
  pthread_mutex_lock (&scope->lock);
  gboolean has = g_hash_table_contains (scope->programs, text);
  pthread_mutex_unlock (&scope->lock);
  return has;
}

const char *
ocl_program_text (const OclProgram *program)
{
  return program->text;
}

const char *
ocl_program_id (const OclProgram *program)
{
  return program->id;
}

const char *
ocl_program_link (
    OclProgram *program, char *(*make) (const OclProgram *program))
{
  pthread_mutex_lock (&program->lock);
  if (program->link == NULL)
    program->link = make (program);
  pthread_mutex_unlock (&program->lock);
  return program->link;
}

const char *
ocl_program_options (const OclProgram *program)
{
  return program->options;
}

void
ocl_program_free (OclProgram *program)
{
  if (program->built != NULL)
    ocl_api.clReleaseProgram (program->built);
  pthread_mutex_destroy (&program->lock);
  g_free (program->text);
  g_free (program->link);
  g_free (program->options);
  g_free (program);
}

/* --- building --- */

/* Prefixes @error with the first lines of the build log. */
static void
add_log (OclProgram *program, cl_program built, GError **error)
{
  char log[512] = "";
  gsize size = 0;
  cl_device_id device = program->scope->device->id;

  if (error == NULL
      || ocl_api.clGetProgramBuildInfo (
             built, device, CL_PROGRAM_BUILD_LOG, 0, NULL, &size)
             != CL_SUCCESS)
    return;
  g_autofree char *whole = g_malloc0 (size + 1);
  if (ocl_api.clGetProgramBuildInfo (
          built, device, CL_PROGRAM_BUILD_LOG, size, whole, NULL)
      != CL_SUCCESS)
    return;
  g_strlcpy (log, g_strstrip (whole), sizeof log);
  g_prefix_error (error, "%s: ", g_strdelimit (log, "\n", ' '));
}

static gboolean
build_from_source (OclProgram *program, GError **error)
{
  const char *text = program->text;
  cl_int code;
  cl_program built = ocl_api.clCreateProgramWithSource (
      program->scope->context, 1, &text, NULL, &code);

  if (!ocl_check (code, "clCreateProgramWithSource", error))
    return FALSE;
  code = ocl_api.clBuildProgram (
      built, 1, &program->scope->device->id, program->options, NULL, NULL);
  if (!ocl_check (code, "clBuildProgram", error)) {
    add_log (program, built, error);
    ocl_api.clReleaseProgram (built);
    return FALSE;
  }
  program->built = built;
  return TRUE;
}

/* --- binaries in the cache --- */

#define CACHE_KIND "ocl-program"

static char *
cache_key (const OclProgram *program)
{
  return g_strconcat (
      program->scope->device->identity, "\n", program->text, NULL);
}

/* FALSE if there is no binary, or the driver rejects it. */
static gboolean
build_from_cache (OclProgram *program, const char *key)
{
  const OclScope *scope = program->scope;
  g_autoptr (GBytes) bytes =
      infer_cache_get (scope->config.cache, CACHE_KIND, key);
  gsize size;
  cl_int code, status;

  if (bytes == NULL)
    return FALSE;
  const guchar *data = g_bytes_get_data (bytes, &size);
  cl_program built = ocl_api.clCreateProgramWithBinary (
      scope->context, 1, &scope->device->id, &size, &data, &status, &code);
  if (code != CL_SUCCESS)
    return FALSE;
  if (status == CL_SUCCESS
      && ocl_api.clBuildProgram (
             built, 1, &scope->device->id, program->options, NULL, NULL)
             == CL_SUCCESS) {
    program->built = built;
    return TRUE;
  }
  ocl_api.clReleaseProgram (built);
  return FALSE;
}

static void
put_into_cache (const OclProgram *program, const char *key)
{
  InferCache *cache = program->scope->config.cache;
  gsize size = 0;

  if (cache == NULL
      || ocl_api.clGetProgramInfo (
             program->built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL)
             != CL_SUCCESS
      || size == 0)
    return;
  guchar *data = g_try_malloc (size);
  if (data == NULL)
    return;
  if (ocl_api.clGetProgramInfo (
          program->built, CL_PROGRAM_BINARIES, sizeof data, &data, NULL)
      == CL_SUCCESS) {
    g_autoptr (GBytes) bytes = g_bytes_new (data, size);

    infer_cache_put (cache, CACHE_KIND, key, bytes);
  }
  g_free (data);
}

static gboolean
build_somehow (OclProgram *program, GError **error)
{
  if (program->scope->config.cache == NULL)
    return build_from_source (program, error);
  g_autofree char *key = cache_key (program);
  if (build_from_cache (program, key))
    return TRUE;
  if (!build_from_source (program, error))
    return FALSE;
  put_into_cache (program, key);
  return TRUE;
}

static gboolean
build (OclProgram *program, GError **error)
{
  pthread_mutex_lock (&program->lock);
  gboolean ok = program->built != NULL || build_somehow (program, error);
  pthread_mutex_unlock (&program->lock);
  return ok;
}

typedef struct
{
  const GPtrArray *programs;
  gint next;
  pthread_mutex_t lock;
  GError *error; /* the first, under lock */
} Building;

static gpointer
build_some (gpointer data)
{
  Building *building = data;

  for (;;) {
    guint i = (guint) g_atomic_int_add (&building->next, 1);
    GError *error = NULL;

    if (i >= building->programs->len)
      return NULL;
    if (build (building->programs->pdata[i], &error))
      continue;
    pthread_mutex_lock (&building->lock);
    if (building->error == NULL)
      building->error = g_steal_pointer (&error);
    pthread_mutex_unlock (&building->lock);
    g_clear_error (&error);
  }
}

gboolean
ocl_programs_build (OclScope *scope, const GPtrArray *programs, GError **error)
{
  Building building = { .programs = programs };
  guint n = MIN (programs->len, g_get_num_processors ());
  g_autofree GThread **threads = g_new0 (GThread *, n + 1);

  pthread_mutex_init (&building.lock, NULL);
  for (guint i = 1; i < n; i++)
    threads[i] = g_thread_try_new ("ocl-build", build_some, &building, NULL);
  build_some (&building);
  for (guint i = 1; i < n; i++)
    if (threads[i] != NULL)
      g_thread_join (threads[i]);
  pthread_mutex_destroy (&building.lock);
  if (building.error == NULL)
    return TRUE;
  g_propagate_error (error, building.error);
  return FALSE;
}

cl_kernel
ocl_program_kernel (OclProgram *program, const char *name, GError **error)
{
  cl_int code;
  cl_kernel kernel = ocl_api.clCreateKernel (program->built, name, &code);

  if (ocl_check (code, "clCreateKernel", error))
    return kernel;
  g_prefix_error (error, "kernel %s: ", name);
  return NULL;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Compares each family of kernels with the CPU: shapes around the sizes of
 * tiles and vectors, all layouts of operands, all element types.  The test
 * fails for an operation that the device does not support, since that would
 * compare the CPU with itself, and for a kernel in ocl/kernels that no case
 * runs.
 *
 * A case is a line of cases.txt:
 *   TYPE opset N_OUTPUTS attributes | input | input …
 * with inputs "p TYPE dims" (random, given when it runs), "c TYPE dims"
 * (random, a constant), "k TYPE number" (a scalar), "i numbers" (a constant
 * list of i64), "s number" (a scalar one). TYPE "real", "any" or "int" stands
 * for each of these; dims may be "".
 *
 * --chained: one type per case, and the operation twice, so that their launches
 * become one (ocl/passes/chain.c).
 * --gpu: with like-gpu.so preloaded; one type per case, no vectors of pixels,
 * one work-item per element, tiles in local memory, each of which a case must
 * have. */

#include "infer/request.h"
#include "ocl/device/cl.h"
#include "ocl/device/sources.h"
#include "ocl/ops/tile.h"
#include "tests/check/support/ir.h"
#include "tests/check/support/session.h"
#include "inference/base/tensor.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  GRand *random;
  GString *layers, *edges;
  GByteArray *weights;
  InferType type; /* what "real", "any" and "int" stand for */
  guint n_inputs, n_layers;
} Builder;

static gboolean chained, gpu;

static const InferType all_types[] = { INFER_TYPE_F32, INFER_TYPE_F16,
  INFER_TYPE_BF16, INFER_TYPE_F64, INFER_TYPE_I64, INFER_TYPE_I32,
  INFER_TYPE_I16, INFER_TYPE_I8, INFER_TYPE_U64, INFER_TYPE_U32, INFER_TYPE_U16,
  INFER_TYPE_U8 };

static gboolean
stands_for (const char *word, InferType type)
{
  if (strcmp (word, "real") == 0)
    return infer_type_is_real (type);
  if (strcmp (word, "int") == 0)
    return infer_type_is_integer (type);
  return strcmp (word, "any") == 0;
}

static InferType
type_of (const Builder *b, const char *word)
{
  InferType type = b->type;

  if (!stands_for (word, b->type))
    g_assert_true (infer_type_from_name (word, &type));
  return type;
}

/* Quarters between -2 and 2; integers 0 … 7; neighbours differ. */
static InferTensor *
make_tensor (GRand *random, InferType type, const InferShape *shape)
{
  InferTensor *tensor = infer_tensor_new (type, shape, NULL);
  const gsize n = infer_shape_count (shape);
  g_autofree double *numbers = g_new (double, n + 1);

  g_assert_nonnull (tensor);
  for (gsize i = 0; i < n; i++)
    numbers[i] = infer_type_is_real (type)
                     ? (double) g_rand_int_range (random, -8, 9) / 4
                     : (double) g_rand_int_range (
                         random, 0, type == INFER_TYPE_BOOLEAN ? 2 : 8);
  g_assert_true (
      infer_convert (tensor->data, type, numbers, INFER_TYPE_F64, n));
  return tensor;
}

static void
add_edge (Builder *b, guint from)
{
  for (guint copy = 1000; copy <= (chained ? 2000 : 1000); copy += 1000)
    g_string_append_printf (b->edges,
        "<edge from-layer=\"%u\" from-port=\"0\" to-layer=\"%u\" "
        "to-port=\"%u\"/>",
        from, copy, b->n_inputs);
  b->n_inputs++;
}

static void
add_constant (Builder *b, InferType type, const char *dims, gconstpointer data,
    gsize size)
{
  while (b->weights->len % 8 != 0)
    g_byte_array_append (b->weights, (const guint8 *) "", 1);
  g_string_append_printf (b->layers,
      "<layer id=\"%u\" name=\"c%u\" type=\"Const\" version=\"opset1\"><data "
      "element_type=\"%s\" shape=\"%s\" offset=\"%u\" size=\"%" G_GSIZE_FORMAT
      "\"/><output><port id=\"0\"/></output></layer>",
      b->n_layers, b->n_layers, infer_type_name (type), dims, b->weights->len,
      size);
  g_byte_array_append (b->weights, data, (guint) size);
  add_edge (b, b->n_layers++);
}

static void
add_numbers (Builder *b, const char *list, gboolean scalar)
{
  g_auto (GStrv) words = g_strsplit (list, ",", -1);
  gint64 numbers[16];
  guint n = g_strv_length (words);
  g_autofree char *dims = g_strdup_printf ("%u", n);

  for (guint i = 0; i < n; i++)
    numbers[i] = g_ascii_strtoll (words[i], NULL, 10);
  add_constant (
      b, INFER_TYPE_I64, scalar ? "" : dims, numbers, n * sizeof *numbers);
}

static void
add_input (Builder *b, const char *text)
{
  g_auto (GStrv) words = g_strsplit (text, " ", 3);
  const char *dims = g_strv_length (words) > 2 ? words[2] : "";

  if (*words[0] == 'i' || *words[0] == 's') {
    add_numbers (b, words[1], *words[0] == 's');
    return;
  }
  const InferType type = type_of (b, words[1]);
  if (*words[0] == 'k') {
    const double number = g_ascii_strtod (words[2], NULL);
    guint64 bytes = 0;

    g_assert_true (infer_convert (&bytes, type, &number, INFER_TYPE_F64, 1));
    add_constant (b, type, "", &bytes, infer_type_bits (type) / 8);
    return;
  }
  if (*words[0] == 'c') {
    InferShape shape;

    g_assert_true (infer_shape_parse (dims, &shape, NULL, NULL, NULL));
    g_autoptr (InferTensor) tensor = make_tensor (b->random, type, &shape);
    add_constant (b, type, dims, tensor->data, tensor->size);
    return;
  }
  g_string_append_printf (b->layers,
      "<layer id=\"%u\" name=\"p%u\" type=\"Parameter\" version=\"opset1\">"
      "<data element_type=\"%s\" shape=\"%s\"/><output><port id=\"0\"/>"
      "</output></layer>",
      b->n_layers, b->n_layers, infer_type_name (type), dims);
  add_edge (b, b->n_layers++);
}

/* @head: "TYPE opset N_OUTPUTS attributes"; layer @id. */
static void
add_operation (Builder *b, const char *head, guint id)
{
  g_auto (GStrv) words = g_strsplit (head, " ", 4);
  const guint n_out = (guint) g_ascii_strtoull (words[2], NULL, 10);
  g_auto (GStrv) pieces =
      g_strsplit (words[3] != NULL ? words[3] : "", "TYPE", -1);
  g_autofree char *attributes = g_strjoinv (infer_type_name (b->type), pieces);

  g_string_append_printf (b->layers,
      "<layer id=\"%u\" name=\"op%u\" type=\"%s\" version=\"%s\"><data %s/>"
      "<input>",
      id, id, words[0], words[1], attributes);
  for (guint i = 0; i < b->n_inputs; i++)
    g_string_append_printf (b->layers, "<port id=\"%u\"/>", i);
  g_string_append (b->layers, "</input><output>");
  for (guint k = 0; k < n_out; k++)
    g_string_append_printf (b->layers, "<port id=\"%u\"/>", b->n_inputs + k);
  g_string_append (b->layers, "</output></layer>");
  for (guint k = 0; k < n_out; k++) {
    g_string_append_printf (b->layers,
        "<layer id=\"%u\" name=\"r%u\" type=\"Result\" version=\"opset1\">"
        "<input><port id=\"0\"/></input></layer>",
        id + 1 + k, id + 1 + k);
    g_string_append_printf (b->edges,
        "<edge from-layer=\"%u\" from-port=\"%u\" to-layer=\"%u\" "
        "to-port=\"0\"/>",
        id, b->n_inputs + k, id + 1 + k);
  }
}

static char *
finish (Builder *b, const char *head)
{
  for (guint id = 1000; id <= (chained ? 2000 : 1000); id += 1000)
    add_operation (b, head, id);
  return g_strdup_printf (
      "<?xml version=\"1.0\"?><net name=\"case\" version=\"11\"><layers>%s"
      "</layers><edges>%s</edges></net>",
      b->layers->str, b->edges->str);
}

static InferModel *
make_model (const char *line, InferType type, GRand *random)
{
  g_auto (GStrv) parts = g_strsplit (line, " | ", -1);
  g_autoptr (GString) layers = g_string_new (NULL);
  g_autoptr (GString) edges = g_string_new (NULL);
  g_autoptr (GByteArray) weights = g_byte_array_new ();
  Builder b = { random, layers, edges, weights, type, 0, 0 };

  for (guint i = 1; parts[i] != NULL; i++)
    add_input (&b, g_strstrip (parts[i]));
  g_autofree char *xml = finish (&b, parts[0]);
  return ir_load_good (xml, weights->data, weights->len);
}

/* --- comparing --- */

static InferRequest *
run (InferModel *model, InferRuntime *runtime, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  InferRequest *request = test_request_on (runtime, model);

  for (guint i = 0; i < inputs->len; i++)
    infer_request_set_input (request, i, inputs->pdata[i], &error);
  g_assert_no_error (error);
  infer_request_infer (request, &error);
  g_assert_no_error (error);
  return request;
}

/* Sums are computed in another order. */
static double
tolerance (InferType type)
{
  switch (type) {
    case INFER_TYPE_F64:
      return 1e-9;
    case INFER_TYPE_F32:
      return 1e-4;
    case INFER_TYPE_F16:
      return 4e-3;
    case INFER_TYPE_BF16:
      return 3e-2;
    default:
      return 0;
  }
}

/* FALSE: they differ, as printed. */
static gboolean
compare (const char *line, const InferTensor *want, const InferTensor *got)
{
  g_autoptr (GArray) a = infer_tensor_to_doubles (want);
  g_autoptr (GArray) b = infer_tensor_to_doubles (got);
  const double allowed = tolerance (want->type);

  if (a->len != b->len || want->type != got->type)
    return FALSE;
  for (guint i = 0; i < a->len; i++) {
    const double x = g_array_index (a, double, i);
    const double y = g_array_index (b, double, i);

    if (x == y || (isnan (x) && isnan (y))
        || fabs (x - y) <= allowed * (1 + fabs (x)))
      continue;
    printf ("%s (%s): [%u] is %g, not %g\n", line, infer_type_name (want->type),
        i, y, x);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check (const char *line, InferType type, InferRuntime *cpu,
    InferRuntime *opencl, GRand *random)
{
  g_autoptr (InferModel) model = make_model (line, type, random);
  g_autoptr (GPtrArray) inputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) infer_tensor_unref);
  g_auto (GStrv) refused = infer_runtime_query ("OPENCL", model, NULL);
  gboolean ok = TRUE;

  if (refused[0] != NULL) {
    printf ("%s (%s): %s\n", line, infer_type_name (type), refused[0]);
    return FALSE;
  }
  for (guint i = 0; i < infer_model_n_inputs (model); i++) {
    const InferDesc *desc = infer_model_input_desc (model, i);

    g_ptr_array_add (inputs, make_tensor (random, desc->type, &desc->shape));
  }
  g_autoptr (InferRequest) a = run (model, cpu, inputs);
  g_autoptr (InferRequest) b = run (model, opencl, inputs);
  for (guint k = 0; k < infer_model_n_outputs (model); k++)
    ok = compare (line, infer_request_get_output (a, k, NULL),
             infer_request_get_output (b, k, NULL))
         && ok;
  return ok;
}

/* Runs the case for all types that "real", "any" and "int" stand for. */
static void
check_line (const char *line, InferRuntime *cpu, InferRuntime *opencl,
    GRand *random, guint *checked, guint *wrong)
{
  const char *word = strstr (line, " real ") != NULL  ? "real"
                     : strstr (line, " any ") != NULL ? "any"
                     : strstr (line, " int ") != NULL ? "int"
                                                      : NULL;

  for (guint t = 0; t < G_N_ELEMENTS (all_types); t++) {
    if (word != NULL
            ? !stands_for (word, all_types[t]) || ((chained || gpu) && t > 0)
            : t > 0)
      continue;
    ++*checked;
    *wrong += check (line, all_types[t], cpu, opencl, random) ? 0 : 1;
  }
}

/* --- kernels that ran --- */

static GHashTable *made; /* names */

/* Interposes the loader's function. */
cl_kernel
clCreateKernel (cl_program program, const char *name, cl_int *code)
{
  __typeof__ (clCreateKernel) *call;

  *(gpointer *) &call = dlsym (RTLD_NEXT, "clCreateKernel");
  g_hash_table_add (made, g_strdup (name));
  return call (program, name, code);
}

static GHashTable *tiles; /* "-DBM=64 -DBN=64" of programs that were built */

/* Likewise. */
cl_int
clBuildProgram (cl_program program, cl_uint n, const cl_device_id *devices,
    const char *options, void (*notify) (cl_program program, void *data),
    void *data)
{
  __typeof__ (clBuildProgram) *call;
  const char *rows = options != NULL ? strstr (options, "-DBM=") : NULL;
  const char *end = rows != NULL ? strstr (rows, " -DBK=") : NULL;

  if (end != NULL)
    g_hash_table_add (tiles, g_strndup (rows, (gsize) (end - rows)));
  *(gpointer *) &call = dlsym (RTLD_NEXT, "clBuildProgram");
  return call (program, n, devices, options, notify, data);
}

/* The number of tiles that no case made. */
static guint
count_missing_tiles (void)
{
  guint n, missing = 0;
  const OclTile *all = ocl_tiles (&n);

  for (guint i = 0; i < n; i++) {
    g_autofree char *options =
        g_strdup_printf ("-DBM=%u -DBN=%u", all[i].rows, all[i].columns);

    if (g_hash_table_contains (tiles, options))
      continue;
    printf ("no case has tiles of %u x %u\n", all[i].rows, all[i].columns);
    missing++;
  }
  return missing;
}

/* Whether only devices with local memory run the kernel. */
static gboolean
is_for_gpus (const char *family, const char *kernel)
{
  return strcmp (family, "tile") == 0 || strcmp (kernel, "conv_each") == 0;
}

/* The number of kernels in the files that were not created. */
static guint
count_missing (void)
{
  static const char begin[] = "\n__kernel void\n";
  guint missing = 0;

  for (const OclSource *source = ocl_sources; source->family != NULL;
       source++) {
    const char *at = source->text;

    while ((at = strstr (at, begin)) != NULL) {
      at += strlen (begin);
      g_autofree char *name = g_strndup (at, strcspn (at, " ("));
      if (is_for_gpus (source->family, name) != gpu
          || g_hash_table_contains (made, name))
        continue;
      printf ("kernels/%s.cl: no case runs %s\n", source->family, name);
      missing++;
    }
  }
  return missing;
}

int
main (int argc, char **argv)
{
  made = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  tiles = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  chained = argc > 2 && strcmp (argv[2], "--chained") == 0;
  gpu = argc > 2 && strcmp (argv[2], "--gpu") == 0;
  /* PERF_COUNT prevents chains. */
  g_autoptr (InferRuntime) opencl =
      infer_runtime_new ("OPENCL", chained ? NULL : "PERF_COUNT=YES", NULL);
  g_autoptr (InferRuntime) cpu = infer_runtime_new ("CPU", NULL, NULL);
  g_autoptr (GRand) random = g_rand_new_with_seed (7);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint checked = 0, wrong = 0;

  if (opencl == NULL) {
    printf ("skipped: no OpenCL device\n");
    return 77;
  }
  g_assert_true (g_file_get_contents (argv[1], &text, NULL, NULL));
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (*lines[i] != '\0' && *lines[i] != '#')
      check_line (lines[i], cpu, opencl, random, &checked, &wrong);
  if (!chained)
    wrong += count_missing ();
  if (gpu)
    wrong += count_missing_tiles ();
  if (chained)
    wrong += g_hash_table_contains (made, "chain") ? 0 : 1;
  if (gpu)
    wrong += g_hash_table_contains (made, "conv_rows") ? 1 : 0;
  printf ("%u checked, %u wrong\n", checked, wrong);
  g_hash_table_unref (made);
  g_hash_table_unref (tiles);
  return wrong > 0 || checked == 0;
}

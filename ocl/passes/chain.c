/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Consecutive launches of little work become one launch of one work-item: on a
 * processor a launch costs microseconds and a work-item runs as fast as any
 * code.  The source of the chain is that of its kernels, with the hash of each
 * program appended to its names; they are called in loops over their ranges.
 *
 * Sizes and offsets are constants in the source, for the compiler's optimiser.
 * If the model has dynamic shapes they are read from a table, so that one
 * source serves all shapes. */

#include "ocl/passes/pass.h"

#include "ocl/plan/launch.h"

#include <string.h>

/* Elements read and written, at most, of a launch in a chain. */
#define MAX_WORK (3u << 16)
/* Compile time grows faster than linearly. */
#define MAX_LINKS 32
/* Pointers in the 1 kB of arguments that every device accepts. */
#define MAX_BUFFERS 96

typedef struct
{
  OclPlan *plan;
  GPtrArray *links;    /* (element-type OclLaunch) */
  GPtrArray *programs; /* of them, each once */
  GArray *buffers;     /* (element-type OclArg): each once */
  GString *text;
  GArray *numbers; /* (element-type gint64): the table; NULL: none */
} Chain;

/* --- eligible launches --- */

static gsize
work_of (const OclLaunch *launch)
{
  gsize work = launch->work;

  for (guint i = 0; i < launch->args->len; i++) {
    const OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->value != NULL)
      work += arg->value->n;
  }
  return work;
}

/* Whether work-items can run one after the other: no use of their group. */
static gboolean
goes_alone (const OclLaunch *launch)
{
  const char *text = ocl_program_text (launch->program);

  return launch->local[0] * launch->local[1] * launch->local[2] == 1
         || (strstr (text, "get_local_") == NULL
             && strstr (text, "get_group_") == NULL);
}

static gboolean
can_be_link (const OclLaunch *launch)
{
  return !launch->unknown_scalars && work_of (launch) <= MAX_WORK
         && goes_alone (launch);
}

static gboolean
is_static (const InferModel *model)
{
  for (guint i = 0; i < infer_model_n_inputs (model); i++)
    if (!infer_shape_is_static (&infer_model_input_desc (model, i)->shape))
      return FALSE;
  for (guint v = 0; v < infer_model_n_variables (model); v++)
    if (!infer_shape_is_static (&infer_model_variable (model, v)->desc.shape))
      return FALSE;
  return TRUE;
}

/* --- buffers --- */

/* An argument that identifies the buffer of @arg. */
static OclArg
buffer_of (const OclArg *arg)
{
  OclArg buffer = { .constant = arg->constant, .bare = TRUE };
  gsize offset;

  if (arg->value != NULL)
    buffer.value = ocl_value_root (arg->value, &offset);
  return buffer;
}

static gboolean
is_same (const OclArg *a, const OclArg *b)
{
  if (a->value == NULL || b->value == NULL)
    return a->value == b->value && a->constant == b->constant;
  if (a->value->place != b->value->place)
    return FALSE;
  switch (a->value->place) {
    case OCL_PLACE_ARENA:
      return TRUE;
    case OCL_PLACE_CONSTANT:
      return a->value->constant == b->value->constant;
    default:
      return a->value->index == b->value->index;
  }
}

static guint
find_buffer (const Chain *chain, const OclArg *arg)
{
  const OclArg buffer = buffer_of (arg);
  guint i = 0;

  while (i < chain->buffers->len
         && !is_same (&g_array_index (chain->buffers, OclArg, i), &buffer))
    i++;
  return i;
}

static void
add_link (Chain *chain, OclLaunch *launch)
{
  g_ptr_array_add (chain->links, launch);
  if (!g_ptr_array_find (chain->programs, launch->program, NULL))
    g_ptr_array_add (chain->programs, launch->program);
  for (guint i = 0; i < launch->args->len; i++) {
    const OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->local == 0 && find_buffer (chain, arg) == chain->buffers->len) {
      OclArg buffer = buffer_of (arg);

      buffer.index = chain->buffers->len;
      g_array_append_val (chain->buffers, buffer);
    }
  }
}

/* --- the functions --- */

static gsize
length_of_name (const char *at)
{
  gsize n = 0;

  while (g_ascii_isalnum (at[n]) || at[n] == '_')
    n++;
  return n;
}

/* "-DNAME=VALUE …" as #define lines. */
static void
append_options (GString *text, const char *options, GString *undefs)
{
  g_auto (GStrv) words = g_strsplit (options, " ", -1);

  for (guint i = 0; words[i] != NULL; i++) {
    char *name = words[i] + 2, *value;

    if (!g_str_has_prefix (words[i], "-D"))
      continue;
    value = strchr (name, '=');
    if (value != NULL)
      *value++ = '\0';
    g_string_append_printf (
        text, "#define %s %s\n", name, value != NULL ? value : "1");
    g_string_append_printf (undefs, "#undef %s\n", name);
  }
}

/* Appends the hash to names of functions; collects #undef lines for all names,
 * since other sources may define the same ones. */
static void
collect_names (
    const char *const *lines, const char *id, GString *text, GString *undefs)
{
  for (guint i = 0; lines[i] != NULL; i++) {
    const char *line = lines[i];
    gsize n;

    if (g_str_has_prefix (line, "#define ")) {
      n = length_of_name (line + 8);
      g_string_append_printf (undefs, "#undef %.*s\n", (int) n, line + 8);
      continue;
    }
    n = length_of_name (line);
    if (i == 0 || n == 0 || line[n] != ' ' || line[n + 1] != '('
        || (!g_str_has_prefix (lines[i - 1], "static inline ")
            && !g_str_has_prefix (lines[i - 1], "__kernel ")))
      continue;
    g_string_append_printf (
        text, "#define %.*s %.*s_%s\n", (int) n, line, (int) n, line, id);
    g_string_append_printf (undefs, "#undef %.*s\n", (int) n, line);
  }
}

/* A kernel becomes a function with the work-item's ids as parameters. */
static void
append_lines (GString *text, const char *const *lines)
{
  for (guint i = 0; lines[i] != NULL; i++) {
    const char *line = lines[i];

    if (g_str_has_prefix (line, "__kernel ")) {
      const gsize n = length_of_name (lines[i + 1]);

      g_string_append_printf (text,
          "static inline void\n%.*s (int id_0, int id_1, int id_2, %s\n",
          (int) n, lines[i + 1], lines[i + 1] + n + 2);
      i++;
    } else {
      g_string_append_printf (text, "%s\n", line);
    }
  }
}

static char *
make_link (const OclProgram *program)
{
  g_auto (GStrv) lines = g_strsplit (ocl_program_text (program), "\n", -1);
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GString) undefs = g_string_new (NULL);

  append_options (text, ocl_program_options (program), undefs);
  collect_names (
      (const char *const *) lines, ocl_program_id (program), text, undefs);
  append_lines (text, (const char *const *) lines);
  g_string_append (text, undefs->str);
  return g_strdup (text->str);
}

/* --- the calls --- */

static void
append_number (const Chain *chain, GString *text, gint64 number)
{
  if (chain->numbers == NULL) {
    g_string_append_printf (text, "%" G_GINT64_FORMAT, number);
    return;
  }
  g_string_append_printf (text, "n%u", chain->numbers->len);
  g_array_append_val (chain->numbers, number);
}

static void
append_int (const Chain *chain, GString *text, gint64 number)
{
  g_string_append (text, chain->numbers == NULL ? "" : "(int) ");
  append_number (chain, text, number);
}

static void
append_scalar (const Chain *chain, GString *text, GBytes *bytes, gboolean real)
{
  gsize size;
  const cl_int *numbers = g_bytes_get_data (bytes, &size);
  const gsize n = size / sizeof *numbers;

  g_string_append (text, real ? "as_float (" : n > 1 ? "(int8) (" : "");
  for (gsize i = 0; i < n; i++) {
    g_string_append (text, i > 0 ? ", " : "");
    append_int (chain, text, numbers[i]);
  }
  g_string_append (text, real || n > 1 ? ")" : "");
}

static void
append_buffer (const Chain *chain, GString *text, const OclArg *arg)
{
  gsize offset = 0;

  if (arg->value != NULL) {
    const OclValue *root = ocl_value_root (arg->value, &offset);

    if (root->place == OCL_PLACE_ARENA)
      offset += root->offset;
  }
  g_string_append_printf (text, "b%u, (ulong) ", find_buffer (chain, arg));
  append_number (chain, text, (gint64) offset);
}

/* In the order of the kernel's parameters: a buffer is two of them. */
static void
append_arguments (const Chain *chain, GString *text, guint link)
{
  const OclLaunch *launch = chain->links->pdata[link];
  guint next = 0;

  for (guint i = 0; i < launch->scalars->len; i++) {
    const OclArg *arg = next < launch->args->len
                            ? &g_array_index (launch->args, OclArg, next)
                            : NULL;

    g_string_append (text, ", ");
    if (arg == NULL || arg->index != i) {
      append_scalar (chain, text, launch->scalars->pdata[i],
          (launch->reals & (G_GUINT64_CONSTANT (1) << i)) != 0);
      continue;
    }
    next++;
    if (arg->local > 0) {
      g_string_append_printf (text, "(__local void *) l%u_%u", link, i);
      continue;
    }
    append_buffer (chain, text, arg);
    i++;
  }
}

static void
append_locals (const Chain *chain, guint link)
{
  const OclLaunch *launch = chain->links->pdata[link];

  for (guint i = 0; i < launch->args->len; i++) {
    const OclArg *arg = &g_array_index (launch->args, OclArg, i);

    if (arg->local > 0)
      g_string_append_printf (chain->text,
          "  __local float16 l%u_%u[%" G_GSIZE_FORMAT "];\n", link, arg->index,
          arg->local / 64 + 1);
  }
}

/* A fence follows, since the next call reads the results. */
static void
append_call (const Chain *chain, guint link)
{
  const OclLaunch *launch = chain->links->pdata[link];
  g_autoptr (GString) call = g_string_new (NULL);
  const guint first = chain->numbers != NULL ? chain->numbers->len : 0;

  for (guint d = 3; d-- > 0;) {
    g_string_append_printf (
        call, "  for (int %c = 0; %c < ", "xyz"[d], "xyz"[d]);
    append_int (chain, call, (gint64) launch->global[d]);
    g_string_append_printf (call, "; %c++)\n", "xyz"[d]);
  }
  g_string_append_printf (call, "    %s_%s (x, y, z", launch->name,
      ocl_program_id (launch->program));
  append_arguments (chain, call, link);
  g_string_append (call, ");\n");
  /* Loaded once: for the compiler, kernels might write to the table. */
  g_string_append (chain->text, "  {\n");
  for (guint i = first; chain->numbers != NULL && i < chain->numbers->len; i++)
    g_string_append_printf (
        chain->text, "  const long n%u = numbers[%u];\n", i, i);
  g_string_append_printf (
      chain->text, "%s  }\n  mem_fence (CLK_GLOBAL_MEM_FENCE);\n", call->str);
}

static void
append_text (Chain *chain)
{
  g_string_append (chain->text, "#define get_global_id(d) id_##d\n"
                                "#define get_group_id(d) id_##d\n"
                                "#define get_local_id(d) 0\n"
                                "#define get_local_size(d) 1\n"
                                "#define barrier(fence) mem_fence (fence)\n");
  for (guint i = 0; i < chain->programs->len; i++)
    g_string_append (
        chain->text, ocl_program_link (chain->programs->pdata[i], make_link));
  g_string_append (chain->text, "__kernel void\nchain (");
  for (guint i = 0; i < chain->buffers->len; i++)
    g_string_append_printf (
        chain->text, "%s__global uchar *b%u", i > 0 ? ", " : "", i);
  if (chain->numbers != NULL)
    g_string_append (chain->text, ", __global const long *numbers, ulong at");
  g_string_append (chain->text, ")\n{\n");
  for (guint i = 0; i < chain->links->len; i++)
    append_locals (chain, i);
  for (guint i = 0; i < chain->links->len; i++)
    append_call (chain, i);
  g_string_append (chain->text, "}\n");
}

/* --- the launch --- */

/* (transfer full); NULL: no memory. */
static InferTensor *
make_table (const GArray *numbers)
{
  const InferShape shape = infer_shape_make (1, (gint64) numbers->len);
  InferTensor *table = infer_tensor_new (INFER_TYPE_I64, &shape, NULL);

  if (table != NULL && numbers->len > 0)
    memcpy (table->data, numbers->data, numbers->len * sizeof (gint64));
  return table;
}

/* Bounds the compilations for dynamic shapes. */
static gboolean
may_be_compiled (const Chain *chain)
{
  if (chain->numbers == NULL
      || ocl_scope_has_text (chain->plan->scope, chain->text->str))
    return TRUE;
  if (*chain->plan->texts_left == 0)
    return FALSE;
  --*chain->plan->texts_left;
  return TRUE;
}

static void
insert (OclStep *step, OclLaunch *launch, const OclLaunch *before)
{
  guint i = 0;

  g_ptr_array_find (step->launches, before, &i);
  g_ptr_array_insert (step->launches, (gint) i, launch);
}

/* The chain takes the place of its first launch. */
static void
replace_links (Chain *chain, InferTensor *table)
{
  OclLaunch *first = chain->links->pdata[0];
  OclLaunch *launch = ocl_launch_new (first->step, "chain",
      ocl_scope_program_of_text (chain->plan->scope, chain->text->str));

  g_array_append_vals (launch->args, chain->buffers->data, chain->buffers->len);
  g_ptr_array_set_size (launch->scalars, (gint) chain->buffers->len);
  if (table != NULL)
    ocl_launch_table (launch, table);
  ocl_launch_each (launch, 1, 1, 1);
  for (guint i = 0; i < chain->links->len; i++)
    ((OclLaunch *) chain->links->pdata[i])->chained = TRUE;
  insert (first->step, launch, first);
}

static void
finish (Chain *chain)
{
  if (chain->links->len > 1) {
    InferTensor *table = NULL;

    g_string_truncate (chain->text, 0);
    append_text (chain);
    if (may_be_compiled (chain)
        && (chain->numbers == NULL
            || (table = make_table (chain->numbers)) != NULL))
      replace_links (chain, table);
  }
  g_ptr_array_set_size (chain->links, 0);
  g_ptr_array_set_size (chain->programs, 0);
  g_array_set_size (chain->buffers, 0);
  if (chain->numbers != NULL)
    g_array_set_size (chain->numbers, 0);
}

static GPtrArray *
list_launches (const OclPlan *plan)
{
  GPtrArray *all = g_ptr_array_new ();

  for (guint i = 0; i < plan->steps->len; i++) {
    const OclStep *step = plan->steps->pdata[i];

    for (guint k = 0; k < step->launches->len; k++)
      if (!ocl_launch_is_empty (step->launches->pdata[k]))
        g_ptr_array_add (all, step->launches->pdata[k]);
  }
  return all;
}

gboolean
ocl_pass_chain (OclPlan *plan, GError **error)
{
  const InferConfig *config = &plan->scope->config;
  g_autoptr (GPtrArray) links = g_ptr_array_new ();
  g_autoptr (GPtrArray) programs = g_ptr_array_new ();
  g_autoptr (GArray) buffers = g_array_new (FALSE, TRUE, sizeof (OclArg));
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (GArray) numbers = NULL;
  g_autoptr (GPtrArray) all = NULL;

  if (!plan->scope->device->cpu || config->perf_count || config->dump != NULL)
    return TRUE;
  if (!is_static (plan->model))
    numbers = g_array_new (FALSE, FALSE, sizeof (gint64));
  Chain chain = { plan, links, programs, buffers, text, numbers };
  all = list_launches (plan);
  for (guint i = 0; i < all->len; i++) {
    OclLaunch *launch = all->pdata[i];

    if (!can_be_link (launch)) {
      finish (&chain);
      continue;
    }
    if (links->len >= MAX_LINKS
        || buffers->len + launch->args->len > MAX_BUFFERS)
      finish (&chain);
    add_link (&chain, launch);
  }
  finish (&chain);
  return TRUE;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The source of a chain: kernels become functions, launches become calls. */

#include "ocl/passes/chain.h"

#include <string.h>

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
append_number (const OclChain *chain, GString *text, gint64 number)
{
  if (chain->numbers == NULL) {
    g_string_append_printf (text, "%" G_GINT64_FORMAT, number);
    return;
  }
  g_string_append_printf (text, "n%u", chain->numbers->len);
  g_array_append_val (chain->numbers, number);
}

static void
append_int (const OclChain *chain, GString *text, gint64 number)
{
  g_string_append (text, chain->numbers == NULL ? "" : "(int) ");
  append_number (chain, text, number);
}

static void
append_scalar (
    const OclChain *chain, GString *text, GBytes *bytes, gboolean real)
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
append_buffer (const OclChain *chain, GString *text, const OclArg *arg)
{
  gsize offset = 0;

  if (arg->value != NULL) {
    const OclValue *root = ocl_value_root (arg->value, &offset);

    if (root->place == OCL_PLACE_ARENA)
      offset += root->offset;
  }
  g_string_append_printf (
      text, "b%u, (ulong) ", ocl_chain_find_buffer (chain, arg));
  append_number (chain, text, (gint64) offset);
}

/* In the order of the kernel's parameters: a buffer is two of them. */
static void
append_arguments (const OclChain *chain, GString *text, guint link)
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
append_locals (const OclChain *chain, guint link)
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
append_call (const OclChain *chain, guint link)
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

void
ocl_chain_append_text (OclChain *chain)
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

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* info --dot: what is in the picture, and that Graphviz takes it. */

#include <gio/gio.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check/support/ir.h"
#include "tests/check/support/onnx.h"

static char *tool;

/* What the names of hostile models could break: strings, entities, escapes,
 * lines, XML. */
#define HOSTILE "x&quot;]; }&#10;evil [a=&quot;\\N &amp;amp; &lt;b&gt; \\"

/* y = relu (w · x + 1) */
#define CHAIN(name)                                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, name, "f32", "1,2") IR_CONST_AT (1, "w", "f32", "2,2",  \
          0, 16) IR_CONST_AT (2, "one", "f32", "1", 16, 4)                     \
          IR_BINARY (3, "product", "MatMul") IR_BINARY (4, "sum", "Add")       \
              IR_UNARY (5, "y", "ReLU") IR_RESULT (6, "result"),               \
      IR_EDGE (0, 0, 3, 0) IR_EDGE (1, 0, 3, 1) IR_EDGE (3, 2, 4, 0)           \
          IR_EDGE (2, 0, 4, 1) IR_EDGE (4, 2, 5, 0) IR_EDGE (5, 1, 6, 0),      \
      "")

/* y = the last value; the variable becomes x. */
#define STATE                                                                  \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,2")                                      \
          IR_LAYER (1, "read", "ReadValue", "opset6",                          \
              IR_DATA ("variable_id=\"memory\" variable_type=\"f32\" "         \
                       "variable_shape=\"1,2\""),                              \
              "", IR_PORT (0)) IR_LAYER (2, "write", "Assign", "opset6",       \
              IR_DATA ("variable_id=\"memory\""), IR_PORT (0), IR_PORT (1))    \
              IR_RESULT (3, "y"),                                              \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 3, 0), "")

/* y = c ? |x| : −x */
#define BRANCH(type)                                                           \
  ONNX_NODE (type, ONNX_I ("x"), ONNX_O (type "-out"), "")                     \
  ONNX_OUTPUT (type "-out", ONNX_F32, ONNX_D (2))
#define CHOICE                                                                 \
  ONNX_MODEL (ONNX_NODE ("If", ONNX_I ("c"), ONNX_O ("y"),                     \
      ONNX_GRAPH ("then_branch", BRANCH ("Abs")) ONNX_GRAPH ("else_branch",    \
          BRANCH ("Neg"))) ONNX_INPUT ("c", ONNX_BOOL, "") ONNX_INPUT ("x",    \
      ONNX_F32, ONNX_D (2)) ONNX_OUTPUT ("y", ONNX_F32, ONNX_D (2)))

/* Returns what the tool prints about the model @data with @options. */
static char *
draw_bytes (GBytes *data, const char *options)
{
  static const float weights[] = { 1, 2, 3, 4, 1 };
  g_autofree char *dir = g_dir_make_tmp ("picture-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (dir, "m.xml", NULL);
  g_autofree char *bin = g_build_filename (dir, "m.bin", NULL);
  g_autofree char *line =
      g_strdup_printf ("'%s' info %s '%s'", tool, options, model);
  g_autofree char *err = NULL;
  g_autoptr (GError) error = NULL;
  char *out = NULL;
  int status;

  g_assert_true (g_file_set_contents (model, g_bytes_get_data (data, NULL),
      (gssize) g_bytes_get_size (data), NULL));
  g_assert_true (
      g_file_set_contents (bin, (const char *) weights, sizeof weights, NULL));
  g_spawn_command_line_sync (line, &out, &err, &status, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (err, ==, "");
  g_assert_cmpint (status, ==, 0);
  g_unlink (model);
  g_unlink (bin);
  g_rmdir (dir);
  return out;
}

static char *
draw (const char *xml, const char *options)
{
  g_autoptr (GBytes) data = g_bytes_new (xml, strlen (xml));

  return draw_bytes (data, options);
}

/* Strings end on their line and have no escapes but those that we write;
 * braces and brackets match; everything else is plain. */
static void
check_syntax (const char *dot)
{
  int braces = 0, brackets = 0;

  g_assert_true (g_str_has_prefix (dot, "digraph model {\n"));
  g_assert_true (g_utf8_validate (dot, -1, NULL));
  for (const char *at = dot; *at != '\0'; at++) {
    braces += (*at == '{') - (*at == '}');
    brackets += (*at == '[') - (*at == ']');
    g_assert_cmpint (braces, >=, 0);
    g_assert_cmpint (brackets, >=, 0);
    g_assert_cmpint (brackets, <=, 1);
    if (*at != '"') {
      g_assert_nonnull (
          strchr ("{}[]()=,;:->_\n #.%", *at) != NULL || g_ascii_isalnum (*at)
              ? at
              : NULL);
      continue;
    }
    const char *begin = at;
    while (*++at != '"') {
      g_assert_cmpint ((guchar) *at, >=, ' ');
      g_assert_true (*at != '<' && *at != '>');
      if (*at == '\\')
        g_assert_nonnull (strchr ("n\\\"", *++at));
    }
    g_assert_cmpint (at - begin, <, 16384); /* Graphviz' limit */
  }
  g_assert_cmpint (braces, ==, 0);
  g_assert_cmpint (brackets, ==, 0);
}

/* Where it is installed. */
static void
check_graphviz (const char *dot)
{
  g_autofree char *program = g_find_program_in_path ("dot");
  g_autofree char *svg = NULL, *err = NULL;
  g_autoptr (GError) error = NULL;

  if (program == NULL) {
    g_test_message ("Graphviz is not installed");
    return;
  }
  g_autofree char *path = NULL;
  const int file = g_file_open_tmp ("infer-XXXXXX.dot", &path, &error);
  g_assert_no_error (error);
  close (file);
  g_file_set_contents (path, dot, -1, &error);
  g_assert_no_error (error);
  char *arguments[] = { program, (char *) "-Tsvg", path, NULL };
  int status;
  g_spawn_sync (NULL, arguments, NULL, G_SPAWN_DEFAULT, NULL, NULL, &svg, &err,
      &status, &error);
  g_assert_no_error (error);
  g_remove (path);
  g_assert_cmpint (status, ==, 0);
  g_assert_null (strstr (err, "rror"));
  g_assert_nonnull (strstr (svg, "</svg>"));
}

static void
assert_has (const char *dot, const char *part)
{
  if (strstr (dot, part) == NULL)
    g_error ("'%s' is not in\n%s", part, dot);
}

static void
test_chain (void)
{
  g_autofree char *dot = draw (CHAIN ("x"), "--dot");

  check_syntax (dot);
  check_graphviz (dot);
  assert_has (dot, "n0 [label=\"Parameter\\nx\\nf32[1,2]\"");
  assert_has (
      dot, "n1 [label=\"MatMul\\nproduct\\nf32[1,2]\\nin 1 = f32[2,2]\"");
  assert_has (dot, "n2 [label=\"Add\\nsum\\nf32[1,2]\\nin 1 = 1\"");
  assert_has (dot, "n3 [label=\"ReLU\\ny\\nf32[1,2]\"");
  assert_has (dot, "n0 -> n1 [tooltip=\"x:0, f32[1,2], to input 0\"]");
  assert_has (dot, "n2 -> n3 ");
  g_assert_null (strstr (dot, "Const"));
  g_assert_null (strstr (dot, "subgraph"));
}

static void
test_steps (void)
{
  g_autofree char *dot = draw (CHAIN ("x"), "--dot --steps");
  const char *step = strstr (dot, "label=\"one step\"");

  check_syntax (dot);
  check_graphviz (dot);
  assert_has (dot, "n3 [label=\"ReLU\\ny\\nf32[1,2]\\n(optimized out)\"");
  g_assert_nonnull (step);
  g_assert_true (strstr (step, "n1; n2; n3;") != NULL);
}

static void
test_names (void)
{
  g_autofree char *dot = draw (CHAIN (HOSTILE), "--dot");
  g_autofree char *name = g_strnfill (40000, 'n');
  g_auto (GStrv) parts = g_strsplit (CHAIN ("@"), "@", -1);
  g_autofree char *xml = g_strjoinv (name, parts);
  g_autofree char *large = draw (xml, "--dot");

  check_syntax (dot);
  check_graphviz (dot);
  assert_has (dot, "&amp;amp;");
  assert_has (dot, "\\\\N");
  check_syntax (large);
  check_graphviz (large);
}

static void
test_body (void)
{
  g_autofree char *dot = draw (IR_LOOP_NET, "--dot");

  check_syntax (dot);
  check_graphviz (dot);
  assert_has (dot, "label=\"each iteration\"");
  assert_has (dot, "n1 [label=\"TensorIterator\\nti\\nin 1 = 1\"");
  assert_has (dot, "e1 [label=\"end of TensorIterator");
  assert_has (dot, "n1 -> n2 [style=dashed, label=\"axis 0\"");
  assert_has (dot, "n5 -> n3 [style=dotted"); /* the next iteration */
  assert_has (dot, "n5 -> e1 [style=dashed");
  assert_has (dot, "n0 -> n1 ");
  assert_has (dot, "e1 -> n6 ");
}

static void
test_onnx (void)
{
  g_autoptr (GBytes) data = onnx_text_bytes (CHOICE);
  g_autofree char *dot = draw_bytes (data, "--dot");

  check_syntax (dot);
  check_graphviz (dot);
  assert_has (dot, "label=\"If\\n");
  assert_has (dot, "label=\"then\"");
  assert_has (dot, "label=\"else\"");
  assert_has (dot, "label=\"Abs\\n");
  assert_has (dot, "label=\"end of If\\nf32[2]\"");
}

static void
test_state (void)
{
  g_autofree char *dot = draw (STATE, "--dot");

  check_syntax (dot);
  check_graphviz (dot);
  assert_has (dot, "[label=\"state\\nmemory\", tooltip=\"memory\", "
                   "shape=cylinder");
  assert_has (dot, "-> v"); /* Assign writes it */
  g_assert_null (strstr (strstr (dot, "cylinder") + 1, "cylinder"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (argc < 2)
    return 2;
  tool = g_canonicalize_filename (argv[1], NULL);
  g_test_add_func ("/picture/chain", test_chain);
  g_test_add_func ("/picture/steps", test_steps);
  g_test_add_func ("/picture/names", test_names);
  g_test_add_func ("/picture/body", test_body);
  g_test_add_func ("/picture/state", test_state);
  g_test_add_func ("/picture/onnx", test_onnx);
  return g_test_run ();
}

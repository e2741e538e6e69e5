/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Models of a few hundred bytes that have crashed, hung or overrun a process:
 * `infer-model` refuses them, or ends, within limits of time and memory. */

#include <string.h>

#include "tests/bad-input/child.h"
#include "tests/check/support/ir.h"

static const char *tool;

typedef enum
{
  REFUSED, /* by info */
  SHOWN,   /* by info */
  FAILS,   /* when it runs on zeros */
  RUNS,
} Outcome;

typedef struct
{
  const char *name;
  Outcome outcome;
  const char *says; /* part of the message; of the text of info, if SHOWN */
  const char *xml;
  const char *weights; /* as hexadecimal digits; nullable */
} Case;

#define SLICED "axis=\"0\" start=\"0\" end=\"-1\" stride=\"1\" part_size=\"1\""

/* --- single operations --- */

#define THREE_INPUTS IR_PORT (0) IR_PORT (1) IR_PORT (2)
#define THREE_EDGES                                                            \
  IR_EDGE (0, 0, 3, 0)                                                         \
  IR_EDGE (1, 0, 3, 1) IR_EDGE (2, 0, 3, 2) IR_EDGE (3, 3, 4, 0)

#define PAD_NET(mode)                                                          \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "8") IR_CONST_AT (1, "begin", "i64", "1",   \
          0, 8) IR_CONST_AT (2, "end", "i64", "1", 8, 8) IR_LAYER (3, "pad",   \
          "Pad", "opset12", IR_DATA ("pad_mode=\"" mode "\""), THREE_INPUTS,   \
          IR_PORT (3)) IR_RESULT (4, "y"),                                     \
      THREE_EDGES, "")

#define INTERPOLATE_NET(sizes, scales, axes)                                   \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1,2,2")                                  \
          sizes scales axes IR_LAYER (4, "resize", "Interpolate", "opset4",    \
              IR_DATA ("mode=\"nearest\" shape_calculation_mode=\"scales\""),  \
              IR_PORT (0) IR_PORT (1) IR_PORT (2) IR_PORT (3), IR_PORT (4))    \
              IR_RESULT (5, "y"),                                              \
      IR_EDGE (0, 0, 4, 0) IR_EDGE (1, 0, 4, 1) IR_EDGE (2, 0, 4, 2)           \
          IR_EDGE (3, 0, 4, 3) IR_EDGE (4, 4, 5, 0),                           \
      "")

#define UNARY_NET(layer)                                                       \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1,1,4,4") layer IR_RESULT (2, "y"),        \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 2, 0), "")

#define VARIABLE                                                               \
  IR_DATA ("variable_id=\"v\" variable_type=\"f32\" variable_shape=\"2\"")
#define ASSIGN(id, name)                                                       \
  IR_LAYER (id, name, "Assign", "opset6", VARIABLE, IR_PORT (0), IR_PORT (1))
#define ASSIGNS_NET                                                            \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "2") IR_LAYER (1, "read", "ReadValue",      \
          "opset6", VARIABLE, IR_PORT (0), IR_PORT (1)) ASSIGN (2, "first")    \
          ASSIGN (3, "second") IR_RESULT (4, "y"),                             \
      IR_EDGE (0, 0, 1, 0) IR_EDGE (1, 1, 2, 0) IR_EDGE (0, 0, 3, 0)           \
          IR_EDGE (1, 1, 4, 0),                                                \
      "")

#define HUGE_NET                                                               \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "u8", "1")                                         \
          IR_CONST_AT (1, "dims", "i64", "1", 0, 8) IR_LAYER (2, "big",        \
              "Broadcast", "opset3", IR_DATA ("mode=\"numpy\""),               \
              IR_PORT (0) IR_PORT (1), IR_PORT (2)) IR_RESULT (3, "y"),        \
      IR_EDGE (0, 0, 2, 0) IR_EDGE (1, 0, 2, 1) IR_EDGE (2, 2, 3, 0), "")

/* A convolution of constants that are grown from one number: 2048 × 2048 by
 * filters of 512 × 2048. */
#define TILE(id, name)                                                         \
  IR_LAYER (                                                                   \
      id, name, "Tile", "opset1", "", IR_PORT (0) IR_PORT (1), IR_PORT (2))
#define FOLDED_NET                                                             \
  IR_NET ("11",                                                                \
      IR_PARAMETER (0, "x", "f32", "1") IR_CONST_AT (1, "one", "f32",          \
          "1,1,1,1", 0, 4) IR_CONST_AT (2, "d2", "i64", "4", 4, 32)            \
          IR_CONST_AT (3, "d3", "i64", "4", 36, 32) IR_CONST_AT (              \
              4, "d4", "i64", "4", 68, 32) IR_LAYER (5, "b", "Broadcast",      \
              "opset3", IR_DATA ("mode=\"numpy\""), IR_PORT (0) IR_PORT (1),   \
              IR_PORT (2)) TILE (6, "t6") TILE (7, "t7") TILE (8, "t8")        \
              IR_LAYER (9, "c", "Convolution", "opset1",                       \
                  IR_DATA ("strides=\"1,1\" dilations=\"1,1\" "                \
                           "pads_begin=\"1024,1024\" "                         \
                           "pads_end=\"1024,1024\""),                          \
                  IR_PORT (0) IR_PORT (1), IR_PORT (2))                        \
                  IR_BINARY (10, "s", "Add") IR_RESULT (11, "y"),              \
      IR_EDGE (1, 0, 5, 0) IR_EDGE (2, 0, 5, 1) IR_EDGE (5, 2, 6, 0)           \
          IR_EDGE (3, 0, 6, 1) IR_EDGE (6, 2, 7, 0) IR_EDGE (3, 0, 7, 1)       \
              IR_EDGE (7, 2, 8, 0) IR_EDGE (4, 0, 8, 1) IR_EDGE (8, 2, 9, 0)   \
                  IR_EDGE (7, 2, 9, 1) IR_EDGE (9, 2, 10, 0)                   \
                      IR_EDGE (0, 0, 10, 1) IR_EDGE (10, 2, 11, 0),            \
      "")

static const Case cases[] = {
  { "memory/static-output", REFUSED, "are more than MEMORY_LIMIT", HUGE_NET,
      "0000000000010000" /* 2^40 */ },
  { "file/two-assigns", REFUSED,
      "'second' (Assign opset6): another Assign has given the variable 'v'",
      ASSIGNS_NET, NULL },
  { "file/unknown-opset", REFUSED, "an opset newer than all that are known",
      UNARY_NET (
          IR_LAYER (1, "r", "ReLU", "opset99", "", IR_PORT (0), IR_PORT (1))),
      NULL },
  { "file/operation-of-later-opset", REFUSED, "it came with a later opset",
      UNARY_NET (
          IR_LAYER (1, "r", "Mish", "opset1", "", IR_PORT (0), IR_PORT (1))),
      NULL },
  { "file/operation-that-opset-2-lacks", REFUSED, "its opset dropped it",
      UNARY_NET (IR_LAYER (1, "s", "ShuffleChannels", "opset2",
          IR_DATA ("axis=\"0\" group=\"1\""), IR_PORT (0), IR_PORT (1))),
      NULL },
  { "file/operation-that-opset-3-has-again", RUNS, NULL,
      UNARY_NET (IR_LAYER (1, "s", "ShuffleChannels", "opset3",
          IR_DATA ("axis=\"0\" group=\"1\""), IR_PORT (0), IR_PORT (1))),
      NULL },
  { "file/operation-dropped-for-good", REFUSED, "its opset dropped it",
      UNARY_NET (IR_LAYER (1, "r", "Reverse", "opset16",
          IR_DATA ("mode=\"index\""), IR_PORT (0), IR_PORT (1))),
      NULL },
  { "file/pooling-without-data", REFUSED,
      "'p' (MaxPool opset1): attribute 'kernel' is missing",
      UNARY_NET (
          IR_LAYER (1, "p", "MaxPool", "opset1", "", IR_PORT (0), IR_PORT (1))),
      NULL },
  { "file/pooling-without-pads", REFUSED,
      "'p' (MaxPool opset1): attribute 'pads_begin' is missing",
      UNARY_NET (IR_LAYER (1, "p", "MaxPool", "opset1",
          IR_DATA ("kernel=\"2,2\" strides=\"1,1\""), IR_PORT (0),
          IR_PORT (1))),
      NULL },
  { "file/grn-without-data", REFUSED,
      "line 1: operation 'g' (GRN opset1): attribute 'bias' is missing",
      UNARY_NET (
          IR_LAYER (1, "g", "GRN", "opset1", "", IR_PORT (0), IR_PORT (1))),
      NULL },
  /* Planned for minutes. */
  { "fold/convolution", SHOWN, "one inference takes longer than", FOLDED_NET,
      "0000803f"
      "01000000000000000100000000000000"
      "80000000000000008000000000000000"
      "01000000000000000100000000000000"
      "02000000000000000400000000000000"
      "01000000000000000100000000000000"
      "04000000000000000100000000000000" },
  { "loop/endless", SHOWN, "one inference takes longer than",
      IR_ENDLESS_NET ("2", IR_BINARY (1, "sum", "Add"),
          IR_EDGE (0, 0, 1, 0) IR_EDGE (0, 0, 1, 1) IR_EDGE (1, 2, 9, 0), ""),
      IR_ENDLESS_WEIGHTS },
  { "loop/endless-without-steps", SHOWN, "one inference takes longer than",
      IR_ENDLESS_NET ("0", "", IR_EDGE (0, 0, 9, 0), ""), IR_ENDLESS_WEIGHTS },
  { "loop/too-many-slices", REFUSED, "(Loop opset5)",
      IR_ENDLESS_NET ("4", "", IR_EDGE (0, 0, 9, 0), SLICED),
      IR_ENDLESS_WEIGHTS },
  { "pad/beyond-what-is-kept", REFUSED, "of which 1 are left",
      PAD_NET ("reflect"),
      "f9ffffffffffffff"
      "0700000000000000" },
  { "pad/opposite", REFUSED, "of which 0 are left", PAD_NET ("edge"),
      "f8ffffffffffffff"
      "0900000000000000" },
  { "pad/smallest-number", RUNS, NULL, PAD_NET ("constant"),
      "0000000000000080"
      "ffffffffffffff7f" },
  { "interpolate/no-scales", REFUSED, "0 sizes or scales for 4 axes",
      INTERPOLATE_NET (IR_PARAMETER (1, "sizes", "i64", "0"),
          IR_PARAMETER (2, "scales", "f32", "0"),
          IR_CONST_AT (3, "axes", "i64", "4", 0, 32)),
      "0000000000000000"
      "0100000000000000"
      "0200000000000000"
      "0300000000000000" },
  { "interpolate/no-axes", REFUSED, "2 sizes or scales for 0 axes",
      INTERPOLATE_NET (IR_PARAMETER (1, "sizes", "i64", "2"),
          IR_PARAMETER (2, "scales", "f32", "2"),
          IR_CONST_AT (3, "axes", "i64", "0", 0, 0)),
      "00" },
};

/* --- running them --- */

static void
write_model (const char *dir, const Case *c)
{
  g_autofree char *xml = g_build_filename (dir, "model.xml", NULL);
  g_autofree char *bin = g_build_filename (dir, "model.bin", NULL);
  g_autoptr (GByteArray) weights = g_byte_array_new ();

  for (const char *at = c->weights; at != NULL && *at != '\0'; at += 2) {
    const guint8 byte = (guint8) (g_ascii_xdigit_value (at[0]) * 16
                                  + g_ascii_xdigit_value (at[1]));

    g_byte_array_append (weights, &byte, 1);
  }
  g_assert_true (g_file_set_contents (xml, c->xml, -1, NULL));
  g_assert_true (g_file_set_contents (
      bin, (const char *) weights->data, weights->len, NULL));
}

static void
test_case (gconstpointer data)
{
  const Case *c = data;
  const gboolean info = c->outcome == REFUSED || c->outcome == SHOWN;
  g_autofree char *output = NULL, *messages = NULL;
  g_autofree char *dir = g_dir_make_tmp ("infer-hostile-XXXXXX", NULL);
  g_autofree char *model = g_build_filename (dir, "model.xml", NULL);
  g_autoptr (GPtrArray) argv = NULL;

  write_model (dir, c);
  if (info) {
    argv = g_ptr_array_new_with_free_func (g_free);
    g_ptr_array_add (argv, g_strdup (tool));
    g_ptr_array_add (argv, g_strdup ("info"));
    g_ptr_array_add (argv, g_strdup (model));
  } else
    argv = bad_input_run_arguments (tool, model, dir);
  const int status = bad_input_spawn (argv, &output, &messages);
  const char *text = c->outcome == SHOWN ? output : messages;
  if (c->says != NULL && strstr (text, c->says) == NULL)
    g_test_message ("status %d, not '%s': %.2000s", status, c->says, text);
  g_assert_cmpint (
      status, ==, c->outcome == REFUSED || c->outcome == FAILS ? 1 : 0);
  g_assert_true (c->says == NULL || strstr (text, c->says) != NULL);
  if (status == 1)
    g_assert_cmpuint (bad_input_lines (messages), ==, 1);
  bad_input_remove_folder (dir);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, "no_g_set_prgname", NULL);
  g_test_set_nonfatal_assertions ();
  if (argc < 2) {
    g_printerr ("usage: test-hostile INFER-MODEL\n");
    return 2;
  }
  tool = argv[1];
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    g_autofree char *path = g_strconcat ("/hostile/", cases[i].name, NULL);

    g_test_add_data_func (path, &cases[i], test_case);
  }
  return g_test_run ();
}

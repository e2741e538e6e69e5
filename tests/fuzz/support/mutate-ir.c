/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Changes that libFuzzer makes to models (container.h): attributes, types,
 * shapes, edges, whole operations and weights, so that most results are still
 * read and compiled. */

#include "tests/fuzz/support/container.h"
#include "tests/fuzz/support/mutate-ir.h"
#include "tests/fuzz/support/mutate.h"

#include "inference/graph/op.h"

#include <string.h>

#define MAX_WEIGHTS 8192

static void
model_init (IrModel *model, const guint8 *data, gsize size)
{
  FuzzInput input;

  fuzz_input_init (&input, data, size);
  model->text = g_string_new_len (input.xml, (gssize) input.xml_size);
  model->rest = g_byte_array_new ();
  g_byte_array_append (model->rest, input.control, FUZZ_CONTROL);
  g_byte_array_append (model->rest, input.weights, (guint) input.n_weights);
}

static void
model_clear (IrModel *model)
{
  g_string_free (model->text, TRUE);
  g_byte_array_unref (model->rest);
}

/* 0: it does not fit. */
static gsize
model_store (const IrModel *model, guint8 *data, gsize max)
{
  const gsize text = model->text->len, rest = model->rest->len;

  if (text + 1 + rest > max)
    return 0;
  memcpy (data, model->text->str, text + 1);
  memcpy (data + text + 1, model->rest->data, rest);
  return text + 1 + rest;
}

void
ir_model_replace (IrModel *model, const TextSpan *span, const char *with)
{
  g_string_erase (model->text, (gssize) span->at, (gssize) span->length);
  g_string_insert (model->text, (gssize) span->at, with);
}

/* --- values of attributes --- */

static const char *const numbers[] = { "0", "-1", "1", "2", "3", "4", "5", "7",
  "8", "9", "15", "16", "17", "31", "64", "255", "256", "1024", "-2", "-128",
  "65536", "2147483647", "2147483648", "-2147483648", "4294967295",
  "4611686018427387904", "9223372036854775807", "-9223372036854775808",
  "18446744073709551615", "1e30", "-1e-30", "0.5", "-0.5", "nan", "inf", "-inf",
  "1e39", "?", "2..5", "...", "", "true", "false" };

static const char *const types[] = { "f32", "f16", "bf16", "f64", "i64", "i32",
  "i16", "i8", "u64", "u32", "u16", "u8", "boolean", "i4", "u4", "u2", "u1",
  "nf4", "f4e2m1", "f8e4m3", "f8e5m2", "f8e8m0", "u3", "u6", "dynamic",
  "string" };

static const char *
any_number (void)
{
  /* Small ones more often. */
  return numbers[fuzz_mutate_below (
      fuzz_mutate_below (3) == 0 ? G_N_ELEMENTS (numbers) : 14)];
}

static gboolean
is_type (const char *value)
{
  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    if (strcmp (types[i], value) == 0)
      return TRUE;
  return FALSE;
}

/* Replaces, doubles or removes an element of a list. */
static char *
change_list (const char *value)
{
  g_auto (GStrv) parts = g_strsplit (value, ",", -1);
  const guint n = g_strv_length (parts), at = fuzz_mutate_below (n),
              how = fuzz_mutate_below (8);
  g_autoptr (GPtrArray) list = g_ptr_array_new ();

  for (guint i = 0; i < n; i++) {
    if (i == at && how == 0)
      continue;
    g_ptr_array_add (
        list, i == at && how > 1 ? (gpointer) (gsize) any_number () : parts[i]);
    if (i == at && how == 1)
      g_ptr_array_add (list, parts[i]);
  }
  g_ptr_array_add (list, NULL);
  return g_strjoinv (",", (char **) list->pdata);
}

/* The value of another attribute of @name. */
static char *
same_attribute (const IrText *ir, const TextSpan *name)
{
  g_autofree char *word = ir_text_copy (ir, name);
  const guint start = fuzz_mutate_below (ir->attributes->len);

  for (guint i = 0; i < ir->attributes->len; i++) {
    const TextAttribute *other = &g_array_index (
        ir->attributes, TextAttribute, (start + i) % ir->attributes->len);

    if (other->name.at != name->at && ir_text_is (ir, &other->name, word))
      return ir_text_copy (ir, &other->value);
  }
  return g_strdup (any_number ());
}

static char *
change_value (const IrText *ir, const TextAttribute *attribute)
{
  g_autofree char *value = ir_text_copy (ir, &attribute->value);

  if (is_type (value))
    return g_strdup (types[fuzz_mutate_below (
        fuzz_mutate_below (2) ? 13 : G_N_ELEMENTS (types))]);
  if (strcmp (value, "true") == 0)
    return g_strdup ("false");
  if (strcmp (value, "false") == 0)
    return g_strdup ("true");
  if (ir_text_is (ir, &attribute->name, "version"))
    return g_strdup_printf ("opset%u", 1 + fuzz_mutate_below (16));
  switch (fuzz_mutate_below (5)) {
    case 0:
    case 1:
    case 2:
      return change_list (value);
    case 3:
      return same_attribute (ir, &attribute->name);
    default:
      return g_strdup (any_number ());
  }
}

static gboolean
says_little (const IrText *ir, const TextAttribute *attribute)
{
  return attribute->element.length > 0
         && (ir_text_is (ir, &attribute->name, "name")
             || ir_text_is (ir, &attribute->name, "names")
             || ir_text_is (ir, &attribute->name, "id")
             || ir_text_is (ir, &attribute->name, "offset"));
}

/* Of <data> rather than of layers, ports and edges, where most other values
 * make no model. */
static const TextAttribute *
pick_attribute (const IrText *ir)
{
  const TextAttribute *attribute = NULL;
  gboolean good = FALSE;

  for (guint i = 0; i < 8 && !good; i++) {
    attribute = &g_array_index (
        ir->attributes, TextAttribute, fuzz_mutate_below (ir->attributes->len));
    good = !says_little (ir, attribute)
           && (g_str_has_prefix (ir->text->str + attribute->element.at, "<data")
               || fuzz_mutate_below (8) == 0);
  }
  return attribute;
}

static void
change_attribute (IrModel *model, const IrText *ir)
{
  const TextAttribute *attribute = pick_attribute (ir);
  g_autofree char *value = change_value (ir, attribute);
  ir_model_replace (model, &attribute->value, value);
}

static void
drop_attribute (IrModel *model, const IrText *ir)
{
  const TextAttribute *attribute = &g_array_index (
      ir->attributes, TextAttribute, fuzz_mutate_below (ir->attributes->len));
  const TextSpan whole = { attribute->name.at,
    attribute->value.at + attribute->value.length + 1 - attribute->name.at };

  ir_model_replace (model, &whole, "");
}

/* --- operations and edges --- */

static guint
count_classes (void)
{
  const InferOpClass *const *classes = infer_op_classes ();
  guint n = 0;

  while (classes[n] != NULL)
    n++;
  return n;
}

const TextLayer *
ir_model_any_layer (const IrText *ir)
{
  return &g_array_index (
      ir->layers, TextLayer, fuzz_mutate_below (ir->layers->len));
}

static void
change_type (IrModel *model, const IrText *ir)
{
  const TextAttribute *type =
      ir_text_find (ir, &ir_model_any_layer (ir)->whole, "type");
  const char *name =
      infer_op_classes ()[fuzz_mutate_below (count_classes ())]->type;

  if (type == NULL)
    return;
  if (ir_text_is (ir, &type->value, "Const") && fuzz_mutate_below (2))
    name = "Parameter";
  ir_model_replace (model, &type->value, name);
}

static void
change_edge (IrModel *model, const IrText *ir)
{
  static const char *const ends[] = { "from-layer", "from-layer", "from-port",
    "to-port", "to-layer" };
  const char *end = ends[fuzz_mutate_below (G_N_ELEMENTS (ends))];

  if (ir->edges->len == 0)
    return;
  const TextAttribute *old = ir_text_find (ir,
      &g_array_index (ir->edges, TextSpan, fuzz_mutate_below (ir->edges->len)),
      end);
  const TextAttribute *other = ir_text_find (ir,
      &g_array_index (ir->edges, TextSpan, fuzz_mutate_below (ir->edges->len)),
      fuzz_mutate_below (4) ? end : "from-layer");
  if (old == NULL || other == NULL)
    return;
  g_autofree char *value = ir_text_copy (ir, &other->value);
  ir_model_replace (model, &old->value, value);
}

static void
drop_edge (IrModel *model, const IrText *ir)
{
  if (ir->edges->len > 0)
    ir_model_replace (model,
        &g_array_index (
            ir->edges, TextSpan, fuzz_mutate_below (ir->edges->len)),
        "");
}

static void
drop_layer (IrModel *model, const IrText *ir)
{
  ir_model_replace (model, &ir_model_any_layer (ir)->whole, "");
}

/* Operations of one input and one output. */
static const struct
{
  const char *type, *data;
} links[] = {
  { "ReLU", "" },
  { "Sigmoid", "" },
  { "Tanh", "" },
  { "Exp", "" },
  { "Negative", "" },
  { "Abs", "" },
  { "Sqrt", "" },
  { "Floor", "" },
  { "HSwish", "" },
  { "SoftPlus", "" },
  { "Mish", "" },
  { "Sign", "" },
  { "Erf", "" },
  { "LogicalNot", "" },
  { "ShapeOf", "" },
  { "NonZero", "" },
  { "Round", "" },
  { "HSigmoid", "" },
  { "Clamp", "<data min=\"-1\" max=\"6\"/>" },
  { "Elu", "<data alpha=\"1\"/>" },
  { "SoftMax", "<data axis=\"0\"/>" },
  { "SoftMax", "<data axis=\"1\"/>" },
  { "LogSoftmax", "<data axis=\"-1\"/>" },
  { "Gelu", "<data approximation_mode=\"ERF\"/>" },
  { "Convert", "<data destination_type=\"f16\"/>" },
  { "Convert", "<data destination_type=\"f32\"/>" },
  { "Convert", "<data destination_type=\"i32\"/>" },
  { "Convert", "<data destination_type=\"i64\"/>" },
  { "Convert", "<data destination_type=\"u8\"/>" },
  { "ShuffleChannels", "<data axis=\"0\" group=\"1\"/>" },
  { "GRN", "<data bias=\"0.1\"/>" },
  { "DepthToSpace", "<data block_size=\"1\" mode=\"blocks_first\"/>" },
  { "SpaceToDepth", "<data block_size=\"1\" mode=\"blocks_first\"/>" },
  { "ReorgYolo", "<data stride=\"1\"/>" },
};
/* Not older than any of them. */
#define LINK_OPSET "opset13"

/* A new operation on an edge that is not in a body. */
static void
insert_link (IrModel *model, const IrText *ir)
{
  const guint link = fuzz_mutate_below (G_N_ELEMENTS (links));
  const guint id = 1000 + fuzz_mutate_below (1000000);

  if (ir->edges->len == 0 || ir->last_layer_end.length == 0)
    return;
  /* The edges of the graph itself follow those of bodies. */
  const TextSpan *edge = &g_array_index (ir->edges, TextSpan,
      ir->edges->len - 1 - fuzz_mutate_below (MIN (ir->edges->len, 6)));
  if (edge->at < ir->last_layer_end.at)
    return;
  const TextAttribute *from = ir_text_find (ir, edge, "from-layer");
  const TextAttribute *port = ir_text_find (ir, edge, "from-port");
  if (from == NULL || port == NULL || from->value.at > port->value.at)
    return;
  g_autofree char *from_id = ir_text_copy (ir, &from->value);
  g_autofree char *from_port = ir_text_copy (ir, &port->value);
  g_autofree char *new_id = g_strdup_printf ("%u", id);
  g_autofree char *new_edge = g_strdup_printf (
      "<edge from-layer=\"%s\" from-port=\"%s\" to-layer=\"%u\" to-port=\"0\"/>",
      from_id, from_port, id);
  g_autofree char *layer = g_strdup_printf (
      "<layer id=\"%u\" name=\"n%u\" type=\"%s\" version=\"" LINK_OPSET "\">"
      "%s<input><port id=\"0\"/></input><output><port id=\"1\"/></output>"
      "</layer>",
      id, id, links[link].type, links[link].data);
  /* From the end to the beginning, so that positions stay right. */
  ir_model_replace (model, &port->value, "1");
  ir_model_replace (model, &from->value, new_id);
  g_string_insert (model->text, (gssize) edge->at, new_edge);
  g_string_insert (model->text, (gssize) ir->last_layer_end.at, layer);
}

/* --- constants --- */

typedef struct
{
  TextSpan at;
  gsize bytes;
} Size;

static gint
compare_sizes (gconstpointer a, gconstpointer b)
{
  const Size *left = a, *right = b;

  return left->at.at < right->at.at ? 1 : -1;
}

static gboolean
parse_size (const IrText *ir, const TextSpan *data, gsize *bytes)
{
  const TextAttribute *type = ir_text_find (ir, data, "element_type");
  const TextAttribute *shape = ir_text_find (ir, data, "shape");
  InferType element;
  InferShape dims;
  gsize n;

  if (type == NULL || shape == NULL)
    return FALSE;
  g_autofree char *type_text = ir_text_copy (ir, &type->value);
  g_autofree char *shape_text = ir_text_copy (ir, &shape->value);
  return infer_type_from_name (type_text, &element)
         && infer_shape_parse (shape_text, &dims, NULL, NULL, NULL)
         && infer_shape_elements (&dims, &n) && n <= 4096
         && infer_tensor_bytes (element, &dims, bytes);
}

/* Sizes of constants follow their types and shapes, and the weights reach as
 * far. */
static void
fit_constants (IrModel *model)
{
  g_autoptr (IrText) ir = ir_text_new_data (model->text);
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (Size));

  for (guint i = 0; i < ir->layers->len; i++) {
    const TextSpan *data = &g_array_index (ir->layers, TextLayer, i).data;
    const TextAttribute *size = ir_text_find (ir, data, "size");
    const TextAttribute *offset = ir_text_find (ir, data, "offset");
    Size fitting;

    if (size == NULL || offset == NULL
        || !parse_size (ir, data, &fitting.bytes))
      continue;
    const guint64 end =
        g_ascii_strtoull (ir->text->str + offset->value.at, NULL, 10)
        + fitting.bytes;
    if (end > MAX_WEIGHTS)
      continue;
    const guint old = model->rest->len;
    if (FUZZ_CONTROL + end > old) {
      g_byte_array_set_size (model->rest, (guint) (FUZZ_CONTROL + end));
      memset (model->rest->data + old, 0, model->rest->len - old);
    }
    fitting.at = size->value;
    g_array_append_val (sizes, fitting);
  }
  /* From the end to the beginning, so that positions stay right. */
  g_array_sort (sizes, compare_sizes);
  for (guint i = 0; i < sizes->len; i++) {
    const Size *size = &g_array_index (sizes, Size, i);
    g_autofree char *text = g_strdup_printf ("%" G_GSIZE_FORMAT, size->bytes);

    ir_model_replace (model, &size->at, text);
  }
}

static void
change_weights (IrModel *model)
{
  static const guint64 specials[] = { 0, G_MAXUINT64, 1, 2, 3,
    0x7fc000007fc00000, 0x7f8000007f800000, 0xff800000ff800000,
    0x7fffffff7fffffff, 0x8000000080000000, 0x4000000000000000,
    0x3f8000003f800000, 0xbf800000bf800000, 0x7ff8000000000000,
    0x7e007e007e007e00, 0x7c007c007c007c00, 0x00ff00ff00ff00ff,
    0x0000000100000001 };
  static const guint widths[] = { 1, 2, 4, 8 };
  const guint n = model->rest->len - FUZZ_CONTROL,
              width = widths[fuzz_mutate_below (4)];

  if (n < width)
    return;
  guint8 *to =
      model->rest->data + FUZZ_CONTROL + fuzz_mutate_below (n / width) * width;
  if (fuzz_mutate_below (3) == 0) {
    memcpy (to, &specials[fuzz_mutate_below (G_N_ELEMENTS (specials))], width);
  } else if (fuzz_mutate_below (2)) {
    to[0] = (guint8) (to[0] + fuzz_mutate_below (5) - 2);
  } else {
    const guint64 small = fuzz_mutate_below (8);

    memcpy (to, &small, width);
  }
}

static void
change_control (IrModel *model)
{
  const guint at = fuzz_mutate_below (FUZZ_CONTROL);

  /* The first byte chooses actions by bits. */
  if (at == 0)
    model->rest->data[0] ^= (guint8) (1u << fuzz_mutate_below (5));
  else
    model->rest->data[at] = (guint8) fuzz_mutate_below (256);
}

/* --- libFuzzer's entries --- */

static void
change (IrModel *model)
{
  g_autoptr (IrText) ir = ir_text_new (model->text);

  if (ir->attributes->len == 0 || ir->layers->len == 0)
    return;
  switch (fuzz_mutate_below (20)) {
    case 0:
      change_type (model, ir);
      break;
    case 1:
    case 2:
      change_edge (model, ir);
      break;
    case 3:
      if (fuzz_mutate_below (4) == 0)
        drop_edge (model, ir);
      else
        insert_link (model, ir);
      break;
    case 4:
      if (fuzz_mutate_below (4) == 0)
        drop_layer (model, ir);
      else
        insert_link (model, ir);
      break;
    case 5:
      drop_attribute (model, ir);
      break;
    case 6:
    case 7:
    case 8:
      change_weights (model);
      break;
    case 9:
    case 10:
      change_control (model);
      break;
    default:
      change_attribute (model, ir);
      break;
  }
}

static gsize
finish (IrModel *model, guint8 *data, gsize old, gsize max)
{
  if (fuzz_mutate_below (16) != 0)
    fit_constants (model);
  const gsize size = model_store (model, data, max);
  model_clear (model);
  return size > 0 ? size : old;
}

size_t
LLVMFuzzerCustomMutator (
    uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
  IrModel model;
  guint n;

  fuzz_mutate_seed (seed);
  if (fuzz_mutate_below (64) == 0)
    return LLVMFuzzerMutate (data, size, max_size);
  model_init (&model, data, size);
  n = fuzz_mutate_below (3) > 0 ? 1 : 2 + fuzz_mutate_below (3);
  while (n-- > 0)
    change (&model);
  return finish (&model, data, size, max_size);
}

size_t
LLVMFuzzerCustomCrossOver (const uint8_t *data1, size_t size1,
    const uint8_t *data2, size_t size2, uint8_t *out, size_t max_out,
    unsigned int seed)
{
  IrModel model, second;

  fuzz_mutate_seed (seed);
  model_init (&model, data1, size1);
  model_init (&second, data2, size2);
  {
    g_autoptr (IrText) ir = ir_text_new (model.text);
    g_autoptr (IrText) other = ir_text_new (second.text);

    if (ir->attributes->len > 0 && ir->layers->len > 0
        && other->layers->len > 0) {
      switch (fuzz_mutate_below (4)) {
        case 0:
          ir_model_join (&model, ir, &second, other);
          break;
        case 1:
          ir_model_take_value (&model, ir, other);
          break;
        default:
          ir_model_take_operation (&model, ir, other);
          break;
      }
    }
  }
  model_clear (&second);
  if (fuzz_mutate_below (2))
    change (&model);
  return finish (&model, out, 0, max_out);
}

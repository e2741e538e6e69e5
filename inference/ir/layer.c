/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/ir/builder.h"

#include "inference/graph/ops/parameter.h"

#include <string.h>

/* More ports than any operation has; bounds the linear search by id. */
#define MAX_UNORDERED_PORTS 1024

/* --- ports --- */

void
infer_ir_layer_free (InferIrLayer *layer)
{
  if (layer == NULL)
    return;
  g_free (layer->inputs.ids);
  g_free (layer->outputs.ids);
  g_free (layer);
}

int
infer_ir_ports_find (const InferIrPorts *ports, gint64 id)
{
  guint low = 0, high = ports->n;

  for (guint i = 0; !ports->ascending && i < ports->n; i++)
    if (ports->ids[i] == id)
      return (int) i;
  while (ports->ascending && low < high) {
    guint middle = low + (high - low) / 2;

    if (ports->ids[middle] == id)
      return (int) middle;
    if (ports->ids[middle] < id)
      low = middle + 1;
    else
      high = middle;
  }
  return -1;
}

/* Fast path: most numbers have a few digits. */
static gboolean
is_dimension (const char *text)
{
  InferShape dim;
  gsize n = strspn (text, "0123456789");

  if (n > 0 && n < 10 && text[n] == '\0')
    return TRUE;
  return infer_shape_parse (text, &dim, NULL, NULL, NULL) && dim.rank == 1;
}

/* Only checked: types and shapes are inferred. */
static gboolean
check_port (const InferXmlNode *node, GError **error)
{
  const char *precision = infer_xml_attribute (node, "precision");
  InferType type;
  int rank = 0;

  if (precision != NULL && !infer_type_from_precision (precision, &type))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "line %u: a port of precision '%.40s', which there is not", node->line,
        precision);
  for (const InferXmlNode *child = node->children; child != NULL;
       child = child->next) {
    if (!infer_xml_is (child, "dim"))
      continue;
    if (!is_dimension (child->text))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "line %u: '%.40s' is no dimension", child->line, child->text);
    if (++rank > INFER_MAX_RANK)
      return infer_fail (error, INFER_ERROR_UNSUPPORTED,
          "line %u: a port of a rank above %d", node->line, INFER_MAX_RANK);
  }
  return TRUE;
}

static gboolean
read_ports (const InferXmlNode *node, const char *side, InferIrPorts *ports,
    GError **error)
{
  const InferXmlNode *list = infer_xml_child (node, side);
  g_autoptr (GArray) ids = g_array_new (FALSE, FALSE, sizeof (gint64));

  ports->ascending = TRUE;
  for (const InferXmlNode *child = list != NULL ? list->children : NULL;
       child != NULL; child = child->next) {
    gint64 id;

    if (!infer_xml_is (child, "port"))
      continue;
    if (!infer_xml_id (child, "id", &id, error) || !check_port (child, error))
      return FALSE;
    if (ids->len > 0 && g_array_index (ids, gint64, ids->len - 1) >= id)
      ports->ascending = FALSE;
    g_array_append_val (ids, id);
  }
  if (!ports->ascending && ids->len > MAX_UNORDERED_PORTS)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "line %u: %u ports that are not in order", node->line, ids->len);
  ports->n = ids->len;
  ports->ids =
      (gint64 *) (gpointer) g_array_free (g_steal_pointer (&ids), FALSE);
  for (guint i = 0; !ports->ascending && i < ports->n; i++)
    if (infer_ir_ports_find (ports, ports->ids[i]) != (int) i)
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "line %u: two ports have the id %" G_GINT64_FORMAT, node->line,
          ports->ids[i]);
  return TRUE;
}

/* "a,b\,c" → "a", "b,c". */
static GStrv
split_names (const char *text)
{
  GPtrArray *names = g_ptr_array_new ();
  GString *name = g_string_new (NULL);

  for (const char *p = text != NULL ? text : ""; *p != '\0'; p++) {
    if (*p == '\\' && p[1] != '\0') {
      g_string_append_c (name, *++p);
    } else if (*p == ',') {
      if (name->len > 0)
        g_ptr_array_add (names, g_strdup (name->str));
      g_string_truncate (name, 0);
    } else {
      g_string_append_c (name, *p);
    }
  }
  if (name->len > 0)
    g_ptr_array_add (names, g_strdup (name->str));
  g_string_free (name, TRUE);
  g_ptr_array_add (names, NULL);
  return (GStrv) g_ptr_array_free (names, FALSE);
}

static void
set_names (InferOperation *op, guint k, const char *text)
{
  if ((text == NULL || *text == '\0') && op->outputs[k].names[0] == NULL)
    return;
  g_auto (GStrv) names = split_names (text);
  infer_output_set_names (&op->outputs[k], (const char *const *) names);
}

/* IR v10 has no tensor names: the name of the operation is used. */
static void
name_outputs (const InferIr *ir, const InferXmlNode *node, InferOperation *op)
{
  const InferXmlNode *list = infer_xml_child (node, "output");
  guint k = 0;

  for (const InferXmlNode *child = list != NULL ? list->children : NULL;
       child != NULL && k < op->n_outputs; child = child->next) {
    if (infer_xml_is (child, "port"))
      set_names (op, k++, infer_xml_attribute (child, "names"));
  }
  for (k = 0; ir->ir_version < 11 && k < op->n_outputs; k++) {
    if (op->outputs[k].names[0] != NULL)
      continue;
    g_autofree char *name = op->n_outputs == 1
                                ? g_strdup (op->name)
                                : g_strdup_printf ("%s.%u", op->name, k);
    infer_output_set_name (&op->outputs[k], name);
  }
  if (infer_op_is (op, &infer_op_result))
    set_names (op, 0, infer_xml_attribute (node, "output_names"));
}

/* --- operations --- */

static guint
opset_of (const InferOpClass *klass, const char *version)
{
  /* Early files give these operations the wrong opset. */
  static const InferOpClass *const opset2[] = { &infer_op_mvn,
    &infer_op_roi_pooling, &infer_op_reorg_yolo, NULL };
  static const InferOpClass *const opset6[] = { &infer_op_detectron_output,
    &infer_op_detectron_proposals, &infer_op_detectron_prior_grid,
    &infer_op_roi_pyramid, &infer_op_detectron_top_k, NULL };
  guint64 opset;

  if (strcmp (version, "opset1") == 0)
    return infer_op_class_in (klass, opset2) ? 2 : 1;
  if ((strcmp (version, "experimental") == 0
          || strcmp (version, "extension") == 0)
      && infer_op_class_in (klass, opset6))
    return 6;
  if (!g_str_has_prefix (version, "opset")
      || !g_ascii_string_to_unsigned (
          version + strlen ("opset"), 10, 1, 1000, &opset, NULL))
    return 0;
  return (guint) opset;
}

/* Opset 2 lacks four operations of opset 1; opset 3 has two of them again. */
static gboolean
opset_lacks (const InferOpClass *klass, guint opset)
{
  static const InferOpClass *const for_good[] = { &infer_op_reverse,
    &infer_op_xor, NULL };
  static const InferOpClass *const opset2[] = { &infer_op_rnn_cell,
    &infer_op_shuffle_channels, NULL };

  return (opset >= 2 && infer_op_class_in (klass, for_good))
         || (opset == 2 && infer_op_class_in (klass, opset2));
}

const InferOpClass *
infer_ir_find_class (const char *type, const char *version,
    guint *class_version, const char **reason)
{
  const InferOpClass *klass = infer_op_class_find (type);
  guint opset = klass != NULL ? opset_of (klass, version) : 0;

  *class_version = 0;
  *reason = g_ascii_strncasecmp (type, "StringTensor", 12) == 0
                ? "tensors of strings are not supported"
                : "no such operation";
  if (klass == NULL || (klass->flags & INFER_OP_INTERNAL) != 0)
    return NULL;
  *reason = "no such opset";
  if (opset == 0)
    return NULL;
  *reason = "an opset newer than all that are known";
  if (opset > infer_op_newest_opset ())
    return NULL;
  *reason = "its opset dropped it";
  if (opset_lacks (klass, opset))
    return NULL;
  *class_version = infer_op_class_version (klass, opset);
  *reason = "it came with a later opset";
  return *class_version > 0 ? klass : NULL;
}

static gboolean
check_arity (
    const InferOpClass *klass, const InferIrLayer *layer, GError **error)
{
  guint n_outputs = MAX (klass->n_outputs, 1);

  if (layer->inputs.n < klass->min_inputs
      || layer->inputs.n > MAX (klass->min_inputs, klass->max_inputs))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL, "it has %u inputs, %s",
        layer->inputs.n,
        layer->inputs.n < klass->min_inputs ? "too few" : "too many");
  if (layer->outputs.n > n_outputs)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it has %u outputs, not %u", layer->outputs.n, n_outputs);
  return TRUE;
}

static gboolean
parse_attributes (InferOperation *op, const InferXmlNode *node, GError **error)
{
  const InferXmlNode *data = infer_xml_child (node, "data");
  g_autoptr (InferAttributes) attributes = infer_attr_new ();

  for (guint i = 0; data != NULL && i < data->n_attributes; i++)
    infer_attr_lend (
        attributes, data->attributes[i].name, data->attributes[i].value);
  infer_operation_note_attributes (op, attributes);
  return op->klass->parse == NULL || op->klass->parse (op, attributes, error);
}

static gboolean
map_constant (const InferIr *ir, InferOperation *op, GError **error)
{
  const InferConstAttrs *attrs = op->attrs;
  gsize size = 0;
  const guint8 *data = NULL;

  if (ir->weights != NULL)
    data = g_bytes_get_data (ir->weights, &size);
  else if (attrs->size > 0)
    return infer_fail (error, INFER_ERROR_NOT_FOUND,
        "its value is in the weights: %s", ir->weights_problem);
  if (attrs->offset > size || attrs->size > size - attrs->offset)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "bytes %" G_GUINT64_FORMAT " + %" G_GUINT64_FORMAT
        " of weights that have %" G_GSIZE_FORMAT,
        attrs->offset, attrs->size, size);
  op->value = infer_tensor_new_wrapped (attrs->desc.type, &attrs->desc.shape,
      data != NULL ? (gpointer) (gsize) (data + attrs->offset) : NULL,
      (gsize) attrs->size,
      ir->weights != NULL ? g_bytes_ref (ir->weights) : NULL,
      ir->weights != NULL ? (GDestroyNotify) g_bytes_unref : NULL, error);
  if (op->value != NULL)
    ((InferTensorPrivate *) op->value)->mapped = ir->mapped;
  return op->value != NULL;
}

static gboolean
fill_layer (InferIr *ir, const InferXmlNode *node, InferIrLayer *layer,
    const char *name, const char *type, const char *version, GError **error)
{
  const char *reason;
  guint class_version;

  const InferOpClass *klass =
      infer_ir_find_class (type, version, &class_version, &reason);
  if (klass == NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "%s", reason);
  if (!read_ports (node, "input", &layer->inputs, error)
      || !read_ports (node, "output", &layer->outputs, error)
      || !check_arity (klass, layer, error))
    return FALSE;
  layer->op =
      infer_operation_new (klass, class_version, version, name, layer->inputs.n,
          klass->n_outputs == G_MAXUINT ? layer->outputs.n
                                        : MAX (klass->n_outputs, 1));
  name_outputs (ir, node, layer->op);
  return parse_attributes (layer->op, node, error)
         && (klass != &infer_op_const || map_constant (ir, layer->op, error))
         && infer_ir_read_bodies (ir, node, layer, error);
}

InferIrLayer *
infer_ir_layer_new (InferIr *ir, const InferXmlNode *node, GError **error)
{
  g_autoptr (InferIrLayer) layer = g_new0 (InferIrLayer, 1);
  const char *name, *type, *version;

  layer->place = -1;
  if (!infer_xml_id (node, "id", &layer->id, error))
    return NULL;
  name = infer_xml_require (node, "name", error);
  type = name != NULL ? infer_xml_require (node, "type", error) : NULL;
  version = type != NULL ? infer_xml_require (node, "version", error) : NULL;
  if (version == NULL)
    return NULL;
  if (fill_layer (ir, node, layer, name, type, version, error))
    return g_steal_pointer (&layer);
  g_prefix_error (error,
      "line %u: operation '%.200s' (%.100s %.40s): ", node->line, name, type,
      version);
  g_clear_pointer (&layer->op, infer_operation_free);
  return NULL;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/graph/op.h"

#include <string.h>

static const InferOpClass *const classes[] = {
#define OP(name, file) &infer_op_##name,
#include "inference/graph/ops/op-list.h"
#undef OP
  NULL,
};

/* --- the table of classes --- */

/* Open addressing: more than twice as many slots as classes with aliases. */
#define N_SLOTS 1024
G_STATIC_ASSERT (2 * 2 * G_N_ELEMENTS (classes) <= N_SLOTS);

typedef struct
{
  const char *type;
  const InferOpClass *klass;
} Slot;

static Slot slots[N_SLOTS];

/* As g_ascii_tolower, which is no inline function. */
static guint8
lower_of (char c)
{
  return (guint8) (c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static gboolean
is_same (const char *a, const char *b)
{
  while (*a != '\0' && lower_of (*a) == lower_of (*b)) {
    a++;
    b++;
  }
  return *a == *b;
}

/* The slot of @type, in any spelling, or the empty one for it. */
static Slot *
find_slot (const char *type)
{
  guint32 hash = 5381;

  for (const char *p = type; *p != '\0'; p++)
    hash = hash * 33 + lower_of (*p);
  hash ^= hash >> 15;
  for (guint i = hash % N_SLOTS;; i = (i + 1) % N_SLOTS)
    if (slots[i].type == NULL || is_same (slots[i].type, type))
      return &slots[i];
}

static void
fill_slots (void)
{
  for (const InferOpClass *const *k = classes; *k != NULL; k++) {
    *find_slot ((*k)->type) = (Slot){ (*k)->type, *k };
    if ((*k)->alias != NULL)
      *find_slot ((*k)->alias) = (Slot){ (*k)->alias, *k };
  }
}

const InferOpClass *
infer_op_class_find (const char *type)
{
  static gsize once = 0;

  if (g_once_init_enter (&once)) {
    fill_slots ();
    g_once_init_leave (&once, 1);
  }
  return find_slot (type)->klass;
}

const InferOpClass *const *
infer_op_classes (void)
{
  return classes;
}

guint
infer_op_class_version (const InferOpClass *klass, guint opset)
{
  guint best = 0;

  for (const char *p = klass->versions; p != NULL && *p != '\0';) {
    char *end;
    guint64 version = g_ascii_strtoull (p, &end, 10);

    if (version <= opset && version > best)
      best = (guint) version;
    p = *end == ',' ? end + 1 : "";
  }
  return best;
}

static gpointer
find_newest (gpointer unused)
{
  guint newest = 0;

  for (const InferOpClass *const *k = classes; *k != NULL; k++)
    newest = MAX (newest, infer_op_class_version (*k, G_MAXUINT));
  return GUINT_TO_POINTER (newest);
}

guint
infer_op_newest_opset (void)
{
  static GOnce once = G_ONCE_INIT;

  return GPOINTER_TO_UINT (g_once (&once, find_newest, NULL));
}

/* --- helpers for infer_shapes --- */

gboolean
infer_input_ints (const InferShapeContext *context, guint input, GArray **ints,
    GError **error)
{
  const InferTensor *value = NULL;

  *ints = NULL;
  if (input < context->n_inputs && context->values != NULL)
    value = context->values[input];
  if (value == NULL)
    return TRUE;
  *ints = infer_tensor_to_ints (value);
  if (*ints != NULL)
    return TRUE;
  if (infer_type_is_integer (value->type) || infer_type_is_real (value->type))
    return infer_fail (error, INFER_ERROR_NO_MEMORY,
        "input %u: no memory for its %" G_GSIZE_FORMAT " numbers", input,
        infer_shape_count (&value->shape));
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "input %u is of type %s, integers are needed", input,
      infer_type_name (value->type));
}

gboolean
infer_input_number (const InferShapeContext *context, guint input,
    gint64 *number, gboolean *known, GError **error)
{
  g_autoptr (GArray) ints = NULL;

  *known = FALSE;
  if (!infer_require_integer (context, input, error)
      || !infer_input_ints (context, input, &ints, error))
    return FALSE;
  if (ints == NULL)
    return TRUE;
  if (ints->len != 1)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "input %u has %u elements, not one", input, ints->len);
  *number = g_array_index (ints, gint64, 0);
  *known = TRUE;
  return TRUE;
}

gboolean
infer_input_list (const InferShapeContext *context, guint input, GArray **ints,
    GError **error)
{
  return infer_require_integers (context, input, 0, 1, error)
         && infer_input_ints (context, input, ints, error);
}

static InferType
type_of (const InferShapeContext *context, guint input)
{
  return input < context->n_inputs ? context->inputs[input].type
                                   : INFER_TYPE_DYNAMIC;
}

static gboolean
fail_type (InferType type, guint input, const char *want, GError **error)
{
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "input %u is of type %s, not %s", input, infer_type_name (type), want);
}

gboolean
infer_require_integer (
    const InferShapeContext *context, guint input, GError **error)
{
  InferType type = type_of (context, input);

  return type == INFER_TYPE_DYNAMIC || infer_type_is_integer (type)
         || fail_type (type, input, "an integer", error);
}

gboolean
infer_require_real (
    const InferShapeContext *context, guint input, GError **error)
{
  InferType type = type_of (context, input);

  return type == INFER_TYPE_DYNAMIC || infer_type_is_real (type)
         || fail_type (type, input, "a floating-point type", error);
}

gboolean
infer_require_boolean (
    const InferShapeContext *context, guint input, GError **error)
{
  InferType type = type_of (context, input);

  return type == INFER_TYPE_DYNAMIC || type == INFER_TYPE_BOOLEAN
         || fail_type (type, input, "boolean", error);
}

gboolean
infer_require_rank (const InferShapeContext *context, guint input, int min,
    int max, GError **error)
{
  if (input >= context->n_inputs)
    return TRUE;
  const InferShape *shape = &context->inputs[input].shape;
  if (shape->rank < 0 || (shape->rank >= min && shape->rank <= max))
    return TRUE;
  g_autofree char *text = infer_shape_to_string (shape);
  if (min == max)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "input %u has shape %s, its rank must be %d", input, text, min);
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "input %u has shape %s, its rank must be %d to %d", input, text, min,
      max);
}

gboolean
infer_require_integers (const InferShapeContext *context, guint input, int min,
    int max, GError **error)
{
  return infer_require_integer (context, input, error)
         && infer_require_rank (context, input, min, max, error);
}

gboolean
infer_require_reals (const InferShapeContext *context, guint input, int min,
    int max, GError **error)
{
  return infer_require_real (context, input, error)
         && infer_require_rank (context, input, min, max, error);
}

gboolean
infer_merge_types (const InferShapeContext *context, guint first, guint n,
    InferType *type, GError **error)
{
  InferType merged = INFER_TYPE_DYNAMIC;

  for (guint i = first; i < first + n && i < context->n_inputs; i++) {
    InferType next = context->inputs[i].type;

    if (!infer_type_merge (merged, next, &merged))
      return infer_fail (error, INFER_ERROR_INVALID_MODEL,
          "input %u is of type %s, inputs before it of %s", i,
          infer_type_name (next), infer_type_name (merged));
  }
  *type = merged;
  return TRUE;
}

gboolean
infer_match_types (const InferShapeContext *context, guint a, guint b,
    InferType *type, GError **error)
{
  InferType first = type_of (context, a), second = type_of (context, b);

  return infer_type_merge (first, second, type)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "input %u is of type %s, input %u of %s", a,
             infer_type_name (first), b, infer_type_name (second));
}

gboolean
infer_merge_dims (
    gint64 a, gint64 b, gint64 *merged, const char *what, GError **error)
{
  return infer_dim_merge (a, b, merged)
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "%s: %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT " differ", what,
             a, b);
}

gboolean
infer_dim_product (gint64 a, gint64 b, gint64 *product, GError **error)
{
  if (a == 0 || b == 0)
    *product = 0;
  else if (a == INFER_DYNAMIC || b == INFER_DYNAMIC)
    *product = INFER_DYNAMIC;
  else if (__builtin_mul_overflow (a, b, product))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "%" G_GINT64_FORMAT " times %" G_GINT64_FORMAT " is too large", a, b);
  return TRUE;
}

gint64
infer_input_dim (const InferShapeContext *context, guint input, int axis)
{
  if (input >= context->n_inputs)
    return INFER_DYNAMIC;
  const InferShape *shape = &context->inputs[input].shape;
  return axis < shape->rank ? shape->dims[axis] : INFER_DYNAMIC;
}

gboolean
infer_require_dim (const InferShapeContext *context, guint input, int axis,
    gint64 want, GError **error)
{
  gint64 dim = infer_input_dim (context, input, axis);

  return dim == INFER_DYNAMIC || want == INFER_DYNAMIC || dim == want
         || infer_fail (error, INFER_ERROR_INVALID_MODEL,
             "dim %d of input %u is %" G_GINT64_FORMAT
             ", not %" G_GINT64_FORMAT,
             axis, input, dim, want);
}

gboolean
infer_match_dims (const InferShapeContext *context, guint input_a, int axis_a,
    guint input_b, int axis_b, gint64 *merged, GError **error)
{
  gint64 a = infer_input_dim (context, input_a, axis_a);

  *merged = a != INFER_DYNAMIC ? a : infer_input_dim (context, input_b, axis_b);
  return infer_require_dim (context, input_b, axis_b, a, error);
}

gboolean
infer_require_real_inputs (
    const InferShapeContext *context, const int *ranks, guint n, GError **error)
{
  for (guint i = 0; i < n; i++)
    if (!infer_require_reals (context, i, ranks[i], ranks[i], error))
      return FALSE;
  return TRUE;
}

gboolean
infer_same_as_input (InferShapeContext *context, GError **error)
{
  context->outputs[0] = context->inputs[0];
  return TRUE;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/state-private.h"

struct _InferState
{
  char *name;
  InferDesc desc;
  InferTensor *initial; /* nullable: not known without evaluation */
  /* Pending reset, applied by the next started step. */
  gint reset_asked;
  gboolean has_value; /* FALSE: reset */
  guint current;      /* index of the value in values[] */
  InferTensor *values[2];
  /* Growing values are views of rooms[room_of[k]], NO_ROOM for others. */
  InferTensor *rooms[2];
  guint room_of[2];
  guint64 written;
  guint held;
  gboolean committed; /* a commit was deferred while held */
  /* The device that holds the value; NULL: none. */
  const InferStateKeeper *keeper;
  gconstpointer kept_at;
  gpointer kept;
  gboolean away; /* the value must be fetched before it is read */
};

#define NO_ROOM 2
#define LEAST_ROOM 16

static InferTensor *
duplicate (const InferTensor *value, GError **error)
{
  g_autoptr (InferTensor) copy =
      infer_tensor_new (value->type, &value->shape, error);
  if (copy == NULL || !infer_tensor_copy (copy, value, error))
    return NULL;
  return g_steal_pointer (&copy);
}

static void
drop_kept (InferState *state)
{
  if (state->kept != NULL)
    state->keeper->free (state->kept);
  state->kept = NULL;
  state->away = FALSE;
}

InferState *
infer_state_new (const InferVariable *variable, InferTensor *initial)
{
  InferState *state = g_new0 (InferState, 1);

  state->name = g_strdup (variable->name);
  state->desc = variable->desc;
  state->initial = initial;
  state->room_of[0] = state->room_of[1] = NO_ROOM;
  return state;
}

void
infer_state_free (InferState *state)
{
  drop_kept (state);
  g_free (state->name);
  g_clear_pointer (&state->initial, infer_tensor_unref);
  for (guint k = 0; k < 2; k++) {
    g_clear_pointer (&state->values[k], infer_tensor_unref);
    g_clear_pointer (&state->rooms[k], infer_tensor_unref);
  }
  g_free (state);
}

static gboolean
fetch (InferState *state, GError **error)
{
  if (!state->away || !state->has_value)
    return TRUE;
  if (!state->keeper->fetch (
          state->kept, state->values[state->current], error)) {
    g_prefix_error (error, "variable '%s': ", state->name);
    return FALSE;
  }
  state->away = FALSE;
  return TRUE;
}

gboolean
infer_states_make_dense (InferState *const *states, GError **error)
{
  for (; *states != NULL; states++) {
    InferState *state = *states;
    InferTensor *value = state->values[state->current];

    if (!state->has_value || value->dense)
      continue;
    InferTensor *dense = duplicate (value, error);
    if (dense == NULL)
      return FALSE;
    infer_tensor_unref (value);
    state->values[state->current] = dense;
    state->room_of[state->current] = NO_ROOM;
  }
  return TRUE;
}

const char *
infer_state_get_name (const InferState *state)
{
  return state->name;
}

gboolean
infer_state_is_reset (const InferState *state)
{
  return __atomic_load_n (&state->reset_asked, __ATOMIC_SEQ_CST)
         || !state->has_value;
}

void
infer_state_reset (InferState *state)
{
  g_atomic_int_set (&state->reset_asked, TRUE);
}

gboolean
infer_state_take_reset (InferState *state)
{
  return g_atomic_int_get (&state->reset_asked)
         && g_atomic_int_compare_and_exchange (
             &state->reset_asked, TRUE, FALSE);
}

void
infer_state_clear (InferState *state)
{
  /* At once: a sequence on a server ends before the next one begins. */
  drop_kept (state);
  state->has_value = FALSE;
}

const InferTensor *
infer_state_get_initial (const InferState *state)
{
  return state->initial;
}

InferTensor *
infer_state_get_value (InferState *state, GError **error)
{
  if (!infer_state_is_reset (state))
    return fetch (state, error)
               ? duplicate (state->values[state->current], error)
               : NULL;
  if (state->initial != NULL)
    return duplicate (state->initial, error);
  infer_fail (error, INFER_ERROR_NOT_FOUND,
      "variable '%s' is reset and its initial value not known before the next "
      "step",
      state->name);
  return NULL;
}

/* @value is known to fit. */
static gboolean
assign (InferState *state, const InferTensor *value, GError **error)
{
  InferTensor *next =
      infer_state_next (state, value->type, &value->shape, error);
  if (next == NULL || !infer_tensor_copy (next, value, error))
    return FALSE;
  infer_state_commit (state);
  g_atomic_int_set (&state->reset_asked, FALSE);
  return TRUE;
}

/* Plans rely on what the model says of its variables. */
static gboolean
check_fits (const InferState *state, InferType type, const InferShape *shape,
    InferErrorCode code, GError **error)
{
  if (state->desc.type != INFER_TYPE_DYNAMIC && state->desc.type != type)
    return infer_fail (error, code, "variable '%s' is of %s, not %s",
        state->name, infer_type_name (state->desc.type),
        infer_type_name (type));
  if (infer_shape_matches (&state->desc.shape, shape))
    return TRUE;
  g_autofree char *wanted = infer_shape_to_string (&state->desc.shape);
  g_autofree char *given = infer_shape_to_string (shape);
  return infer_fail (error, code,
      "variable '%s' has the shape %s: a value of shape %s does not fit",
      state->name, wanted, given);
}

gboolean
infer_state_set_value (
    InferState *state, const InferTensor *value, GError **error)
{
  g_return_val_if_fail (value != NULL, FALSE);

  return check_fits (state, value->type, &value->shape,
             INFER_ERROR_INVALID_ARGUMENT, error)
         && assign (state, value, error);
}

gboolean
infer_state_copy_begin (InferState *dst, InferState *src, GError **error)
{
  const InferTensor *value = src->values[src->current];

  if (infer_state_is_reset (src))
    return TRUE;
  if (!fetch (src, error))
    return FALSE;
  InferTensor *next = infer_state_next (dst, value->type, &value->shape, error);
  return next != NULL && infer_tensor_copy (next, value, error);
}

void
infer_state_copy_end (InferState *dst, const InferState *src)
{
  gboolean reset = infer_state_is_reset (src);

  if (!reset)
    infer_state_commit (dst);
  dst->has_value = !reset;
  g_atomic_int_set (&dst->reset_asked, FALSE);
}

/* --- for backends --- */

InferTensor *
infer_state_peek (InferState *state)
{
  g_autoptr (GError) error = NULL;

  /* A value that the device has lost cannot be recovered. */
  if (!fetch (state, &error)) {
    g_warning ("%s: the variable is reset", error->message);
    drop_kept (state);
    state->has_value = FALSE;
  }
  return state->has_value ? state->values[state->current] : NULL;
}

const InferTensor *
infer_state_peek_desc (const InferState *state)
{
  return state->has_value ? state->values[state->current] : NULL;
}

gpointer
infer_state_peek_kept (const InferState *state, const InferStateKeeper *keeper,
    gconstpointer place)
{
  return state->has_value && state->keeper == keeper && state->kept_at == place
             ? state->kept
             : NULL;
}

/* Gives up the view of a room; the value gets memory of its own. */
static void
leave_room (InferState *state, guint k)
{
  if (state->room_of[k] == NO_ROOM)
    return;
  g_clear_pointer (&state->values[k], infer_tensor_unref);
  state->room_of[k] = NO_ROOM;
}

InferTensor *
infer_state_next (
    InferState *state, InferType type, const InferShape *shape, GError **error)
{
  InferTensor **next = &state->values[!state->current];

  if (!check_fits (state, type, shape, INFER_ERROR_INVALID_DATA, error))
    return NULL;
  leave_room (state, !state->current);
  if (*next == NULL)
    *next = infer_tensor_new (type, shape, error);
  else if (((*next)->type != type
               || !infer_shape_equal (&(*next)->shape, shape))
           && !infer_tensor_reshape (*next, type, shape, error))
    return NULL;
  if (*next != NULL)
    state->written += (*next)->size;
  return *next;
}

InferTensor *
infer_state_take_spare (InferState *state)
{
  const guint spare = !state->current;

  /* A deferred commit makes it the value. */
  return state->held == 0 && state->room_of[spare] == NO_ROOM
             ? g_steal_pointer (&state->values[spare])
             : NULL;
}

gboolean
infer_state_give_spare (InferState *state, InferTensor *spare)
{
  InferTensor **own = &state->values[!state->current];

  if (*own != NULL)
    return FALSE;
  *own = spare;
  return TRUE;
}

static gboolean
has_room (
    const InferTensor *room, InferType type, const InferShape *shape, int axis)
{
  if (room == NULL || room->type != type || room->shape.rank != shape->rank)
    return FALSE;
  for (int d = 0; d < shape->rank; d++)
    if (d == axis ? room->shape.dims[d] < shape->dims[d]
                  : room->shape.dims[d] != shape->dims[d])
      return FALSE;
  return TRUE;
}

/* Chooses the room for the next value: the current one if @keep and it is large
 * enough. */
static guint
choose_room (InferState *state, InferType type, const InferShape *shape,
    int axis, gboolean keep, gboolean *kept)
{
  guint room = state->has_value ? state->room_of[state->current] : NO_ROOM;

  *kept = keep && room != NO_ROOM
          && has_room (state->rooms[room], type, shape, axis);
  if (*kept)
    return room;
  return room == 0 ? 1 : 0;
}

static gboolean
make_room (InferTensor **room, InferType type, const InferShape *shape,
    int axis, GError **error)
{
  InferShape wide = *shape;
  gint64 length = shape->dims[axis];

  wide.dims[axis] =
      length > G_MAXINT64 / 2 ? length : MAX (2 * length, LEAST_ROOM);
  g_clear_pointer (room, infer_tensor_unref);
  *room = infer_tensor_new (type, &wide, error);
  return *room != NULL;
}

InferTensor *
infer_state_grow (InferState *state, InferType type, const InferShape *shape,
    int axis, gboolean keep, gboolean *kept, GError **error)
{
  static const gint64 begin[INFER_MAX_RANK];

  if (!check_fits (state, type, shape, INFER_ERROR_INVALID_DATA, error))
    return NULL;
  guint next = !state->current;
  guint room = choose_room (state, type, shape, axis, keep, kept);

  /* A value in a room that is replaced or overwritten is an old one. */
  leave_room (state, next);
  if (!*kept && !has_room (state->rooms[room], type, shape, axis)
      && !make_room (&state->rooms[room], type, shape, axis, error))
    return NULL;
  InferTensor *view =
      infer_tensor_new_roi (state->rooms[room], begin, shape, error);
  if (view == NULL)
    return NULL;
  g_clear_pointer (&state->values[next], infer_tensor_unref);
  state->values[next] = view;
  state->room_of[next] = room;

  gsize bytes = infer_shape_count (shape) * infer_type_size (type);
  gsize before = *kept ? infer_shape_count (&state->values[!next]->shape)
                             * infer_type_size (type)
                       : 0;
  state->written += bytes - MIN (bytes, before);
  return view;
}

guint64
infer_state_get_written (const InferState *state)
{
  return state->written;
}

void
infer_state_commit (InferState *state)
{
  if (state->held) {
    state->committed = TRUE;
    return;
  }
  state->current = !state->current;
  state->has_value = TRUE;
  drop_kept (state);
}

/* With a deferred commit the value is fetched at once, since the device may
 * reuse its buffer. */
static gboolean
commit_fetched (InferState *state, const InferStateKeeper *keeper,
    gpointer data, InferTensor *next, GError **error)
{
  gboolean ok = keeper->fetch (data, next, error);

  if (data != state->kept)
    keeper->free (data);
  if (ok)
    infer_state_commit (state);
  return ok;
}

gboolean
infer_state_commit_kept (InferState *state, const InferStateKeeper *keeper,
    gconstpointer place, gpointer data, const InferDesc *desc, GError **error)
{
  InferTensor *next = infer_state_next (state, desc->type, &desc->shape, error);

  if (next == NULL) {
    if (data != state->kept)
      keeper->free (data);
    return FALSE;
  }
  if (state->held)
    return commit_fetched (state, keeper, data, next, error);
  if (data != state->kept)
    drop_kept (state);
  state->keeper = keeper;
  state->kept_at = place;
  state->kept = data;
  state->away = TRUE;
  state->current = !state->current;
  state->has_value = TRUE;
  return TRUE;
}

/* --- deferred commits --- */

void
infer_states_hold (InferState *const *states)
{
  for (; *states != NULL; states++)
    if ((*states)->held++ == 0)
      (*states)->committed = FALSE;
}

void
infer_states_settle (InferState *const *states, gboolean commit)
{
  for (; *states != NULL; states++) {
    InferState *state = *states;

    state->held--;
    state->committed = state->committed && commit;
    if (state->held == 0 && state->committed)
      infer_state_commit (state);
  }
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/error-message.h"

#include "infer/error.h"

/* Codes of GST_RESOURCE_ERROR; 0: it is a GST_STREAM_ERROR. */
static const int resource_codes[] = {
  [INFER_ERROR_NOT_FOUND] = GST_RESOURCE_ERROR_NOT_FOUND,
  [INFER_ERROR_INVALID_ARGUMENT] = GST_RESOURCE_ERROR_SETTINGS,
  [INFER_ERROR_BUSY] = GST_RESOURCE_ERROR_BUSY,
  [INFER_ERROR_NO_MEMORY] = GST_RESOURCE_ERROR_NO_SPACE_LEFT,
  [INFER_ERROR_DEVICE] = GST_RESOURCE_ERROR_FAILED,
};

static int
stream_code (const GError *error)
{
  if (g_error_matches (error, INFER_ERROR, INFER_ERROR_INVALID_MODEL))
    return GST_STREAM_ERROR_DECODE;
  if (g_error_matches (error, INFER_ERROR, INFER_ERROR_UNSUPPORTED))
    return GST_STREAM_ERROR_NOT_IMPLEMENTED;
  return GST_STREAM_ERROR_FAILED;
}

/* Takes @text. */
static void
post (gpointer element, GQuark domain, int code, char *text,
    const GstInferCodeLine *place)
{
  gst_element_message_full (GST_ELEMENT (element), GST_MESSAGE_ERROR, domain,
      code, text, NULL, place->file, place->function, place->line);
}

void
gst_infer_post_error_from (
    gpointer element, const GError *error, const GstInferCodeLine *place)
{
  guint index = (guint) error->code;
  int code =
      error->domain == INFER_ERROR && index < G_N_ELEMENTS (resource_codes)
          ? resource_codes[index]
          : 0;

  post (element, code != 0 ? GST_RESOURCE_ERROR : GST_STREAM_ERROR,
      code != 0 ? code : stream_code (error), g_strdup (error->message), place);
}

void
gst_infer_post_caps_error_from (gpointer element, const GstCaps *caps,
    const GError *error, const GstInferCodeLine *place)
{
  g_autofree char *text = gst_caps_to_string (caps);

  post (element, GST_STREAM_ERROR, GST_STREAM_ERROR_FORMAT,
      g_strdup_printf ("Cannot take %s: %s", text, error->message), place);
}

/* --- caps --- */

gboolean
gst_infer_answer_caps (GstQuery *query, GstCaps *caps)
{
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  if (filter == NULL) {
    gst_query_set_caps_result (query, caps);
    return TRUE;
  }
  g_autoptr (GstCaps) both =
      gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  gst_query_set_caps_result (query, both);
  return !gst_caps_is_empty (both) || gst_caps_is_empty (filter);
}

static gboolean
has_sticky (GstPad *pad, GstEventType type)
{
  g_autoptr (GstEvent) event = gst_pad_get_sticky_event (pad, type, 0);

  return event != NULL;
}

/* The sink pad that is linked to @src inside an element, the first of several.
 * (transfer full) (nullable) */
static GstPad *
linked_inside (GstPad *src)
{
  GstIterator *links = gst_pad_iterate_internal_links (src);
  g_auto (GValue) value = G_VALUE_INIT;
  GstPad *pad = NULL;

  if (links == NULL)
    return NULL;
  if (gst_iterator_next (links, &value) == GST_ITERATOR_OK)
    pad = g_value_dup_object (&value);
  gst_iterator_free (links);
  return pad;
}

/* A stream has begun, here or upstream: a capsfilter holds its beginning back
 * until it has caps. */
static gboolean
has_begun (GstPad *sink)
{
  g_autoptr (GstPad) pad = gst_object_ref (sink);

  while (pad != NULL) {
    g_autoptr (GstPad) src = gst_pad_get_peer (pad);

    if (has_sticky (pad, GST_EVENT_STREAM_START))
      return TRUE;
    gst_object_unref (pad);
    pad = src != NULL ? linked_inside (src) : NULL;
  }
  return FALSE;
}

gboolean
gst_infer_lacks_caps (GstPad *pad)
{
  return !has_sticky (pad, GST_EVENT_CAPS) && has_begun (pad);
}

/* Takes @text. */
static void
set_unmet (gpointer element, char **unmet, char *text)
{
  GST_OBJECT_LOCK (element);
  g_free (*unmet);
  *unmet = text;
  GST_OBJECT_UNLOCK (element);
}

/* Appends the fields of @taken that @offer has with other values. */
static void
append_differences (const GstStructure *offer, const GstStructure *taken,
    GString *offered, GString *wanted)
{
  for (int i = 0; i < gst_structure_n_fields (taken); i++) {
    const char *name = gst_structure_nth_field_name (taken, (guint) i);
    const GValue *want = gst_structure_get_value (taken, name);
    const GValue *have = gst_structure_get_value (offer, name);

    if (have == NULL || gst_value_intersect (NULL, have, want))
      continue;
    g_autofree char *have_text = gst_value_serialize (have);
    g_autofree char *want_text = gst_value_serialize (want);
    g_string_append_printf (
        offered, "%s%s=%s", offered->len > 0 ? ", " : "", name, have_text);
    g_string_append_printf (
        wanted, "%s%s=%s", wanted->len > 0 ? ", " : "", name, want_text);
  }
}

/* Only what differs between caps of the same media type; all of both, if there
 * are none.  (transfer full) */
static char *
describe_offer (const GstCaps *offer, const GstCaps *taken)
{
  g_autoptr (GString) offered = g_string_new (NULL);
  g_autoptr (GString) wanted = g_string_new (NULL);

  for (guint i = 0; i < gst_caps_get_size (offer); i++)
    for (guint k = 0; k < gst_caps_get_size (taken); k++) {
      const GstStructure *have = gst_caps_get_structure (offer, i);
      const GstStructure *want = gst_caps_get_structure (taken, k);
      const char *type = gst_structure_get_name (have);

      if (!gst_structure_has_name (want, type))
        continue;
      append_differences (have, want, offered, wanted);
      if (offered->len > 0)
        return g_strdup_printf ("Upstream offers %s with %s, this takes %s",
            type, offered->str, wanted->str);
    }
  g_autofree char *offer_text = gst_caps_to_string (offer);
  g_autofree char *taken_text = gst_caps_to_string (taken);
  return g_strdup_printf (
      "Upstream offers %s, but this takes %s", offer_text, taken_text);
}

/* That of @element; the default one where it has none. */
static GstDebugCategory *
category_of (gpointer element)
{
  GstElementFactory *factory = gst_element_get_factory (element);
  GstDebugCategory *category =
      factory != NULL ? _gst_debug_get_category (GST_OBJECT_NAME (factory))
                      : NULL;

  return category != NULL ? category : GST_CAT_DEFAULT;
}

void
gst_infer_note_offer (gpointer element, GstPad *pad, GstQuery *query,
    const GstCaps *taken, const char *advice, char **unmet)
{
  GstCaps *offer;

  if (!gst_infer_lacks_caps (pad))
    return;
  gst_query_parse_caps (query, &offer);
  GST_CAT_INFO_OBJECT (category_of (element), element,
      "upstream offers %" GST_PTR_FORMAT ", not %" GST_PTR_FORMAT,
      (gpointer) offer, (gconstpointer) taken);
  if (advice != NULL) {
    set_unmet (element, unmet, g_strdup (advice));
    return;
  }
  g_autofree char *difference = describe_offer (offer, taken);
  set_unmet (element, unmet,
      g_strdup_printf ("%s: put a converter before it, such as audioconvert, "
                       "audioresample, videoconvert",
          difference));
}

void
gst_infer_post_unmet_from (
    gpointer element, GstPad *pad, char **unmet, const GstInferCodeLine *place)
{
  GST_OBJECT_LOCK (element);
  char *text = g_steal_pointer (unmet);
  GST_OBJECT_UNLOCK (element);
  if (text != NULL && !has_sticky (pad, GST_EVENT_CAPS))
    post (element, GST_STREAM_ERROR, GST_STREAM_ERROR_WRONG_TYPE,
        g_steal_pointer (&text), place);
  g_free (text);
}

void
gst_infer_forget_unmet (gpointer element, char **unmet)
{
  set_unmet (element, unmet, NULL);
}

/* The sink pad whose queries come through @src unchanged: of a ghost pad, or of
 * an element that passes caps on, such as queue.  (transfer full) (nullable) */
static GstPad *
pad_behind (GstPad *src)
{
  GstPad *pad = linked_inside (src);

  if (pad != NULL && !GST_IS_PROXY_PAD (src) && !GST_PAD_IS_PROXY_CAPS (pad))
    gst_clear_object (&pad);
  return pad;
}

gboolean
gst_infer_are_caps_sent (GstPad *pad, GstQuery *query)
{
  g_autoptr (GstPad) sink = gst_object_ref (pad);
  GstCaps *caps;

  gst_query_parse_accept_caps (query, &caps);
  while (sink != NULL) {
    g_autoptr (GstPad) src = gst_pad_get_peer (sink);
    g_autoptr (GstCaps) sent =
        src != NULL ? gst_pad_get_current_caps (src) : NULL;

    if (sent != NULL && sent == caps)
      return TRUE;
    gst_object_unref (sink);
    sink = src != NULL ? pad_behind (src) : NULL;
  }
  return FALSE;
}

void
gst_infer_answer_accept_caps (GstQuery *query, const GstCaps *caps)
{
  GstCaps *asked;

  gst_query_parse_accept_caps (query, &asked);
  gst_query_set_accept_caps_result (query, gst_caps_is_subset (asked, caps));
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gst/common/error-message.h"

#include "infer/error.h"

static void
choose_code (const GError *error, GQuark *domain, int *code)
{
  *domain = GST_STREAM_ERROR;
  *code = GST_STREAM_ERROR_FAILED;
  if (error->domain != INFER_ERROR)
    return;
  switch ((InferErrorCode) error->code) {
    case INFER_ERROR_NOT_FOUND:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_NOT_FOUND;
      break;
    case INFER_ERROR_INVALID_MODEL:
      *code = GST_STREAM_ERROR_DECODE;
      break;
    case INFER_ERROR_UNSUPPORTED:
      *code = GST_STREAM_ERROR_NOT_IMPLEMENTED;
      break;
    case INFER_ERROR_INVALID_ARGUMENT:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_SETTINGS;
      break;
    case INFER_ERROR_BUSY:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_BUSY;
      break;
    case INFER_ERROR_NO_MEMORY:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_NO_SPACE_LEFT;
      break;
    case INFER_ERROR_DEVICE:
      *domain = GST_RESOURCE_ERROR;
      *code = GST_RESOURCE_ERROR_FAILED;
      break;
    case INFER_ERROR_FAILED:
    case INFER_ERROR_INVALID_DATA:
    case INFER_ERROR_CANCELLED:
      break;
  }
}

void
gst_infer_post_error (gpointer element, const GError *error)
{
  GQuark domain;
  int code;

  choose_code (error, &domain, &code);
  gst_element_message_full (GST_ELEMENT (element), GST_MESSAGE_ERROR, domain,
      code, g_strdup (error->message), NULL, __FILE__, G_STRFUNC, __LINE__);
}

void
gst_infer_post_caps_error (
    gpointer element, const GstCaps *caps, const GError *error)
{
  g_autofree char *text = gst_caps_to_string (caps);

  GST_ELEMENT_ERROR (element, STREAM, FORMAT,
      ("Cannot take %s: %s", text, error->message), (NULL));
}

static void
warn_of_offer (gpointer element, const GstCaps *offer, const GstCaps *wanted)
{
  g_autofree char *offer_text = gst_caps_to_string (offer);
  g_autofree char *wanted_text = gst_caps_to_string (wanted);

  GST_ELEMENT_WARNING (element, CORE, NEGOTIATION,
      ("Upstream offers %s, but this takes %s: audioconvert and audioresample "
       "bring audio into another format",
          offer_text, wanted_text),
      (NULL));
}

void
gst_infer_answer_caps (
    gpointer element, GstQuery *query, GstCaps *caps, int *warned)
{
  g_autoptr (GstCaps) both = NULL;
  GstCaps *filter;

  gst_query_parse_caps (query, &filter);
  if (filter == NULL) {
    gst_query_set_caps_result (query, caps);
    return;
  }
  both = gst_caps_intersect_full (filter, caps, GST_CAPS_INTERSECT_FIRST);
  if (gst_caps_is_empty (both) && !gst_caps_is_empty (filter) && warned != NULL
      && g_atomic_int_compare_and_exchange (warned, FALSE, TRUE))
    warn_of_offer (element, filter, caps);
  gst_query_set_caps_result (query, both);
}

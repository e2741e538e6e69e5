/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Takes each registered element of the plugin through the states. */

#include <string.h>

#include "tests/check/support/stream.h"

static void
cycle (GstElement *element)
{
  static const GstState states[] = { GST_STATE_READY, GST_STATE_NULL,
    GST_STATE_READY, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_PAUSED,
    GST_STATE_PLAYING, GST_STATE_PAUSED, GST_STATE_READY, GST_STATE_NULL,
    GST_STATE_PLAYING, GST_STATE_NULL };

  for (guint i = 0; i < G_N_ELEMENTS (states); i++)
    fail_unless (
        gst_element_set_state (element, states[i]) != GST_STATE_CHANGE_FAILURE,
        "%s cannot go to %s", GST_OBJECT_NAME (element),
        gst_element_state_get_name (states[i]));
}

static guint
check_element (GstElement *element)
{
  GObjectClass *klass = G_OBJECT_GET_CLASS (element);
  g_autofree char *model = test_model_for (element, "summator.xml");

  if (g_object_class_find_property (klass, "model"))
    g_object_set (element, "model", model, NULL);
  cycle (element);
  if (g_object_class_find_property (klass, "async-load")) {
    g_object_set (element, "async-load", TRUE, NULL);
    cycle (element);
  }
  return 1;
}

GST_START_TEST (test_states)
{
  test_each_element (check_element);
}
GST_END_TEST

static guint
check_category (GstElement *element)
{
  const char *name = GST_OBJECT_NAME (gst_element_get_factory (element));
  GSList *all = gst_debug_get_all_categories (), *at = all;

  while (
      at != NULL && strcmp (gst_debug_category_get_name (at->data), name) != 0)
    at = at->next;
  fail_unless (at != NULL, "%s has no debug category of its own", name);
  g_slist_free (all);
  return 1;
}

/* Each element logs under its own name. */
GST_START_TEST (test_categories)
{
  test_each_element (check_category);
}
GST_END_TEST

static guint
check_class (GstElement *element)
{
  GstElementFactory *factory = gst_element_get_factory (element);

  fail_if (gst_element_factory_list_is_type (
               factory, GST_ELEMENT_FACTORY_TYPE_DECODABLE),
      "%s is of the class '%s'", GST_OBJECT_NAME (factory),
      gst_element_factory_get_metadata (factory, GST_ELEMENT_METADATA_KLASS));
  return 1;
}

/* No element is for decodebin, or must clip to the segment as decoders do. */
GST_START_TEST (test_classes)
{
  test_each_element (check_class);
}
GST_END_TEST

/* After a model that cannot be loaded, the element can be started again. */
GST_START_TEST (test_after_failure)
{
  g_autoptr (GstElement) element =
      gst_element_factory_make ("inferfilter", NULL);

  for (guint i = 0; i < 3; i++) {
    g_object_set (element, "model", "/nowhere.xml", NULL);
    fail_unless_equals_int (gst_element_set_state (element, GST_STATE_PLAYING),
        GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (element, GST_STATE_NULL);
    g_object_set (
        element, "model", SOURCE_ROOT "/tests/data/summator.xml", NULL);
    cycle (element);
  }
}
GST_END_TEST

static Suite *
states_suite (void)
{
  return test_suite ("states", NULL, NULL, test_states, test_categories,
      test_classes, test_after_failure, NULL);
}

GST_CHECK_MAIN (states)

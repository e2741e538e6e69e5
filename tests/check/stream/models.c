/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "tests/check/stream/models.h"

#include <glib/gstdio.h>
#include <string.h>

static char *folder;

static char *
dims (const char *shape)
{
  g_auto (GStrv) parts = g_strsplit (shape, ",", -1);
  GString *xml = g_string_new (NULL);

  for (guint i = 0; parts[i] != NULL; i++)
    g_string_append_printf (
        xml, "<dim>%s</dim>", strcmp (parts[i], "?") == 0 ? "-1" : parts[i]);
  return g_string_free (xml, FALSE);
}

#define PORT(id) "<port id=\"" id "\" precision=\"FP32\">@DIMS@</port>"
#define EDGE(a, ap, b, bp)                                                     \
  "<edge from-layer=\"" a "\" from-port=\"" ap "\" to-layer=\"" b              \
  "\" to-port=\"" bp "\"/>"

#define NET                                                                    \
  "<?xml version=\"1.0\"?>\n<net name=\"test\" version=\"11\"><layers>"        \
  "<layer id=\"0\" name=\"x\" type=\"Parameter\" version=\"opset1\">"          \
  "<data shape=\"@SHAPE@\" element_type=\"f32\"/><output>" PORT (              \
      "0") "</output></layer>"

#define SUM                                                                                 \
  "<layer id=\"1\" name=\"read\" type=\"ReadValue\" version=\"opset6\">"                    \
  "<data variable_id=\"sum\" variable_type=\"f32\" variable_shape=\"@SHAPE@\"/>"            \
  "<output>" PORT (                                                                         \
      "0") "</output></layer>"                                                              \
           "<layer id=\"2\" name=\"add\" type=\"Add\" version=\"opset1\"><input>" PORT (    \
               "0")                                                                         \
               PORT ("1") "</input><output>" PORT (                                         \
                   "2") "</output></layer>"                                                 \
                        "<layer id=\"3\" name=\"save\" type=\"Assign\" version=\"opset6\">" \
                        "<data variable_id=\"sum\"/><input>" PORT (                         \
                            "0") "</input><output>" PORT ("1") "</output></layer>"

#define END                                                                      \
  "<layer id=\"4\" name=\"y\" type=\"Result\" version=\"opset1\"><input>" PORT ( \
      "0") "</input></layer></layers><edges>"

#define INFO                                                                    \
  "</edges><rt_info><model_info>@INFO@<samples_multiple value=\"@MULTIPLE@\"/>" \
  "<latency_samples value=\"@LATENCY@\"/>"                                      \
  "</model_info></rt_info></net>\n"

static const char summing[] = NET SUM END EDGE ("0", "0", "2", "0") EDGE ("1",
    "0", "2", "1") EDGE ("2", "2", "3", "0") EDGE ("2", "2", "4", "0") INFO;
static const char identity[] = NET END EDGE ("0", "0", "4", "0") INFO;

void
test_models_begin (void)
{
  if (folder == NULL)
    folder = g_dir_make_tmp ("inferfilter-XXXXXX", NULL);
}

char *
test_model_path (const char *shape, gboolean stateful, guint rate,
    guint multiple, guint latency)
{
  g_autofree char *sizes = dims (shape);
  g_autofree char *name = g_strdup_printf ("%s-%s-%u-%u-%u.xml",
      stateful ? "sum" : "same", shape, rate, multiple, latency);
  g_autofree char *info =
      rate > 0 ? g_strdup_printf ("<sample_rate value=\"%u\"/>", rate)
               : g_strdup ("");

  test_models_begin ();
  char *path = g_build_filename (folder, name, NULL);
  if (g_file_test (path, G_FILE_TEST_EXISTS))
    return path;
  g_autofree char *number = g_strdup_printf ("%u", multiple);
  g_autofree char *later = g_strdup_printf ("%u", latency);
  g_autoptr (GString) xml = g_string_new (stateful ? summing : identity);
  g_string_replace (xml, "@DIMS@", sizes, 0);
  g_string_replace (xml, "@SHAPE@", shape, 0);
  g_string_replace (xml, "@INFO@", info, 0);
  g_string_replace (xml, "@MULTIPLE@", number, 0);
  g_string_replace (xml, "@LATENCY@", later, 0);
  g_assert_true (g_file_set_contents (path, xml->str, -1, NULL));
  return path;
}

void
test_models_remove (void)
{
  GDir *dir = folder != NULL ? g_dir_open (folder, 0, NULL) : NULL;
  const char *name;

  if (dir == NULL)
    return;
  while ((name = g_dir_read_name (dir)) != NULL) {
    g_autofree char *path = g_build_filename (folder, name, NULL);

    g_unlink (path);
  }
  g_dir_close (dir);
  g_rmdir (folder);
  g_clear_pointer (&folder, g_free);
}

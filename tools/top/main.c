/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* infer-top: what the elements of running pipelines do, live. */

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/top/source.h"
#include "tools/top/terminal.h"
#include "tools/top/view.h"

#define NOTHING                                                                \
  "no process to watch: start one with GST_TRACERS=infertop in its environment"
/* Of lines that no terminal shows. */
#define PLAIN_WIDTH 160

typedef struct
{
  gboolean once, json;
  double interval;
  GPtrArray *sources; /* (element-type TopSource) */
  gboolean named;     /* by the user */
} Top;

static int
complain (const char *text, int status)
{
  g_autofree char *line = g_utf8_make_valid (text, -1);

  for (char *at = line; *at != '\0'; at++)
    if ((guchar) *at < ' ' || *at == 0x7f)
      *at = ' ';
  g_printerr ("infer-top: %s\n", line);
  return status;
}

/* --- processes --- */

static gboolean
has_source (const Top *top, long pid)
{
  for (guint i = 0; i < top->sources->len; i++)
    if (((TopSource *) top->sources->pdata[i])->pid == pid)
      return TRUE;
  return FALSE;
}

static void
find_processes (Top *top)
{
  if (top->named)
    return;
  g_autoptr (GArray) pids = top_list_processes ();
  for (guint i = 0; i < pids->len; i++)
    if (!has_source (top, g_array_index (pids, glong, i)))
      g_ptr_array_add (
          top->sources, top_source_new (g_array_index (pids, glong, i)));
}

/* Those that have ended are forgotten; of others that fail, and of ended ones
 * that were named, the last error is in @error. */
static void
sample_all (Top *top, GError **error)
{
  find_processes (top);
  for (guint i = 0; i < top->sources->len;) {
    TopSource *source = top->sources->pdata[i];
    g_autoptr (GError) failure = NULL;

    if (top_source_sample (source, &failure)) {
      i++;
      continue;
    }
    gboolean ended =
        g_error_matches (failure, INFER_ERROR, INFER_ERROR_NOT_FOUND);
    if (!ended || top->named) {
      g_clear_error (error);
      g_propagate_error (error, g_steal_pointer (&failure));
    }
    if (ended)
      g_ptr_array_remove_index (top->sources, i);
    else
      i++;
  }
}

/* --- showing --- */

static char *
make_view (const Top *top, const GError *error, guint width)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < top->sources->len; i++) {
    const TopSource *source = top->sources->pdata[i];

    if (source->now == NULL)
      continue;
    if (text->len > 0)
      g_string_append_c (text, '\n');
    top_view_append (text, source, width);
  }
  if (error != NULL)
    top_view_append_line (text, error->message, width);
  else if (text->len == 0)
    top_view_append_line (text, NOTHING, width);
  return g_string_free (text, FALSE);
}

static void
print_json (const Top *top)
{
  for (guint i = 0; i < top->sources->len; i++) {
    const TopSource *source = top->sources->pdata[i];

    if (source->now != NULL)
      fwrite (source->line->str, 1, source->line->len, stdout);
  }
}

static void
print_plain (const Top *top, const GError *error)
{
  if (top->json) {
    print_json (top);
  } else {
    g_autofree char *text = make_view (top, error, PLAIN_WIDTH);

    fputs (text, stdout);
    if (!top->once)
      fputc ('\n', stdout);
  }
  fflush (stdout);
}

static gint64
next_time (const Top *top)
{
  return g_get_monotonic_time () + (gint64) (top->interval * G_USEC_PER_SEC);
}

/* Two samples, for the rates. */
static int
show_once (Top *top)
{
  g_autoptr (GError) error = NULL;

  top_terminal_open (FALSE);
  sample_all (top, &error);
  if (!top->json && error == NULL && top->sources->len > 0) {
    if (top_terminal_wait (next_time (top)) == TOP_QUIT)
      return EXIT_SUCCESS;
    sample_all (top, &error);
  }
  if (error != NULL)
    return complain (error->message, EXIT_FAILURE);
  if (top->sources->len == 0)
    return complain (NOTHING, EXIT_FAILURE);
  print_plain (top, NULL);
  return EXIT_SUCCESS;
}

static int
show_live (Top *top, gboolean screen)
{
  TopEvent event = TOP_TIME_OUT;
  g_autoptr (GError) error = NULL;

  top_terminal_open (screen);
  while (event != TOP_QUIT) {
    gint64 next = next_time (top);

    g_clear_error (&error);
    sample_all (top, &error);
    if (top->named && top->sources->len == 0)
      break;
    do {
      guint width, height;

      top_terminal_size (&width, &height);
      if (screen) {
        g_autofree char *text = make_view (top, error, width);

        top_terminal_show (text);
      } else if (event == TOP_TIME_OUT) {
        print_plain (top, error);
      }
      event = top_terminal_wait (next);
    } while (event == TOP_REDRAW);
  }
  top_terminal_close ();
  return event == TOP_QUIT || error == NULL
             ? EXIT_SUCCESS
             : complain (error->message, EXIT_FAILURE);
}

/* --- options --- */

static gboolean
add_named (Top *top, char *const *pids)
{
  for (guint i = 0; pids != NULL && pids[i] != NULL; i++) {
    guint64 pid;

    if (!g_ascii_string_to_unsigned (pids[i], 10, 1, G_MAXINT, &pid, NULL)) {
      g_autofree char *text =
          g_strdup_printf ("'%.100s' is not the number of a process", pids[i]);
      complain (text, 2);
      return FALSE;
    }
    if (!has_source (top, (long) pid))
      g_ptr_array_add (top->sources, top_source_new ((long) pid));
    top->named = TRUE;
  }
  return TRUE;
}

int
main (int argc, char **argv)
{
  g_auto (GStrv) pids = NULL;
  Top top = { .interval = 1 };
  const GOptionEntry entries[] = {
    { "once", 0, 0, G_OPTION_ARG_NONE, &top.once,
        "Print once, after one interval, and end", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &top.json,
        "Print a line of JSON for each process and interval", NULL },
    { "interval", 0, 0, G_OPTION_ARG_DOUBLE, &top.interval,
        "Seconds between updates (default: 1)", "S" },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &pids, NULL,
        "[PID]..." },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);
  g_autoptr (GError) error = NULL;

  setlocale (LC_CTYPE, "");
  g_set_prgname ("infer-top");
  g_option_context_set_summary (context,
      "Shows what inference elements, queues and sinks of running pipelines "
      "do: those of\nprocesses started with GST_TRACERS=infertop, or of PIDs. "
      " q or Ctrl-C ends it.");
  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error))
    return complain (error->message, 2);
  if (!(top.interval >= 0.1 && top.interval <= 3600))
    return complain ("--interval must be from 0.1 to 3600", 2);
  top.sources =
      g_ptr_array_new_with_free_func ((GDestroyNotify) top_source_free);
  int status = 2;
  if (add_named (&top, pids))
    status = top.once
                 ? show_once (&top)
                 : show_live (&top, !top.json && isatty (STDOUT_FILENO) == 1);
  g_ptr_array_unref (top.sources);
  return status;
}

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#define _GNU_SOURCE /* ppoll */
#include "tools/top/terminal.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* The other screen without a cursor, and back. */
#define ENTER "\033[?1049h\033[?25l"
#define LEAVE "\033[?25h\033[?1049l"

static struct
{
  gboolean screen, keys; /* taken */
  struct termios before;
  sigset_t waiting; /* signals let through while waiting */
} terminal;

static volatile sig_atomic_t resized, stopped, ended;

static void
on_signal (int number)
{
  if (number == SIGWINCH)
    resized = 1;
  else if (number == SIGTSTP)
    stopped = 1;
  else
    ended = 1;
}

static void
put (const char *text, gsize size)
{
  while (size > 0) {
    gssize n = write (STDOUT_FILENO, text, size);

    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) {
      ended = 1;
      return;
    }
    text += n;
    size -= (gsize) n;
  }
}

/* --- taking and giving back --- */

static void
enter (void)
{
  struct termios now;

  if (!terminal.screen)
    return;
  terminal.keys =
      isatty (STDIN_FILENO) && tcgetattr (STDIN_FILENO, &terminal.before) == 0;
  if (terminal.keys) {
    now = terminal.before;
    now.c_lflag &= ~(tcflag_t) (ICANON | ECHO); /* Ctrl-C stays a signal */
    tcsetattr (STDIN_FILENO, TCSANOW, &now);
  }
  put (ENTER, strlen (ENTER));
}

static void
leave (void)
{
  if (!terminal.screen)
    return;
  put (LEAVE, strlen (LEAVE));
  if (terminal.keys)
    tcsetattr (STDIN_FILENO, TCSANOW, &terminal.before);
}

void
top_terminal_open (gboolean screen)
{
  static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP };
  struct sigaction action = { .sa_handler = on_signal };
  sigset_t ours;

  sigemptyset (&ours);
  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    if (screen || numbers[i] != SIGTSTP) {
      sigaddset (&ours, numbers[i]);
      sigaction (numbers[i], &action, NULL);
    }
  signal (SIGPIPE, SIG_IGN);
  sigprocmask (SIG_BLOCK, &ours, &terminal.waiting);
  terminal.screen = screen;
  enter ();
}

void
top_terminal_close (void)
{
  leave ();
  terminal.screen = FALSE;
}

/* Ctrl-Z: as any program, with the terminal as it was. */
static void
stop (void)
{
  stopped = 0;
  leave ();
  raise (SIGSTOP);
  enter ();
}

/* --- the screen --- */

void
top_terminal_size (guint *width, guint *height)
{
  struct winsize size;

  *width = 80;
  *height = 24;
  if (ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0
      && size.ws_row > 0) {
    *width = size.ws_col;
    *height = size.ws_row;
  }
}

void
top_terminal_show (const char *text)
{
  g_autoptr (GString) screen = g_string_new ("\033[H");
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  guint width, height;

  top_terminal_size (&width, &height);
  for (guint i = 0; lines[i] != NULL && i < height; i++)
    g_string_append_printf (screen, "%s%s\033[K", i > 0 ? "\n" : "", lines[i]);
  g_string_append (screen, "\033[J");
  put (screen->str, screen->len);
}

/* --- waiting --- */

static TopEvent
read_key (void)
{
  char key;
  gssize n = read (STDIN_FILENO, &key, 1);

  if (n == 0 || (n < 0 && errno != EINTR && errno != EAGAIN))
    return TOP_QUIT;
  if (n == 1 && (key == 'q' || key == 'Q'))
    return TOP_QUIT;
  return n == 1 && (key == ' ' || key == '\f') ? TOP_REDRAW : TOP_TIME_OUT;
}

TopEvent
top_terminal_wait (gint64 deadline)
{
  while (TRUE) {
    gint64 left = MAX (deadline - g_get_monotonic_time (), 0);
    struct timespec time = { left / G_USEC_PER_SEC,
      left % G_USEC_PER_SEC * 1000 };
    struct pollfd fd = { .fd = terminal.keys ? STDIN_FILENO : -1,
      .events = POLLIN };
    int n = ppoll (&fd, 1, &time, &terminal.waiting);

    if (ended)
      return TOP_QUIT;
    if (stopped || resized) {
      if (stopped)
        stop ();
      resized = 0;
      return TOP_REDRAW;
    }
    TopEvent event = n > 0 ? read_key () : TOP_TIME_OUT;
    if (event != TOP_TIME_OUT || n == 0)
      return event;
  }
}

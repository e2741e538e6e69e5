/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#pragma once

/* The main function of a process that measures (process-run.h): --child ENGINE
 * and the options of the run.  Returns an exit status. */
int process_child (int argc, char **argv);

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Programs that are given a bad model, with limits of memory and time. */

#pragma once

#include <glib.h>

/* The exit status, or -1 after a signal.  @argv gets its NULL here; @output
 * (nullable) and @messages (transfer full): stdout and stderr. */
int bad_input_spawn (GPtrArray *argv, char **output, char **messages);

guint bad_input_lines (const char *text);

/* `infer-model run` of the model at @model_path, which loads, on zeros that are
 * written to @dir, as are outputs.  (element-type utf8) (transfer full) */
GPtrArray *bad_input_run_arguments (
    const char *tool, const char *model_path, const char *dir);

void bad_input_remove_folder (const char *path);

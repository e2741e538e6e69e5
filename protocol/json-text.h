/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* JSON, appended to a text. */

#pragma once

#include <glib.h>

/* Quoted and escaped; invalid UTF-8 becomes U+FFFD. */
void protocol_json_string (GString *json, const char *text);
/* A comma unless an object or array has just begun, then "@key": */
void protocol_json_key (GString *json, const char *key);
/* A comma unless an array has just begun. */
void protocol_json_next (GString *json);
/* A finite number, with as many digits as read back to the same value; those of
 * an f32 if @single. */
void protocol_json_number (GString *json, double value, gboolean single);

/* "@key":"@value" */
void protocol_json_add_string (
    GString *json, const char *key, const char *value);

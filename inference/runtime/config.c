/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/runtime/config.h"

#include <string.h>
#include <unistd.h>

#define MAX_THREADS 1024

typedef struct
{
  InferConfig *config;
  gboolean throughput, streams_given, fast, precision_given, group_given;
  char *dump, *dump_dir;
} Parsed;

static void
clear_parsed (Parsed *parsed)
{
  g_free (parsed->dump);
  g_free (parsed->dump_dir);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Parsed, clear_parsed)

typedef struct
{
  const char *key;
  gboolean (*parse) (Parsed *parsed, const char *value, GError **error);
} Key;

static gboolean
parse_count (
    const char *value, guint *count, const char *expected, GError **error)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned (value, 10, 1, MAX_THREADS, &number, NULL))
    return infer_fail (
        error, INFER_ERROR_INVALID_ARGUMENT, "'%s' is not %s", value, expected);
  *count = (guint) number;
  return TRUE;
}

static gboolean
parse_streams (Parsed *parsed, const char *value, GError **error)
{
  parsed->streams_given = parsed->config->streams_given = TRUE;
  if (g_ascii_strcasecmp (value, "AUTO") == 0) {
    parsed->config->streams = g_get_num_processors ();
    return TRUE;
  }
  return parse_count (value, &parsed->config->streams,
      "a number of streams from 1 to 1024, or AUTO", error);
}

static gboolean
parse_threads (Parsed *parsed, const char *value, GError **error)
{
  return parse_count (value, &parsed->config->threads,
      "a number of threads from 1 to 1024", error);
}

static gboolean
parse_yes_no (const char *value, gboolean *yes, GError **error)
{
  *yes = g_ascii_strcasecmp (value, "YES") == 0;
  return *yes || g_ascii_strcasecmp (value, "NO") == 0
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "'%s' is neither YES nor NO", value);
}

static gboolean
parse_perf_count (Parsed *parsed, const char *value, GError **error)
{
  return parse_yes_no (value, &parsed->config->perf_count, error);
}

static gboolean
parse_pinning (Parsed *parsed, const char *value, GError **error)
{
  return parse_yes_no (value, &parsed->config->pinning, error);
}

/* "4G", "512M", "NONE". */
static gboolean
parse_memory_limit (Parsed *parsed, const char *value, GError **error)
{
  static const char units[] = "KMGT";
  const char *unit = strchr (units, value[MAX (strlen (value), 1) - 1]);
  const gboolean has_unit = unit != NULL && *unit != '\0';
  g_autofree char *digits =
      g_strndup (value, strlen (value) - (has_unit ? 1 : 0));
  guint64 number;

  parsed->config->memory_limit = 0;
  if (g_ascii_strcasecmp (value, "NONE") == 0)
    return TRUE;
  const int shift = has_unit ? 10 * (int) (unit - units + 1) : 0;
  if (!g_ascii_string_to_unsigned (
          digits, 10, 1, G_MAXSIZE >> shift, &number, NULL))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%s' is not a number of bytes such as 4G or 512M, or NONE", value);
  parsed->config->memory_limit = (gsize) number << shift;
  return TRUE;
}

static gboolean
parse_tune (Parsed *parsed, const char *value, GError **error)
{
  return parse_yes_no (value, &parsed->config->tune, error);
}

static gboolean
parse_mapping (Parsed *parsed, const char *value, GError **error)
{
  gboolean yes = TRUE;
  gboolean ok = parse_yes_no (value, &yes, error);

  parsed->config->no_mapping = !yes;
  return ok;
}

static gboolean
parse_hint (Parsed *parsed, const char *value, GError **error)
{
  static const char *const names[] = { "LATENCY", "THROUGHPUT", "UNDEFINED",
    NULL };

  for (guint i = 0; names[i] != NULL; i++) {
    if (g_ascii_strcasecmp (value, names[i]) == 0) {
      parsed->throughput = i == 1;
      return TRUE;
    }
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "'%s' is none of LATENCY, THROUGHPUT, UNDEFINED", value);
}

static gboolean
parse_precision (Parsed *parsed, const char *value, GError **error)
{
  static const char *const others[] = { "dynamic", NULL };

  parsed->precision_given = strcmp (value, "undefined") != 0;
  if (strcmp (value, "f32") == 0)
    parsed->config->precision = INFER_PRECISION_F32;
  else if (strcmp (value, "f16") == 0)
    parsed->config->precision = INFER_PRECISION_F16;
  else if (strcmp (value, "bf16") == 0)
    parsed->config->precision = INFER_PRECISION_BF16;
  else if (parsed->precision_given)
    return g_strv_contains (others, value)
               ? infer_fail (error, INFER_ERROR_UNSUPPORTED,
                   "'%s' is not supported: f32, f16 and bf16 are", value)
               : infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
                   "'%s' is not a precision; f32, f16 and bf16 are supported",
                   value);
  return TRUE;
}

static gboolean
parse_mode (Parsed *parsed, const char *value, GError **error)
{
  parsed->fast = g_ascii_strcasecmp (value, "PERFORMANCE") == 0;
  return parsed->fast || g_ascii_strcasecmp (value, "ACCURACY") == 0
         || infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
             "'%s' is neither PERFORMANCE nor ACCURACY", value);
}

/* From MOST_GROUP on, a whole row is one group; OpenVINO writes that as the
 * largest 64-bit number. */
#define UNIT_GROUP 32
#define MOST_GROUP (1 << 15)

static gboolean
parse_group (Parsed *parsed, const char *value, GError **error)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned (value, 10, 0, G_MAXUINT64, &number, NULL)
      || (number < MOST_GROUP && number % UNIT_GROUP != 0))
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "'%s' is neither 0 nor a multiple of %d", value, UNIT_GROUP);
  parsed->group_given = TRUE;
  parsed->config->quantized_group = (guint) MIN (number, MOST_GROUP);
  return TRUE;
}

static gboolean
parse_cache_dir (Parsed *parsed, const char *value, GError **error)
{
  if (*value != '\0')
    parsed->config->cache = infer_cache_new (value);
  return TRUE;
}

static gboolean
parse_dump (Parsed *parsed, const char *value, GError **error)
{
  parsed->dump = *value != '\0' ? g_strdup (value) : NULL;
  return TRUE;
}

static gboolean
parse_dump_dir (Parsed *parsed, const char *value, GError **error)
{
  parsed->dump_dir = *value != '\0' ? g_strdup (value) : NULL;
  return TRUE;
}

static gboolean
parse_trace (Parsed *parsed, const char *value, GError **error)
{
  parsed->config->trace = *value != '\0' ? g_intern_string (value) : NULL;
  return TRUE;
}

static const Key keys[] = {
  { "NUM_STREAMS", parse_streams },
  { "INFERENCE_NUM_THREADS", parse_threads },
  { "ENABLE_CPU_PINNING", parse_pinning },
  { "PERF_COUNT", parse_perf_count },
  { "PERFORMANCE_HINT", parse_hint },
  { "INFERENCE_PRECISION_HINT", parse_precision },
  { "EXECUTION_MODE_HINT", parse_mode },
  { "DYNAMIC_QUANTIZATION_GROUP_SIZE", parse_group },
  { "CACHE_DIR", parse_cache_dir },
  { "ENABLE_MMAP", parse_mapping },
  { "DUMP", parse_dump },
  { "DUMP_DIR", parse_dump_dir },
  { "TRACE", parse_trace },
  { "TUNE", parse_tune },
  { "MEMORY_LIMIT", parse_memory_limit },
};

static gboolean
parse_entry (Parsed *parsed, const char *entry, guint *seen, GError **error)
{
  const char *equals = strchr (entry, '=');

  if (equals == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "configuration: '%s' is not of the form KEY=value", entry);
  g_autofree char *key = g_strstrip (g_strndup (entry, equals - entry));
  g_autofree char *value = g_strstrip (g_strdup (equals + 1));
  g_autoptr (GString) known = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++) {
    g_string_append_printf (known, "%s%s", i > 0 ? ", " : "", keys[i].key);
    if (strcmp (key, keys[i].key) != 0)
      continue;
    if (*seen & 1u << i)
      return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
          "configuration: %s is given twice", key);
    *seen |= 1u << i;
    if (keys[i].parse (parsed, value, error))
      return TRUE;
    g_prefix_error (error, "configuration: %s: ", key);
    return FALSE;
  }
  return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
      "configuration: unknown key '%s'; known are %s", key, known->str);
}

/* The text up to the next comma that is not escaped; moves @text past it. */
static char *
take_entry (const char **text)
{
  GString *entry = g_string_new (NULL);

  for (; **text != '\0' && **text != ','; (*text)++) {
    if (**text == '\\' && (*text)[1] != '\0')
      (*text)++;
    g_string_append_c (entry, **text);
  }
  return g_string_free (entry, FALSE);
}

static gboolean
make_dump (Parsed *parsed, GError **error)
{
  if (parsed->dump == NULL && parsed->dump_dir == NULL)
    return TRUE;
  if (parsed->dump == NULL || parsed->dump_dir == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "configuration: %s without %s",
        parsed->dump != NULL ? "DUMP" : "DUMP_DIR",
        parsed->dump != NULL ? "DUMP_DIR" : "DUMP");
  parsed->config->dump = infer_dump_new (parsed->dump, parsed->dump_dir, error);
  if (parsed->config->dump == NULL)
    g_prefix_error (error, "configuration: DUMP: ");
  return parsed->config->dump != NULL;
}

/* Three quarters of the machine's. */
static gsize
most_memory (void)
{
  const long pages = sysconf (_SC_PHYS_PAGES), page = sysconf (_SC_PAGESIZE);

  return pages > 0 && page > 0 ? (gsize) pages / 4 * 3 * (gsize) page : 0;
}

gboolean
infer_config_allows (
    const InferConfig *config, gsize bytes, const char *what, GError **error)
{
  if (config->memory_limit == 0 || bytes <= config->memory_limit)
    return TRUE;
  return infer_fail (error, INFER_ERROR_NO_MEMORY,
      "%" G_GSIZE_FORMAT " bytes for %s are more than MEMORY_LIMIT, which is "
      "%" G_GSIZE_FORMAT,
      bytes, what, config->memory_limit);
}

gboolean
infer_config_parse (const char *text, InferConfig *config, GError **error)
{
  g_auto (Parsed) parsed = { .config = config };
  gboolean more = text != NULL && *text != '\0';
  guint seen = 0;

  *config = (InferConfig){
    .streams = 1, .threads = 1, .memory_limit = most_memory ()
  };
  while (more) {
    g_autofree char *entry = take_entry (&text);

    more = *text == ',';
    text += more;
    if (!parse_entry (&parsed, entry, &seen, error))
      return FALSE;
  }
  if (parsed.fast && !parsed.precision_given)
    config->precision = INFER_PRECISION_ANY;
  if (parsed.fast && !parsed.group_given
      && (!parsed.precision_given || config->precision != INFER_PRECISION_F32))
    config->quantized_group = UNIT_GROUP;
  if (!make_dump (&parsed, error))
    return FALSE;
  if (config->cache != NULL)
    infer_cache_set_mapping (config->cache, !config->no_mapping);
  if (config->tune && config->cache == NULL)
    return infer_fail (error, INFER_ERROR_INVALID_ARGUMENT,
        "configuration: TUNE without CACHE_DIR");
  /* As many streams as the processors have threads for. */
  if (parsed.throughput && !parsed.streams_given)
    config->streams = MAX (g_get_num_processors () / config->threads, 1);
  return TRUE;
}

void
infer_config_clear (InferConfig *config)
{
  g_clear_pointer (&config->cache, infer_cache_unref);
  g_clear_pointer (&config->dump, infer_dump_unref);
}

void
infer_config_append (GString *text, const char *key, const char *value)
{
  if (text->len > 0)
    g_string_append_c (text, ',');
  g_string_append (text, key);
  g_string_append_c (text, '=');
  for (; *value; value++) {
    if (*value == ',' || *value == '\\')
      g_string_append_c (text, '\\');
    g_string_append_c (text, *value);
  }
}

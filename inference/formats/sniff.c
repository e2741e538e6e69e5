/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "inference/formats/sniff.h"

#include <string.h>

#include "infer/error.h"

static gboolean
has (const guint8 *bytes, gsize n, gsize at, const char *text)
{
  return n >= at + strlen (text)
         && memcmp (bytes + at, text, strlen (text)) == 0;
}

/* What a zip archive holds, by the name of its first entry. */
static const char *
name_zip (const guint8 *bytes, gsize n)
{
  const gsize name = 30, length = n >= name ? bytes[26] | bytes[27] << 8 : 0;
  g_autofree char *first =
      g_strndup ((const char *) bytes + MIN (name, n), MIN (length, n - name));

  if (g_str_has_suffix (first, "/data.pkl")
      || g_str_has_suffix (first, "/version")
      || g_str_has_suffix (first, "/.format_version"))
    return "a PyTorch archive, TorchScript or a checkpoint: export the model "
           "to ONNX (torch.onnx.export)";
  if (g_str_equal (first, "metadata.json")
      || g_str_has_suffix (first, "config.json"))
    return "a Keras model: convert it to ONNX (tf2onnx)";
  if (g_str_has_suffix (first, ".npy"))
    return "an archive of NumPy arrays (.npz), not a model";
  return "a zip archive: unpack it and give the .onnx or .xml file in it";
}

/* The format of a file that is not read here, and what to do; NULL: not known.
 */
static const char *
name_other (const guint8 *bytes, gsize n)
{
  static const struct
  {
    gsize at;
    const char *text, *name;
  } others[] = {
    { 4, "TFL3",
        "a TensorFlow Lite model: convert it to ONNX (tf2onnx) or to OpenVINO "
        "IR" },
    { 0, "GGUF",
        "a GGUF file of llama.cpp: get the model as ONNX or OpenVINO IR" },
    { 0, "\200\002",
        "a Python pickle, perhaps a PyTorch checkpoint: export the "
        "model to ONNX" },
    { 0, "\211HDF",
        "an HDF5 file, perhaps a Keras model: convert it to ONNX "
        "(tf2onnx)" },
    { 0, "version https://git-lfs",
        "a Git LFS pointer, not the model itself: fetch it with 'git lfs pull'" },
    { 0, "../",
        "the text of a symbolic link, as a checkout without links has it: "
        "give the file that it names" },
    { 0, "\037\213", "compressed with gzip: unpack it first" },
    { 0, "ORTM",
        "a model in ONNX Runtime's own format: get the .onnx file it "
        "was made from" },
    { 4, "ORTM",
        "a model in ONNX Runtime's own format: get the .onnx file it "
        "was made from" },
    { 0, "\177ELF", "a program or library" },
  };

  if (has (bytes, n, 0, "PK\003\004"))
    return name_zip (bytes, n);
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (has (bytes, n, others[i].at, others[i].text))
      return others[i].name;
  return NULL;
}

static gboolean
is_html (const char *text, gsize n)
{
  return (n >= 14 && g_ascii_strncasecmp (text, "<!doctype html", 14) == 0)
         || (n >= 5 && g_ascii_strncasecmp (text, "<html", 5) == 0);
}

/* Printable characters of UTF-8, where the last may be cut. */
static gboolean
is_text (const char *text, gsize n)
{
  const char *end;

  if (!g_utf8_validate_len (text, n, &end)
      && (text + n - end > 3 || (guint8) *end < 0x80))
    return FALSE;
  for (const char *at = text; at < end; at++)
    if ((guint8) *at < ' ' && !g_ascii_isspace (*at))
      return FALSE;
  return TRUE;
}

/* ir_version, the first field that every exporter writes. */
static gboolean
begins_as_onnx (const guint8 *bytes, gsize n)
{
  return n >= 2 && bytes[0] == 0x08 && bytes[1] >= 1 && bytes[1] < 0x40;
}

gboolean
infer_sniff (const guint8 *bytes, gsize n, InferFormat *format, GError **error)
{
  const char *other = name_other (bytes, n);
  gsize at = has (bytes, n, 0, "\357\273\277") ? 3 : 0;

  while (at < n && g_ascii_isspace (bytes[at]))
    at++;
  if (n == 0)
    return infer_fail (error, INFER_ERROR_INVALID_MODEL, "it is empty");
  if (has (bytes, n, 0, "\377\376") || has (bytes, n, 0, "\376\377"))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it is text in UTF-16: OpenVINO IR is in UTF-8");
  if (other != NULL)
    return infer_fail (error, INFER_ERROR_UNSUPPORTED, "it is %s", other);
  if (at < n && is_html ((const char *) bytes + at, n - at))
    return infer_fail (error, INFER_ERROR_INVALID_MODEL,
        "it is an HTML page, not the model: the download went wrong");
  *format = begins_as_onnx (bytes, n) ? INFER_FORMAT_ONNX : INFER_FORMAT_IR;
  if (*format == INFER_FORMAT_ONNX || (at < n && bytes[at] == '<'))
    return TRUE;
  return infer_fail (error, INFER_ERROR_INVALID_MODEL,
      "it is a %s file, neither OpenVINO IR (which begins with '<') nor ONNX: "
      "give the .xml or .onnx file of the model",
      is_text ((const char *) bytes, n) ? "text" : "binary");
}

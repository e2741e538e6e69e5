/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Readers for the elements and attributes of an IR. */

#pragma once

#include "infer/error.h"
#include "inference/ir/xml.h"

gboolean infer_xml_is (const InferXmlNode *node, const char *name);
/* The first child element of that name, NULL: none. */
const InferXmlNode *infer_xml_child (
    const InferXmlNode *node, const char *name);
/* The next element after @node in document order, not leaving @root. */
const InferXmlNode *infer_xml_walk (
    const InferXmlNode *node, const InferXmlNode *root);

/* NULL: no such attribute. */
const char *infer_xml_attribute (const InferXmlNode *node, const char *name);
/* The same, but its absence is an error. */
const char *infer_xml_require (
    const InferXmlNode *node, const char *name, GError **error);
/* 0 ≤ id; absence is an error. */
gboolean infer_xml_id (
    const InferXmlNode *node, const char *name, gint64 *id, GError **error);
/* Absence leaves *@value. */
gboolean infer_xml_int (
    const InferXmlNode *node, const char *name, gint64 *value, GError **error);

/* SPDX-FileCopyrightText: 2026 The inferfilter authors */
/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Every source of a vocabulary, one line each, in the order in which a folder
 * is asked for its files.
 *
 * To add a source NAME: write inference/speech/text/sources/NAME.c with
 * `const VocabularySource vocabulary_source_NAME`, and add a line here. */

SOURCE (tokenizer_json)
SOURCE (byte_pairs)
SOURCE (characters)
SOURCE (base64)
SOURCE (tokens)
SOURCE (labels)

# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shared by the pipelines of sound, which set $name and $top and define the function
# usage.
# shellcheck shell=sh

. "$top/pipelines/place.sh"

wrong() {
  echo "$self$name: $1" >&2
  usage >&2
  exit 2
}

fail() {
  echo "$self$name: $1" >&2
  exit 1
}

has() { gst-inspect-1.0 --exists "$1"; }

# Prints the first of the elements that exists.
first() {
  for element; do
    if has "$element"; then echo "$element"; return; fi
  done
}

is_wav() {
  case $1 in
    *.[Ww][Aa][Vv]) ;;
    *) false ;;
  esac
}

# Checks the file first: wavparse would report it in two errors, decodebin in
# four.
check_file() {
  [ -r "$1" ] && [ ! -d "$1" ] || fail "cannot read $1"
  if is_wav "$1" && [ -f "$1" ]; then
    case $(head -c 4 "$1" | tr -d '\0') in
      RIFF | RF64) ;;
      *) fail "$1 is not a WAV file, whatever its name says" ;;
    esac
  elif [ -f "$1" ]; then
    # The last word is a type of media; nothing where the program is not there.
    case $(gst-typefind-1.0 "$1" 2>/dev/null) in
      *" - text/plain") fail "$1 is a text, not a recording" ;;
      *" - image/"*) fail "$1 is a picture, not a recording" ;;
    esac
  fi
}

# Prints the element that reads the file.
find_reader() {
  if is_wav "$1"; then
    echo wavparse
  elif has decodebin; then
    echo decodebin
  else
    fail "GStreamer can only read .wav files here"
  fi
}

# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shared by the video pipelines, which source it.
# shellcheck shell=sh

set -eu
# No file names are made of words; FILTER and DECODER may contain '*'.
set -f
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
name=$(basename "$0")
. "$top/pipelines/place.sh"

usage() {
  cat >&2 <<EOF
usage: $name [--source FILE|camera|/dev/videoN|test] [--show] [--save FILE]
       [--publish FILE|-] [--model MODEL.xml] [--device NAME] [--dry-run]

$about

  --source   a picture or a video (anything GStreamer decodes), a camera, or a
             test picture (default)
  --show     in a window; what happens where nothing else is asked for (needs a
             display; SINK="…" in the environment is another element than
             autovideosink)
  --save     .png or .jpg: one picture; .mkv: a video
  --publish  results as lines of JSON
  --model    another model of the same kind
  --dry-run  only prints the command, to be pasted into a shell

Further settings of the first inferfilter and inferdecoder, as gst-launch-1.0
takes them, between spaces: FILTER="…" DECODER="…" in the environment.
EOF
  exit "${1:-2}"
}

fail() {
  echo "$name: $*" >&2
  exit 1
}

source=test show= save= publish= model= device=CPU dry=
while [ $# -gt 0 ]; do
  case $1 in
    --source | --save | --publish | --model | --device)
      [ $# -ge 2 ] || usage
      eval "${1#--}=\$2"
      shift
      ;;
    --show) show=yes ;;
    --dry-run) dry=yes ;;
    -h | --help) usage 0 ;;
    *) usage ;;
  esac
  shift
done
[ -n "$show$save$publish" ] || show=yes

# Prints the path of a file of model $1: bundled, fetched by get-model, or next
# to the project.  For assignments: what they call ends the script by set -e.
find_model() {
  for folder in "$data/models" "$fetched" "$shared/models"; do
    if [ -f "$folder/$1/$2" ]; then
      printf '%s\n' "$folder/$1/$2"
      return
    fi
  done
  fail "there is no model $1 here: get it with  $here/get-model $1"
}

# Sets $model to $1's unless one was given.
default_model() {
  [ -n "$model" ] || model=$(find_model "$1" model.xml)
}

is_picture() {
  case $1 in
    *.png | *.PNG | *.jpg | *.jpeg | *.JPG | *.JPEG | *.webp | *.bmp) return 0 ;;
  esac
  return 1
}

# --- before anything runs ---

# autovideosink may crash where it finds none.
has_display() {
  if [ -n "${WAYLAND_DISPLAY:-}" ]; then
    case $WAYLAND_DISPLAY in
      /*) [ ! -S "$WAYLAND_DISPLAY" ] || return 0 ;;
      *) [ ! -S "${XDG_RUNTIME_DIR:-/nowhere}/$WAYLAND_DISPLAY" ] || return 0 ;;
    esac
  fi
  case ${DISPLAY:-} in
    '') return 1 ;;
    :*)
      number=${DISPLAY#:}
      [ -S "/tmp/.X11-unix/X${number%%.*}" ]
      ;;
    *) return 0 ;; # on another machine: not known here
  esac
}

check_source() {
  case $source in
    test | camera | /dev/video*) ;;
    *) [ -f "$source" ] && [ -r "$source" ] ||
      fail "cannot read --source $source: it is no file, or not readable" ;;
  esac
}

check_sink() {
  case $save in
    '' | *.png | *.jpg | *.jpeg | *.mkv) ;;
    *) fail "--save: .png, .jpg or .mkv, not $save" ;;
  esac
  [ -z "$show" ] || [ -n "${SINK:-}" ] || [ -n "$dry" ] || has_display ||
    fail "no display to show it on: --save FILE or --publish - instead, or set DISPLAY or WAYLAND_DISPLAY"
}

check_model() {
  [ -f "$model" ] && [ -r "$model" ] ||
    fail "cannot read --model $model: it is no file, or not readable"
}

# --- the pipeline ---

# $1 as a shell takes it.
word() {
  case $1 in
    '' | *[!A-Za-z0-9_./:=,+@%!-]* | ?*!* | !?*)
      printf "'%s'" "$(printf '%s\n' "$1" | sed "s/'/'\\\\''/g")"
      ;;
    *) printf '%s' "$1" ;;
  esac
}

print_command() {
  if [ -n "${GST_PLUGIN_PATH:-}" ]; then
    printf 'GST_PLUGIN_PATH=%s ' "$(word "$GST_PLUGIN_PATH")"
  fi
  printf 'gst-launch-1.0 -q -e'
  for part; do
    printf ' '
    word "$part"
  done
  echo
}

# Finds the plugin of this tree, unless one is installed or set.
plugin_path() {
  if [ -f "$top/build/gst/libgstinferfilter.so" ]; then
    GST_PLUGIN_PATH="$top/build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"
    export GST_PLUGIN_PATH
  else
    find_plugin
  fi
}

# Runs the pipeline; "$@": the part between source and sink.
run() {
  check_source
  check_sink
  check_model
  case $source in
    test) set -- videotestsrc "num-buffers=${frames:-100}" ! \
      video/x-raw,width=640,height=480,framerate=25/1 ! "$@" ;;
    camera) set -- v4l2src ! decodebin ! videoconvert ! "$@" ;;
    /dev/video*) set -- v4l2src "device=$source" ! decodebin ! videoconvert ! "$@" ;;
    *)
      # A grey picture becomes RGB, for coloured drawing.
      if is_picture "$source"; then
        set -- video/x-raw,format=RGB ! "$@"
      fi
      set -- filesrc "location=$(place "$source")" ! decodebin ! videoconvert ! "$@"
      ;;
  esac
  [ -z "$publish" ] || set -- "$@" ! inferpublish "file-path=$(place "$publish")"
  if [ -z "$show$save" ]; then
    set -- "$@" ! fakesink
  else
    set -- "$@" ! inferoverlay !
    [ -z "$save" ] || [ -z "$show" ] || set -- "$@" tee name=t ! queue !
    # shellcheck disable=SC2086 # SINK is an element and its properties
    [ -z "$show" ] || set -- "$@" videoconvert ! ${SINK:-autovideosink}
    [ -z "$save" ] || [ -z "$show" ] || set -- "$@" t. ! queue !
    case $save in
      *.png) set -- "$@" videoconvert ! pngenc snapshot=true ! ;;
      *.jpg | *.jpeg) set -- "$@" videoconvert ! jpegenc snapshot=true ! ;;
      *.mkv) set -- "$@" videoconvert ! jpegenc ! matroskamux ! ;;
    esac
    [ -z "$save" ] || set -- "$@" filesink "location=$(place "$save")"
  fi
  plugin_path
  if [ -n "$dry" ]; then
    print_command "$@"
    exit
  fi
  command -v gst-launch-1.0 >/dev/null ||
    fail "there is no gst-launch-1.0 here (Debian: gstreamer1.0-tools)"
  exec gst-launch-1.0 -q -e "$@"
}

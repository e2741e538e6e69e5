# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Shared by the video pipelines, which source it.
# shellcheck shell=sh

set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
name=$(basename "$0")

usage() {
  cat >&2 <<EOF
usage: $name [--source FILE|camera|/dev/videoN|test] [--show] [--save FILE]
       [--publish FILE|-] [--model MODEL.xml] [--device NAME] [--dry-run]

$about

  --source   a picture or a video (anything GStreamer decodes), a camera, or a
             test picture (default)
  --show     in a window; what happens where nothing else is asked for
  --save     .png or .jpg: one picture; .mkv: a video
  --publish  results as lines of JSON
  --model    another model of the same kind
  --dry-run  only prints the pipeline

Further settings of the first inferfilter and inferdecoder, as gst-launch-1.0
takes them: FILTER="…" DECODER="…" in the environment.
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
# to the project.
find_model() {
  for folder in "$top/pipelines/models" "${INFER_MODELS:-$HOME/.cache/inferfilter/models}" \
    "${INFER_SHARED:-$top/../shared}/models"; do
    if [ -f "$folder/$1/$2" ]; then
      echo "$folder/$1/$2"
      return
    fi
  done
  fail "there is no model $1 here: get it with  $here/get-model $1"
}

is_picture() {
  case $1 in
    *.png | *.PNG | *.jpg | *.jpeg | *.JPG | *.JPEG | *.webp | *.bmp) return 0 ;;
  esac
  return 1
}

# Prints the start of a pipeline, up to raw video.
source_part() {
  case $source in
    test) echo "videotestsrc num-buffers=${frames:-100} ! video/x-raw,width=640,height=480,framerate=25/1" ;;
    camera) echo "v4l2src ! decodebin ! videoconvert" ;;
    /dev/video*) echo "v4l2src device=$source ! decodebin ! videoconvert" ;;
    *)
      [ -r "$source" ] || fail "cannot read $source"
      printf 'filesrc location=%s ! decodebin ! videoconvert' "$source"
      # A grey picture becomes RGB, for coloured drawing.
      if is_picture "$source"; then
        printf ' ! video/x-raw,format=RGB'
      fi
      echo
      ;;
  esac
}

# Prints the end of a pipeline, from video with results.
sink_part() {
  [ -z "$publish" ] || printf 'inferpublish file-path=%s ! ' "$publish"
  if [ -z "$show$save" ]; then
    echo "fakesink"
    return
  fi
  printf 'inferoverlay ! '
  [ -z "$save" ] || [ -z "$show" ] || printf 'tee name=t ! queue ! '
  [ -z "$show" ] || printf 'videoconvert ! autovideosink'
  [ -z "$save" ] || [ -z "$show" ] || printf ' t. ! queue ! '
  case $save in
    '') ;;
    *.png) printf 'videoconvert ! pngenc snapshot=true ! filesink location=%s' "$save" ;;
    *.jpg | *.jpeg) printf 'videoconvert ! jpegenc snapshot=true ! filesink location=%s' "$save" ;;
    *.mkv) printf 'videoconvert ! jpegenc ! matroskamux ! filesink location=%s' "$save" ;;
    *) fail "--save: .png, .jpg or .mkv, not $save" ;;
  esac
  echo
}

# Finds the plugin of this tree, unless one is installed or set.
plugin_path() {
  if [ -f "$top/build/gst/libgstinferfilter.so" ]; then
    GST_PLUGIN_PATH="$top/build/gst${GST_PLUGIN_PATH:+:$GST_PLUGIN_PATH}"
    export GST_PLUGIN_PATH
  fi
}

# Runs the pipeline; $1: the part between source and sink.
run() {
  pipeline="$(source_part) ! $1 ! $(sink_part)"
  if [ -n "$dry" ]; then
    echo "gst-launch-1.0 $pipeline"
    exit
  fi
  plugin_path
  # Splits words on purpose: none contains spaces, except in model-info, where
  # they are written as commas.
  set -f
  # shellcheck disable=SC2086
  exec gst-launch-1.0 -q -e $pipeline
}

// SPDX-FileCopyrightText: 2026 The inferfilter authors
// SPDX-License-Identifier: LGPL-2.1-or-later

//! An application that feeds a model and reads its tensors, states and figures:
//! appsrc → inferfilter → appsink.  docs/guides/embedding.md explains it; embed.c
//! and embed.py do the same.
//!
//!     rustc embed.rs $(pkg-config --libs gstreamer-infer-1.0 gstreamer-app-1.0 |
//!       sed 's/-L \?\([^ ]*\)/-L native=\1/g; s/-pthread//')
//!     ./embed ../models/digits/digits-wave.xml ../recordings/af_kore-0-clean.wav
//!
//! It needs no crate: it declares the C functions that it calls.

use std::env;
use std::ffi::{CStr, CString};
use std::fs;
use std::os::raw::{c_char, c_int, c_uint, c_void};
use std::process::ExitCode;
use std::ptr::{null, null_mut};

type Object = *mut c_void;

extern "C" {
    fn g_object_set(object: Object, first: *const c_char, ...);
    fn g_object_get(object: Object, first: *const c_char, ...);
    fn g_object_unref(object: Object);
    fn g_signal_emit_by_name(object: Object, signal: *const c_char, ...);
    fn g_strfreev(strings: *mut *mut c_char);
    fn g_error_free(error: *mut GError);

    fn gst_init(argc: *mut c_int, argv: *mut c_void);
    fn gst_parse_launch(line: *const c_char, error: *mut *mut GError) -> Object;
    fn gst_bin_get_by_name(bin: Object, name: *const c_char) -> Object;
    fn gst_element_set_state(element: Object, state: c_int) -> c_int;
    fn gst_buffer_new_memdup(data: *const c_void, size: usize) -> Object;
    fn gst_buffer_get_size(buffer: Object) -> usize;
    fn gst_sample_get_buffer(sample: Object) -> Object;
    fn gst_sample_get_caps(sample: Object) -> Object;
    fn gst_mini_object_unref(object: Object);
    fn gst_caps_get_structure(caps: Object, index: c_uint) -> Object;
    fn gst_structure_get_string(s: Object, field: *const c_char) -> *const c_char;
    fn gst_structure_get_uint64(s: Object, field: *const c_char, value: *mut u64) -> c_int;
    fn gst_structure_free(s: Object);
    fn gst_app_src_push_buffer(source: Object, buffer: Object) -> c_int;
    fn gst_app_src_end_of_stream(source: Object) -> c_int;
    fn gst_app_sink_pull_sample(sink: Object) -> Object;

    fn gst_infer_buffer_get_tensor(
        buffer: Object, caps: Object, index: c_uint, error: *mut *mut GError,
    ) -> Object;
    fn infer_tensor_get_element_type(tensor: Object) -> c_int;
    fn infer_tensor_get_dims(tensor: Object, n: *mut c_uint) -> *const i64;
    fn infer_tensor_unref(tensor: Object);
    fn infer_type_name(kind: c_int) -> *const c_char;
}

#[repr(C)]
struct GError {
    domain: u32,
    code: c_int,
    message: *mut c_char,
}

/// A C string.
macro_rules! c {
    ($text:expr) => {
        concat!($text, "\0").as_ptr().cast::<c_char>()
    };
}

const WAV_HEADER: usize = 44;
const PLAYING: c_int = 4;
const NULL: c_int = 1;

unsafe fn text(c: *const c_char) -> String {
    CStr::from_ptr(c).to_string_lossy().into_owned()
}

/// Ends the program with the message of `error`.
unsafe fn check(result: Object, error: *mut GError) -> Object {
    if result.is_null() {
        eprintln!("{}", text((*error).message));
        g_error_free(error);
        std::process::exit(1);
    }
    result
}

unsafe fn print_tensor(sample: Object) {
    let caps = gst_sample_get_caps(sample);
    let mut error = null_mut();
    let tensor = gst_infer_buffer_get_tensor(gst_sample_get_buffer(sample), caps, 0, &mut error);
    let tensor = check(tensor, error);
    let mut n = 0;
    let dims = infer_tensor_get_dims(tensor, &mut n);
    let dims: Vec<String> = std::slice::from_raw_parts(dims, n as usize)
        .iter().map(|dim| dim.to_string()).collect();
    let structure = gst_caps_get_structure(caps, 0);
    println!(
        "tensor {} [{}], caps {}",
        text(infer_type_name(infer_tensor_get_element_type(tensor))),
        dims.join(","),
        text(gst_structure_get_string(structure, c!("dimensions"))),
    );
    infer_tensor_unref(tensor);
}

/// Saves the states, resets them, and sets what was saved.
unsafe fn print_states(filter: Object) {
    let mut names: *mut *mut c_char = null_mut();
    g_object_get(filter, c!("state-names"), &mut names, null::<c_char>());
    let mut i = 0;
    while !(*names.add(i)).is_null() {
        let name = *names.add(i);
        let (mut sample, mut reset, mut set): (Object, c_int, c_int) = (null_mut(), 0, 0);
        g_signal_emit_by_name(filter, c!("get-state"), name, &mut sample);
        g_signal_emit_by_name(filter, c!("reset-state"), &mut reset);
        g_signal_emit_by_name(filter, c!("set-state"), name, sample, &mut set);
        println!(
            "state {}, {} bytes, {}",
            text(name),
            gst_buffer_get_size(gst_sample_get_buffer(sample)),
            if reset != 0 && set != 0 { "set" } else { "not set" },
        );
        gst_mini_object_unref(sample);
        i += 1;
    }
    g_strfreev(names);
}

unsafe fn print_stats(filter: Object) {
    let mut stats: Object = null_mut();
    g_object_get(filter, c!("stats"), &mut stats, null::<c_char>());
    let (mut buffers, mut inferences) = (0, 0);
    gst_structure_get_uint64(stats, c!("buffers"), &mut buffers);
    gst_structure_get_uint64(stats, c!("inferences"), &mut inferences);
    println!("{buffers} buffers, {inferences} inferences");
    gst_structure_free(stats);
}

unsafe fn run(model: &CStr, samples: &[u8]) -> u32 {
    gst_init(null_mut(), null_mut());
    let mut error = null_mut();
    let pipeline = gst_parse_launch(
        c!("appsrc name=in format=time caps=audio/x-raw,format=S16LE,rate=16000,channels=1,\
          layout=interleaved ! audioconvert ! inferfilter name=filter ! \
          appsink name=out sync=false"),
        &mut error,
    );
    let pipeline = check(pipeline, error);
    let source = gst_bin_get_by_name(pipeline, c!("in"));
    let sink = gst_bin_get_by_name(pipeline, c!("out"));
    let filter = gst_bin_get_by_name(pipeline, c!("filter"));
    g_object_set(filter, c!("model"), model.as_ptr(), null::<c_char>());
    gst_element_set_state(pipeline, PLAYING);
    gst_app_src_push_buffer(source, gst_buffer_new_memdup(samples.as_ptr().cast(), samples.len()));
    gst_app_src_end_of_stream(source);
    let mut n = 0;
    loop {
        let sample = gst_app_sink_pull_sample(sink);
        if sample.is_null() {
            break;
        }
        if n == 0 {
            print_tensor(sample);
        }
        n += 1;
        gst_mini_object_unref(sample);
    }
    println!("{n} tensors");
    print_states(filter);
    print_stats(filter);
    gst_element_set_state(pipeline, NULL);
    for object in [source, sink, filter, pipeline] {
        g_object_unref(object);
    }
    n
}

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().collect();
    if arguments.len() != 3 {
        eprintln!("usage: embed MODEL RECORDING.wav (16 kHz, mono)");
        return ExitCode::from(2);
    }
    let (model, recording) = (&arguments[1], &arguments[2]);
    let wav = match fs::read(recording) {
        Ok(wav) if wav.len() > WAV_HEADER => wav,
        Ok(_) => {
            eprintln!("{recording} is no recording");
            return ExitCode::FAILURE;
        }
        Err(error) => {
            eprintln!("{recording}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let model = CString::new(model.as_str()).expect("a path has no NUL");
    let n = unsafe { run(&model, &wav[WAV_HEADER..]) };
    if n > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later

"""bench/compare and the readers of its JSON: compare.py COMPARE ROOT alone|peers

alone: without any peer.  peers: with those of INFER_PEERS or ROOT/peers;
skipped where OpenVINO is not among them.
"""

import glob
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET

COMPARE, ROOT, WHICH = sys.argv[1:4]
MODEL = os.path.join(ROOT, "pipelines", "models", "digits", "digits.xml")
SKIP = 77


def run(*command, status=0):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == status, (command, done.returncode, done.stderr)
    return done


def compare(folder, peers, *options, status=0):
    path = os.path.join(folder, "report.json")
    done = run(COMPARE, "--peers", peers, "--quick", "--json", path, *options,
               status=status)
    with open(path, encoding="utf-8") as file:
        return json.load(file), done


def script(name, *arguments, status=0):
    return run(sys.executable, os.path.join(ROOT, "bench", name), *arguments,
               status=status)


def write(folder, name, text):
    path = os.path.join(folder, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def check_latency(figures, mode):
    assert figures["mode"] == mode
    assert 0 < figures["min_us"] <= figures["median_us"]
    assert mode == "published" or figures["runs"] >= 3


def check_process(figures):
    for kind in "plain", "cached":
        figure = figures[kind]
        assert 0 < figure["first_ms"] < figure["load_ms"], figure
        assert figure["cpu_ms"] > 0 and figure["again_ms"] > 0 and figure["open_ms"] >= 0
        # The kernel's peak is approximate.
        assert 0 < figure["rss_kb"] <= 1.2 * figure["peak_kb"] + 1024
        shares = figure["private_kb"] + figure["shared_kb"]
        assert abs(shares - figure["rss_kb"]) < 64, figure


def check_ours(model):
    ours = [f for f in model["latency"] if f["engine"] == "inferfilter"]
    assert [f["mode"] for f in ours] == ["f32", "performance"]
    for figures in ours:
        check_latency(figures, figures["mode"])
    throughput = model["throughput"][0]
    assert throughput["engine"] == "inferfilter"
    assert throughput["per_s"] > 0 and throughput["requests"] >= 1
    assert model["processes"][0]["engine"] == "inferfilter"
    check_process(model["processes"][0])


# --- without peers -----------------------------------------------------------


def test_alone(folder):
    report, done = compare(folder, "/nowhere", MODEL)
    assert list(report["engines"]) == ["inferfilter"]
    assert report["threads"] == 1 and report["processors"] >= 1
    assert "OpenVINO: no /nowhere" in done.stderr
    model = report["models"][0]
    assert model["model"] == "digits/digits.xml" and model["groups"] == []
    assert model["ratios"] == {} and report["groups"][0]["group"] == "all"
    check_ours(model)
    path = os.path.join(folder, "report.json")
    assert "no ratios" in script("chart.py", path + ".svg", path, status=1).stderr
    assert "unknown   throughput: no figures" in script(
        "targets.py", path, status=2).stdout


def test_list(folder):
    shared = os.path.dirname(MODEL)
    listing = write(folder, "list.txt", "# one\nwords digits.xml groups=voice,x "
                    "f32=digits.xml\nother digits.xml\nnone none.xml\n")
    report, _ = compare(folder, "/nowhere", "--list", listing, "--shared", shared,
                        "--only", "latency", "--filter", "^(words|none)$", status=1)
    words, none = report["models"]
    assert words["model"] == "words" and words["groups"] == ["voice", "x"]
    assert {f["mode"] for f in words["latency"]} == {"f32", "performance", "stored_f32"}
    assert words["throughput"] == words["processes"] == []
    assert 0.2 < words["ratios"]["stored_f32"] < 5
    assert "none.xml" in none["error"]
    assert [g["group"] for g in report["groups"]] == ["all", "voice", "x"]
    for bad in ("words digits.xml colour=red\n", "words\n"):
        listing = write(folder, "bad.txt", bad)
        assert "bad.txt: line 1" in run(
            COMPARE, "--list", listing, "--shared", shared, status=1).stderr
    run(COMPARE, "--only", "speed", MODEL, status=1)
    run(COMPARE, "--filter", "nothing", MODEL, status=1)
    run(COMPARE, "--threads", "0", MODEL, status=2)


def made_report(openvino):
    """A report of two models with one ratio for everything."""
    names = ("openvino openvino_performance onnxruntime litert ncnn published throughput load "
             "cached_load memory stored_f32").split()
    ratios = dict.fromkeys(names, openvino)
    groups = ["voice", "tiny", "int8", "video"]
    return {
        "engines": {"inferfilter": "", "openvino": "1.2-3"},
        "threads": 1,
        "groups": [{"group": g, "means": ratios} for g in groups + ["all", "f16"]],
        "models": [
            {"model": "gtcrn", "groups": groups, "ratios": ratios},
            {"model": "half", "groups": ["f16"], "ratios": ratios},
            {"model": "<odd>", "groups": [], "ratios": ratios},
        ],
    }


def test_readers(folder):
    good = write(folder, "good.json", json.dumps(made_report(8.0)))
    poor = write(folder, "poor.json", json.dumps(made_report(0.5)))
    lines = script("targets.py", good).stdout.splitlines()[1:]
    assert len(lines) >= 13 and all(line.startswith("met ") for line in lines)
    lines = script("targets.py", good, poor, status=1).stdout.splitlines()
    assert "not met   latency of gtcrn: mean 0.50, to be 5.00; 1 models" in lines
    picture = os.path.join(folder, "a.svg")
    script("chart.py", picture, good, poor)
    root = ET.parse(picture).getroot()
    space = "{http://www.w3.org/2000/svg}"
    texts = [t.text for t in root.iter(space + "text")]
    assert texts.count("8.00") >= 3 and texts.count("0.50") >= 3
    assert "gtcrn" in texts and "<odd>" in texts and "half" not in texts
    assert "1 and 1 threads (dark, light)" in texts[1]
    width, height = float(root.get("width")), float(root.get("height"))
    for rect in root.iter(space + "rect"):
        x, y, w, h = (float(rect.get(k, 0)) for k in ("x", "y", "width", "height"))
        assert x >= 0 and y >= 0 and x + w <= width + 1 and y + h <= height + 1


# --- with peers --------------------------------------------------------------


def test_peers(folder, peers):
    shared = os.path.join(folder, "shared")
    models = os.path.join(shared, "models", "words")
    os.makedirs(models)
    for suffix in "xml", "bin":
        shutil.copy(f"{MODEL[:-3]}{suffix}", os.path.join(models, f"m.{suffix}"))
    write(shared, "models/INDEX.md",
          "| model | OV 1t/2t | ORT or LiteRT 1t/2t |\n|---|---|---|\n"
          "| words | 2 / 4 (model) | 1 / - litert |\n\n| words | 9 / 9 | 1 / 1 ort |\n")
    listing = write(folder, "list.txt", "words models/words/m.xml groups=voice\n")
    report, _ = compare(folder, peers, "--list", listing, "--shared", shared,
                        "--sources", folder)
    assert report["engines"]["openvino"].startswith("20")
    model = report["models"][0]
    check_ours(model)
    latency = {(f["engine"], f["mode"]): f for f in model["latency"]}
    for mode in "f32", "performance":
        check_latency(latency["openvino", mode], mode)
    assert latency["openvino", "f32"]["precision"] == "f32"
    scaled = 2 * latency["litert", "published"]["median_us"]
    assert math.isclose(scaled, latency["openvino", "f32"]["median_us"], rel_tol=1e-4)
    assert ("onnxruntime", "published") not in latency
    assert model["published"] == ["litert", "published"]
    assert model["max_difference"] < 1e-3
    assert model["processes"][1]["engine"] == "openvino"
    check_process(model["processes"][1])
    ratios = model["ratios"]
    assert abs(ratios["openvino"] - latency["openvino", "f32"]["median_us"]
               / latency["inferfilter", "f32"]["median_us"]) < 0.01 * ratios["openvino"]
    rates = [f["per_s"] for f in model["throughput"]]
    assert abs(ratios["throughput"] - rates[0] / rates[1]) < 0.01 * ratios["throughput"]
    assert {"openvino_performance", "openvino_min", "load", "cached_load", "load_again",
            "cached_load_again", "first", "memory", "peak_memory"} <= set(ratios)
    groups = {g["group"]: g for g in report["groups"]}
    assert groups["voice"]["models"] == groups["all"]["models"] == 1
    assert groups["voice"]["means"] == ratios == groups["all"]["least"]
    path = os.path.join(folder, "report.json")
    script("chart.py", path + ".svg", path)
    assert ET.parse(path + ".svg").getroot().tag.endswith("svg")


def test_sources(folder, peers):
    """Files of an invalid format: reported, and everything else continues."""
    for suffix, key in ((".onnx", "onnxruntime"), (".tflite", "litert")):
        write(folder, "digits" + suffix, "nothing of the kind")
        report, _ = compare(folder, peers, "--sources", folder, "--only", "latency",
                            "--threads", "2", MODEL)
        errors = [f.get("error") for f in report["models"][0]["latency"]
                  if f["engine"] == key]
        assert key not in report["engines"] or (len(errors) == 1 and errors[0])
        assert report["threads"] == 2 and "openvino" in report["models"][0]["ratios"]


def main():
    peers = os.environ.get("INFER_PEERS") or os.path.join(ROOT, "peers")
    pattern = "lib/python3*/site-packages/openvino/libs/libopenvino_c.so*"
    if WHICH == "peers" and not glob.glob(os.path.join(peers, pattern)):
        print(f"no OpenVINO in {peers}: bench/setup-peers brings it")
        return SKIP
    tests = ([test_alone, test_list, test_readers] if WHICH == "alone" else
             [test_peers, test_sources])
    for test in tests:
        with tempfile.TemporaryDirectory() as folder:
            test(folder, *([peers] if WHICH == "peers" else []))
        print(f"{test.__name__}: passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())

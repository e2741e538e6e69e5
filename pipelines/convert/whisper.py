# SPDX-FileCopyrightText: 2026 The inferfilter authors
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whisper as CTranslate2 stores it → a folder with OpenVINO IR, as the kind
`whisper` of infertranscriber takes it.  Nothing but Python is needed.  The
encoder's weights stay f16; the matrices of the decoder get 8 bits, with a scale
and a zero point for each row, which changes its text hardly ever, but takes less
than half of the memory.

  whisper.py FOLDER_OF_CTRANSLATE2 NEW_FOLDER
"""

import json
import pathlib
import struct
import sys

BOS, NO_TIMESTAMPS = "<|startoftranscript|>", "<|notimestamps|>"
PREVIOUS, END = "<|startofprev|>", "<|endoftext|>"
PRECISIONS = {"u8": "U8", "f16": "FP16", "f32": "FP32", "i64": "I64", "i32": "I32",
              "boolean": "BOOL"}
WINDOW = 3000  # frames of 30 s


# --- CTranslate2's model.bin ---

def read_variables(path):
    """Name → (shape, f16 bytes or a number): version 6 of the format."""
    data, at = path.read_bytes(), 0

    def take(form):
        nonlocal at
        value, = struct.unpack_from("<" + form, data, at)
        at += struct.calcsize("<" + form)
        return value

    def text():
        nonlocal at
        size = take("H")
        at += size
        return data[at - size:at].rstrip(b"\0").decode()

    if take("I") != 6 or text() != "WhisperSpec":
        sys.exit(f"{path}: not a Whisper of CTranslate2's format 6")
    take("I")
    found = {}
    for _ in range(take("I")):
        name = text()
        shape = [take("I") for _ in range(take("B"))]
        kind, size = take("B"), take("I")
        content = data[at:at + size]
        at += size
        if kind == 4:
            found[name] = shape, content
        elif not shape:
            found[name] = shape, int.from_bytes(content, "little")
        else:
            sys.exit(f"{path}: {name} is not of f16")
    return found


def rows(variable, first, last):
    """Some rows of a matrix, or values of a vector."""
    shape, content = variable
    size = len(content) // shape[0]
    return [last - first] + shape[1:], content[first * size:last * size]


def quantise(row):
    """Bytes, and what they are times `scale` after `zero` is subtracted."""
    low, high = min(min(row), 0), max(max(row), 0)
    # Rounded as it is stored.
    scale, = struct.unpack("<e", struct.pack("<e", (high - low) / 255 or 1))
    scale = scale or 2.0 ** -24
    zero = min(round(-low / scale), 255)
    factor, shift = 1 / scale, zero + 0.5
    return (bytes(min(max(int(value * factor + shift), 0), 255)
                  for value in row), scale, zero)


# --- OpenVINO IR ---

class Model:
    """Operations as they are added; a port is (layer, number of the port)."""

    def __init__(self, name, bits=16):
        self.bits = bits  # of matrices
        self.name, self.layers, self.edges = name, [], []
        self.weights = bytearray()
        self.assigns = []

    def add(self, kind, inputs=(), precision="f32", version="opset1",
            name=None, dims=None, outputs=1, **data):
        number = len(self.layers)
        ports = "".join(f'<port id="{i}"/>' for i in range(len(inputs)))
        for i, (layer, port) in enumerate(inputs):
            self.edges.append(f'<edge from-layer="{layer}" from-port="{port}" '
                              f'to-layer="{number}" to-port="{i}"/>')
        shape = "".join(f"<dim>{d}</dim>" for d in dims or [])
        given = "".join(f' {key}="{value}"' for key, value in data.items())
        self.layers.append(
            f'<layer id="{number}" name="{name or kind + str(number)}" '
            f'type="{kind}" version="{version}">'
            + (f"<data{given}/>" if given else "")
            + (f"<input>{ports}</input>" if inputs else "")
            + (f'<output><port id="{len(inputs)}" '
               f'precision="{PRECISIONS[precision]}">{shape}</port></output>'
               if outputs else "") + "</layer>\n")
        return number, len(inputs)

    def constant(self, kind, shape, content):
        self.weights += bytes(-len(self.weights) % 64)
        offset = len(self.weights)
        self.weights += content
        return self.add("Const", precision=kind, dims=shape, element_type=kind,
                        shape=", ".join(map(str, shape)), offset=offset,
                        size=len(content))

    def ints(self, *values, scalar=False):
        return self.constant("i64", [] if scalar else [len(values)],
                             struct.pack(f"<{len(values)}q", *values))

    def real(self, value):
        return self.constant("f32", [], struct.pack("<f", value))

    def weight(self, variable, shape=None):
        stored = self.constant("f16", shape or variable[0], variable[1])
        return self.add("Convert", [stored], destination_type="f32")

    def weight8(self, variable):
        """A matrix with 8 bits."""
        (n, width), content = variable
        levels, scales, zeros = bytearray(), [], bytearray()
        for i in range(n):
            row, scale, zero = quantise(struct.unpack_from(
                f"<{width}e", content, 2 * i * width))
            levels += row
            scales.append(scale)
            zeros.append(zero)

        def number(kind, shape, values):
            return self.add("Convert", [self.constant(kind, shape, values)],
                            "f16", destination_type="f16")
        centred = self.add("Subtract", [number("u8", [n, width], levels),
                                        number("u8", [n, 1], zeros)], "f16")
        scaled = self.add("Multiply", [centred, self.constant(
            "f16", [n, 1], struct.pack(f"<{n}e", *scales))], "f16")
        return self.add("Convert", [scaled], destination_type="f32")

    def write(self, folder):
        for variable, value in self.assigns:
            self.add("Assign", [value], version="opset6", outputs=0,
                     variable_id=variable)
        (folder / (self.name + ".bin")).write_bytes(self.weights)
        (folder / (self.name + ".xml")).write_text(
            f'<?xml version="1.0"?>\n<net name="{self.name}" version="11">\n'
            "<layers>\n" + "".join(self.layers) + "</layers>\n<edges>\n"
            + "\n".join(self.edges) + "\n</edges>\n</net>\n")

    # --- what both networks are made of ---

    def sum(self, a, b):
        return self.add("Add", [a, b])

    def bias(self, value, variable):
        return self.sum(value, self.weight(variable, [1, 1] + variable[0]))

    def linear(self, value, weight, bias=None):
        matrix = self.weight8 if self.bits == 8 else self.weight
        product = self.add("MatMul", [value, matrix(weight)],
                           transpose_a="false", transpose_b="true")
        return self.bias(product, bias) if bias else product

    def norm(self, value, variables, name):
        centred = self.add("MVN", [value, self.ints(-1)], version="opset6",
                           eps=1e-5, normalize_variance="true",
                           eps_mode="INSIDE_SQRT")
        gamma = variables[name + "/gamma"]
        scaled = self.add("Multiply", [
            centred, self.weight(gamma, [1, 1] + gamma[0])])
        return self.bias(scaled, variables[name + "/beta"])

    def heads(self, value, n, width):
        split = self.add("Reshape", [value, self.ints(0, 0, n, width // n)],
                         special_zero="true")
        return self.add("Transpose", [split, self.ints(0, 2, 1, 3)])

    def attend(self, q, k, v, width, mask=()):
        found = self.add("ScaledDotProductAttention", [q, k, v, *mask],
                         version="opset13", causal="false")
        turned = self.add("Transpose", [found, self.ints(0, 2, 1, 3)])
        return self.add("Reshape", [turned, self.ints(0, 0, width)],
                        special_zero="true")

    def feed_forward(self, value, variables, name):
        inner = self.norm(value, variables, name + "/layer_norm")
        inner = self.linear(inner, variables[name + "/linear_0/weight"],
                            variables[name + "/linear_0/bias"])
        inner = self.add("Gelu", [inner], version="opset7",
                         approximation_mode="ERF")
        inner = self.linear(inner, variables[name + "/linear_1/weight"],
                            variables[name + "/linear_1/bias"])
        return self.sum(value, inner)


def parts(variables, name, width):
    """Queries, keys and values (weight, bias) of one matrix for all."""
    return [[rows(variables[f"{name}/{kind}"], i * width, (i + 1) * width)
             for kind in ("weight", "bias")]
            for i in range(variables[f"{name}/weight"][0][0] // width)]


def count_layers(variables, name):
    n = 0
    while f"{name}/layer_{n}/ffn/linear_0/weight" in variables:
        n += 1
    return n


def make_encoder(variables, sizes):
    model = Model("openvino_encoder_model")
    width, n = sizes["d_model"], sizes["encoder_attention_heads"]
    value = model.add("Parameter", name="input_features",
                      dims=[-1, sizes["num_mel_bins"], WINDOW],
                      shape=f"?,{sizes['num_mel_bins']},{WINDOW}",
                      element_type="f32")
    for i, stride in (1, 1), (2, 2):
        bias = variables[f"encoder/conv{i}/bias"]
        value = model.add(
            "Convolution",
            [value, model.weight(variables[f"encoder/conv{i}/weight"])],
            strides=stride, dilations=1, pads_begin=1, pads_end=1,
            auto_pad="explicit")
        value = model.sum(value, model.weight(bias, [1] + bias[0] + [1]))
        value = model.add("Gelu", [value], version="opset7",
                          approximation_mode="ERF")
    value = model.add("Transpose", [value, model.ints(0, 2, 1)])
    positions = variables["encoder/position_encodings/encodings"]
    value = model.sum(value, model.weight(positions, [1] + positions[0]))
    for i in range(sizes["encoder_layers"]):
        name = f"encoder/layer_{i}"
        inner = model.norm(value, variables,
                           name + "/self_attention/layer_norm")
        q, k, v = [model.heads(model.linear(inner, *one), n, width)
                   for one in parts(variables,
                                    name + "/self_attention/linear_0", width)]
        inner = model.linear(
            model.attend(q, k, v, width),
            variables[name + "/self_attention/linear_1/weight"],
            variables[name + "/self_attention/linear_1/bias"])
        value = model.feed_forward(model.sum(value, inner), variables,
                                   name + "/ffn")
    value = model.norm(value, variables, "encoder/layer_norm")
    model.add("Result", [value], name="last_hidden_state", outputs=0)
    return model


def cache(model, name, batch, n, size, beams):
    """A variable with the keys or values of the tokens before: their owner and
    what the beams have of them."""
    empty = model.add("Concat", [batch, model.ints(n, 0, size)], "i64", axis=0)
    start = model.add("Broadcast", [model.real(0), empty], version="opset3",
                      mode="numpy")
    read = model.add("ReadValue", [start], version="opset6", variable_id=name,
                     variable_type="f32", variable_shape=f"?,{n},?,{size}")
    return model.add("Gather", [read, beams, model.ints(0, scalar=True)],
                     version="opset8", batch_dims=0)


def dimension(model, value, axis, scalar=True):
    shape = model.add("ShapeOf", [value], "i64", version="opset3",
                      output_type="i64")
    return model.add("Gather", [shape, model.ints(axis, scalar=scalar),
                                model.ints(0, scalar=True)],
                     "i64", version="opset8", batch_dims=0)


def count_to(model, end):
    return model.add("Range", [model.ints(0, scalar=True), end,
                               model.ints(1, scalar=True)],
                     "i64", version="opset4", output_type="i64")


def make_mask(model, places, total):
    """0 where a token may look, -infinity at what follows it."""
    late = model.add("Unsqueeze", [places, model.ints(0, 1, 3)], "i64")
    early = model.add("Unsqueeze", [count_to(model, total),
                                    model.ints(0, 1, 2)], "i64")
    seen = model.add("LessEqual", [early, late], "boolean")
    return model.add("Select", [seen, model.real(0),
                                model.real(float("-inf"))])


def make_decoder(variables, sizes):
    model = Model("openvino_decoder_model", bits=8)
    width, n = sizes["d_model"], sizes["decoder_attention_heads"]
    tokens = model.add("Parameter", precision="i64", name="input_ids",
                       dims=[-1, -1], shape="?,?", element_type="i64")
    hidden = model.add("Parameter", name="encoder_hidden_states",
                       dims=[-1, -1, width], shape=f"?,?,{width}",
                       element_type="f32")
    beams = model.add("Parameter", precision="i32", name="beam_idx", dims=[-1],
                      shape="?", element_type="i32")
    batch = dimension(model, tokens, 0, scalar=False)
    caches = [[cache(model, f"past_key_values.{i}.decoder.{what}", batch, n,
                     width // n, beams) for what in ("key", "value")]
              for i in range(sizes["decoder_layers"])]
    past = dimension(model, caches[0][0], 2)
    new = dimension(model, tokens, 1)
    places = model.add("Add", [count_to(model, new), past], "i64")
    mask = make_mask(model, places, model.add("Add", [past, new], "i64"))
    table = model.weight8(variables["decoder/embeddings/weight"])
    axis = model.ints(0, scalar=True)
    value = model.sum(
        model.add("Gather", [table, tokens, axis], version="opset8",
                  batch_dims=0),
        model.add("Gather", [
            model.weight(variables["decoder/position_encodings/encodings"]),
            places, axis], version="opset8", batch_dims=0))
    for i in range(sizes["decoder_layers"]):
        value = add_layer(model, variables, i, value, hidden, caches[i], mask,
                          n, width)
    value = model.norm(value, variables, "decoder/layer_norm")
    logits = model.add("MatMul", [value, table], transpose_a="false",
                       transpose_b="true", name="logits")
    model.add("Result", [logits], name="logits/sink_port_0", outputs=0)
    return model


def add_layer(model, variables, i, value, hidden, caches, mask, n, width):
    name = f"decoder/layer_{i}"
    inner = model.norm(value, variables, name + "/self_attention/layer_norm")
    q, k, v = [model.heads(model.linear(inner, *one), n, width)
               for one in parts(variables, name + "/self_attention/linear_0",
                                width)]
    whole = []
    for old, fresh, what in zip(caches, (k, v), ("key", "value")):
        whole.append(model.add("Concat", [old, fresh], axis=-2))
        model.assigns.append((f"past_key_values.{i}.decoder.{what}",
                              whole[-1]))
    inner = model.linear(model.attend(q, *whole, width, [mask]),
                         variables[name + "/self_attention/linear_1/weight"],
                         variables[name + "/self_attention/linear_1/bias"])
    value = model.sum(value, inner)
    inner = model.norm(value, variables, name + "/attention/layer_norm")
    q = model.heads(model.linear(
        inner, variables[name + "/attention/linear_0/weight"],
        variables[name + "/attention/linear_0/bias"]), n, width)
    # What depends on the sound alone is computed once for each piece of it.
    heard = []
    for what, one in zip(("key", "value"),
                         parts(variables, name + "/attention/linear_1",
                               width)):
        variable = f"past_key_values.{i}.encoder.{what}"
        start = model.heads(model.linear(hidden, *one), n, width)
        heard.append(model.add("ReadValue", [start], version="opset6",
                               variable_id=variable, variable_type="f32",
                               variable_shape=f"?,{n},?,{width // n}"))
        model.assigns.append((variable, heard[-1]))
    inner = model.linear(model.attend(q, *heard, width),
                         variables[name + "/attention/linear_2/weight"],
                         variables[name + "/attention/linear_2/bias"])
    return model.feed_forward(model.sum(value, inner), variables,
                              name + "/ffn")


# --- the folder ---

def token_ids(tokenizer):
    return {token["content"]: token["id"]
            for token in tokenizer["added_tokens"]}


def write_json(path, value):
    path.write_text(json.dumps(value, indent=1) + "\n")


def convert(source, target):
    variables = read_variables(source / "model.bin")
    given = json.loads((source / "config.json").read_text())
    tokenizer = (source / "tokenizer.json").read_text()
    ids = token_ids(json.loads(tokenizer))
    vocabulary, width = variables["decoder/embeddings/weight"][0]
    bands = variables["encoder/conv1/weight"][0][1]
    sizes = {
        "architectures": ["WhisperForConditionalGeneration"],
        "model_type": "whisper", "is_encoder_decoder": True,
        "d_model": width, "num_mel_bins": bands, "vocab_size": vocabulary,
        "encoder_layers": count_layers(variables, "encoder"),
        "encoder_attention_heads": variables["encoder/num_heads"][1],
        "decoder_layers": count_layers(variables, "decoder"),
        "decoder_attention_heads": variables["decoder/num_heads"][1],
        "max_source_positions":
            variables["encoder/position_encodings/encodings"][0][0],
        "max_target_positions":
            variables["decoder/position_encodings/encodings"][0][0],
        "bos_token_id": ids[END], "eos_token_id": ids[END],
        "pad_token_id": ids[END], "decoder_start_token_id": ids[BOS],
    }
    target.mkdir(parents=True, exist_ok=True)
    write_json(target / "config.json", sizes)
    # Only those that know one language have an odd number of tokens less.
    write_json(target / "generation_config.json", {
        "is_multilingual": vocabulary >= 51865,
        "bos_token_id": ids[BOS], "eos_token_id": ids[END],
        "pad_token_id": ids[END], "decoder_start_token_id": ids[BOS],
        "no_timestamps_token_id": ids[NO_TIMESTAMPS],
        "prev_sot_token_id": ids[PREVIOUS],
        "max_initial_timestamp_index": 50,
        "max_length": sizes["max_target_positions"],
        "suppress_tokens": given["suppress_ids"],
        "begin_suppress_tokens": given["suppress_ids_begin"],
        "alignment_heads": given["alignment_heads"],
    })
    write_json(target / "preprocessor_config.json", {
        "feature_extractor_type": "WhisperFeatureExtractor",
        "chunk_length": 30, "feature_size": bands, "hop_length": 160,
        "n_fft": 400, "n_samples": 480000, "nb_max_frames": WINDOW,
        "padding_value": 0.0, "sampling_rate": 16000})
    (target / "tokenizer.json").write_text(tokenizer)
    make_encoder(variables, sizes).write(target)
    make_decoder(variables, sizes).write(target)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    convert(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]))

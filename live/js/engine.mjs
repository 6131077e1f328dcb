// The engine's WebAssembly made to answer: texts in and out, what it asks of its surroundings (a clock, and little else).

const failed = 8; // "bad file descriptor": there are no files here
const said = [];

// What the C++ library wants to have: time, no files, no environment.
function surroundings(memory) {
  const view = () => new DataView(memory().buffer);
  const known = {
    clock_time_get: (_clock, _precision, out) => {
      view().setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    clock_res_get: (_clock, out) => {
      view().setBigUint64(out, 1000n, true);
      return 0;
    },
    environ_sizes_get: (count, size) => {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return 0;
    },
    environ_get: () => 0,
    // What an assertion says before it ends the program is kept for whoever reports it.
    fd_write: (_file, parts, count, out) => {
      let written = 0;
      for (let k = 0; k < count; ++k) {
        const at = view().getUint32(parts + 8 * k, true);
        const size = view().getUint32(parts + 8 * k + 4, true);
        said.push(new TextDecoder().decode(new Uint8Array(memory().buffer, at, size)));
        written += size;
      }
      view().setUint32(out, written, true);
      return 0;
    },
    proc_exit: (status) => {
      throw new Error(`the engine ended with status ${status}: ${said.join("").trim()}`);
    },
    abort: () => {
      throw new Error(`the engine broke off: ${said.join("").trim()}`);
    },
    emscripten_notify_memory_growth: () => undefined,
  };
  return new Proxy(known, { get: (table, name) => table[name] ?? (() => failed) });
}

// An engine from a compiled module.
export async function start(module) {
  const imports = {};
  let exports;
  const memory = () => exports.memory;
  const all = surroundings(memory);
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") throw new Error(`the engine asks for ${kind} ${from}.${name}, which is not known here`);
    (imports[from] ??= {})[name] = (...words) => all[name](...words);
  }
  exports = (await WebAssembly.instantiate(module, imports)).exports;
  exports._initialize?.();

  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  // Texts end with a zero byte; what a text says behind one would be lost unseen.
  const put = (text) => {
    const bytes = encoder.encode(text.replaceAll("\0", "\ufffd"));
    const at = exports.malloc(bytes.length + 1);
    const room = new Uint8Array(exports.memory.buffer, at, bytes.length + 1);
    room.set(bytes);
    room[bytes.length] = 0;
    return at;
  };
  const put_numbers = (numbers) => {
    const at = exports.malloc(8 * Math.max(1, numbers.length));
    new Float64Array(exports.memory.buffer, at, numbers.length).set(numbers);
    return at;
  };
  const with_room = (rooms, act) => {
    try {
      return act(...rooms);
    } finally {
      for (const at of rooms) exports.free(at);
    }
  };
  // The last answer as bytes of its own, and as text.
  const bytes = () => new Uint8Array(exports.memory.buffer, exports.zwang_answer(), exports.zwang_answer_size()).slice();
  const answer = () => decoder.decode(bytes());

  return {
    version: () => (exports.zwang_version(), answer()),
    ask: (question, text, settings) => with_room([put(question), put(text), put(settings)], (q, t, s) => (exports.zwang_ask(q, t, s), answer())),
    // Each gives its number, or 0 and an answer that says why.
    begin: (text, settings, both_laws = false) => with_room([put(text), put(settings)], (t, s) => exports.zwang_begin(t, s, both_laws ? 1 : 0)),
    close: (motion) => exports.zwang_close(motion),
    go_on: (motion, milliseconds) => exports.zwang_go_on(motion, milliseconds),
    time: (motion) => exports.zwang_time(motion),
    run_json: (motion, times = []) => with_room([put_numbers(times)], (at) => (exports.zwang_run_json(motion, at, times.length), answer())),
    page: (motion, size, brief = false) => (exports.zwang_page(motion, size, brief ? 1 : 0) ? bytes() : undefined),
    at: (motion, question, time) => with_room([put(question)], (q) => (exports.zwang_at(motion, q, time), answer())),
    states: (motion, times) => with_room([put_numbers(times)], (at) => (exports.zwang_states(motion, at, times.length) ? new Float64Array(bytes().buffer) : undefined)),
    stepper: (text, settings) => with_room([put(text), put(settings)], (t, s) => exports.zwang_stepper(t, s)),
    stepper_close: (stepper) => exports.zwang_stepper_close(stepper),
    stepper_advance: (stepper, until, stop) => (exports.zwang_stepper_advance(stepper, until, stop ? 1 : 0), answer()),
    stepper_push: (stepper, impulse) => with_room([put_numbers(impulse)], (at) => (exports.zwang_stepper_push(stepper, at, impulse.length), answer())),
    answer,
  };
}

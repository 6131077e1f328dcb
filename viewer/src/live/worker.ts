// The worker: one engine, one motion at a time, computed slice by slice so that a newer wish or a stop is heard in between.
import { start, type Engine } from "zwang-engine";
import type { Reply, Request, Wrong } from "./messages";

const slice = 24; // milliseconds between two looks at the letter box
const long_wait = 40;
const first_sight = 350; // a long run shows itself after so many, then after twice as many, and so on

const bytes_of_a_motion = 6 << 20;
const bytes_of_a_glance = 1 << 20;

let engine: Engine;
let motion = 0;
let stopped = false;
// Milliseconds that the last whole set of data took; where it takes long, a glance at the motion goes ahead of it.
let whole_takes = Infinity;
let wanted: Extract<Request, { kind: "run" }> | undefined;
let working = false;

const post = (reply: Reply, transfer: Transferable[] = []) => (self as unknown as { postMessage(m: unknown, t: Transferable[]): void }).postMessage(reply, transfer);

// Through the letter box and back: whatever lies in it is heard first.
const corridor = new MessageChannel();
const breath = () =>
  new Promise<void>((resolve) => {
    corridor.port1.onmessage = () => resolve();
    corridor.port2.postMessage(0);
  });

const wrong = (): Wrong => (JSON.parse(engine.answer()) as { error: Wrong }).error;

function show(id: number, brief: boolean, going: boolean, since: number): void {
  const page = engine.page(motion, brief ? bytes_of_a_glance : bytes_of_a_motion, brief);
  if (page) post({ kind: "motion", id, page: page.buffer as ArrayBuffer, going, stopped, time: engine.time(motion), milliseconds: performance.now() - since }, [page.buffer as ArrayBuffer]);
  else post({ kind: "wrong", id, error: wrong() });
}

async function work(): Promise<void> {
  if (working) return;
  working = true;
  while (wanted) {
    const { id, text, settings, both, brief } = wanted;
    wanted = undefined;
    stopped = false;
    const since = performance.now();
    const begun = engine.begin(text, settings, both);
    if (begun === 0) {
      post({ kind: "wrong", id, error: wrong() });
      continue;
    }
    if (motion > 0) engine.close(motion);
    motion = begun;
    let next = first_sight;
    for (;;) {
      const going = engine.go_on(motion, slice);
      if (going < 0) {
        post({ kind: "wrong", id, error: wrong() });
        break;
      }
      if (going === 0) {
        if (!brief && whole_takes > long_wait) {
          show(id, true, true, since);
          await breath();
          if (wanted) break;
        }
        const before = performance.now();
        show(id, brief, false, since);
        if (!brief) whole_takes = performance.now() - before;
        break;
      }
      await breath();
      if (wanted) break;
      if (stopped) {
        show(id, brief, false, since);
        break;
      }
      if (performance.now() - since > next) {
        next *= 2;
        show(id, true, true, since);
      } else post({ kind: "going", id, time: engine.time(motion) });
    }
  }
  working = false;
}

async function answer(request: Request): Promise<void> {
  switch (request.kind) {
    case "start":
      engine = await start(request.module);
      post({ kind: "ready", version: engine.version(), schema: engine.ask("schema", "", "") });
      break;
    case "run":
      wanted = request;
      await work();
      break;
    case "stop":
      stopped = true;
      post({ kind: "stopping" });
      break;
    case "ask":
      post({ kind: "answer", id: request.id, answer: engine.ask(request.question, request.text, request.settings) });
      break;
    case "at":
      post({ kind: "answer", id: request.id, answer: motion > 0 ? engine.at(motion, request.question, request.time) : "{}" });
      break;
    case "json":
      post({ kind: "answer", id: request.id, answer: motion > 0 ? engine.run_json(motion) : "{}" });
      break;
  }
}

self.onmessage = (event: MessageEvent<Request>) => {
  answer(event.data).catch((trouble: unknown) => post({ kind: "broken", what: String(trouble instanceof Error ? trouble.message : trouble) }));
};

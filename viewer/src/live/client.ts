// The page's side of the worker: the newest wish counts, answers come as promises, and an engine that hears nothing is replaced.
import type { Reply, Request, Wrong } from "./messages";

declare const ZWANG_WORKER: string;

const patience = 1500; // milliseconds that a stop may go unheard, and as many times as long as the engine has been silent before:
const silences = 4; // where it takes long to draw breath, or the machine is busy, it is not lost
const long_patience = 60000; // and that a heard one may take: what there is of a long run is much to put together, and it is alive

export interface Motion {
  page: ArrayBuffer;
  going: boolean;
  stopped: boolean;
  time: number;
  milliseconds: number;
}

export interface Listener {
  motion(motion: Motion): void;
  wrong(error: Wrong): void;
  going(time: number): void;
  broken(what: string): void;
}

export class Client {
  version = "";
  schema: unknown;
  ready: Promise<void>;
  private worker: Worker;
  private last = 0;
  private running = 0;
  private readonly waiting = new Map<number, { resolve: (answer: string) => void; reject: (trouble: Error) => void }>();
  private readonly address = URL.createObjectURL(new Blob([ZWANG_WORKER], { type: "text/javascript" }));
  private settle: () => void = () => undefined;

  constructor(
    private readonly module: WebAssembly.Module,
    private readonly listener: Listener,
  ) {
    this.ready = new Promise((resolve) => (this.settle = resolve));
    this.worker = this.hire();
  }

  get busy(): boolean {
    return this.running !== 0;
  }

  run(text: string, settings: string, both: boolean, brief: boolean): void {
    this.running = ++this.last;
    this.heard = performance.now();
    this.silence = 0;
    this.post({ kind: "run", id: this.running, text, settings, both, brief });
  }

  // What there is of the motion is shown; an engine that does not hear it is started anew.
  stop(): void {
    const stopping = this.running;
    if (stopping === 0) return;
    this.post({ kind: "stop" });
    const wait = (milliseconds: number) => {
      clearTimeout(this.limit);
      this.limit = setTimeout(() => {
        if (this.running === stopping) this.restart("The computation was broken off.");
      }, milliseconds);
    };
    this.stop_heard = () => wait(long_patience + silences * this.silence);
    wait(patience + silences * this.silence);
  }

  // When something was heard last of the motion on its way, and the longest time without a word.
  private heard = 0;
  private silence = 0;
  private limit = 0;
  private stop_heard: () => void = () => undefined;

  ask(question: string, text: string, settings = ""): Promise<string> {
    const id = ++this.last;
    return this.answered(id, { kind: "ask", id, question, text, settings });
  }
  at(question: string, time: number): Promise<string> {
    const id = ++this.last;
    return this.answered(id, { kind: "at", id, question, time });
  }
  json(): Promise<string> {
    const id = ++this.last;
    return this.answered(id, { kind: "json", id });
  }

  private answered(id: number, request: Request): Promise<string> {
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject });
      this.post(request);
    });
  }

  private post(request: Request): void {
    this.worker.postMessage(request);
  }

  private hire(): Worker {
    const worker = new Worker(this.address);
    worker.onmessage = (event: MessageEvent<Reply>) => this.hear(event.data);
    worker.onerror = (event) => this.listener.broken(event.message);
    worker.postMessage({ kind: "start", module: this.module } satisfies Request);
    return worker;
  }

  private restart(what: string): void {
    this.worker.terminate();
    this.running = 0;
    for (const { reject } of this.waiting.values()) reject(new Error(what));
    this.waiting.clear();
    this.worker = this.hire();
    this.listener.broken(what);
  }

  private hear(reply: Reply): void {
    if ((reply.kind === "motion" || reply.kind === "going") && reply.id === this.running) {
      const now = performance.now();
      this.silence = Math.max(this.silence, now - this.heard);
      this.heard = now;
    }
    switch (reply.kind) {
      case "ready":
        this.version = reply.version;
        this.schema = JSON.parse(reply.schema);
        this.settle();
        break;
      case "motion":
        if (reply.id !== this.running) return;
        if (!reply.going) this.running = 0;
        this.listener.motion(reply);
        break;
      case "going":
        if (reply.id === this.running) this.listener.going(reply.time);
        break;
      case "wrong":
        if (reply.id !== this.running) return;
        this.running = 0;
        this.listener.wrong(reply.error);
        break;
      case "stopping":
        this.stop_heard();
        break;
      case "answer":
        this.waiting.get(reply.id)?.resolve(reply.answer);
        this.waiting.delete(reply.id);
        break;
      case "broken":
        this.restart(reply.what);
        break;
    }
  }
}

// What the page and its worker say to one another.

// A mistake in the text, as the command would tell it.
export interface Wrong {
  message: string;
  file?: string;
  line?: number;
  column?: number;
  excerpt?: string;
}

export type Request =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "run"; id: number; text: string; settings: string; both: boolean; brief: boolean }
  | { kind: "stop" }
  | { kind: "ask"; id: number; question: string; text: string; settings: string }
  | { kind: "at"; id: number; question: string; time: number }
  | { kind: "json"; id: number };

export type Reply =
  | { kind: "ready"; version: string; schema: string }
  | { kind: "motion"; id: number; page: ArrayBuffer; going: boolean; stopped: boolean; time: number; milliseconds: number }
  | { kind: "going"; id: number; time: number }
  | { kind: "stopping" }
  | { kind: "wrong"; id: number; error: Wrong }
  | { kind: "answer"; id: number; answer: string }
  | { kind: "broken"; what: string };

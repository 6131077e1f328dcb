// The engine's face, as live/js/engine.mjs has it.
declare module "zwang-engine" {
  export interface Engine {
    version(): string;
    ask(question: string, text: string, settings: string): string;
    begin(text: string, settings: string, both_laws?: boolean): number;
    close(motion: number): void;
    go_on(motion: number, milliseconds: number): number;
    time(motion: number): number;
    run_json(motion: number, times?: ArrayLike<number>): string;
    page(motion: number, size: number, brief?: boolean): Uint8Array | undefined;
    at(motion: number, question: string, time: number): string;
    answer(): string;
  }
  export function start(module: WebAssembly.Module): Promise<Engine>;
}

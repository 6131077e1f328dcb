// The page's own state for tests and for other pages that embed it: window.zwang.
export type Places = Record<string, Record<string, number[]>>;

export interface PageState {
  ready: Promise<void>;
  time(): number;
  seek(t: number): void;
  play(): void;
  pause(): void;
  playing(): boolean;
  positions(): Places;
  drawn(): Places;
  event(): number;
  step(direction: number): void;
  // Pixels of one unit of the model, on the stage.
  scale(): number;
  renderer: "webgl" | "canvas" | "none";
  frame(): { milliseconds: number };
  errors: string[];
}

declare global {
  interface Window {
    zwang: PageState;
  }
}

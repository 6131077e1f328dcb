// Entry of the page: read the data, show the motion; whatever goes wrong is said in words.
import { DataError, read_data } from "./data/read";
import { element } from "./dom";
import { show_failure } from "./failure";
import type { PageState } from "./state";
import { Viewer } from "./viewer";

let viewer: Viewer | undefined;
let settle: () => void = () => undefined;

const state: PageState = {
  ready: new Promise<void>((resolve) => (settle = resolve)),
  time: () => viewer?.player.time ?? NaN,
  seek: (t) => viewer?.seek(t),
  play: () => viewer?.play(),
  pause: () => viewer?.pause(),
  playing: () => viewer?.player.playing ?? false,
  positions: () => viewer?.stage.positions(false) ?? {},
  drawn: () => viewer?.stage.positions(true) ?? {},
  event: () => viewer?.event ?? -1,
  step: (direction) => viewer?.step(direction),
  scale: () => viewer?.stage.camera.pixels_per_unit ?? NaN,
  renderer: "none",
  frame: () => ({ milliseconds: viewer?.milliseconds ?? NaN }),
  errors: [],
};
window.zwang = state;
window.addEventListener("error", (event) => state.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => state.errors.push(String(event.reason)));

async function start(): Promise<void> {
  const place = document.getElementById("page") as HTMLElement;
  const holder = document.getElementById("zwang-data");
  try {
    if (!holder) {
      show_failure(place, "There is no run in this page", "This is the empty page of zwang’s animated report.", "Write one with a motion in it: “zwang run MODEL” leaves it below out, and “zwang view” opens it.");
      return;
    }
    place.replaceChildren(element("p", { class: "opening", role: "status" }, "Opening the motion…"));
    const data = await read_data(holder.textContent ?? "");

    // The text is no longer needed; a long run's is many megabytes.
    holder.textContent = "";
    viewer = new Viewer(place, data, new URLSearchParams(location.hash.slice(1)));
    state.renderer = viewer.renderer;
  } catch (error) {
    const what = error instanceof DataError ? error.what : "The motion in this page could not be shown.";
    const advice = error instanceof DataError ? error.advice : "Write the page anew with “zwang run”; if that does not help, please report it together with the details below.";
    const details = error instanceof DataError ? undefined : String(error instanceof Error ? (error.stack ?? error.message) : error);
    state.errors.push(what);
    show_failure(place, "This motion cannot be shown", what, advice, details);
  } finally {
    settle();
  }
}

// The data stands after this script, so that a page cut short still says so.
if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => void start());
else void start();

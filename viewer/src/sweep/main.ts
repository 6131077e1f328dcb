// Entry of the page of a sweep: read the table, show it; whatever goes wrong is said in words.
import { bytes_of_base64, DataError, inflate, parted } from "../data/read";
import { element } from "../dom";
import { show_failure } from "../failure";
import { SweepPage } from "./page";
import { type SweepHeader, Table } from "./table";

let page: SweepPage | undefined;
let settle: () => void = () => undefined;

// The page's own state for tests: window.zwang.
const state = {
  ready: new Promise<void>((resolve) => (settle = resolve)),
  selected: () => page?.selection.count ?? NaN,
  chosen: () => (page?.selection.chosen === undefined ? undefined : page.table.sample(page.selection.chosen)),
  brushes: () => Object.fromEntries([...(page?.selection.brushes ?? [])].map(([index, interval]) => [page?.table.columns[index]?.name, interval])),
  drawn: () => page?.drawn ?? 0,
  milliseconds: () => page?.milliseconds ?? NaN,
  busy: () => page?.parallel?.going_on ?? false,
  errors: [] as string[],
};
export type SweepState = typeof state;
(window as unknown as { zwang: SweepState }).zwang = state;
window.addEventListener("error", (event) => state.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => state.errors.push(String(event.reason)));

async function start(): Promise<void> {
  const place = document.getElementById("page") as HTMLElement;
  const holder = document.getElementById("zwang-data");
  try {
    if (!holder) {
      show_failure(place, "There is no sweep in this page", "This is the empty page of zwang’s sweeps.", "Write one with a table in it: “zwang view” of a sweep file does.");
      return;
    }
    place.replaceChildren(element("p", { class: "opening", role: "status" }, "Opening the sweep…"));
    const data = parted<SweepHeader>(await inflate(bytes_of_base64(holder.textContent ?? "")));
    holder.textContent = "";
    page = new SweepPage(place, new Table(data.header, data), new URLSearchParams(location.hash.slice(1)));
  } catch (error) {
    const what = error instanceof DataError ? error.what : "The sweep in this page could not be shown.";
    const details = error instanceof DataError ? undefined : String(error instanceof Error ? (error.stack ?? error.message) : error);
    state.errors.push(what);
    show_failure(place, "This sweep cannot be shown", what, "Write the page anew with “zwang view” of the sweep file.", details);
  } finally {
    settle();
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => void start());
else void start();

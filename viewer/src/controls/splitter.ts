// The border between stage and panel, moved by dragging or by the arrow keys; its place is remembered where the browser allows it.
import { element } from "../dom";

const least = 280;
const left_for_stage = 260;
const step = 24;
const memory = "zwang-panel";

export function make_splitter(place: HTMLElement, panel: HTMLElement): HTMLElement {
  const bar = element("div", { class: "splitter", role: "separator", tabindex: 0, "aria-orientation": "vertical", "aria-label": "Width of the panel", title: "Drag to widen the panel" });
  const most = () => Math.max(least, place.clientWidth - left_for_stage);
  const tell = (width: number) => {
    bar.setAttribute("aria-valuemin", String(least));
    bar.setAttribute("aria-valuemax", String(most()));
    bar.setAttribute("aria-valuenow", String(Math.round(width)));
  };
  const widen = (wanted: number) => {
    const width = Math.round(Math.min(most(), Math.max(least, wanted)));
    place.style.setProperty("--panel", `${width}px`);
    tell(width);
    try {
      localStorage.setItem(memory, String(width));
    } catch {
      // A page opened as a file may remember nothing.
    }
  };

  bar.addEventListener("pointerdown", (event) => {
    bar.setPointerCapture(event.pointerId);
    event.preventDefault();
    bar.focus();
  });
  bar.addEventListener("pointermove", (event) => {
    if (bar.hasPointerCapture(event.pointerId)) widen(place.getBoundingClientRect().right - event.clientX);
  });
  bar.addEventListener("dblclick", () => {
    place.style.removeProperty("--panel");
    tell(panel.clientWidth);
  });
  bar.addEventListener("keydown", (event) => {
    const moves: Record<string, number> = { ArrowLeft: panel.offsetWidth + step, ArrowRight: panel.offsetWidth - step, Home: most(), End: least };
    const wanted = moves[event.key];
    if (wanted === undefined) return;
    event.preventDefault();
    widen(wanted);
  });
  new ResizeObserver(() => tell(panel.offsetWidth)).observe(panel);
  try {
    const kept = Number(localStorage.getItem(memory));
    if (kept >= least) place.style.setProperty("--panel", `min(${kept}px, calc(100% - ${left_for_stage}px))`);
  } catch {
    // The width of the style sheet.
  }
  return bar;
}

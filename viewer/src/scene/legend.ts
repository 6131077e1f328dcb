// The colours on the stage explained: runs laid over one another, and the scale of the multipliers.
import type { Run } from "../data/runs";
import { element } from "../dom";
import { format } from "../numbers";
import { css, multiplier_colour, run_colour, type Colour, type Palette } from "./palette";

// Runs with switches; the one in front gives the events and the summary.
export function runs_legend(runs: readonly Run[], palette: Palette, visible: boolean[], front: number, changed: (front: number) => void): HTMLElement {
  const box = element("div", { class: "card runs", role: "group", "aria-label": "Runs" });
  runs.forEach((run, r) => {
    const shown = element("input", { type: "checkbox", checked: visible[r], "aria-label": `Show ${run.label}` });
    shown.addEventListener("change", () => {
      visible[r] = shown.checked;
      changed(front);
    });
    const chosen = element("button", { type: "button", class: "plain", "aria-pressed": r === front, title: "Events and summary of this run", onclick: () => changed(r) }, run.label);
    const swatch = element("span", { class: "dot" });
    swatch.style.background = css(run_colour(palette, r));
    box.append(element("div", { class: "run" }, element("label", {}, shown, swatch), chosen));
  });
  return box;
}

// The scale of the multipliers, cold for negative ones where there are any.
export function multiplier_legend(palette: Palette, scale: number, negative: boolean): HTMLElement {
  const colour = [0, 0, 0];
  const stops: string[] = [];
  for (let i = 0; i <= 12; i++) {
    const share = negative ? -1 + (2 * i) / 12 : i / 12;
    multiplier_colour(palette, share, colour);
    stops.push(css(colour as unknown as Colour));
  }
  const bar = element("div", { class: "ramp" });
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  return element(
    "div",
    { class: "scale", role: "img", "aria-label": `Colours of multipliers from ${negative ? format(-scale, 3) : "0"} to ${format(scale, 3)}` },
    element("span", { class: "lambda" }, "λ"),
    element("span", {}, negative ? format(-scale, 3) : "0"),
    bar,
    element("span", {}, format(scale, 3)),
  );
}

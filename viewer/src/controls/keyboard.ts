// The keys of the viewer, in one table that also makes the page of help.
import { element } from "../dom";

export interface Key {
  keys: string[];
  shown: string;
  does: string;
  act: (event: KeyboardEvent) => void;
}

// Keys typed into a field are its own; a button keeps the space bar, a slider its arrows.
export function listen_to_keys(keys: readonly Key[], signal?: AbortSignal): void {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]")) return;
    const target = event.target as HTMLElement;
    if (target.matches?.("input[type=search], input[type=text], textarea, select")) return;
    if (event.key === " " && target.matches?.("button, summary, input[type=checkbox], input[type=radio]")) return;
    if (target.matches?.("input.speed, input[type=radio]") && event.key.startsWith("Arrow")) return;
    const key = keys.find((candidate) => candidate.keys.includes(event.key));
    if (!key) return;
    event.preventDefault();
    key.act(event);
  }, { signal });
}

export function keys_help(keys: readonly Key[]): HTMLElement {
  const body = element("tbody");
  for (const { shown, does } of keys) body.append(element("tr", {}, element("th", { scope: "row" }, ...shown.split(" ").map((name) => element("kbd", {}, name))), element("td", {}, does)));
  return element("table", { class: "keys" }, body);
}

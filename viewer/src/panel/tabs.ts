// A row of tabs over their panels, worked by arrow keys as screen readers expect.
import { element } from "../dom";

export interface Tab {
  name: string;
  content: HTMLElement;
  shown?: () => void;
}

export function make_tabs(label: string, tabs: readonly Tab[]): { root: HTMLElement; show: (name: string) => void; current: () => string } {
  let current = 0;
  const buttons = tabs.map((tab, i) =>
    element("button", { type: "button", role: "tab", id: `tab-${i}`, "aria-controls": `panel-${i}`, onclick: () => select(i) }, tab.name),
  );
  const panels = tabs.map((tab, i) =>
    element("section", { role: "tabpanel", id: `panel-${i}`, "aria-labelledby": `tab-${i}`, class: "tabpanel", tabindex: 0 }, element("h2", { class: "unseen" }, tab.name), tab.content),
  );
  function select(index: number, focus = false): void {
    current = index;
    buttons.forEach((button, i) => {
      button.setAttribute("aria-selected", String(i === index));
      button.tabIndex = i === index ? 0 : -1;
      (panels[i] as HTMLElement).hidden = i !== index;
    });
    if (focus) buttons[index]?.focus();
    tabs[index]?.shown?.();
  }
  const list = element("div", { role: "tablist", "aria-label": label, class: "tabs" }, ...buttons);
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    select((current + step + tabs.length) % tabs.length, true);
  });
  select(0);
  return {
    root: element("div", { class: "panel" }, list, ...panels),
    show: (name) => {
      const index = tabs.findIndex((tab) => tab.name.toLowerCase() === name.toLowerCase());
      if (index >= 0) select(index);
    },
    current: () => tabs[current]?.name ?? "",
  };
}

// Dialogs: help and licences.
import { element, icon_button } from "../dom";

export function make_dialog(title: string, ...content: (Node | string)[]): { root: HTMLDialogElement; open: () => void } {
  const root = element("dialog", { "aria-label": title });
  const close = icon_button("close", "Close", "Esc", () => root.close());
  root.append(element("div", { class: "row" }, element("h2", {}, title), close), ...content);
  root.addEventListener("click", (event) => {
    if (event.target === root) root.close();
  });
  return { root, open: () => root.showModal() };
}

export interface Licence {
  name: string;
  version: string;
  text: string;
}

export function licence_texts(licences: readonly Licence[], version: string): HTMLElement {
  const box = element("div", { class: "licences" });
  box.append(
    element("p", {}, `This page was written by zwang ${version}, which is free software under the MIT licence. It carries the following works, whose licences ask to be shown with them.`),
  );
  for (const { name, version: its, text } of licences) box.append(element("h3", {}, `${name} ${its}`), element("pre", {}, text));
  return box;
}

// The model as it was written, lightly coloured.
import { element } from "../dom";

// Comments, strings, tables, keys, numbers; in this order, so that a number sign in a string stays part of it.
const token =
  /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*')|(#[^\n]*)|(^[ \t]*\[\[?[ \t]*[A-Za-z_"'][^\],\n]*\]\]?(?=[ \t]*(?:#|$)))|(^[ \t]*[\w.\-]+(?=[ \t]*=)|[\w\-]+(?=[ \t]*=[^=]))|\b([-+]?\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false)\b/gm;
const classes = ["string", "comment", "table", "key", "number"];

export function coloured(text: string): DocumentFragment {
  const result = document.createDocumentFragment();
  let at = 0;
  for (const match of text.matchAll(token)) {
    const which = match.slice(1).findIndex((group) => group !== undefined);
    result.append(text.slice(at, match.index));
    result.append(element("span", { class: classes[which] }, match[0]));
    at = (match.index ?? 0) + match[0].length;
  }
  result.append(text.slice(at));
  return result;
}

export function make_model_text(file: string | undefined, text: string | undefined): HTMLElement {
  if (!text) return element("p", { class: "quiet" }, "The text of the model is not in this page.");
  const code = element("code", {});
  code.append(coloured(text));
  const copy = element("button", { type: "button", class: "plain" }, "Copy");
  copy.addEventListener("click", () => {
    navigator.clipboard?.writeText(text).then(
      () => (copy.textContent = "Copied"),
      () => (copy.textContent = "Select the text to copy it"),
    );
  });
  const head = element("div", { class: "row" }, element("span", { class: "quiet" }, file ?? "model.toml"), copy);
  return element("div", {}, head, element("pre", { class: "toml", tabindex: 0, "aria-label": "Text of the model" }, code));
}

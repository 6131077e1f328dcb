// The equations of motion in MathML; anything else than formulas and plain text elements is dropped on the way in.
import { element } from "../dom";

const allowed = new Set(
  "math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover munderover mmultiscripts mtable mtr mtd semantics annotation p h2 h3 h4 h5 div section span em strong ul ol li table thead tbody tr td th br code figure figcaption sub sup dl dt dd".split(" "),
);
const kept_attributes = new Set("display mathvariant stretchy fence form class rowspacing columnalign columnspacing displaystyle scriptlevel accent lspace rspace linethickness separator width height depth alttext title rowspan colspan xmlns".split(" "));

export function cleaned(markup: string): DocumentFragment {
  const parsed = new DOMParser().parseFromString(markup, "text/html");
  const result = document.createDocumentFragment();
  const visit = (from: Node, into: Node): void => {
    for (const child of [...from.childNodes]) {
      if (child.nodeType === Node.TEXT_NODE) into.appendChild(document.importNode(child, true));
      if (!(child instanceof Element)) continue;
      const name = child.localName.toLowerCase();
      if (name === "script" || name === "style") continue;
      if (!allowed.has(name)) {
        visit(child, into);
        continue;
      }
      const copy = document.importNode(child, false);
      for (const attribute of [...copy.attributes]) if (!kept_attributes.has(attribute.name)) copy.removeAttribute(attribute.name);
      into.appendChild(copy);
      visit(child, copy);
    }
  };
  visit(parsed.body, result);
  return result;
}

export function make_equations(markup: string | undefined): HTMLElement {
  const box = element("div", { class: "equations" });
  if (markup) box.append(cleaned(markup));
  else box.append(element("p", { class: "quiet" }, "The equations are not in this page; “zwang equations MODEL” prints them."));
  return box;
}

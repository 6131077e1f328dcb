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

// Without a font for mathematics exponents stand at the height of their base and dots touch tall letters; is it so here?
let known: boolean | undefined;
function lacks_math_font(): boolean {
  if (known !== undefined) return known;
  const probe = element("div", { class: "equations probe", "aria-hidden": "true" });
  probe.append(cleaned('<math><msup><mi>d</mi><mn>2</mn></msup></math>'));
  document.body.append(probe);
  const [base, raised] = ["mi", "mn"].map((name) => probe.querySelector(name)?.getBoundingClientRect());
  probe.remove();
  if (!base || !raised || !(base.height > 0)) return false;
  return (known = (base.bottom - raised.bottom) / probe_size > highest_exponent);
}
const probe_size = 100;
const highest_exponent = 0.6;

export function make_equations(markup: string | undefined): HTMLElement {
  const box = element("div", { class: "equations" });
  if (markup) {
    box.append(cleaned(markup));
    box.classList.toggle("plain-math", lacks_math_font());

    // What is wider than the panel can be reached by the keyboard, too.
    const watch = new ResizeObserver(() => {
      for (const formula of box.querySelectorAll<HTMLElement>(".formula")) {
        if (formula.scrollWidth > formula.clientWidth + 1) {
          formula.tabIndex = 0;
          formula.setAttribute("role", "group");
          formula.setAttribute("aria-label", "Formula, wider than the panel");
        } else for (const name of ["tabindex", "role", "aria-label"]) formula.removeAttribute(name);
      }
    });
    watch.observe(box);
  }
  else box.append(element("p", { class: "quiet" }, "The equations are not in this page; “zwang equations MODEL” prints them."));
  return box;
}

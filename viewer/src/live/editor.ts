// A small editor for the model's text: coloured below, typed above, the mistake underlined; undo of its own, so that sliders and dragged points can be undone too.
import { element } from "../dom";
import { coloured } from "../panel/model_text";
import { completions, type Completion } from "./complete";
import type { Wrong } from "./messages";

const burst = 700; // milliseconds within which changes of one kind are one step of undo; what a hand holds is one step until it lets go
const most_steps = 400;
const most_offered = 12;
const seen_by_then = 150; // milliseconds until a text that changes with a slider is shown

interface Step {
  text: string;
  from: number;
  to: number;
}

export class Editor {
  readonly root: HTMLElement;
  readonly message: HTMLButtonElement;
  schema: unknown;
  private readonly area: HTMLTextAreaElement;
  private readonly behind: HTMLElement;
  private readonly offer: HTMLElement;
  private past: Step[] = [];
  private future: Step[] = [];
  private kind = "";
  private touched = 0;
  private known: string;
  private wrong: Wrong | undefined;
  private offered: Completion[] = [];
  private chosen = 0;

  constructor(
    text: string,
    private readonly changed: (text: string, kind: string) => void,
  ) {
    this.known = text;
    this.area = element("textarea", { class: "typed", spellcheck: "false", autocapitalize: "off", autocomplete: "off", autocorrect: "off", wrap: "off", "aria-label": "Text of the model", "aria-describedby": "live-message" });
    this.area.value = text;
    this.behind = element("pre", { class: "toml behind", "aria-hidden": "true" });
    this.offer = element("ul", { class: "offer card", role: "listbox", "aria-label": "Completions" });
    this.offer.hidden = true;
    this.message = element("button", { type: "button", class: "message", id: "live-message", hidden: true, onclick: () => this.go_to_mistake() });
    this.root = element("div", { class: "editor" }, element("div", { class: "sheet" }, this.behind, this.area, this.offer), this.message);
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("scroll", () => this.follow());
    this.area.addEventListener("keydown", (event) => this.key(event));
    this.area.addEventListener("focus", () => this.show_text());
    this.area.addEventListener("blur", () => setTimeout(() => this.close_offer(), 150));
    this.area.addEventListener("click", () => this.close_offer());
    this.colour();
  }

  get text(): string {
    return this.known;
  }
  focus(): void {
    this.area.focus();
  }

  // Another text by other hands than the keyboard; changes of one `kind` in quick succession are undone together, and so is the whole way of a handle that is
  // held, however slowly it goes.
  set(text: string, kind: string, tell = true): void {
    if (text === this.known) return;
    this.keep(kind);
    this.held = in_hand(kind);
    this.known = text;
    // While a slider is dragged the text is shown now and then: laying it out anew for every value would cost more than the motion does.
    if (!in_hand(kind)) this.show_text();
    else if (!this.waiting) this.waiting = setTimeout(() => this.show_text(), seen_by_then);
    if (tell) this.changed(text, kind);
  }
  private waiting = 0;
  private held = false;

  // The hand that held a handle has opened.
  let_go(): void {
    this.held = false;
  }

  // What is known is written where it is seen.
  show_text(): void {
    clearTimeout(this.waiting);
    this.waiting = 0;
    const { area, known } = this;
    if (area.value === known) return;
    const [scroll, at] = [area.scrollTop, Math.min(area.selectionStart, known.length)];
    area.value = known;
    area.setSelectionRange(at, at);
    area.scrollTop = scroll;
    this.colour();
  }

  undo(): void {
    this.walk(this.past, this.future);
  }
  redo(): void {
    this.walk(this.future, this.past);
  }
  get can_undo(): boolean {
    return this.past.length > 0;
  }
  get can_redo(): boolean {
    return this.future.length > 0;
  }

  show_wrong(wrong: Wrong | undefined): void {
    if (!wrong && !this.wrong) return;
    this.show_text();
    this.wrong = wrong;
    this.message.hidden = wrong === undefined;
    if (wrong) this.message.textContent = wrong.line ? `line ${wrong.line}, column ${wrong.column}: ${wrong.message}` : wrong.message;
    this.area.setAttribute("aria-invalid", String(wrong !== undefined));
    this.colour();
  }

  private walk(from: Step[], into: Step[]): void {
    const step = from.pop();
    if (!step) return;
    clearTimeout(this.waiting);
    this.waiting = 0;
    into.push(this.present());
    this.kind = "";
    this.held = false;
    this.area.value = step.text;
    this.known = step.text;
    this.area.setSelectionRange(step.from, step.to);
    this.colour();
    this.changed(step.text, "undo");
  }

  private present(): Step {
    return { text: this.known, from: this.area.selectionStart, to: this.area.selectionEnd };
  }

  // The state before a change, unless the change goes on with the one before.
  private keep(kind: string): void {
    const now = performance.now();
    if (kind !== this.kind || (!this.held && now - this.touched > burst)) {
      this.past.push(this.present());
      if (this.past.length > most_steps) this.past.shift();
    }
    this.kind = kind;
    this.touched = now;
    this.future = [];
  }

  private typed(): void {
    clearTimeout(this.waiting);
    this.waiting = 0;
    this.keep("typing");
    this.held = false;
    this.known = this.area.value;
    this.colour();
    this.propose();
    this.changed(this.known, "typing");
  }

  // Where a mistake stands: from its column to the end of the word, or one sign.
  private range(wrong: Wrong): [number, number] | undefined {
    if (!wrong.line) return undefined;
    const lines = this.area.value.split("\n");
    const line = lines[wrong.line - 1];
    if (line === undefined) return undefined;
    const start = lines.slice(0, wrong.line - 1).reduce((sum, text) => sum + text.length + 1, 0);
    // Columns count characters, not the halves of those beyond the first plane.
    const before = [...line].slice(0, Math.max(0, (wrong.column ?? 1) - 1)).join("").length;
    const word = /^[\w.'\[\]]+|^./u.exec(line.slice(before))?.[0] ?? "";
    return [start + before, start + before + word.length];
  }

  private go_to_mistake(): void {
    const range = this.wrong && this.range(this.wrong);
    if (!range) return;
    this.area.focus();
    this.area.setSelectionRange(range[0], range[1]);
    const line = (this.wrong?.line ?? 1) - 1;
    this.area.scrollTop = Math.max(0, line * this.line_height() - this.area.clientHeight / 2);
  }

  private colour(): void {
    const text = this.area.value;
    const code = element("code", {});
    code.append(coloured(text));
    const range = this.wrong && this.range(this.wrong);
    if (range) underline(code, range[0], Math.max(range[1], range[0] + 1));
    // The last line has its height although it is empty.
    code.append("\n ");
    this.behind.replaceChildren(code);
    this.follow();
  }

  private follow(): void {
    this.behind.scrollTop = this.area.scrollTop;
    this.behind.scrollLeft = this.area.scrollLeft;
  }

  private line_height(): number {
    return parseFloat(getComputedStyle(this.area).lineHeight) || 20;
  }

  private key(event: KeyboardEvent): void {
    const command = event.ctrlKey || event.metaKey;
    if (command && event.key.toLowerCase() === "z") {
      event.preventDefault();
      if (event.shiftKey) this.redo();
      else this.undo();
      return;
    }
    if (command && event.key.toLowerCase() === "y") {
      event.preventDefault();
      this.redo();
      return;
    }
    if (command && event.key === " ") {
      event.preventDefault();
      this.propose(true);
      return;
    }
    if (this.offer.hidden) return;
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      this.chosen = (this.chosen + (event.key === "ArrowDown" ? 1 : -1) + this.offered.length) % this.offered.length;
      this.draw_offer();
    } else if (event.key === "Enter" || event.key === "Tab") this.accept(this.chosen);
    else if (event.key === "Escape") this.close_offer();
    else return;
    event.preventDefault();
  }

  private propose(asked = false): void {
    const at = this.area.selectionStart;
    this.offered = completions(this.area.value, at, this.schema, asked).slice(0, most_offered);
    this.chosen = 0;
    if (this.offered.length === 0) {
      this.close_offer();
      return;
    }
    this.draw_offer();

    // Below the sign that is typed.
    const before = this.area.value.slice(0, at);
    const line = before.split("\n").length - 1;
    const column = at - (before.lastIndexOf("\n") + 1);
    const ruler = element("span", { class: "ruler" }, "0".repeat(20));
    this.offer.parentElement?.append(ruler);
    const width = ruler.getBoundingClientRect().width / 20;
    ruler.remove();
    const style = getComputedStyle(this.area);
    this.offer.style.left = `${Math.min(this.area.clientWidth - 220, parseFloat(style.paddingLeft) + column * width - this.area.scrollLeft)}px`;
    this.offer.style.top = `${parseFloat(style.paddingTop) + (line + 1) * this.line_height() - this.area.scrollTop + 2}px`;
    this.offer.hidden = false;
  }

  private draw_offer(): void {
    this.offer.replaceChildren(
      ...this.offered.map(({ word, what }, k) => element("li", { role: "option", "aria-selected": String(k === this.chosen), onpointerdown: (event) => { event.preventDefault(); this.accept(k); } }, element("b", {}, word), element("span", { class: "quiet" }, what))),
    );
  }

  private accept(index: number): void {
    const one = this.offered[index];
    this.close_offer();
    if (!one) return;
    const at = this.area.selectionStart;
    this.keep("completion");
    this.area.setRangeText(one.insert, at - one.typed, at, "end");
    this.known = this.area.value;
    this.colour();
    this.changed(this.known, "completion");
  }

  private close_offer(): void {
    this.offer.hidden = true;
  }
}

// Changes that follow one another as quickly as a hand moves.
export function in_hand(kind: string): boolean {
  return kind.startsWith("slider") || kind === "drag";
}

// Letters from..to of all text below a node go into marks of their own.
function underline(root: HTMLElement, from: number, to: number): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const found: [Text, number, number][] = [];
  let at = 0;
  for (let node = walker.nextNode() as Text | null; node; node = walker.nextNode() as Text | null) {
    const begin = Math.max(from - at, 0);
    const end = Math.min(to - at, node.length);
    if (begin < end) found.push([node, begin, end]);
    at += node.length;
  }
  for (const [node, begin, end] of found) {
    const range = document.createRange();
    range.setStart(node, begin);
    range.setEnd(node, end);
    range.surroundContents(element("span", { class: "wrong" }));
  }
}

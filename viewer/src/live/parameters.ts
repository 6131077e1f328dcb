// Every number among the parameters as a slider that writes itself into the text; those that follow from others are shown with their values.
import { element } from "../dom";
import { format } from "../numbers";

// A number that is written in the text: its name, and where its digits stand.
export interface Written {
  name: string;
  value: number;
  from: number;
  to: number;
}

const number = String.raw`[+-]?(?:\d[\d_]*\.?[\d_]*|\.\d+)(?:[eE][+-]?\d+)?`;
const positions = 1000;

export function written_parameters(text: string): Written[] {
  const found: Written[] = [];
  let table = "";
  let at = 0;
  for (const line of text.split("\n")) {
    const head = /^\s*\[\[?\s*([\w.]+)\s*\]\]?/.exec(line);
    if (head) table = head[1] as string;
    const key = table === "parameters" ? /^\s*([A-Za-z_]\w*)\s*=\s*/.exec(line) : table === "" ? /^\s*parameters\.([A-Za-z_]\w*)\s*=\s*/.exec(line) : null;
    if (key) {
      const name = key[1] as string;
      const rest = line.slice(key[0].length);
      const put = (called: string, digits: string, from: number) => {
        const value = Number(digits.replaceAll("_", ""));
        if (Number.isFinite(value)) found.push({ name: called, value, from: at + key[0].length + from, to: at + key[0].length + from + digits.length });
      };
      const plain = new RegExp(`^(${number})\\s*(#.*)?$`).exec(rest);
      const list = new RegExp(`^\\[(\\s*${number}\\s*(?:,\\s*${number}\\s*)*),?\\s*\\]\\s*(#.*)?$`).exec(rest);
      if (plain) put(name, plain[1] as string, 0);
      else if (list)
        [...(list[1] as string).matchAll(new RegExp(number, "g"))].forEach((part, k) => put(`${name}.${"xyz"[k] ?? k + 1}`, part[0], 1 + (part.index ?? 0)));
    }
    at += line.length + 1;
  }
  return found;
}

// What an address asks for beside a text, as the command's options do (`set=L=1.5`, `until=7`): numbers go into the text where it has them, the rest is told to
// the engine, line by line.
export function asked_in(options: URLSearchParams, text: string): { text: string; settings: string[] } {
  const settings: string[] = [];
  for (const one of options.getAll("set")) {
    const [name, value] = [one.slice(0, one.indexOf("=")), one.slice(one.indexOf("=") + 1)];
    const place = new RegExp(`^${number}$`).test(value) ? written_parameters(text).find((written) => written.name === name) : undefined;
    if (place) text = text.slice(0, place.from) + value + text.slice(place.to);
    else if (one.includes("=")) settings.push(`set ${one}`);
  }
  for (const name of ["at", "until", "tolerance"]) for (const value of options.getAll(name).slice(-1)) settings.push(`${name} ${value}`);
  return { text, settings: settings.map((line) => line.replaceAll("\n", " ")) };
}

// Does the text count with this parameter? Then whole numbers alone make sense for it.
export function is_counted(text: string, name: string): boolean {
  const word = `\\b${name}\\b`;
  return new RegExp(`^\\s*count\\s*=.*"[^"]*${word}|\\.\\.[^",]*${word}|=\\s*[^",=]*${word}[^",=]*\\.\\.`, "m").test(text);
}

// As few digits as the step of a slider needs.
export function digits_of(value: number, step: number): string {
  const decimals = Math.max(0, Math.min(12, Math.ceil(-Math.log10(Math.max(Math.abs(step), 1e-300)))));
  if (Math.abs(value) >= 1e15 || decimals >= 12) return value.toPrecision(6).replace(/\.?0+(e|$)/, "$1");
  const text = value.toFixed(decimals);
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

interface Row {
  root: HTMLElement;
  slider: HTMLInputElement;
  field: HTMLInputElement;
  low: number;
  high: number;
  // The value that handle and field show, with their present range.
  shown?: number;
}

export class Parameters {
  readonly root = element("div", { class: "parameters" });
  private readonly rows = new Map<string, Row>();
  private readonly list = element("div", { class: "sliders" });
  private readonly derived = element("div", { class: "derived" });
  private names: string | undefined;
  private held: string | undefined;

  constructor(
    private readonly text: () => string,
    private readonly write: (text: string, kind: string) => void,
    private readonly let_go: () => void,
  ) {
    this.root.append(this.list, this.derived);
  }

  private read(): Written[] {
    const text = this.text();
    if (text !== this.last_text) {
      this.last_text = text;
      this.last_read = written_parameters(text);
    }
    return this.last_read;
  }
  private last_values = "";
  private last_text: string | undefined;
  private last_read: Written[] = [];

  // The text has changed: other names need other rows, other values move the handles.
  update(): void {
    const written = this.read();
    const names = written.map(({ name }) => name).join("\n");
    if (names !== this.names) {
      this.names = names;
      this.last_values = "";
      this.rows.clear();
      for (const one of written) this.rows.set(one.name, this.make(one));
      this.list.replaceChildren(
        ...[...this.rows.values()].map(({ root }) => root),
        ...(written.length === 0 ? [element("p", { class: "quiet" }, "Numbers in [parameters] become sliders here.")] : []),
      );
    }
    for (const { name, value } of written) {
      const row = this.rows.get(name);
      if (!row || this.held === name) continue;
      if (!(value >= row.low && value <= row.high)) this.spread(row, value);
      this.show(row, value);
    }
  }

  // Values that the engine computed from expressions.
  show_values(values: Record<string, unknown>): void {
    const told = JSON.stringify(values);
    if (told === this.last_values) return;
    this.last_values = told;
    const rest = Object.entries(values).filter(([name]) => !this.rows.has(name) && !this.rows.has(`${name}.x`));
    this.derived.replaceChildren(
      ...rest.map(([name, value]) => element("p", {}, element("span", { class: "name" }, name), " = ", element("span", { class: "number" }, (Array.isArray(value) ? value : [value]).map((v) => format(Number(v), 8)).join(", ")))),
    );
  }

  private make({ name, value }: Written): Row {
    const slider = element("input", { type: "range", min: 0, max: positions, step: 1, class: "speed", "aria-label": name });
    const field = element("input", { type: "text", inputmode: "decimal", class: "value number", "aria-label": `${name}, its value` });
    const row: Row = { root: element("label", { class: "slider" }, element("span", { class: "name" }, name), slider, field), slider, field, low: 0, high: 1 };
    this.spread(row, value);
    this.show(row, value);
    slider.addEventListener("input", () => {
      this.held = name;
      delete row.shown;
      const step = (row.high - row.low) / positions;
      const chosen = row.low + step * Number(slider.value);
      const digits = is_counted(this.text(), name) ? String(Math.max(1, Math.round(chosen))) : digits_of(Math.abs(chosen) < step / 2 ? 0 : chosen, step);
      field.value = digits;
      this.put(name, digits, `slider ${name}`);
    });
    slider.addEventListener("change", () => {
      this.held = undefined;
      // At an end there is room again.
      const at = Number(slider.value);
      if (at < 0.05 * positions || at > 0.95 * positions) this.spread(row, Number(field.value));
      this.update();
      this.let_go();
    });
    field.addEventListener("change", () => {
      delete row.shown;
      const chosen = Number(field.value.replace("−", "-").replace(",", "."));
      if (field.value.trim() !== "" && Number.isFinite(chosen)) this.put(name, field.value.trim().replace("−", "-").replace(",", "."), `value ${name}`);
      this.update();
      this.let_go();
    });
    return row;
  }

  // A range round a value: from nothing to twice as much.
  private spread(row: Row, value: number): void {
    const size = value === 0 || !Number.isFinite(value) ? 1 : Math.abs(value);
    row.low = value > 0 ? 0 : value < 0 ? -2 * size : -size;
    row.high = value > 0 ? 2 * size : value < 0 ? 0 : size;
    delete row.shown;
  }

  private show(row: Row, value: number): void {
    if (row.shown === value) return;
    row.shown = value;
    row.slider.value = String(Math.round(((value - row.low) / (row.high - row.low)) * positions));
    row.slider.setAttribute("aria-valuetext", String(value));
    if (document.activeElement !== row.field) row.field.value = String(value);
  }

  private put(name: string, digits: string, kind: string): void {
    const text = this.text();
    const place = this.read().find((one) => one.name === name);
    if (place) this.write(text.slice(0, place.from) + digits + text.slice(place.to), kind);
  }
}

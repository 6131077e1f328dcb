// The table of events, of which only the rows in sight exist, so that a hundred thousand of them scroll as easily as ten.
import type { Header } from "../data/contract";
import type { Run } from "../data/runs";
import { element } from "../dom";
import { counted, event_decimals, fixed, format } from "../numbers";
import { names_of_rows } from "./event_words";

const row_height = 30;
// Of rows in two lines, which they are where names of conditions would have less room than they need, or than so many pixels.
const tall_height = 46;
const room_for_names = 140;
// What the other columns take, apart from the time.
const other_columns = 12 + 84 + 60 + 4 * 10 + 2 * 18;
const width_of_digit = 7.6;
const width_of_letter = 6.8;
const most_measured = 2000;
// Browsers stop placing elements exactly somewhere beyond this height.
const most_height = 8e6;

export class EventTable {
  readonly root: HTMLElement;
  private readonly scroller: HTMLElement;
  private readonly filler: HTMLElement;
  private readonly rows: HTMLElement;
  private readonly count_line: HTMLElement;
  private readonly chips: HTMLElement;
  private readonly hidden_kinds = new Set<string>();
  private listed: Uint32Array = new Uint32Array(0);
  private run: Run;
  private current = -1;
  private tall = false;
  // Pixels that the columns of times and names need.
  private times_need = 0;
  private names_need = 0;

  constructor(
    private header: Header,
    run: Run,
    private span: number,
    private readonly choose: (event: number) => void,
  ) {
    this.run = run;
    this.rows = element("div", { class: "rows", role: "rowgroup" });
    this.filler = element("div", { class: "filler" }, this.rows);
    this.scroller = element("div", { class: "scroller", tabindex: 0, role: "grid", "aria-label": "Events; arrow keys choose, the motion follows" }, this.filler);
    this.count_line = element("p", { class: "quiet" });
    this.chips = element("div", { class: "chips", role: "group", "aria-label": "Kinds of events shown" });
    const head = element("div", { class: "event head", role: "row", "aria-hidden": "true" }, ...["", "time", "kind", "conditions", "lost"].map((name) => element("span", {}, name)));
    this.root = element("div", { class: "events" }, this.chips, this.count_line, head, this.scroller);
    this.scroller.addEventListener("scroll", () => this.draw());
    this.scroller.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(this.scroller);
    this.set_run(run);
  }

  replace(header: Header, run: Run, span: number): void {
    this.header = header;
    this.span = span;
    this.set_run(run);
  }

  set_run(run: Run): void {
    this.run = run;
    this.current = -1;
    const present = new Set<string>();
    for (let e = 0; e < run.events.count; e++) present.add(run.events.kind_of(e));
    this.chips.replaceChildren(
      ...(present.size > 1 ? run.events.kinds.filter((kind) => present.has(kind)) : []).map((kind) => {
        const box = element("input", { type: "checkbox", checked: !this.hidden_kinds.has(kind) });
        box.addEventListener("change", () => {
          if (box.checked) this.hidden_kinds.delete(kind);
          else this.hidden_kinds.add(kind);
          this.filter();
        });
        return element("label", { class: "chip" }, box, element("span", { class: `mark ${kind}` }), kind);
      }),
    );
    this.filter();
  }

  // Mark an event as the present one and bring it into sight.
  select(event: number): void {
    this.current = event;
    const place = this.place_of(event);
    if (place >= 0) {
      const top = place * this.row_height * this.squeeze;
      if (top < this.scroller.scrollTop || top > this.scroller.scrollTop + this.scroller.clientHeight - this.row_height)
        this.scroller.scrollTop = top - this.scroller.clientHeight / 2;
    }
    this.draw();
  }

  private filter(): void {
    const { events } = this.run;
    const kept: number[] = [];
    for (let e = 0; e < events.count; e++) if (!this.hidden_kinds.has(events.kind_of(e))) kept.push(e);
    this.listed = Uint32Array.from(kept);
    this.measure();
    this.lay_out();
    this.scroller.setAttribute("aria-rowcount", String(this.listed.length));
    this.count_line.textContent =
      events.count === 0
        ? "Nothing happened: no condition was struck, closed or let go."
        : `${counted(this.listed.length)} of ${counted(events.count)} events` + (events.left_out > 0 ? `; ${counted(events.left_out)} more are not in this page` : "");
    this.draw();
  }

  private get row_height(): number {
    return this.tall ? tall_height : row_height;
  }

  // The longest time, with the digits that tell it from its neighbours, and the longest names.
  private measure(): void {
    const { events } = this.run;
    let decimals = 0;
    let letters = 0;
    const step = Math.max(1, Math.ceil(this.listed.length / most_measured));
    for (let i = 0; i < this.listed.length; i += step) {
      const event = this.listed[i] as number;
      decimals = Math.max(decimals, event_decimals(events.times, event, this.span));
      letters = Math.max(letters, names_of_rows(this.header, events.rows(event), 3).length);
    }
    const last = this.listed.at(-1);
    this.times_need = Math.max(92, last === undefined ? 0 : width_of_digit * fixed(events.times[last] as number, decimals).length);
    this.names_need = Math.min(room_for_names, width_of_letter * letters);
  }

  // One line for an event, or two where the panel is narrow.
  private lay_out(): void {
    const width = this.scroller.clientWidth;
    if (width > 0) this.tall = width - other_columns - this.times_need < this.names_need;
    this.root.classList.toggle("tall", this.tall);
    this.filler.style.height = `${Math.min(most_height, this.listed.length * this.row_height)}px`;
  }

  // Rows per pixel where all rows together would be too high.
  private get squeeze(): number {
    const height = this.listed.length * this.row_height;
    return height > most_height ? most_height / height : 1;
  }

  private place_of(event: number): number {
    let low = 0;
    let high = this.listed.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.listed[middle] as number) < event) low = middle + 1;
      else high = middle;
    }
    return this.listed[low] === event ? low : -1;
  }

  private draw(): void {
    const height = this.scroller.clientHeight;
    if (height === 0) return;
    this.lay_out();
    const first = Math.max(0, Math.floor(this.scroller.scrollTop / this.row_height / this.squeeze) - 4);
    const last = Math.min(this.listed.length, first + Math.ceil(height / this.row_height) + 8);
    this.rows.style.transform = `translateY(${first * this.row_height * this.squeeze}px)`;
    const rows: HTMLElement[] = [];

    // Times close to one another get the digits that tell them apart, all rows in sight the same number of them.
    const { times } = this.run.events;
    let decimals = 0;
    let longest = 0;
    for (let i = first; i < last; i++) decimals = Math.max(decimals, event_decimals(times, this.listed[i] as number, this.span));
    for (let i = first; i < last; i++) longest = Math.max(longest, fixed(times[this.listed[i] as number] as number, decimals).length);
    this.root.style.setProperty("--digits", String(longest));
    for (let i = first; i < last; i++) rows.push(this.row(i, decimals));
    this.rows.replaceChildren(...rows);
  }

  private row(index: number, decimals: number): HTMLElement {
    const event = this.listed[index] as number;
    const { events } = this.run;
    const lost = events.lost(event);
    const cells = [
      element("span", { role: "gridcell" }, element("span", { class: `mark ${events.kind_of(event)}` })),
      element("span", { role: "gridcell", class: "number" }, fixed(events.times[event] as number, decimals)),
      element("span", { role: "gridcell" }, events.kind_of(event)),
      element("span", { role: "gridcell", class: "names" }, names_of_rows(this.header, events.rows(event), 3)),
      element("span", { role: "gridcell", class: "number" }, lost > 0 ? format(lost, 3) : ""),
    ];
    return element("div", { class: "event", role: "row", "aria-rowindex": index + 1, "aria-selected": event === this.current, onclick: () => this.choose(event) }, ...cells);
  }

  private key(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const place = this.place_of(this.current);
    const next = Math.max(0, Math.min(this.listed.length - 1, place + step));
    const chosen = this.listed[next];
    if (chosen !== undefined) this.choose(chosen);
  }
}

// The living page: a text, the engine in a worker, and the viewer of its motion.
import { split, type Data } from "../data/read";
import { open_runs } from "../data/runs";
import { element } from "../dom";
import { show_failure } from "../failure";
import type { PageState } from "../state";
import { Viewer } from "../viewer";
import { Client, type Motion } from "./client";
import { Editor, in_hand } from "./editor";
import { Handles, type Moved } from "./handles";
import { asked_in, Parameters } from "./parameters";
import { base64_of_text, fingerprint, text_from_link, text_to_link, unpacked } from "./share";

const typing_pause = 120; // milliseconds of rest before a text is run
const settled = 250; // and after something was dragged, before the rest of the page follows

interface Model {
  name: string;
  title: string;
  text: string;
}

const starting_text = `title = "A pendulum on a string that may go slack"
gravity = [0, "-g"]

[parameters]
g = 9.81
L = 1

[points.a]
mass     = 1
position = ["L", 0]
velocity = [0, 2.5]

[constraints]
string = "norm(a) <= L"

[simulation]
until = 8
`;

class Live {
  viewer: Viewer | undefined;
  motions = 0;
  client!: Client;
  private readonly editor: Editor;
  private readonly parameters: Parameters;
  private readonly handles: Handles;
  private readonly instant = element("div", { class: "instant" });
  private readonly place = element("div", { id: "page" });
  private readonly fixed = element("p", { class: "fixed quiet" });
  private readonly state = element("p", { class: "state quiet", role: "status" });
  private readonly stop = element("button", { type: "button", class: "plain stop", hidden: true, onclick: () => this.client.stop() }, "Stop");
  private readonly both = element("input", { type: "checkbox", onchange: () => this.run("laws") });
  private readonly undo_button = element("button", { type: "button", class: "plain", title: "Undo (Ctrl+Z)", onclick: () => this.editor.undo() }, "Undo");
  private readonly redo_button = element("button", { type: "button", class: "plain", title: "Redo (Ctrl+Shift+Z)", onclick: () => this.editor.redo() }, "Redo");
  private readonly original_button = element("button", { type: "button", class: "plain", title: "The text that came with this page", onclick: () => this.editor.set(this.given, "original") }, "Original");
  private readonly start_button = element("button", { type: "button", class: "plain start", "aria-pressed": "false", onclick: () => this.hold_start(!this.holding) }, "Move the start");
  private holding = false;
  private timer = 0;
  private dragging = false;
  private pending: Moved[] = [];
  private asking = false;
  private shown_instant = "";
  private told_status = "";
  private first: (() => void) | undefined;

  constructor(
    root: HTMLElement,
    private name: string,
    text: string,
    private readonly base: string,
    private readonly given: string,
    gallery: Model[],
    private readonly options: URLSearchParams,
    private settings: string[],
  ) {
    this.editor = new Editor(text, (_text, kind) => this.text_changed(kind));
    this.parameters = new Parameters(() => this.editor.text, (changed, kind) => this.editor.set(changed, kind), () => this.let_go());
    this.handles = new Handles(() => (this.viewer as Viewer).stage.camera, (moved) => this.move(moved));
    const choose = element("select", { "aria-label": "A model of the gallery" }, element("option", { value: "" }, "Gallery…"), ...gallery.map((one) => element("option", { value: one.name, title: one.title }, one.name)));
    choose.addEventListener("change", () => {
      const one = gallery.find(({ name: called }) => called === choose.value);
      choose.value = "";
      if (one) this.open(one);
    });
    const tools = element(
      "div",
      { class: "tools", role: "toolbar", "aria-label": "The model" },
      gallery.length > 0 && choose,
      this.undo_button,
      this.redo_button,
      this.original_button,
      element("button", { type: "button", class: "plain", title: "Project the start onto the conditions, as zwang check --repair does", onclick: () => void this.repair() }, "Repair"),
      element("button", { type: "button", class: "plain share", onclick: () => void this.share() }, "Copy link"),
      element("button", { type: "button", class: "plain", title: "Save the text (Ctrl+S)", onclick: () => this.save() }, "Save text"),
      element("button", { type: "button", class: "plain", title: "Save this page with its text: one file for anybody", onclick: () => this.save_page() }, "Save page"),
      element("label", { class: "both", title: "The motion under the straightest and under the variational law, over one another" }, this.both, "both laws"),
    );
    root.replaceChildren(element("section", { class: "desk", "aria-label": "Text of the model" }, tools, this.editor.root, this.fixed, element("div", { class: "line" }, this.state, this.stop, this.start_button)), this.place);
    document.addEventListener("keydown", (event) => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") {
        event.preventDefault();
        this.save();
      }
    });
    this.parameters.update();
    this.buttons();
    this.show_settings();
  }

  // The engine is there; the promise holds when the first motion is seen, or the first mistake.
  begin(module: WebAssembly.Module): Promise<void> {
    this.client = new Client(module, {
      motion: (motion) => this.show(motion),
      wrong: (error) => {
        this.editor.show_wrong(error);
        this.say(this.viewer ? "The last motion stays meanwhile." : "");
        if (!this.viewer) show_failure(this.place, "There is a mistake in the text", error.line ? `Line ${error.line}, column ${error.column}: ${error.message}` : error.message, "Mend it in the text: the motion comes at once.");
        this.busy(false);
        this.first?.();
      },
      going: (time) => this.say(`computing, t = ${Number(time.toPrecision(4))}`, true),
      broken: (what) => {
        this.busy(false);
        this.say(what);
        this.first?.();
      },
    });
    void this.client.ready.then(() => (this.editor.schema = this.client.schema));
    return new Promise((resolve) => {
      this.first = resolve;
      this.run("start");
    });
  }

  get text(): string {
    return this.editor.text;
  }
  set_text(text: string): void {
    this.editor.set(text, "given");
  }
  // The text that came along, with what another address asks for.
  ask_for(options: URLSearchParams): void {
    const { text, settings } = asked_in(options, this.given);
    const same = text === this.editor.text;
    this.settings = settings;
    this.show_settings();
    if (same) this.run("address");
    else this.editor.set(text, "given");
  }
  private show_settings(): void {
    this.fixed.textContent = this.settings.length > 0 ? `Beside the text, from the address: ${this.settings.map((line) => line.replace(/^set /, "").replace(/^(at|until|tolerance) /, "$1 = ")).join(", ")}` : "";
  }
  // What the engine is told beside the text.
  private told(): string {
    return [`file ${this.file}`, ...this.settings].join("\n");
  }

  private open({ name, text }: Model): void {
    this.name = name;
    this.settings = [];
    this.show_settings();
    this.hold_start(false);
    this.editor.set(text, `gallery ${name}`);
  }

  private text_changed(kind: string): void {
    const by_hand = in_hand(kind);
    this.parameters.update();
    if (!this.dragging) this.buttons();
    if (!by_hand) remember(this.base, this.editor.text);

    // A notebook around the page reads what it has become.
    if (framed) window.parent.postMessage({ zwang: "text", text: this.editor.text }, "*");
    clearTimeout(this.timer);
    if (kind === "typing") this.timer = setTimeout(() => this.run(kind), typing_pause);
    else if (by_hand) {
      this.dragging = true;
      this.run(kind);
      this.timer = setTimeout(() => this.settle(), 4 * settled);
    } else this.run(kind);
  }

  private let_go(): void {
    this.editor.let_go();
    this.settle();
  }

  // The hand has come to rest: everything beside the picture follows. While it holds something, resting is no letting go.
  private settle(): void {
    clearTimeout(this.timer);
    if (this.handles.held) return;
    this.timer = setTimeout(() => {
      this.dragging = false;
      this.editor.show_text();
      this.buttons();
      remember(this.base, this.editor.text);
      this.run("settled");
    }, settled);
  }

  private run(_kind: string): void {
    if (!this.client) return;
    if (this.dragging && this.client.busy) {
      // While something is dragged, one motion is finished before the next is begun, so that all are seen.
      this.again = true;
      return;
    }
    this.client.run(this.editor.text, this.told(), this.both.checked, this.dragging);
    this.busy(true);
  }
  private again = false;

  private get file(): string {
    return `${this.name}.toml`;
  }

  private show(motion: Motion): void {
    // What has been asked for since is computed while this one is drawn.
    if (this.again && !motion.going) {
      this.again = false;
      this.run("again");
    }
    const data = split(motion.page);
    // What is shown of a motion on its way is no trouble.
    if (motion.going) for (const run of data.header.runs) if (run.status === "interrupted") run.status = "computing";
    this.editor.show_wrong(undefined);
    // The picture does not move away under the hand.
    const by_hand = this.dragging || this.handles.held;
    if (!this.viewer?.replace(data, !by_hand && !motion.going, !by_hand)) {
      const before = this.viewer;
      const options = new URLSearchParams(this.options);
      if (before) {
        options.set("tab", before.tab);
        options.set("theme", document.documentElement.dataset["theme"] ?? "");
        if (!options.has("play")) options.set("play", before.player.playing ? "1" : "0");
      }
      before?.dispose();
      this.viewer = new Viewer(this.place, data, options, {
        without_text: true,
        tabs: [
          { name: "Parameters", content: this.parameters.root },
          { name: "Instant", content: this.instant, shown: () => this.ask_instant() },
        ],
        moved: (_time, playing) => {
          if (this.holding && playing) this.hold_start(false);
          if (this.handles.shown) this.handles.draw();
          if (!playing) this.ask_instant();
        },
      });
      this.hold_start(this.holding);
    }
    this.parameters.show_values(data.header.parameters ?? {});
    this.latest = data;
    if (this.holding) this.set_handles();
    this.shown_instant = "";
    this.motions++;
    const status = data.header.runs.map((one) => one.status).filter((one) => one !== "finished" && one !== "computing").join(", ");
    if (!motion.going) {
      this.busy(this.client.busy);
      // While something is dragged one word is like the other, and the line would be laid out anew for each.
      if (!this.dragging || status !== this.told_status) this.say(`${motion.stopped ? "stopped" : status || "finished"} · computed in ${motion.milliseconds < 10 ? motion.milliseconds.toFixed(1) : Math.round(motion.milliseconds)} ms`);
      this.told_status = status;
    }
    this.first?.();
  }

  private busy(on: boolean): void {
    this.stop.hidden = !on;
    this.stop.classList.toggle("waiting", on);
    if (!on && this.again && !this.dragging) this.again = false;
  }
  private say(text: string, quiet = false): void {
    this.state.setAttribute("aria-live", quiet ? "off" : "polite");
    this.state.textContent = text;
  }
  private buttons(): void {
    this.undo_button.disabled = !this.editor.can_undo;
    this.redo_button.disabled = !this.editor.can_redo;
    this.original_button.disabled = this.editor.text === this.given;
  }

  private latest: Data | undefined;
  private set_handles(): void {
    const [run] = this.latest ? open_runs(this.latest) : [];
    if (!this.latest || !run) return;
    const { header } = this.latest;
    this.handles.set(header.bodies ?? [], header.coordinates ?? header.variables.length, run);
    if (this.handles.shown) this.handles.draw();
  }

  // The picture stands at its start, with handles.
  private hold_start(on: boolean): void {
    this.holding = on;
    this.start_button.setAttribute("aria-pressed", String(on));
    this.handles.root.remove();
    if (!on || !this.viewer) return;
    this.viewer.pause();
    this.viewer.seek(this.viewer.player.begin);
    this.viewer.stage.root.append(this.handles.root);
    this.set_handles();
    this.handles.draw();
  }

  // A body or its velocity was moved: the nearest start that the conditions allow, one question at a time. Of what waits only the last place of
  // each is asked for.
  private move(moved: Moved): void {
    const before = this.pending.at(-1);
    if (before?.what === moved.what && before.body === moved.body) {
      this.pending.pop();
      moved.done ||= before.done;
    }
    this.pending.push(moved);
    if (!this.asking) void this.follow_hand();
  }
  private async follow_hand(): Promise<void> {
    this.asking = true;
    for (let next = this.pending.shift(); next; next = this.pending.shift()) {
      const { what, values, done } = next;
      const settings = [this.told(), ...values.map(([variable, value]) => `${what} ${variable} ${value}`)].join("\n");
      try {
        const answer = JSON.parse(await this.client.ask("repair", this.editor.text, settings)) as { text?: string; broken?: string; error?: { message: string } };
        if (answer.text !== undefined) this.editor.set(answer.text, "drag");
        else this.say(answer.broken ? `${answer.broken} cannot be kept from here` : (answer.error?.message ?? ""));
      } catch (trouble) {
        this.say(String(trouble));
      }
      if (done) this.let_go();
    }
    this.asking = false;
  }

  private async repair(): Promise<void> {
    const answer = JSON.parse(await this.client.ask("repair", this.editor.text, this.told())) as { text?: string; broken?: string; error?: { message: string } };
    if (answer.text !== undefined) this.editor.set(answer.text, "repair");
    else this.say(answer.broken ? `the start could not be repaired: ${answer.broken} stays broken` : (answer.error?.message ?? ""));
  }

  // What holds, binds and lets go at the instant where time stands.
  private ask_instant(): void {
    const { viewer } = this;
    if (!viewer || viewer.player.playing || viewer.tab !== "Instant") return;
    const time = viewer.player.time;
    const wish = `${time} ${this.motions}`;
    if (wish === this.shown_instant) return;
    this.shown_instant = wish;
    void this.client.at("explain", time).then((text) => {
      if (this.shown_instant !== wish) return;
      const answer = JSON.parse(text) as { text?: string; error?: { message: string } };
      this.instant.replaceChildren(element("pre", { class: "told", tabindex: 0 }, ...columns_kept(answer.text ?? answer.error?.message ?? "")));
    });
  }

  private async share(): Promise<void> {
    const beside = this.settings.map((line) => `&${line.slice(0, line.indexOf(" "))}=${encodeURIComponent(line.slice(line.indexOf(" ") + 1))}`).join("");
    const link = `${location.href.split("#")[0]}#m=${await text_to_link(this.editor.text)}${beside}`;
    history.replaceState(null, "", link);
    try {
      await navigator.clipboard.writeText(link);
      this.say("The link is copied: it carries the whole text.");
    } catch {
      this.say("The address of this page is now the link: it carries the whole text.");
    }
  }
  private save(): void {
    download(this.file, this.editor.text, "text/plain");
  }
  private save_page(): void {
    const copy = document.documentElement.cloneNode(true) as HTMLElement;
    copy.querySelector("#live")?.replaceChildren();
    copy.querySelector("#zwang-text")?.remove();
    const holder = document.createElement("script");
    holder.id = "zwang-text";
    holder.type = "text/plain";
    holder.dataset["name"] = this.name;
    holder.textContent = base64_of_text(this.editor.text);
    copy.querySelector("body")?.append(holder);
    download(`${this.name}-live.html`, `<!doctype html>\n${copy.outerHTML}\n`, "text/html");
  }
}

// Sentences may be broken where the panel ends, columns may not: they are scrolled.
function columns_kept(text: string): (string | HTMLElement)[] {
  const parts: (string | HTMLElement)[] = [];
  for (const block of text.matchAll(/(?:^.*\S {2,}\S.*\n?)+|(?:^(?!.*\S {2,}\S).*\n?)+/gm)) {
    if (block[0] === "") continue;
    // A table has a head and at least one line; where one line alone has gaps it is a sentence.
    const is_table = /\S {2,}\S/.test(block[0]) && block[0].trimEnd().includes("\n");
    parts.push(is_table ? element("span", { class: "columns", tabindex: 0 }, block[0]) : block[0]);
  }
  return parts;
}

function download(name: string, text: string, type: string): void {
  const address = URL.createObjectURL(new Blob([text], { type }));
  element("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

// The last text, for the next visit; where nothing may be kept, nothing is. In a notebook the cell says what the text is.
const framed = window.parent !== window;
function remember(base: string, text: string): void {
  if (framed) return;
  try {
    localStorage.setItem(`zwang-live ${base}`, text);
  } catch {
    return;
  }
}
function remembered(base: string): string | undefined {
  if (framed) return undefined;
  try {
    return localStorage.getItem(`zwang-live ${base}`) ?? undefined;
  } catch {
    return undefined;
  }
}

let live: Live | undefined;
let settle_ready: () => void = () => undefined;
const state: PageState & { text(): string; set_text(text: string): void; motions(): number; milliseconds(): number; json(): Promise<string>; ask(question: string, settings: string): Promise<string> } = {
  ready: new Promise<void>((resolve) => (settle_ready = resolve)),
  time: () => live?.viewer?.player.time ?? NaN,
  seek: (t) => live?.viewer?.seek(t),
  play: () => live?.viewer?.play(),
  pause: () => live?.viewer?.pause(),
  playing: () => live?.viewer?.player.playing ?? false,
  positions: () => live?.viewer?.stage.positions(false) ?? {},
  drawn: () => live?.viewer?.stage.positions(true) ?? {},
  event: () => live?.viewer?.event ?? -1,
  step: (direction) => live?.viewer?.step(direction),
  scale: () => live?.viewer?.stage.camera.pixels_per_unit ?? NaN,
  renderer: "none",
  frame: () => ({ milliseconds: live?.viewer?.milliseconds ?? NaN }),
  errors: [],
  text: () => live?.text ?? "",
  set_text: (text) => live?.set_text(text),
  motions: () => live?.motions ?? 0,
  milliseconds: () => first_motion,
  json: () => (live as Live).client.json(),
  ask: (question, settings) => (live as Live).client.ask(question, (live as Live).text, settings),
};
window.zwang = state;
window.addEventListener("error", (event) => state.errors.push(String(event.message)));
window.addEventListener("unhandledrejection", (event) => state.errors.push(String(event.reason)));
let first_motion = NaN;

async function start(): Promise<void> {
  const root = document.getElementById("live") as HTMLElement;
  const begun = performance.now();
  try {
    const compiled = unpacked("zwang-engine").then((bytes) => {
      if (!bytes) throw new Error("there is no engine in this page");
      return WebAssembly.compile(bytes as BufferSource);
    });
    const options = new URLSearchParams(location.hash.slice(1));
    const gallery = JSON.parse(new TextDecoder().decode((await unpacked("zwang-gallery")) ?? new TextEncoder().encode("[]"))) as Model[];

    // A text in the address counts most, then a model of the gallery that is asked for, then what was typed here last, then what came along.
    const holder = document.getElementById("zwang-text");
    const own = holder?.textContent ? new TextDecoder().decode(Uint8Array.from(atob(holder.textContent.trim()), (c) => c.charCodeAt(0))) : starting_text;
    const asked = gallery.find(({ name }) => name === options.get("gallery"));
    const linked = options.get("m");
    const given = asked?.text ?? own;
    const base = fingerprint(given);
    const changed = ["set", "at", "until", "tolerance"].some((name) => options.has(name));
    const asked_for = asked_in(options, linked ? await text_from_link(linked) : changed ? given : (remembered(base) ?? given));
    const name = asked?.name ?? holder?.dataset["name"] ?? "model";
    live = new Live(root, name, asked_for.text, base, given, gallery, options, asked_for.settings);
    await live.begin(await compiled);
    first_motion = performance.now() - begun;
    state.renderer = live.viewer?.renderer ?? "none";
  } catch (trouble) {
    state.errors.push(String(trouble));
    show_failure(root, "The engine could not be started", String(trouble instanceof Error ? trouble.message : trouble), "A browser of 2023 or later is needed: Chromium, Firefox and Safari all can.");
  } finally {
    settle_ready();
  }
}

// A link that is opened in a page that is open already.
window.addEventListener("hashchange", () => {
  const options = new URLSearchParams(location.hash.slice(1));
  const linked = options.get("m");
  if (!linked && options.has("set")) live?.ask_for(options);
  if (linked && live) void text_from_link(linked).then((text) => live?.set_text(text));
});

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => void start());
else void start();

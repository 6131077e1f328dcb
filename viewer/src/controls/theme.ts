// Light or dark: as the system wishes, until the reader chooses.
export class Theme {
  dark: boolean;

  constructor(wished: string | null, changed: () => void, signal?: AbortSignal) {
    const system = matchMedia("(prefers-color-scheme: dark)");
    const chosen = wished === "dark" || wished === "light" ? wished : undefined;
    this.dark = chosen ? chosen === "dark" : system.matches;
    this.apply();
    system.addEventListener("change", () => {
      if (chosen || this.chosen) return;
      this.dark = system.matches;
      this.apply();
      changed();
    }, { signal });
    this.changed = changed;
  }
  private chosen = false;
  private readonly changed: () => void;

  toggle(): void {
    this.chosen = true;
    this.dark = !this.dark;
    this.apply();
    this.changed();
  }

  private apply(): void {
    document.documentElement.dataset["theme"] = this.dark ? "dark" : "light";
  }
}

// Colours of the picture in light and dark: bodies, runs, events, and the scale of the multipliers.
export type Colour = readonly [number, number, number];

export interface Palette {
  dark: boolean;
  ink: Colour;
  pale: Colour;
  faint: Colour;
  wall: Colour;
  rod: Colour;
  slack: Colour;
  shock: Colour;
  before: Colour;
  after: Colour;
  bodies: readonly Colour[];
}

const hex = (text: string): Colour => [1, 3, 5].map((i) => parseInt(text.slice(i, i + 2), 16)) as unknown as Colour;
export const css = (colour: Colour, alpha = 1): string =>
  `rgba(${Math.round(colour[0])},${Math.round(colour[1])},${Math.round(colour[2])},${alpha})`;

export const mix = (a: Colour, b: Colour, share: number): Colour => [
  a[0] + (b[0] - a[0]) * share,
  a[1] + (b[1] - a[1]) * share,
  a[2] + (b[2] - a[2]) * share,
];

const light: Palette = {
  dark: false,
  ink: hex("#23262b"),
  pale: hex("#8d9097"),
  faint: hex("#c9c7c0"),
  wall: hex("#6d6a63"),
  rod: hex("#4a4f58"),
  slack: hex("#a9a69d"),
  shock: hex("#d1481f"),
  before: hex("#8d9097"),
  after: hex("#1f5fa8"),
  bodies: ["#24558f", "#b5452c", "#3f7d54", "#8a5a9e", "#b07d1e", "#2f8289", "#a03d63", "#5f6470"].map(hex),
};

const dark: Palette = {
  dark: true,
  ink: hex("#e8e6e1"),
  pale: hex("#8b9099"),
  faint: hex("#3d4149"),
  wall: hex("#9a968c"),
  rod: hex("#b7bcc6"),
  slack: hex("#6d717a"),
  shock: hex("#ff8a5c"),
  before: hex("#9aa0aa"),
  after: hex("#7db6f5"),
  bodies: ["#7db0ea", "#f08a6c", "#84c79a", "#c79adb", "#e3b659", "#6cc4cb", "#e58bab", "#aab0bb"].map(hex),
};

export const palette_for = (is_dark: boolean): Palette => (is_dark ? dark : light);

// The colour of body `index` of `count`: different ones for a few, one sweep of hues along a chain of many.
export function body_colour(palette: Palette, index: number, count: number): Colour {
  const colours = palette.bodies;
  if (count <= colours.length) return colours[index % colours.length] as Colour;
  const stops = [colours[0], colours[5], colours[2], colours[4], colours[1]] as Colour[];
  const place = ((stops.length - 1) * index) / Math.max(1, count - 1);
  const from = Math.min(stops.length - 2, Math.floor(place));
  return mix(stops[from] as Colour, stops[from + 1] as Colour, place - from);
}

export const run_colour = (palette: Palette, index: number): Colour =>
  palette.bodies[index % palette.bodies.length] as Colour;

// What a condition carries, from nothing to the largest of the run; negative multipliers of equations turn to the cold end.
const warm_light: Colour[] = ["#8f8c84", "#c9962f", "#c75a1c", "#96112f"].map(hex);
const warm_dark: Colour[] = ["#7c8089", "#d9b04d", "#f08444", "#ff5470"].map(hex);
const cold_light: Colour[] = ["#8f8c84", "#4d9aa5", "#2866a8", "#33308f"].map(hex);
const cold_dark: Colour[] = ["#7c8089", "#5cb8c0", "#5d97ea", "#9a8cff"].map(hex);

// `share` in [-1, 1], into `out`.
export function multiplier_colour(palette: Palette, share: number, out: number[]): void {
  const stops = share >= 0 ? (palette.dark ? warm_dark : warm_light) : palette.dark ? cold_dark : cold_light;
  const place = Math.min(1, Math.abs(share)) * (stops.length - 1);
  const from = Math.min(stops.length - 2, Math.floor(place));
  const a = stops[from] as Colour;
  const b = stops[from + 1] as Colour;
  for (let i = 0; i < 3; i++) out[i] = (a[i] as number) + ((b[i] as number) - (a[i] as number)) * (place - from);
}

// Kinds of events in the order of the engine's list: shocks warm, quiet changes cool.
const kinds: Record<string, [string, string]> = {
  blow: ["#b8860b", "#e8c25a"],
  seizure: ["#7a4fa3", "#c79adb"],
  impact: ["#d1481f", "#ff8a5c"],
  release: ["#2f8289", "#6cc4cb"],
  contact: ["#3f7d54", "#84c79a"],
  graze: ["#8d9097", "#9aa0aa"],
  singular: ["#a0124f", "#ff6fa0"],
  accumulation: ["#96112f", "#ff5470"],
};
export const kind_colour = (kind: string, is_dark: boolean): string => (kinds[kind] ?? ["#777777", "#aaaaaa"])[is_dark ? 1 : 0] as string;

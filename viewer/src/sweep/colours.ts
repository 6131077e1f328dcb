// The colour of a number: one scale from dark blue over green to yellow, linear or by rank.
import type { Column } from "./table";

const stops = [
  [68, 1, 84],
  [65, 68, 135],
  [42, 120, 142],
  [34, 168, 132],
  [122, 209, 81],
  [253, 231, 37],
] as const;
const shades = 256;

// Red, green and blue of shade k.
export const scale = Array.from({ length: shades }, (_, k): readonly [number, number, number] => {
  const place = (k / (shades - 1)) * (stops.length - 1);
  const from = Math.min(stops.length - 2, Math.floor(place));
  const [a, b] = [stops[from] as readonly number[], stops[from + 1] as readonly number[]];
  return [0, 1, 2].map((i) => Math.round((a[i] as number) + ((b[i] as number) - (a[i] as number)) * (place - from))) as unknown as [number, number, number];
});
export const scale_css = scale.map(([r, g, b]) => `rgb(${r},${g},${b})`);
// As one number of a picture's memory, opaque.
export const scale_packed = Uint32Array.from(scale, ([r, g, b]) => (0xff000000 | (b << 16) | (g << 8) | r) >>> 0);

export class Colours {
  // Per line, the shade of its value; -1 where there is none.
  readonly shades: Int16Array;
  private readonly borders: Float64Array | undefined;

  constructor(
    readonly column: Column,
    readonly by_rank: boolean,
  ) {
    if (by_rank) {
      const sorted = Float64Array.from(column.values.filter((value) => Number.isFinite(value))).sort();
      this.borders = Float64Array.from({ length: shades }, (_, k) => sorted[Math.floor((k / (shades - 1)) * (sorted.length - 1))] ?? 0);
    }
    this.shades = new Int16Array(column.values.length);
    for (let i = 0; i < this.shades.length; i++) this.shades[i] = this.shade(column.values[i] as number);
  }

  // The shade of a value; -1 where there is none.
  shade(value: number): number {
    if (!Number.isFinite(value)) return -1;
    const { borders } = this;
    if (!borders) return Math.min(shades - 1, Math.max(0, Math.round(this.column.share(value) * (shades - 1))));
    // Values that many samples share have one shade, that of their middle.
    const below = first_from(borders, value);
    let above = below;
    while (above + 1 < shades && borders[above + 1] === value) above++;
    return Math.min(shades - 1, (below + above) >> 1);
  }
  // The value of a shade, for the legend.
  value(share: number): number {
    return this.borders ? (this.borders[Math.round(share * (shades - 1))] as number) : this.column.at(share);
  }
}

// The first entry that is not below a value.
export function first_from(sorted: Float64Array, value: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((sorted[middle] as number) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}

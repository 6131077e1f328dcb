// The scales of charts: ranges that show what is there, and labels that are whole and differ from one another.
import { format } from "../numbers";

// Values that stand still lie in the middle of the chart; with `zero`, the range reaches down or up to zero.
export function range_of(low: number | null, high: number | null, zero = false): [number, number] {
  if (low === null || high === null || !Number.isFinite(low + high)) return [-1, 1];
  if (zero) [low, high] = [Math.min(0, low), Math.max(0, high)];
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (!(size > 1e-300)) return [-1, 1];
  if (high - low <= 1e-9 * size) return [(low + high) / 2 - size / 2, (low + high) / 2 + size / 2];
  const room = 0.06 * (high - low);

  // Nothing is put below zero that does not come there.
  return [low >= 0 && low < room ? 0 : low - room, high <= 0 && -high < room ? 0 : high + room];
}

// Where few values tower over all others, as multipliers near a singular position do, the others' size, above which peaks are cut off; else infinity.
export function cut_of(columns: readonly (readonly (number | null)[])[]): number {
  const sizes = columns.flatMap((column) => column.filter((value): value is number => value !== null).map(Math.abs)).sort((a, b) => a - b);
  const usual = sizes[Math.floor(usual_share * (sizes.length - 1))] ?? 0;
  const largest = sizes.at(-1) ?? 0;
  return usual > 0 && largest > towering * usual ? 1.5 * usual : Infinity;
}
const usual_share = 0.97;
const towering = 100;

// As many digits as tell neighbours apart.
export function labels(_: unknown, splits: number[]): string[] {
  const step = splits.length > 1 ? Math.abs((splits[1] as number) - (splits[0] as number)) : 0;
  const size = Math.max(...splits.map(Math.abs));
  const digits = step > 0 && size > 0 ? Math.min(15, Math.max(4, Math.ceil(Math.log10(size / step)) + 2)) : 4;
  return splits.map((value) => format(Math.abs(value) < 1e-9 * step ? 0 : value, digits));
}

// Room for the longest label.
export function axis_width(context: CanvasRenderingContext2D, font: string, shown: readonly string[] | null): number {
  const before = context.font;
  context.font = font;
  const widest = Math.max(0, ...(shown ?? []).map((label) => context.measureText(label).width));
  context.font = before;
  return Math.ceil(Math.max(46, widest + 12));
}

// Numbers as a reader wants them: few digits, a true minus sign, powers of ten where they are needed.
const superscripts: Record<string, string> = { "-": "⁻", 0: "⁰", 1: "¹", 2: "²", 3: "³", 4: "⁴", 5: "⁵", 6: "⁶", 7: "⁷", 8: "⁸", 9: "⁹" };

export function format(value: number | undefined, digits = 5): string {
  if (value === undefined || Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) {
    const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split("e") as [string, string];
    const power = String(Number(exponent)).replace(/./g, (letter) => superscripts[letter] ?? letter);
    return `${trimmed(mantissa)}·10${power}`.replace("-", "−");
  }
  // Four digits before the point and three wanted: 1570, not a power of ten.
  const text = value.toPrecision(digits);
  return (text.includes("e") ? String(Number(text)) : trimmed(text)).replace("-", "−");
}

const trimmed = (text: string): string => (text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text);

// A time with as many decimals as the length of the run asks for, always the same number of them.
export function clock(t: number, span: number): string {
  return fixed(t, decimals_of(span));
}
const decimals_of = (span: number): number => (span > 0 ? Math.max(0, Math.min(9, 4 - Math.ceil(Math.log10(span)))) : 3);

// The decimals that tell the event at `index` from those before and after it, at least as many as the length of the run asks for.
export function event_decimals(times: ArrayLike<number>, index: number, span: number): number {
  const least = decimals_of(span / 1000);
  const t = times[index] as number;
  let gap = Infinity;
  for (const step of [-1, 1]) {
    // Several events at one instant share its digits.
    let other = index + step;
    while (other >= 0 && other < times.length && times[other] === t) other += step;
    if (other >= 0 && other < times.length) gap = Math.min(gap, Math.abs((times[other] as number) - t));
  }
  const size = Math.max(Math.abs(t), 1e-300);
  const most = Math.max(least, Math.min(15, 15 - Math.ceil(Math.log10(size))));
  return Number.isFinite(gap) ? Math.min(most, Math.max(least, Math.ceil(-Math.log10(gap)) + 1)) : least;
}

export const fixed = (value: number, decimals: number): string => (Math.abs(value) < 1e-300 ? 0 : value).toFixed(decimals).replace("-", "−");

// 1, 2 or 5 times a power of ten, at most `value`.
export function round_step(value: number): number {
  const power = Math.pow(10, Math.floor(Math.log10(value)));
  const share = value / power;
  return power * (share >= 5 ? 5 : share >= 2 ? 2 : 1);
}

// The same, but what is only rounding error beside `scale` is zero.
export const format_beside = (value: number, scale: number, digits = 5): string => format(Math.abs(value) < 1e-13 * scale ? 0 : value, digits);

export const counted = (count: number): string => count.toString().replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");

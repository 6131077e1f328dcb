// The curve of a slack string: a parabola of the right length that hangs between its ends.
//
//   P(u) = A + D u + a u (1 - u) g,  so with w = 1 - 2u:  |P'|^2 = a^2 w^2 + 2 a (D.g) w + d^2
//
// D = B - A, d = |D|, g the unit direction of the sag, a its strength; the length grows with a, which Newton's method finds.

// Gauss-Legendre nodes and weights on [-1, 1], eight points.
const nodes = [0.1834346424956498, 0.525532409916329, 0.7966664774136267, 0.9602898564975363];
const weights = [0.362683783378362, 0.3137066458778873, 0.2223810344533745, 0.1012285362903763];

// Length of the curve with strength a, and its derivative by a into `slope_of_length`.
let slope_of_length = 0;
function length_of(a: number, along: number, d2: number): number {
  let sum = 0;
  let slope = 0;
  for (let i = 0; i < 4; i++) {
    const w = nodes[i] as number;
    const weight = weights[i] as number;
    const even = a * a * w * w + d2;
    const odd = 2 * a * along * w;
    const plus = Math.sqrt(Math.max(1e-300, even + odd));
    const minus = Math.sqrt(Math.max(1e-300, even - odd));
    sum += weight * (plus + minus);
    slope += weight * w * ((a * w + along) / plus + (a * w - along) / minus);
  }
  slope_of_length = slope / 2;
  return sum / 2;
}

// The strength a for which the curve over D (length d, component `along` in the sag's direction) has the given length. The
// length is convex in a, so Newton's method falls upon the root from above after one step at most.
export function sag(length: number, d: number, along: number): number {
  if (!(length > d)) return 0;
  let a = Math.min(2 * length + 2 * Math.abs(along), 1.3 * Math.sqrt(6 * length * (length - d)));
  for (let i = 0; i < 10; i++) {
    const excess = length_of(a, along, d * d) - length;
    if (!(slope_of_length > 0)) break;
    const step = excess / slope_of_length;
    a = Math.max(0, a - step);
    if (Math.abs(step) < 1e-5 * length) break;
  }
  return a;
}

// Points of a hanging string from A to B into `out` (3 per point, count + 1 points). `down` is the unit direction of gravity;
// where the ends lie above one another the string bulges to the side, so that its slack can be seen.
export function hang(
  a: readonly number[],
  b: readonly number[],
  length: number,
  down: readonly number[],
  out: Float64Array,
  count: number,
): void {
  const [ax, ay, az] = [a[0] as number, a[1] as number, a[2] as number];
  const dx = (b[0] as number) - ax;
  const dy = (b[1] as number) - ay;
  const dz = (b[2] as number) - az;
  const d = Math.hypot(dx, dy, dz);
  let gx = down[0] as number;
  let gy = down[1] as number;
  let gz = down[2] as number;

  // The part of `down` across the line counts more than the part along it.
  if (d > 0) {
    const along = (gx * dx + gy * dy + gz * dz) / d;
    let nx = gx - (along * dx) / d;
    let ny = gy - (along * dy) / d;
    let nz = gz - (along * dz) / d;
    let n = Math.hypot(nx, ny, nz);
    if (n < 0.15) {
      const flat = Math.abs(dz) < 0.9 * d;
      nx = flat ? -dy / d : 1;
      ny = flat ? dx / d : 0;
      nz = 0;
      n = Math.hypot(nx, ny, nz) || 1;
    }
    gx = (0.6 * nx) / n + 0.4 * gx;
    gy = (0.6 * ny) / n + 0.4 * gy;
    gz = (0.6 * nz) / n + 0.4 * gz;
    const g = Math.hypot(gx, gy, gz) || 1;
    gx /= g;
    gy /= g;
    gz /= g;
  }
  const slope = sag(length, d, gx * dx + gy * dy + gz * dz);
  for (let i = 0; i <= count; i++) {
    const u = i / count;
    const drop = slope * u * (1 - u);
    out[3 * i] = ax + dx * u + gx * drop;
    out[3 * i + 1] = ay + dy * u + gy * drop;
    out[3 * i + 2] = az + dz * u + gz * drop;
  }
}

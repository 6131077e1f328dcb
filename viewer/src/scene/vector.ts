// The few operations on triples of numbers that the camera and the shapes need.
export type Triple = [number, number, number];

export const triple = (from: readonly number[] | undefined, otherwise: Triple = [0, 0, 0]): Triple =>
  from ? [from[0] ?? 0, from[1] ?? 0, from[2] ?? 0] : otherwise;
export const add = (a: Triple, b: Triple): Triple => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
export const subtract = (a: Triple, b: Triple): Triple => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
export const scaled = (a: Triple, s: number): Triple => [a[0] * s, a[1] * s, a[2] * s];
export const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
export const cross = (a: Triple, b: Triple): Triple => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
export const norm = (a: Triple): number => Math.hypot(a[0], a[1], a[2]);
export function unit(a: Triple, otherwise: Triple = [0, 0, 1]): Triple {
  const length = norm(a);
  return length > 0 ? scaled(a, 1 / length) : otherwise;
}

// Some direction at right angles to a unit vector.
export function perpendicular(a: Triple): Triple {
  const least: Triple = Math.abs(a[0]) < 0.7 ? [1, 0, 0] : [0, 1, 0];
  return unit(cross(a, least));
}

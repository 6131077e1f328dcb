// Rigid bodies where they are: vertices of their own axes turned and moved.
import type { Body } from "../data/contract";

// The nine numbers of the rotation of a body, row by row, from the values of its tracks.
export function rotation(body: Body, values: ArrayLike<number>, out: Float64Array): void {
  const turn = body.turn;
  out.fill(0);
  out[0] = out[4] = out[8] = 1;
  if (!turn) return;
  if (turn.length === 1) {
    const angle = values[turn[0] as number] as number;
    out[0] = out[4] = Math.cos(angle);
    out[3] = Math.sin(angle);
    out[1] = -Math.sin(angle);
    return;
  }
  let [w, x, y, z] = turn.map((track) => values[track] as number) as [number, number, number, number];
  const length = Math.hypot(w, x, y, z) || 1;
  w /= length;
  x /= length;
  y /= length;
  z /= length;
  out[0] = 1 - 2 * (y * y + z * z);
  out[1] = 2 * (x * y - w * z);
  out[2] = 2 * (x * z + w * y);
  out[3] = 2 * (x * y + w * z);
  out[4] = 1 - 2 * (x * x + z * z);
  out[5] = 2 * (y * z - w * x);
  out[6] = 2 * (x * z - w * y);
  out[7] = 2 * (y * z + w * x);
  out[8] = 1 - 2 * (x * x + y * y);
}

// Vertices of the body's axes into `out`, turned and moved by (x, y, z).
export function carry(vertices: ArrayLike<number>, r: Float64Array, x: number, y: number, z: number, out: Float32Array | number[]): void {
  for (let i = 0; i + 2 < vertices.length; i += 3) {
    const a = vertices[i] as number;
    const b = vertices[i + 1] as number;
    const c = vertices[i + 2] as number;
    out[i] = x + (r[0] as number) * a + (r[1] as number) * b + (r[2] as number) * c;
    out[i + 1] = y + (r[3] as number) * a + (r[4] as number) * b + (r[5] as number) * c;
    out[i + 2] = z + (r[6] as number) * a + (r[7] as number) * b + (r[8] as number) * c;
  }
}

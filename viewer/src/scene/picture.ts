// What is to be drawn at one instant, as flat arrays that both renderers read; coordinates are relative to `origin`.
//
// The arrays grow and are never given back, so that a frame allocates nothing once the first ones have passed.
import type { Triple } from "./vector";

// How a point is drawn.
export const Look = { ball: 0, ring: 1, disc: 2 } as const;

export class Points {
  count = 0;
  position = new Float32Array(3 * 64);
  radius = new Float32Array(64);
  look = new Float32Array(64);
  colour = new Uint8Array(4 * 64);

  clear(): void {
    this.count = 0;
  }
  add(x: number, y: number, z: number, radius: number, colour: readonly number[], alpha: number, look: number): number {
    const i = this.count++;
    if (i >= this.radius.length) this.grow();
    this.position[3 * i] = x;
    this.position[3 * i + 1] = y;
    this.position[3 * i + 2] = z;
    this.radius[i] = radius;
    this.look[i] = look;
    this.colour[4 * i] = colour[0] as number;
    this.colour[4 * i + 1] = colour[1] as number;
    this.colour[4 * i + 2] = colour[2] as number;
    this.colour[4 * i + 3] = alpha * 255;
    return i;
  }
  private grow(): void {
    this.position = larger(this.position);
    this.radius = larger(this.radius);
    this.look = larger(this.look);
    this.colour = larger(this.colour);
  }
}

export class Segments {
  count = 0;
  ends = new Float32Array(6 * 256);
  width = new Float32Array(256);
  colour = new Uint8Array(8 * 256);

  clear(): void {
    this.count = 0;
  }
  // A stroke of `width` pixels whose opacity runs from `alpha` to `alpha_end`.
  add(
    x: number,
    y: number,
    z: number,
    x_end: number,
    y_end: number,
    z_end: number,
    width: number,
    colour: readonly number[],
    alpha: number,
    alpha_end = alpha,
  ): void {
    // What is nowhere is not drawn.
    const sum = x + y + z + x_end + y_end + z_end;
    if (sum !== sum) return;
    const i = this.count++;
    if (i >= this.width.length) {
      this.ends = larger(this.ends);
      this.width = larger(this.width);
      this.colour = larger(this.colour);
    }
    const e = 6 * i;
    this.ends[e] = x;
    this.ends[e + 1] = y;
    this.ends[e + 2] = z;
    this.ends[e + 3] = x_end;
    this.ends[e + 4] = y_end;
    this.ends[e + 5] = z_end;
    this.width[i] = width;
    const c = 8 * i;
    const bytes = this.colour;
    bytes[c] = bytes[c + 4] = colour[0] as number;
    bytes[c + 1] = bytes[c + 5] = colour[1] as number;
    bytes[c + 2] = bytes[c + 6] = colour[2] as number;
    bytes[c + 3] = alpha * 255;
    bytes[c + 7] = alpha_end * 255;
  }
}

// A translucent surface; `version` changes when its vertices do.
export interface Surface {
  positions: Float32Array;
  triangles: Uint32Array;
  colour: readonly number[];
  opacity: number;
  version: number;
  // The side of a body, which hides what lies behind it.
  solid?: boolean;
}

export class Picture {
  origin: Triple = [0, 0, 0];
  readonly points = new Points();
  readonly segments = new Segments();
  readonly surfaces: Surface[] = [];
}

function larger<T extends Float32Array | Uint8Array>(array: T): T {
  const next = new (array.constructor as new (n: number) => T)(2 * array.length);
  next.set(array);
  return next;
}

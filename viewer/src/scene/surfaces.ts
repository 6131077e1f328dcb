// Walls and surfaces as triangles and strokes: planes, spheres, cylinders and cones in space, lines and circles in the plane.
import { add, cross, dot, norm, perpendicular, scaled, subtract, unit, type Triple } from "./vector";

// Strokes come in two weights: outlines, and the fine lines (hatching, meridians) that give a surface its form.
export interface Solid {
  positions: number[];
  triangles: number[];
  outline: number[];
  fine: number[];
}

// What of the world is in sight: shapes without bounds are cut to it.
export interface Extent {
  low: Triple;
  high: Triple;
  centre: Triple;
  size: number;
}

const solid = (): Solid => ({ positions: [], triangles: [], outline: [], fine: [] });

function stroke(list: number[], from: Triple, to: Triple): void {
  list.push(...from, ...to);
}

function ring(list: number[], centre: Triple, u: Triple, v: Triple, radius: number, count: number): void {
  let last = add(centre, scaled(u, radius));
  for (let i = 1; i <= count; i++) {
    const angle = (2 * Math.PI * i) / count;
    const next = add(centre, add(scaled(u, radius * Math.cos(angle)), scaled(v, radius * Math.sin(angle))));
    stroke(list, last, next);
    last = next;
  }
}

// Triangles over a grid of (rows + 1) x (columns + 1) places.
function sheet(into: Solid, rows: number, columns: number, place: (i: number, j: number) => Triple): void {
  const first = into.positions.length / 3;
  for (let i = 0; i <= rows; i++) for (let j = 0; j <= columns; j++) into.positions.push(...place(i, j));
  for (let i = 0; i < rows; i++)
    for (let j = 0; j < columns; j++) {
      const a = first + i * (columns + 1) + j;
      into.triangles.push(a, a + 1, a + columns + 1, a + 1, a + columns + 2, a + columns + 1);
    }
}

// How far the box reaches along a direction from a place: least and largest.
function reach_along(extent: Extent, from: Triple, direction: Triple): [number, number] {
  let least = Infinity;
  let largest = -Infinity;
  for (let i = 0; i < 8; i++) {
    const corner: Triple = [
      i & 1 ? extent.high[0] : extent.low[0],
      i & 2 ? extent.high[1] : extent.low[1],
      i & 4 ? extent.high[2] : extent.low[2],
    ];
    const h = dot(subtract(corner, from), direction);
    least = Math.min(least, h);
    largest = Math.max(largest, h);
  }
  return [least, largest];
}

// Slanted strokes on the forbidden side of a line; `outward` points into it.
function hatch(into: Solid, from: Triple, to: Triple, outward: Triple, size: number): void {
  const along = subtract(to, from);
  const length = norm(along);
  const step = size / 44;
  const direction = unit(along, [1, 0, 0]);
  const slant = scaled(add(outward, scaled(direction, -0.8)), step * 0.95);
  for (let s = step / 2; s < length; s += step) {
    const foot = add(from, scaled(direction, s));
    stroke(into.fine, foot, add(foot, slant));
  }
}

// The plane (in the plane: the line) normal . x = offset; side says which half is allowed, 0 none.
export function plane(extent: Extent, dimension: number, normal: Triple, offset: number, side: number): Solid {
  const result = solid();
  const length = norm(normal) || 1;
  const n = scaled(normal, 1 / length);
  const foot = add(extent.centre, scaled(n, offset / length - dot(n, extent.centre)));
  if (dimension === 2) {
    const along: Triple = [-n[1], n[0], 0];
    const [least, largest] = reach_along(extent, foot, along);
    const margin = 0.12 * extent.size;
    const from = add(foot, scaled(along, least - margin));
    const to = add(foot, scaled(along, largest + margin));
    stroke(result.outline, from, to);
    if (side !== 0) hatch(result, from, to, scaled(n, Math.sign(side)), extent.size);
    return result;
  }
  const u = perpendicular(n);
  const v = cross(n, u);
  const [u_low, u_high] = reach_along(extent, foot, u);
  const [v_low, v_high] = reach_along(extent, foot, v);
  const margin = 0.06 * extent.size;
  const at = (i: number, j: number): Triple =>
    add(
      foot,
      add(
        scaled(u, u_low - margin + (u_high - u_low + 2 * margin) * i),
        scaled(v, v_low - margin + (v_high - v_low + 2 * margin) * j),
      ),
    );
  sheet(result, 1, 1, at);
  const corners = [at(0, 0), at(1, 0), at(1, 1), at(0, 1)];
  corners.forEach((corner, i) => stroke(result.outline, corner, corners[(i + 1) % 4] as Triple));

  // Squares, so that a long floor is not ruled more closely one way than the other.
  const wide = u_high - u_low + 2 * margin;
  const deep = v_high - v_low + 2 * margin;
  const step = Math.max(wide, deep) / 10;
  for (let s = step; s < wide - 0.3 * step; s += step) stroke(result.fine, at(s / wide, 0), at(s / wide, 1));
  for (let s = step; s < deep - 0.3 * step; s += step) stroke(result.fine, at(0, s / deep), at(1, s / deep));
  return result;
}

// The sphere or circle about a centre; side > 0 keeps bodies inside, side < 0 outside.
export function sphere(extent: Extent, dimension: number, centre: Triple, radius: number, side: number, up: Triple): Solid {
  const result = solid();
  if (dimension === 2) {
    const count = 128;
    ring(result.outline, centre, [1, 0, 0], [0, 1, 0], radius, count);
    if (side !== 0) {
      const step = Math.max(24, Math.min(240, Math.round((2 * Math.PI * radius * 44) / extent.size)));
      for (let i = 0; i < step; i++) {
        const angle = (2 * Math.PI * i) / step;
        const out: Triple = [Math.cos(angle), Math.sin(angle), 0];
        const aside: Triple = [-out[1], out[0], 0];
        const foot = add(centre, scaled(out, radius));
        const slant = add(scaled(out, Math.sign(side)), scaled(aside, -0.8));
        stroke(result.fine, foot, add(foot, scaled(slant, (0.95 * extent.size) / 44)));
      }
    }
    return result;
  }
  const u = perpendicular(up);
  const v = cross(up, u);
  const rows = 32;
  const columns = 64;
  sheet(result, rows, columns, (i, j) => {
    const polar = (Math.PI * i) / rows;
    const angle = (2 * Math.PI * j) / columns;
    const flat = add(scaled(u, Math.cos(angle)), scaled(v, Math.sin(angle)));
    return add(centre, add(scaled(up, radius * Math.cos(polar)), scaled(flat, radius * Math.sin(polar))));
  });
  ring(result.outline, centre, u, v, radius, 96);
  for (const latitude of [-60, -30, 30, 60]) {
    const angle = (latitude * Math.PI) / 180;
    ring(result.fine, add(centre, scaled(up, radius * Math.sin(angle))), u, v, radius * Math.cos(angle), 72);
  }
  for (let i = 0; i < 6; i++) {
    const angle = (Math.PI * i) / 6;
    ring(result.fine, centre, up, add(scaled(u, Math.cos(angle)), scaled(v, Math.sin(angle))), radius, 72);
  }
  return result;
}

// The cylinder about an axis through a point, cut to what is in sight.
export function cylinder(extent: Extent, point: Triple, axis: Triple, radius: number): Solid {
  const result = solid();
  const a = unit(axis);
  const u = perpendicular(a);
  const v = cross(a, u);
  const [least, largest] = reach_along(extent, point, a);
  const margin = 0.06 * extent.size;
  const columns = 64;
  const bottom = add(point, scaled(a, least - margin));
  const top = add(point, scaled(a, largest + margin));
  sheet(result, 1, columns, (i, j) => {
    const angle = (2 * Math.PI * j) / columns;
    return add(i ? top : bottom, scaled(add(scaled(u, Math.cos(angle)), scaled(v, Math.sin(angle))), radius));
  });
  ring(result.outline, bottom, u, v, radius, 96);
  ring(result.outline, top, u, v, radius, 96);
  for (let i = 0; i < 16; i++) {
    const angle = (2 * Math.PI * i) / 16;
    const out = scaled(add(scaled(u, Math.cos(angle)), scaled(v, Math.sin(angle))), radius);
    stroke(result.fine, add(bottom, out), add(top, out));
  }
  return result;
}

// The cone with `angle` between axis and surface, the half along the axis or both, as far as there is something to see.
export function cone(extent: Extent, apex: Triple, axis: Triple, angle: number, both: boolean): Solid {
  const result = solid();
  const a = unit(axis);
  const u = perpendicular(a);
  const v = cross(a, u);
  const slope = Math.tan(angle);
  const [least, largest] = reach_along(extent, apex, a);
  const columns = 64;
  const along = Math.max(largest, 0.04 * extent.size);
  for (const height of both ? [Math.min(0, least), along] : [along]) {
    if (Math.abs(height) < 0.039 * extent.size) continue;
    const h = height * 1.06;
    const at = (share: number, turn: number): Triple =>
      add(
        apex,
        add(
          scaled(a, h * share),
          scaled(add(scaled(u, Math.cos(turn)), scaled(v, Math.sin(turn))), Math.abs(h) * share * slope),
        ),
      );
    sheet(result, 12, columns, (i, j) => at(i / 12, (2 * Math.PI * j) / columns));
    ring(result.outline, add(apex, scaled(a, h)), u, v, Math.abs(h) * slope, 96);
    for (let i = 0; i < 16; i++) stroke(result.fine, apex, at(1, (2 * Math.PI * i) / 16));
    for (const share of [0.33, 0.66]) ring(result.fine, add(apex, scaled(a, h * share)), u, v, Math.abs(h) * share * slope, 72);
  }
  return result;
}

// A sampled surface or curve.
export function mesh(dimension: number, vertices: ArrayLike<number>, triangles: ArrayLike<number>, lines: ArrayLike<number>): Solid {
  const result = solid();
  const width = dimension === 2 ? 2 : 3;
  const place = (i: number): Triple => [
    vertices[width * i] as number,
    vertices[width * i + 1] as number,
    width === 3 ? (vertices[width * i + 2] as number) : 0,
  ];
  if (triangles.length > 0) {
    for (let i = 0; i < vertices.length / width; i++) result.positions.push(...place(i));
    for (let i = 0; i < triangles.length; i++) result.triangles.push(triangles[i] as number);
  }
  for (let i = 0; i + 1 < lines.length; i += 2) stroke(result.outline, place(lines[i] as number), place(lines[i + 1] as number));
  return result;
}

// A curve through points; numbers that are not finite break it.
export function curve(dimension: number, points: ArrayLike<number>, closed: boolean): Solid {
  const result = solid();
  const width = dimension === 2 ? 2 : 3;
  const count = Math.floor(points.length / width);
  const place = (i: number): Triple => [
    points[width * i] as number,
    points[width * i + 1] as number,
    width === 3 ? (points[width * i + 2] as number) : 0,
  ];
  for (let i = 0; i + 1 < count + (closed ? 1 : 0); i++) {
    const from = place(i);
    const to = place((i + 1) % count);
    if ([...from, ...to].every(Number.isFinite)) stroke(result.outline, from, to);
  }
  return result;
}

// A faint ground of squares under the box, so that heights can be judged.
export function ground(extent: Extent, up: Triple): Solid {
  const result = solid();
  const u = perpendicular(up);
  const v = cross(up, u);
  const [least] = reach_along(extent, extent.centre, up);
  const foot = add(extent.centre, scaled(up, least - 0.02 * extent.size));
  const half = 0.62 * extent.size;
  const lines = 12;
  for (let i = 0; i <= lines; i++) {
    const s = -half + (2 * half * i) / lines;
    stroke(result.fine, add(foot, add(scaled(u, s), scaled(v, -half))), add(foot, add(scaled(u, s), scaled(v, half))));
    stroke(result.fine, add(foot, add(scaled(v, s), scaled(u, -half))), add(foot, add(scaled(v, s), scaled(u, half))));
  }
  return result;
}

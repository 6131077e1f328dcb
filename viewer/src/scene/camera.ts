// Where the picture is seen from: perspective round a target in space, a straight look from above on the plane.
import { add, cross, dot, norm, perpendicular, scaled, subtract, triple, unit, type Triple } from "./vector";

const field_of_view = (32 * Math.PI) / 180;

export class Camera {
  readonly plane: boolean;
  target: Triple = [0, 0, 0];
  // Half the height that is seen at the target, in units of the model.
  reach = 1;
  azimuth = -0.9;
  elevation = 0.35;
  width = 1;
  height = 1;

  right: Triple = [1, 0, 0];
  up: Triple = [0, 1, 0];
  back: Triple = [0, 0, 1];
  eye: Triple = [0, 0, 1];
  distance = 1;
  changes = 0;
  // Pixels at the upper edge that buttons and legends cover.
  inset = 0;
  // Has the reader turned, moved or zoomed since everything was last in sight?
  moved = false;

  private readonly vertical: Triple;
  private readonly ahead: Triple;
  private readonly aside: Triple;
  private home: { target: Triple; corners: Triple[] } = { target: [0, 0, 0], corners: [] };

  constructor(dimension: number, up: readonly number[] | undefined) {
    this.plane = dimension !== 3;
    this.vertical = this.plane
      ? unit([up?.[0] ?? 0, up?.[1] ?? 1, 0], [0, 1, 0])
      : unit(triple(up, [0, 0, 1]), [0, 0, 1]);
    this.aside = perpendicular(this.vertical);
    this.ahead = cross(this.vertical, this.aside);
    this.update();
  }

  // The box that the view returns to.
  set_box(low: Triple, high: Triple): void {
    this.set_home(low, high);
    this.fit();
  }
  set_home(low: Triple, high: Triple): void {
    const corners: Triple[] = [];
    for (let i = 0; i < 8; i++)
      corners.push([i & 1 ? high[0] : low[0], i & 2 ? high[1] : low[1], i & 4 ? high[2] : low[2]]);
    this.home = { target: scaled(add(low, high), 0.5), corners };
  }

  // Look at the whole box.
  fit(): void {
    this.moved = false;
    this.target = this.home.target;
    if (!this.plane) {
      this.azimuth = -0.9;
      this.elevation = 0.32;
    }
    this.update();
    let reach = 0;
    const aspect = Math.max(0.2, this.width / this.height);
    for (const corner of this.home.corners) {
      const offset = subtract(corner, this.target);
      const nearness = this.plane ? 0 : Math.max(0, dot(offset, this.back)) * Math.tan(field_of_view / 2);
      reach = Math.max(reach, Math.abs(dot(offset, this.up)) + nearness, Math.abs(dot(offset, this.right)) / aspect + nearness);
    }
    this.reach = (reach > 0 ? reach : 1) * (this.plane ? 1.16 : 1.12);
    this.make_room();
    this.update();
  }

  // What was to fill the whole height keeps below what lies over the upper edge.
  private make_room(): void {
    const inset = Math.min(this.inset, 0.3 * this.height);
    if (!(inset > 0)) return;
    this.reach *= this.height / (this.height - inset);
    this.target = add(this.target, scaled(this.up, (inset * this.reach) / this.height));
  }

  resize(width: number, height: number): void {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.update();
  }

  orbit(dx: number, dy: number): void {
    this.moved = true;
    this.azimuth -= dx;
    this.elevation = Math.max(-1.55, Math.min(1.55, this.elevation + dy));
    this.update();
  }
  // Move by pixels.
  pan(dx: number, dy: number): void {
    this.moved = true;
    const step = (2 * this.reach) / this.height;
    this.target = add(this.target, add(scaled(this.right, -dx * step), scaled(this.up, dy * step)));
    this.update();
  }
  // Zoom by a factor, keeping what is under the pixel (px, py) there.
  zoom(factor: number, px = this.width / 2, py = this.height / 2): void {
    this.moved = true;
    const step = (2 * this.reach) / this.height;
    const x = (px - this.width / 2) * step;
    const y = (this.height / 2 - py) * step;
    const share = 1 - factor;
    this.target = add(this.target, add(scaled(this.right, x * share), scaled(this.up, y * share)));
    this.reach *= factor;
    this.update();
  }
  // The place in the plane of the screen through (x, y, z) that lies under a pixel.
  place_under(px: number, py: number, through: Triple): Triple {
    const out = new Float64Array(4);
    this.project(...through, out);
    const dx = (px - (out[0] as number)) / (out[3] as number);
    const dy = ((out[1] as number) - py) / (out[3] as number);
    return add(through, add(scaled(this.right, dx), scaled(this.up, dy)));
  }
  follow(x: number, y: number, z: number): void {
    this.moved = true;
    this.target = [x, y, z];
    this.update();
  }
  // Go along with something that is seen whole within `radius` of (x, y, z).
  accompany(x: number, y: number, z: number, radius: number): void {
    this.moved = true;
    this.target = [x, y, z];
    this.reach = (1.3 * radius) / Math.min(1, Math.max(0.2, this.width / this.height));
    this.make_room();
    this.update();
  }

  update(): void {
    if (this.plane) {
      this.up = this.vertical;
      this.right = [this.up[1], -this.up[0], 0];
      this.back = [0, 0, 1];
    } else {
      const flat = add(scaled(this.ahead, Math.cos(this.azimuth)), scaled(this.aside, Math.sin(this.azimuth)));
      this.back = add(scaled(flat, Math.cos(this.elevation)), scaled(this.vertical, Math.sin(this.elevation)));
      this.right = unit(cross(this.vertical, this.back));
      this.up = cross(this.back, this.right);
    }
    this.distance = this.reach / Math.tan(field_of_view / 2);
    this.eye = add(this.target, scaled(this.back, this.distance));
    this.changes++;
  }

  get field(): number {
    return field_of_view;
  }
  get pixels_per_unit(): number {
    return this.height / (2 * this.reach);
  }

  // Pixel, depth (distance towards the eye along the line of sight) and pixels per unit at a place.
  project(x: number, y: number, z: number, out: Float64Array): void {
    const dx = x - this.target[0];
    const dy = y - this.target[1];
    const dz = z - this.target[2];
    const a = dx * this.right[0] + dy * this.right[1] + dz * this.right[2];
    const b = dx * this.up[0] + dy * this.up[1] + dz * this.up[2];
    const c = dx * this.back[0] + dy * this.back[1] + dz * this.back[2];
    const scale = this.plane
      ? this.pixels_per_unit
      : (this.pixels_per_unit * this.distance) / Math.max(1e-3 * this.distance, this.distance - c);
    out[0] = this.width / 2 + a * scale;
    out[1] = this.height / 2 - b * scale;
    out[2] = c;
    out[3] = scale;
  }

  // Directions of the model's axes on the screen, for the little tripod.
  axis(direction: Triple): [number, number, number] {
    return [dot(direction, this.right), dot(direction, this.up), dot(direction, this.back)];
  }
}

export const size_of = (low: Triple, high: Triple): number => Math.max(norm(subtract(high, low)), 1e-300);

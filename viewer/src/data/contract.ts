// The shapes of the data that the engine writes into a page; arrays of numbers lie in the blob and are named by blocks.

export type BlockType = "f64" | "f32" | "u32" | "u16" | "u8";

// A run of numbers in the blob; a u16 block with bounds is quantised, 65535 standing for no value.
export interface Block {
  type: BlockType;
  at: number;
  count: number;
  low?: number;
  high?: number;
}

// Values at times, linear in between; `value` holds a fixed number of components per time.
export interface Keys {
  time: Block;
  value: Block;
}

export interface Anchor {
  body?: number;
  // A point fixed in the body, in its axes.
  mark?: number[];
  at?: number[];
  keys?: Keys;
}

interface Condition {
  row?: number;
  // Several conditions that one surface stands for, and the time from which a seizure exists.
  rows?: number[];
  since?: number;
  // The runs it belongs to, where it is not the same for all.
  runs?: number[];
  name?: string;
  relation?: "=" | "<=" | ">=";
  bodies?: number[];
}

export interface LineShape extends Condition {
  kind: "line";
  from: Anchor;
  to: Anchor;
  length?: number;
  lengths?: Keys;
  radius?: number;
}
export interface RopeShape extends Condition {
  kind: "rope";
  through: Anchor[];
  length?: number;
  lengths?: Keys;
}
export interface PlaneShape extends Condition {
  kind: "plane";
  normal?: number[];
  offset?: number;
  side?: number;
  keys?: Keys;
}
export interface SphereShape extends Condition {
  kind: "sphere";
  centre?: number[];
  radius?: number;
  side?: number;
  keys?: Keys;
}
export interface CylinderShape extends Condition {
  kind: "cylinder";
  point?: number[];
  axis?: number[];
  radius?: number;
  side?: number;
  keys?: Keys;
}
export interface ConeShape extends Condition {
  kind: "cone";
  apex?: number[];
  axis?: number[];
  angle?: number;
  both?: boolean;
  side?: number;
  keys?: Keys;
}
export interface MeshFrame {
  time?: number;
  vertices: Block;
  triangles?: Block;
  lines?: Block;
}
export interface MeshShape extends Condition {
  kind: "mesh";
  vertices?: Block;
  triangles?: Block;
  lines?: Block;
  frames?: MeshFrame[];
}
export interface CurveShape extends Condition {
  kind: "curve";
  points: Block;
  closed?: boolean;
}
export interface PolylineShape extends Condition {
  kind: "polyline";
  through: Anchor[];
  closed?: boolean;
}
// A rigid body: vertices in its axes, edges and triangles by their numbers; a ball or disc has a radius besides.
export interface SolidShape extends Condition {
  kind: "solid";
  body: number;
  vertices: Block;
  edges: Block;
  triangles: Block;
  radius?: number;
  hollow?: boolean;
}
export interface SpringShape extends Condition {
  kind: "spring";
  from: Anchor;
  to: Anchor;
}
export interface JointShape extends Condition {
  kind: "joint";
  at: Anchor;
  form: string;
}
export type Shape =
  | SolidShape
  | SpringShape
  | JointShape
  | LineShape
  | RopeShape
  | PlaneShape
  | SphereShape
  | CylinderShape
  | ConeShape
  | MeshShape
  | CurveShape
  | PolylineShape;

export interface Body {
  name: string;
  mass?: number;
  track: number[];
  // Of a rigid body: the tracks of its quaternion w, x, y, z, or in the plane of its angle.
  turn?: number[];
  view?: boolean;
  // Radius of a point of the view; 0: only lines pass through it.
  size?: number;
}

export interface Row {
  name: string;
  kind?: string;
  text?: string;
}

export interface PiecesHeader {
  start: Block;
  end: number;
  orders: Block;
  coefficients: Block;
  accuracy?: number;
}

export interface EventsHeader {
  time: Block;
  kind: Block;
  kinds: string[];
  row_start?: Block;
  row?: Block;
  impulse_start?: Block;
  impulse_row?: Block;
  impulse?: Block;
  change_start?: Block;
  change_variable?: Block;
  before?: Block;
  after?: Block;
  lost?: Block;
  notes?: Record<string, string>;
  left_out?: number;
}

export type Group = "multipliers" | "conditions" | "energy" | "outputs" | "rho";

export interface SeriesHeader {
  group: Group;
  name: string;
  row?: number;
  value: Block;
}

export interface Summary {
  energy?: { initial?: number; work?: number; lost?: number; final?: number; defect?: number };
  drift?: Record<string, number>;
  correction?: Record<string, number>;
  steps?: number;
  seconds?: number;
  sentences?: string[];
}

export interface RunHeader {
  label?: string;
  parameters?: Record<string, unknown>;
  status?: string;
  why?: string;
  start?: number;
  end?: number;
  steps?: number;
  // Springs that were let go, and when.
  gone?: Record<string, number>;
  law?: string;
  pieces: PiecesHeader;
  events?: EventsHeader;
  channels?: { time: Block; series: SeriesHeader[] };
  summary?: Summary;
}

export interface Header {
  zwang: string;
  format: number;
  title?: string;
  file?: string;
  model?: string;
  parameters?: Record<string, unknown>;
  dimension: 0 | 2 | 3;
  variables: string[];
  coordinates?: number;
  bodies?: Body[];
  rows?: Row[];
  shapes?: Shape[];
  box?: [number[], number[]];
  up?: number[];
  phase?: [number, string, string][];
  equations?: string;
  notes?: string[];
  comparison?: { title?: string; distance?: Keys };
  runs: RunHeader[];
}

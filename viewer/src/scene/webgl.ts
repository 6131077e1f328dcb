// Draws a picture with three.js: one instanced buffer of strokes, one of points, a mesh per surface.
import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  DynamicDrawUsage,
  GLSL3,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  Mesh,
  OrthographicCamera,
  PerspectiveCamera,
  RawShaderMaterial,
  Scene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Camera } from "./camera";
import type { Palette } from "./palette";
import type { Picture, Surface } from "./picture";
import type { Renderer } from "./renderer";
import * as shaders from "./shaders";

export class WebglRenderer implements Renderer {
  readonly name = "webgl";
  private readonly renderer: WebGLRenderer;
  private readonly scene = new Scene();
  private readonly perspective = new PerspectiveCamera();
  private readonly flat = new OrthographicCamera();
  private readonly strokes: Instances;
  private readonly points: Instances;
  private readonly surfaces = new Map<Surface, { mesh: Mesh; version: number; material: RawShaderMaterial }>();
  private readonly right = new Vector3();
  private readonly up = new Vector3();
  private readonly back = new Vector3();
  private readonly screen = new Vector2();
  private ratio = 1;

  constructor(private readonly canvas: HTMLCanvasElement) {
    this.renderer = new WebGLRenderer({ canvas, antialias: true, alpha: true });
    this.renderer.setClearColor(0, 0);
    const common = { glslVersion: GLSL3, transparent: true, premultipliedAlpha: true };
    this.strokes = new Instances(
      [-0.5, 0.5].flatMap((y) => [0, 2 * y, 0, 1, 2 * y, 0]),
      [0, 1, 2, 2, 1, 3],
      [
        { width: 6, bytes: false, parts: [["from", 0, 3], ["to", 3, 3]] },
        { width: 1, bytes: false, parts: [["width", 0, 1]] },
        { width: 8, bytes: true, parts: [["colour_from", 0, 4], ["colour_to", 4, 4]] },
      ],
      new RawShaderMaterial({
        ...common,
        vertexShader: shaders.stroke_vertex,
        fragmentShader: shaders.stroke_fragment,
        uniforms: { screen: { value: this.screen }, near: { value: 0 } },
        depthWrite: false,
        side: DoubleSide,
      }),
    );
    this.points = new Instances(
      [-1, -1, 0, 1, -1, 0, -1, 1, 0, 1, 1, 0],
      [0, 1, 2, 2, 1, 3],
      [
        { width: 3, bytes: false, parts: [["centre", 0, 3]] },
        { width: 1, bytes: false, parts: [["radius", 0, 1]] },
        { width: 1, bytes: false, parts: [["look", 0, 1]] },
        { width: 4, bytes: true, parts: [["tint_of_point", 0, 4]] },
      ],
      new RawShaderMaterial({
        ...common,
        vertexShader: shaders.point_vertex,
        fragmentShader: shaders.point_fragment,
        uniforms: {
          pixel: { value: 1 },
          perspective: { value: 0 },
          least: { value: 1.6 },
          paper: { value: new Vector3(1, 1, 1) },
          shade: { value: 1 },
        },
        side: DoubleSide,
      }),
    );
    // Strokes after the balls, whose depth hides what lies behind them.
    this.points.mesh.renderOrder = 1;
    this.strokes.mesh.renderOrder = 2;
    this.scene.add(this.strokes.mesh, this.points.mesh);
    this.perspective.matrixAutoUpdate = false;
    this.flat.matrixAutoUpdate = false;
  }

  resize(width: number, height: number, ratio: number): void {
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.renderer.setSize(width, height, false);
  }

  draw(picture: Picture, camera: Camera, palette: Palette): void {
    const { points, segments } = picture;
    this.points.fill(points.count, [points.position, points.radius, points.look, points.colour]);
    this.strokes.fill(segments.count, [segments.ends, segments.width, segments.colour]);
    for (const surface of picture.surfaces) this.keep(surface);

    // The camera, in coordinates relative to the picture's origin.
    const three = camera.plane ? this.flat : this.perspective;
    this.right.set(...camera.right);
    this.up.set(...camera.up);
    this.back.set(...camera.back);
    const far = 100 * camera.distance;
    three.matrix.makeBasis(this.right, this.up, this.back);
    three.matrix.setPosition(
      camera.eye[0] - picture.origin[0],
      camera.eye[1] - picture.origin[1],
      camera.eye[2] - picture.origin[2],
    );
    three.matrixWorldNeedsUpdate = true;
    if (camera.plane) {
      const across = (camera.reach * camera.width) / camera.height;
      this.flat.left = -across;
      this.flat.right = across;
      this.flat.top = camera.reach;
      this.flat.bottom = -camera.reach;
      this.flat.near = -far;
      this.flat.far = far;
    } else {
      this.perspective.fov = (camera.field * 180) / Math.PI;
      this.perspective.aspect = camera.width / camera.height;
      this.perspective.near = 0.02 * camera.distance;
      this.perspective.far = far;
    }
    three.updateProjectionMatrix();

    // Half the drawing buffer in pixels turns clip coordinates into pixels.
    this.screen.set(camera.width / 2, camera.height / 2);
    const strokes = this.strokes.material.uniforms;
    (strokes["near"] as { value: unknown }).value = camera.plane ? 0 : this.perspective.near;
    const uniforms = this.points.material.uniforms;
    (uniforms["perspective"] as { value: unknown }).value = camera.plane ? 0 : 1;
    (uniforms["pixel"] as { value: unknown }).value = camera.plane
      ? 1 / camera.pixels_per_unit
      : 1 / (camera.pixels_per_unit * camera.distance);
    (uniforms["shade"] as { value: unknown }).value = camera.plane ? 0.35 : 1;
    const paper = (uniforms["paper"] as { value: Vector3 }).value;
    if (palette.dark) paper.set(0.09, 0.1, 0.12);
    else paper.set(0.98, 0.975, 0.96);
    this.renderer.render(this.scene, three);
  }

  // Places of points as they lie in the buffer that is drawn, relative to the picture's origin.
  drawn(point: number, out: number[]): void {
    const array = this.points.array(0);
    for (let m = 0; m < 3; m++) out[m] = array[3 * point + m] as number;
  }

  forget(): void {
    for (const { mesh, material } of this.surfaces.values()) {
      this.scene.remove(mesh);
      mesh.geometry.dispose();
      material.dispose();
    }
    this.surfaces.clear();
  }

  dispose(): void {
    this.forget();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    this.canvas.remove();
  }

  get pixel_ratio(): number {
    return this.ratio;
  }

  private keep(surface: Surface): void {
    let held = this.surfaces.get(surface);
    if (!held) {
      const material = new RawShaderMaterial({
        glslVersion: GLSL3,
        transparent: true,
        premultipliedAlpha: true,
        depthWrite: surface.solid === true,
        polygonOffset: surface.solid === true,
        polygonOffsetFactor: 1,
        polygonOffsetUnits: 1,
        side: DoubleSide,
        vertexShader: shaders.surface_vertex,
        fragmentShader: surface.solid === true ? shaders.solid_fragment : shaders.surface_fragment,
        uniforms: { tint: { value: new Vector3() }, opacity: { value: surface.opacity } },
      });
      held = { mesh: new Mesh(new BufferGeometry(), material), version: -1, material };
      held.mesh.frustumCulled = false;
      this.surfaces.set(surface, held);
      this.scene.add(held.mesh);
    }
    if (held.version !== surface.version) {
      held.mesh.geometry.dispose();
      const geometry = new BufferGeometry();
      geometry.setAttribute("position", new BufferAttribute(surface.positions, 3));
      geometry.setIndex(new BufferAttribute(surface.triangles, 1));
      geometry.computeVertexNormals();
      held.mesh.geometry = geometry;
      held.version = surface.version;
    }
    held.mesh.visible = surface.opacity > 0;
    const tint = held.material.uniforms["tint"] as { value: Vector3 };
    tint.value.set((surface.colour[0] as number) / 255, (surface.colour[1] as number) / 255, (surface.colour[2] as number) / 255);
  }
}

// One array of the picture as attributes of the copies: name, first component, number of components.
interface Layout {
  width: number;
  bytes: boolean;
  parts: [string, number, number][];
}

// A small shape drawn many times. The arrays of the picture themselves go to the graphics card, without a copy in between.
class Instances {
  readonly mesh: Mesh;
  private geometry = new InstancedBufferGeometry();
  private buffers: InstancedInterleavedBuffer[] = [];

  constructor(
    private readonly corners: number[],
    private readonly faces: number[],
    private readonly layout: Layout[],
    readonly material: RawShaderMaterial,
  ) {
    this.mesh = new Mesh(this.geometry, material);
    this.mesh.frustumCulled = false;
  }

  // The array that is drawn, by its place in the layout.
  array(index: number): ArrayLike<number> {
    return this.buffers[index]?.array ?? [];
  }

  // Draw `count` copies with attributes from arrays in the order of the layout.
  fill(count: number, arrays: (Float32Array | Uint8Array)[]): void {
    if (this.buffers.length === 0 || this.buffers.some((buffer, i) => buffer.array !== arrays[i])) this.bind(arrays);
    this.buffers.forEach((buffer, i) => {
      buffer.clearUpdateRanges();
      if (count === 0) return;
      buffer.addUpdateRange(0, count * (this.layout[i] as Layout).width);
      buffer.needsUpdate = true;
    });
    this.geometry.instanceCount = count;
    this.mesh.visible = count > 0;
  }

  // The arrays have grown: new buffers on the card.
  private bind(arrays: (Float32Array | Uint8Array)[]): void {
    this.geometry.dispose();
    this.geometry = new InstancedBufferGeometry();
    this.geometry.setAttribute("position", new BufferAttribute(new Float32Array(this.corners), 3));
    this.geometry.setIndex(this.faces);
    this.buffers = this.layout.map(({ width, bytes, parts }, i) => {
      const buffer = new InstancedInterleavedBuffer(arrays[i] as Float32Array, width);
      buffer.setUsage(DynamicDrawUsage);
      for (const [name, first, size] of parts) this.geometry.setAttribute(name, new InterleavedBufferAttribute(buffer, size, first, bytes));
      return buffer;
    });
    this.mesh.geometry = this.geometry;
  }
}

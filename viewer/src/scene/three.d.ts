// The part of three.js that the viewer uses, so that its types need no further package.
declare module "three" {
  export const DoubleSide: number;
  export const FrontSide: number;
  export const DynamicDrawUsage: number;
  export const GLSL3: string;
  export class Vector2 {
    constructor(x?: number, y?: number);
    set(x: number, y: number): this;
  }
  export class Vector3 {
    constructor(x?: number, y?: number, z?: number);
    set(x: number, y: number, z: number): this;
  }
  export class Matrix4 {
    makeBasis(x: Vector3, y: Vector3, z: Vector3): this;
    setPosition(x: number, y: number, z: number): this;
  }
  export class Object3D {
    matrix: Matrix4;
    matrixAutoUpdate: boolean;
    matrixWorldNeedsUpdate: boolean;
    frustumCulled: boolean;
    renderOrder: number;
    visible: boolean;
    add(...objects: Object3D[]): this;
    remove(...objects: Object3D[]): this;
  }
  export class Scene extends Object3D {}
  export class Camera extends Object3D {}
  export class PerspectiveCamera extends Camera {
    constructor(fov?: number, aspect?: number, near?: number, far?: number);
    fov: number;
    aspect: number;
    near: number;
    far: number;
    updateProjectionMatrix(): void;
  }
  export class OrthographicCamera extends Camera {
    left: number;
    right: number;
    top: number;
    bottom: number;
    near: number;
    far: number;
    updateProjectionMatrix(): void;
  }
  export class BufferAttribute {
    constructor(array: ArrayLike<number>, itemSize: number, normalized?: boolean);
    array: ArrayLike<number> & { [index: number]: number };
    needsUpdate: boolean;
    setUsage(usage: number): this;
    addUpdateRange(start: number, count: number): void;
    clearUpdateRanges(): void;
  }
  export class InstancedInterleavedBuffer {
    constructor(array: ArrayLike<number>, stride: number);
    array: ArrayLike<number>;
    needsUpdate: boolean;
    setUsage(usage: number): this;
    addUpdateRange(start: number, count: number): void;
    clearUpdateRanges(): void;
  }
  export class InterleavedBufferAttribute {
    constructor(buffer: InstancedInterleavedBuffer, itemSize: number, offset: number, normalized?: boolean);
  }
  export class BufferGeometry {
    setAttribute(name: string, attribute: BufferAttribute | InterleavedBufferAttribute): this;
    setIndex(index: BufferAttribute | number[]): this;
    computeVertexNormals(): void;
    dispose(): void;
  }
  export class InstancedBufferGeometry extends BufferGeometry {
    instanceCount: number;
  }
  export class Material {
    dispose(): void;
  }
  export interface ShaderParameters {
    vertexShader: string;
    fragmentShader: string;
    uniforms: Record<string, { value: unknown }>;
    glslVersion?: string;
    transparent?: boolean;
    premultipliedAlpha?: boolean;
    depthWrite?: boolean;
    depthTest?: boolean;
    polygonOffset?: boolean;
    polygonOffsetFactor?: number;
    polygonOffsetUnits?: number;
    side?: number;
  }
  export class RawShaderMaterial extends Material {
    constructor(parameters: ShaderParameters);
    uniforms: Record<string, { value: unknown }>;
  }
  export class Mesh extends Object3D {
    constructor(geometry: BufferGeometry, material: Material);
    geometry: BufferGeometry;
    material: Material;
  }
  export class WebGLRenderer {
    constructor(parameters: { canvas: HTMLCanvasElement; antialias?: boolean; alpha?: boolean; powerPreference?: string; preserveDrawingBuffer?: boolean });
    setPixelRatio(ratio: number): void;
    setSize(width: number, height: number, style?: boolean): void;
    setClearColor(colour: number, alpha: number): void;
    render(scene: Scene, camera: Camera): void;
    forceContextLoss(): void;
    dispose(): void;
  }
}

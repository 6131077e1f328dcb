// What draws a picture: WebGL where the browser has it, a plain canvas where not.
import type { Camera } from "./camera";
import { CanvasRenderer } from "./canvas";
import type { Palette } from "./palette";
import type { Picture } from "./picture";
import { WebglRenderer } from "./webgl";

export interface Renderer {
  readonly name: "webgl" | "canvas";
  resize(width: number, height: number, ratio: number): void;
  draw(picture: Picture, camera: Camera, palette: Palette): void;
  drawn(point: number, out: number[]): void;
  // Another picture will be drawn: what was kept of the surfaces of the last one can go.
  forget(): void;
  dispose(): void;
}

// A renderer in its own canvas at the back of `place`. A flat crowd is drawn on a plain canvas where WebGL would be made by software.
export function make_renderer(place: HTMLElement, wished: "webgl" | "canvas" | undefined, flat_crowd = false): Renderer {
  const fresh = () => {
    const canvas = document.createElement("canvas");
    canvas.className = "drawing";
    canvas.setAttribute("aria-hidden", "true");
    place.prepend(canvas);
    return canvas;
  };
  if (wished !== "canvas" && has_webgl(flat_crowd && wished === undefined)) {
    const canvas = fresh();
    try {
      return new WebglRenderer(canvas);
    } catch {
      canvas.remove();
    }
  }
  return new CanvasRenderer(fresh());
}

// Asked on a canvas of its own: one that has refused WebGL once cannot be used otherwise.
function has_webgl(by_hardware: boolean): boolean {
  try {
    const context = document.createElement("canvas").getContext("webgl2");
    const maker = context?.getExtension("WEBGL_debug_renderer_info") && context.getParameter(0x9246);
    context?.getExtension("WEBGL_lose_context")?.loseContext();
    return context !== null && !(by_hardware && /swiftshader|llvmpipe|software|basic render/i.test(String(maker)));
  } catch {
    return false;
  }
}

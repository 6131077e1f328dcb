// Mouse, pen and fingers on the stage: drag turns (in the plane: moves), with shift, right button or two fingers it moves, wheel and pinch zoom.
import type { Camera } from "./camera";

export function listen_to_gestures(stage: HTMLElement, camera: Camera, changed: () => void): void {
  const fingers = new Map<number, { x: number; y: number }>();
  const place = (event: PointerEvent | WheelEvent) => {
    const box = stage.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const on_the_stage = (event: Event) => !(event.target as HTMLElement).closest("button, select, input, a, label, .card");

  stage.addEventListener("pointerdown", (event) => {
    if (!on_the_stage(event)) return;
    stage.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, place(event));
  });
  stage.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const now = place(event);
    if (fingers.size === 1) {
      const move = camera.plane || event.shiftKey || (event.buttons & 2) !== 0 || (event.buttons & 4) !== 0;
      if (move) camera.pan(now.x - last.x, now.y - last.y);
      else camera.orbit((now.x - last.x) * 0.008, (now.y - last.y) * 0.008);
    } else if (fingers.size === 2) {
      // Two fingers: their middle moves the picture, their distance zooms it.
      const other = [...fingers.entries()].find(([id]) => id !== event.pointerId)?.[1] ?? last;
      const before = Math.hypot(last.x - other.x, last.y - other.y);
      const after = Math.hypot(now.x - other.x, now.y - other.y);
      if (before > 4 && after > 4) camera.zoom(before / after, (now.x + other.x) / 2, (now.y + other.y) / 2);
      camera.pan((now.x - last.x) / 2, (now.y - last.y) / 2);
    }
    fingers.set(event.pointerId, now);
    changed();
  });
  for (const kind of ["pointerup", "pointercancel"] as const)
    stage.addEventListener(kind, (event) => fingers.delete(event.pointerId));
  stage.addEventListener("contextmenu", (event) => {
    if (on_the_stage(event)) event.preventDefault();
  });
  stage.addEventListener("dblclick", (event) => {
    if (!on_the_stage(event)) return;
    camera.fit();
    changed();
  });
  stage.addEventListener(
    "wheel",
    (event) => {
      if (!on_the_stage(event)) return;
      event.preventDefault();
      const { x, y } = place(event);
      camera.zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.004), x, y);
      changed();
    },
    { passive: false },
  );
}

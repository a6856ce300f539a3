import type { Point } from '../model/camera.ts';

/** The gestures of any pointing device. Points are CSS pixels from the canvas's upper left. */
interface GestureHandlers {
  pan(dx: number, dy: number): void;
  zoom(at: Point, factor: number): void;
  tap(at: Point, finger: boolean): void;
  doubleTap(at: Point, finger: boolean): void;
  hover(at: Point | null): void;
}

const TAP_SLOP_PX = 6;
const DOUBLE_TAP_MS = 320;
/** Wheel units that double the zoom. One notch of a mouse wheel is 100 units; a trackpad sends many small amounts. */
const WHEEL_DOUBLING = 320;
const PINCH_WHEEL_DOUBLING = 90;

/** Listens on `canvas` until the caller calls the returned function. */
export function listenToGestures(canvas: HTMLCanvasElement, handlers: GestureHandlers): () => void {
  const hands = new Hands(canvas, handlers);
  const listeners: readonly (readonly [string, (event: never) => void])[] = [
    ['pointerdown', hands.down],
    ['pointermove', hands.move],
    ['pointerup', hands.up],
    ['pointercancel', hands.cancel],
    ['pointerleave', hands.leave],
    ['wheel', hands.wheel],
  ];
  for (const [name, listener] of listeners)
    canvas.addEventListener(name, listener as EventListener, { passive: false });
  return () => {
    for (const [name, listener] of listeners) canvas.removeEventListener(name, listener as EventListener);
  };
}

/** Mutable because it holds the state of a gesture since the first finger came down. */
class Hands {
  readonly #canvas: HTMLCanvasElement;
  readonly #handlers: GestureHandlers;
  readonly #pointers = new Map<number, Point>();
  #start: Point | null = null;
  #moved = false;
  #lastTap = { atMs: -Infinity, x: 0, y: 0 };

  constructor(canvas: HTMLCanvasElement, handlers: GestureHandlers) {
    this.#canvas = canvas;
    this.#handlers = handlers;
  }

  readonly down = (event: PointerEvent): void => {
    if (event.button !== 0) return;
    this.#canvas.setPointerCapture(event.pointerId);
    const at = this.#point(event);
    this.#pointers.set(event.pointerId, at);
    this.#moved = this.#pointers.size > 1;
    this.#start = at;
  };

  readonly move = (event: PointerEvent): void => {
    const at = this.#point(event);
    const before = this.#pointers.get(event.pointerId);
    if (before === undefined) {
      this.#handlers.hover(at);
      return;
    }
    if (!this.#moved && this.#start !== null && Math.hypot(at.x - this.#start.x, at.y - this.#start.y) < TAP_SLOP_PX)
      return;
    this.#moved = true;
    const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
    this.#pointers.set(event.pointerId, at);
    if (other === undefined) {
      this.#handlers.pan(at.x - before.x, at.y - before.y);
      return;
    }
    const spread =
      Math.hypot(at.x - other.x, at.y - other.y) / Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
    this.#handlers.pan((at.x - before.x) / 2, (at.y - before.y) / 2);
    this.#handlers.zoom({ x: (at.x + other.x) / 2, y: (at.y + other.y) / 2 }, spread);
  };

  readonly up = (event: PointerEvent): void => {
    if (!this.#pointers.delete(event.pointerId) || this.#moved) return;
    const at = this.#point(event);
    const finger = event.pointerType !== 'mouse';
    const double =
      event.timeStamp - this.#lastTap.atMs < DOUBLE_TAP_MS &&
      Math.hypot(at.x - this.#lastTap.x, at.y - this.#lastTap.y) < TAP_SLOP_PX * 4;
    this.#lastTap = { atMs: double ? -Infinity : event.timeStamp, ...at };
    if (double) this.#handlers.doubleTap(at, finger);
    else this.#handlers.tap(at, finger);
  };

  readonly cancel = (event: PointerEvent): void => {
    this.#pointers.delete(event.pointerId);
  };
  readonly leave = (): void => {
    this.#handlers.hover(null);
  };

  readonly wheel = (event: WheelEvent): void => {
    event.preventDefault();
    const units = event.deltaMode === 1 ? event.deltaY * 33 : event.deltaY;
    this.#handlers.zoom(this.#point(event), 2 ** (-units / (event.ctrlKey ? PINCH_WHEEL_DOUBLING : WHEEL_DOUBLING)));
  };

  #point(event: MouseEvent): Point {
    const box = this.#canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  }
}

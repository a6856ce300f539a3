/** Frames remembered: some seconds. */
const KEPT = 240;
const ring = new Float32Array(KEPT);
const next = { at: 0 };

/** Keeps what a frame took, in milliseconds of the main thread. */
export function rememberFrame(frameMs: number): void {
  ring[next.at % KEPT] = frameMs;
  next.at += 1;
}

/** The last frames' milliseconds, in no order. */
export function frameTimes(): number[] {
  return [...ring.subarray(0, Math.min(next.at, KEPT))];
}

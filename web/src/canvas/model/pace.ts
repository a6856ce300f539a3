/** A frame that takes longer than this, from its start to the next repaint, is slow: an old phone, or a machine without a graphics card. */
const SLOW_MS = 50;
const LONGEST_PAUSE_MS = 1000;

/** The pause after a frame that took `costMs` until the next repaint: it leaves half of the time to panels. */
export function pauseAfter(costMs: number): number {
  return costMs <= SLOW_MS ? 0 : Math.min(costMs, LONGEST_PAUSE_MS);
}

import { TICK_MS } from '@hamlet/contract';

/**
 * Delay of viewers behind the newest tick: up to five ticks until the next update, one until its events are durable, one on the network.
 * So a viewer knows every path before it draws the first step, and no agent jumps.
 */
export const DRAW_BEHIND_TICKS = 7;
/** Greatest correction of the drawn tick, as a fraction of the elapsed time. */
const MAX_SLEW = 0.1;
/** A greater error makes the drawn tick jump: the tab was hidden, or the village restarted at an earlier tick. */
const JUMP_TICKS = 20;
/** Fraction of the error of a late frame that corrects the clock. It is small, because lateness may come from the network. */
const LEAK = 0.02;

/** A viewer's estimate of the village's clock. Mutable; a connection has one. */
export interface ViewClock {
  /** Local time of tick 0 in milliseconds, by the fastest recent frame; null before the first frame. */
  originMs: number | null;
  drawnTick: number;
  lastMs: number;
}

export function createClock(): ViewClock {
  return { originMs: null, drawnTick: 0, lastMs: 0 };
}

/** Updates the clock with the tick of a frame that arrived at the local time `nowMs`, in milliseconds. */
export function observeTick(clock: ViewClock, tick: number, nowMs: number): void {
  const originMs = nowMs - tick * TICK_MS;
  const known = clock.originMs;
  if (known === null) {
    clock.originMs = originMs;
    clock.drawnTick = tick - DRAW_BEHIND_TICKS;
    clock.lastMs = nowMs;
    return;
  }
  const error = originMs - known;
  clock.originMs = error < 0 || error > JUMP_TICKS * TICK_MS ? originMs : known + error * LEAK;
}

/**
 * The tick to draw at a local time, with its fraction. It advances smoothly. It jumps, even backwards, only if the error exceeds
 * JUMP_TICKS, for example after the village restarted at an earlier tick.
 */
export function tickAt(clock: ViewClock, nowMs: number): number {
  if (clock.originMs === null) return 0;
  const wanted = (nowMs - clock.originMs) / TICK_MS - DRAW_BEHIND_TICKS;
  const elapsed = Math.max(0, nowMs - clock.lastMs) / TICK_MS;
  clock.lastMs = Math.max(clock.lastMs, nowMs);
  const error = wanted - (clock.drawnTick + elapsed);
  if (Math.abs(error) > JUMP_TICKS) clock.drawnTick = wanted;
  else clock.drawnTick += elapsed + Math.max(-elapsed * MAX_SLEW, Math.min(elapsed * MAX_SLEW, error));
  return clock.drawnTick;
}

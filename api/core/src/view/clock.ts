import { TICK_MS } from '@hamlet/contract';

/**
 * Delay of viewers behind the newest tick: an update every five ticks, one tick until its events are durable, one on the way. Every path is
 * then known before its first step is drawn, and no agent jumps.
 */
export const DRAW_BEHIND_TICKS = 7;
/** How fast the drawn tick may catch up or fall back, as a part of real time. */
const MAX_SLEW = 0.1;
/** Errors beyond this are jumped, not chased: a tab was hidden, or the village restarted at an earlier tick. */
const JUMP_TICKS = 20;
/** A late frame says little about the clock; its share of the error is let in this slowly. */
const LEAK = 0.02;

/** A viewer's idea of the village's clock. Mutable: it lives as long as a connection. */
export interface ViewClock {
  /** Local milliseconds of tick 0 by the fastest frame lately, or null before the first. */
  originMs: number | null;
  drawnTick: number;
  lastMs: number;
}

export function createClock(): ViewClock {
  return { originMs: null, drawnTick: 0, lastMs: 0 };
}

/** Takes in the tick of a frame that arrived at a local time in milliseconds. */
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
 * The tick to draw at a local time, with fractions. It advances smoothly; it jumps, even backwards, only if it is wrong by more than
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

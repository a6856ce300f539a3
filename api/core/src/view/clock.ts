import { TICK_MS } from '@hamlet/contract';

/** So that no agent jumps: five ticks until an update, one until its events are durable, one on the network. */
export const DRAW_BEHIND_TICKS = 7;
/** Part of the elapsed time by which the drawn tick may run faster or slower. */
const MAX_SLEW = 0.1;
/** A greater error makes the drawn tick jump: the tab was hidden, or the village restarted at an earlier tick. */
const JUMP_TICKS = 20;
/** Part of a late frame's error that corrects the clock: small, because the network may be late. */
const LEAK = 0.02;

/** Mutable; a connection has one. */
export interface ViewClock {
  /** Local time of tick 0 in ms, by the fastest recent frame. */
  originMs: number | null;
  drawnTick: number;
  lastMs: number;
}

export function createClock(): ViewClock {
  return { originMs: null, drawnTick: 0, lastMs: 0 };
}

/** `nowMs`: local time at which the frame arrived. */
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

/** The drawn tick with its fraction. It advances smoothly, but jumps, even backwards, beyond JUMP_TICKS of error. */
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

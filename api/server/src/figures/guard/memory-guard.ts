import { compareText } from '@hamlet/core';
import type { ShortageRow } from '@hamlet/store';
import type { HostReading } from '../sources/host-reading.ts';

/** A node is short of memory below the first percentage, or above the second. */
export interface GuardLimits {
  /** MemAvailable as a part of MemTotal. */
  readonly availablePercent: number;
  /** The part of the last ten seconds in which all work waited for memory (PSI full), if the node has little memory left. */
  readonly stalledPercent: number;
}

/**
 * Stalls count while less than this part of the memory is available, in percent. With more, they come from the limit of a container, which
 * an agent reaches alone: it would make all others wait.
 */
const STALLS_BELOW_PERCENT = 10;

/** A node recovers above this multiple of its lower limit, and below half of its limit of stalls. */
const EASY_FACTOR = 1.5;
const TIGHT_READINGS = 2;
/** Time for the pods of a step to end and for two readings, in ms. */
const STEP_MS = 60_000;
/** A node stays short at least this long after a step, so that agents do not come and go, in ms. */
const PAUSE_MS = 300_000;
const EASY_MS = 60_000;
/** A shortage ends after this time without a reading, in ms. */
const UNREAD_MS = 600_000;

export interface Judgement {
  /** Null if the node has memory. */
  readonly state: ShortageRow | null;
  /** Bytes that agents must give back in a step; undefined without a step. */
  readonly missingBytes?: number;
}

type Pressure = 'tight' | 'easy' | 'between';

const limitOf = ({ totalBytes }: HostReading, { availablePercent }: GuardLimits): number =>
  (totalBytes * availablePercent) / 100;

function pressureOf(reading: HostReading, limits: GuardLimits): Pressure {
  const { availableBytes, totalBytes, memoryStalled } = reading;
  const stalled = availableBytes * 100 < totalBytes * STALLS_BELOW_PERCENT ? (memoryStalled ?? 0) : 0;
  if (availableBytes < limitOf(reading, limits) || stalled > limits.stalledPercent) return 'tight';
  const isEasy = availableBytes >= limitOf(reading, limits) * EASY_FACTOR && stalled <= limits.stalledPercent / 2;
  return isEasy ? 'easy' : 'between';
}

interface Moment {
  readonly node: string;
  readonly reading: HostReading;
  readonly limits: GuardLimits;
  readonly now: Date;
}

const passedMs = (since: Date | null, now: Date): number => now.getTime() - (since ?? now).getTime();

const missingOf = ({ reading, limits }: Moment): number =>
  Math.max(0, limitOf(reading, limits) * EASY_FACTOR - reading.availableBytes);

function whileNotShort(before: ShortageRow | null, moment: Moment): Judgement {
  const { node, reading, limits, now } = moment;
  if (pressureOf(reading, limits) !== 'tight') return { state: null };
  const tightReadings = (before?.tightReadings ?? 0) + 1;
  const state = { node, tightReadings, easySince: null, readAt: new Date(reading.at) };
  return tightReadings < TIGHT_READINGS
    ? { state: { ...state, since: null, steppedAt: null } }
    : { state: { ...state, since: now, steppedAt: now }, missingBytes: missingOf(moment) };
}

function whileShort(before: ShortageRow, moment: Moment): Judgement {
  const { reading, limits, now } = moment;
  const pressure = pressureOf(reading, limits);
  const easySince = pressure === 'easy' ? (before.easySince ?? now) : null;
  const state = { ...before, easySince, readAt: new Date(reading.at) };
  if (pressure === 'tight' && passedMs(before.steppedAt, now) >= STEP_MS)
    return { state: { ...state, steppedAt: now }, missingBytes: missingOf(moment) };
  const hasRecovered = passedMs(easySince, now) >= EASY_MS && passedMs(before.steppedAt, now) >= PAUSE_MS;
  return { state: hasRecovered ? null : state };
}

const isKept = ({ since, readAt }: ShortageRow, now: Date): boolean =>
  since !== null && passedMs(readAt, now) < UNREAD_MS;

/** The state of a node after a reading; undefined if there is none, for example because its replica of the API ended. Pure. */
export function judgeNode(
  before: ShortageRow | null,
  { reading, ...moment }: Omit<Moment, 'reading'> & { readonly reading: HostReading | undefined },
): Judgement {
  if (reading === undefined) return { state: before !== null && isKept(before, moment.now) ? before : null };
  if (before?.readAt.getTime() === Date.parse(reading.at)) return { state: before };
  const known = { ...moment, reading };
  return before === null || before.since === null ? whileNotShort(before, known) : whileShort(before, known);
}

export interface Candidate {
  readonly agentId: string;
  /** The rank of its tier; above every tier for an agent that has bought a better place. */
  readonly rank: number;
  readonly createdAt: string;
  readonly memoryBytes: number;
}

/** Limits the cost of a wrong reading; the next step can pause more. */
const STEP_AGENTS_MAX = 8;

/**
 * The agents that a step pauses: the lowest tier first, within it the newest, until they hold `missingBytes`; at least
 * one. Pure.
 */
export function agentsToPause(candidates: readonly Candidate[], missingBytes: number): readonly string[] {
  const order = candidates.toSorted(
    (a, b) => a.rank - b.rank || Date.parse(b.createdAt) - Date.parse(a.createdAt) || compareText(a.agentId, b.agentId),
  );
  const chosen: string[] = [];
  let freed = 0;
  for (const { agentId, memoryBytes } of order.slice(0, STEP_AGENTS_MAX)) {
    if (chosen.length > 0 && freed >= missingBytes) break;
    chosen.push(agentId);
    freed += memoryBytes;
  }
  return chosen;
}

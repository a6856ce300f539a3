import type { WorldState } from '@hamlet/core';
import type { FrameOut } from './frame-out.ts';
import type { Pending } from './pending.ts';

/** What the parts of the fan-out share. Mutable: it is the fan-out's memory. */
export interface FanoutState {
  world: WorldState;
  epoch: number;
  /** The tick of now and of the frames being made. */
  tick: number;
  /** Number of the last event that an update has told. */
  toldSeq: number;
  /** A connection that ended before this event cannot be resumed: nothing is known of what changed since. */
  firstSeq: number;
  /** For each cell the last event that changed anything seen from it. */
  changedSeq: Float64Array;
  readonly pending: Pending;
  readonly counters: Counters;
  /** A frame builder for now; an urgent one does not advance the viewer's seq. */
  frame(kind: { readonly urgent: boolean }): FrameOut;
}

/** What has been done since the start. */
export interface Counters {
  frames: number;
  bytes: number;
  updates: number;
  droppedUpdates: number;
  resyncs: number;
  closedSlow: number;
}

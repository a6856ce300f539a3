/** Milliseconds on a clock that all processes of this machine share. */
export const wallMs = (): number => performance.timeOrigin + performance.now();

/** Messages from the parent to a server. */
export type ToServer = { readonly type: 'measure' } | { readonly type: 'report' } | { readonly type: 'truth' };

/** The time at which the server began to build the update of a tick. */
export type Flush = readonly [tick: number, startMs: number];

/** Messages from a server to the parent. `truth` has x and y in quarter tiles for each agent, now and a little earlier. */
export type FromServer =
  | { readonly type: 'ready'; readonly port: number }
  | {
      readonly type: 'report';
      readonly cpuCore: number;
      readonly rssMb: number;
      readonly flushes: readonly Flush[];
      readonly notes: Readonly<Record<string, number>>;
    }
  | {
      readonly type: 'truth';
      readonly tick: number;
      readonly now: readonly number[];
      readonly before: readonly number[];
    };

export type ServerKind = 'hamlet' | 'colyseus-broadcast' | 'colyseus-view';

/** Messages from the parent to the viewers. */
export type ToViewers =
  | { readonly type: 'measure' }
  | { readonly type: 'report' }
  | { readonly type: 'remember' }
  | Extract<FromServer, { type: 'truth' }>;

/** Messages from the viewers to the parent. `receipts` are the updates of each viewer with their times. */
export type FromViewers =
  | { readonly type: 'ready' }
  | {
      readonly type: 'report';
      readonly seconds: number;
      readonly stillBytes: number;
      readonly panningBytes: number;
      readonly receipts: readonly (readonly [tick: number, atMs: number])[];
    }
  | {
      readonly type: 'fidelity';
      readonly compared: number;
      readonly worstTiles: number;
      readonly worstDrawnTiles: number;
      readonly missing: number;
      readonly extra: number;
    };

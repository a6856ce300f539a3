import type { AgentDetail, PaymentOutcome, VillageFreeze } from '@hamlet/contract';
import type { SceneLandmark, ScenePin, SceneZone } from '../canvas/model/scene.ts';
import type { Refused } from './api.ts';
import { NOWHERE, type Place } from './url-state.ts';
import type { Connection } from './live-socket.ts';

/** An agent as the list shows it, twice a second. Positions are tiles as fractions. */
export interface Row {
  readonly id: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly moving: boolean;
  readonly asleep: boolean;
  readonly online: boolean;
  readonly activity: string;
  readonly speech: string | null;
  readonly carried: readonly string[];
  readonly node: string | null;
  /** Whether the frames show it now; otherwise this is what the api reported last, some seconds ago. */
  readonly live: boolean;
  /** Name of the landmark or zone it is at, or is on the way to. */
  readonly place: string | null;
  readonly heading: string | null;
}

/** An event of the world, in words: `text` follows the name. `id` is unique; `minute` is the minute of the village's day. */
export interface FeedEntry {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly text: string;
  readonly kind: 'speech' | 'walk' | 'activity' | 'power' | 'item';
  readonly minute: number;
}

export interface Account {
  readonly account_id: string;
  readonly name: string;
  readonly role: 'member' | 'admin';
}
/**
 * The viewer. Until it is known the page offers nothing that depends on it, unless the api was `asked` and did not answer: then the page treats the viewer as a visitor.
 * `ended`: a session that was here is over, and its holder did not end it here.
 */
export type Session =
  | { readonly kind: 'unknown'; readonly asked: boolean }
  | { readonly kind: 'visitor'; readonly ended: boolean }
  | { readonly kind: 'account'; readonly account: Account };

/** The time of the village's day. */
export interface Clock {
  readonly day: number;
  readonly minute: number;
  readonly phase: 'night' | 'morning' | 'day' | 'evening';
}

/** Everything the panels show. The canvas reads the world itself and never waits for this. */
export interface AppState {
  /** Whether the village is frozen, with the proof; null until it was read. */
  readonly freeze: VillageFreeze | null;
  /** The tick that is shown of a recording; null while the world is live. */
  readonly t: number | null;
  readonly loading: 'loading' | 'ready' | { readonly failed: Refused };
  readonly connection: Connection;
  /** Whether the list of agents was read yet, and why it cannot be read now; what is known of it stays. */
  readonly agents: { readonly read: boolean; readonly refused: Refused | null };
  readonly clock: Clock | null;
  readonly rows: readonly Row[];
  readonly details: ReadonlyMap<string, AgentDetail>;
  readonly landmarks: readonly SceneLandmark[];
  readonly zones: readonly SceneZone[];
  readonly feed: readonly FeedEntry[];
  readonly session: Session;
  /** The outcome of the payment from which the payer has just come back; null if there is none, or the payer has read it. */
  readonly payment: PaymentOutcome | null;
  readonly selected: string | null;
  readonly following: boolean;
  /** The page and what is open on it; the address says the same. */
  readonly place: Place;
  /** Posts that hang at places of the map, as the board last knew them. */
  readonly pins: readonly ScenePin[];
  /** A place on the map is looked for: taps name tiles, the last of them is `tile`. Null while none is. */
  readonly picking: { readonly tile: { readonly x: number; readonly y: number } | null } | null;
}

export const INITIAL_STATE: AppState = {
  freeze: null,
  t: null,
  loading: 'loading',
  connection: 'connecting',
  agents: { read: false, refused: null },
  clock: null,
  rows: [],
  details: new Map(),
  landmarks: [],
  zones: [],
  feed: [],
  session: { kind: 'unknown', asked: false },
  payment: null,
  selected: null,
  following: false,
  place: NOWHERE,
  pins: [],
  picking: null,
};

import { DEFAULT_BRAND } from '@hamlet/contract';
import type { AgentDetail, HandsActivity, LoginOptions, PaymentOutcome, VillageFreeze } from '@hamlet/contract';
import type { SceneLandmark, ScenePin, SceneZone } from '../canvas/model/scene.ts';
import type { Refused } from './api.ts';
import { NOWHERE, type Place } from './url-state.ts';
import type { Connection } from './stream/live-socket.ts';

/** An agent as the list shows it, updated twice a second. Positions are in tiles, with fractions. */
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
  readonly hands: HandsActivity | null;
  readonly node: string | null;
  readonly place: string | null;
  readonly heading: string | null;
}

/** An event of the world in words; `text` follows the name. `id` is unique, and `atMs` is the time at which the page got it. */
export interface FeedEntry {
  readonly id: string;
  readonly agentId: string;
  readonly name: string;
  readonly text: string;
  readonly kind: 'speech' | 'walk' | 'activity' | 'power' | 'item';
  readonly atMs: number;
}

export type Account = Readonly<{ account_id: string; name: string; role: 'member' | 'admin' }>;
/**
 * `unknown`: the page offers nothing that depends on the person yet. `ended`: the session ended other than by a
 * sign-out here.
 */
export type Session =
  | { readonly kind: 'unknown'; readonly asked: boolean }
  | { readonly kind: 'visitor'; readonly ended: boolean }
  | { readonly kind: 'account'; readonly account: Account };

type Clock = Readonly<{ day: number; minute: number; phase: 'night' | 'morning' | 'day' | 'evening' }>;

/** The state that all panels show. The canvas reads the world directly and never waits for this state. */
export interface AppState {
  /** Name and color of the village. */
  readonly brand: LoginOptions['brand'];
  /** The freeze of the village and its proof; null before the first answer. */
  readonly freeze: VillageFreeze | null;
  readonly loading: 'loading' | 'ready' | { readonly failed: Refused };
  readonly connection: Connection;
  /**
   * Unix milliseconds of the earliest request that the API has not answered since its last answer; null while it
   * answers.
   */
  readonly unreachableSince: number | null;
  /** `read`: the page has read the list of agents. `refused`: the reason why it cannot read the list now; known agents stay. */
  readonly agents: { readonly read: boolean; readonly refused: Refused | null };
  readonly clock: Clock | null;
  readonly rows: readonly Row[];
  readonly details: ReadonlyMap<string, AgentDetail>;
  readonly landmarks: readonly SceneLandmark[];
  readonly zones: readonly SceneZone[];
  readonly feed: readonly FeedEntry[];
  /** Present activities of hands by the id of the agent; empty while the page is not connected. */
  readonly hands: ReadonlyMap<string, HandsActivity>;
  readonly session: Session;
  readonly payment: PaymentOutcome | null;
  readonly selected: string | null;
  readonly following: boolean;
  readonly place: Place;
  readonly pins: readonly ScenePin[];
  /** While a person picks a place on the map: taps name tiles, and `tile` is the last one. Null otherwise. */
  readonly picking: { readonly tile: { readonly x: number; readonly y: number } | null } | null;
}

export const INITIAL_STATE: AppState = {
  brand: DEFAULT_BRAND,
  freeze: null,
  loading: 'loading',
  connection: 'connecting',
  unreachableSince: null,
  agents: { read: false, refused: null },
  clock: null,
  rows: [],
  details: new Map(),
  landmarks: [],
  zones: [],
  feed: [],
  hands: new Map(),
  session: { kind: 'unknown', asked: false },
  payment: null,
  selected: null,
  following: false,
  place: NOWHERE,
  pins: [],
  picking: null,
};

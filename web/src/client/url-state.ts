import { AccountName, PAYMENT_OUTCOMES, type PaymentOutcome, RUN_STATES, type RunState } from '@hamlet/contract';

export const VIEWS = [
  'map',
  'board',
  'new-agent',
  'edit-agent',
  'runs',
  'needs',
  'schedules',
  'workflows',
  'ledger',
  'tiers',
  'nodes',
  'market',
  'payments',
  'moderation',
  'models',
  'rules',
  'settings',
  'people',
  'connections',
  'keeping',
  'audit',
] as const;
export type View = (typeof VIEWS)[number];
const MAP_VIEWS: ReadonlySet<View> = new Set<View>(['map', 'board']);

export const showsMap = (view: View): boolean => MAP_VIEWS.has(view);

export const POST_FILTERS = ['open', 'resolved', 'closed', 'moderated', 'all'] as const;
export type PostFilter = (typeof POST_FILTERS)[number];
export const TABS = ['chat', 'now', 'mind', 'money', 'models', 'runs', 'standing', 'diary'] as const;
export type Tab = (typeof TABS)[number];

/** Views of earlier versions, whose links still work. */
const FORMER_VIEWS: Readonly<Record<string, View>> = { permissions: 'needs' };

/** The fields of a `Place` that are plain text in the address; each is null if the address does not have it. */
const TEXTS = [
  'who',
  'schedule',
  'run',
  'tag',
  'audience',
  'find',
  'action',
  'actor',
  'object',
  'since',
  'post',
  'chat',
  'memory',
] as const;

/** `who` limits a page to an agent, or the ledger to several; `run`, `schedule`, `post`, `chat` and `memory` are open objects. */
export interface Place extends Readonly<Record<(typeof TEXTS)[number], string | null>> {
  readonly view: View;
  /** Null until a person chooses one: the panel then begins with the first tab that the person may use. */
  readonly tab: Tab | null;
  readonly state: RunState | null;
  readonly posts: PostFilter;
  readonly turns: boolean;
}
export const NOWHERE: Place = {
  ...recordOf(TEXTS, () => null),
  view: 'map',
  tab: null,
  state: null,
  posts: 'open',
  turns: false,
};

function recordOf<K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Readonly<Record<K, V>> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>;
}

/** The content of the query. Every part is optional. */
export interface UrlState extends Place {
  readonly agent: string | null;
  readonly x: number | null;
  readonly y: number | null;
  readonly z: number | null;
  readonly login_error: string | null;
  readonly payment: PaymentOutcome | null;
}

/** Reads a query such as `?agent=ada&x=40.5&y=31&z=24` or `?view=runs&state=failed`. Ignores values that it cannot read. */
export function readUrl(search: string): UrlState {
  const query = new URLSearchParams(search);
  const oneOf = <T extends string>(key: string, known: readonly T[]): T | undefined =>
    known.find((value) => value === query.get(key));
  return {
    ...recordOf(TEXTS, (key) => query.get(key)),
    view: oneOf('view', VIEWS) ?? FORMER_VIEWS[query.get('view') ?? ''] ?? 'map',
    tab: oneOf('tab', TABS) ?? null,
    state: oneOf('state', RUN_STATES) ?? null,
    posts: oneOf('posts', POST_FILTERS) ?? 'open',
    turns: query.get('turns') === '1',
    agent: query.get('agent'),
    ...recordOf(['x', 'y', 'z'], (key) => numberOf(query.get(key))),
    login_error: query.get('login_error'),
    payment: oneOf('payment', PAYMENT_OUTCOMES) ?? null,
  };
}

/** Omits the outcome of a payment, which is shown once. Has the camera only on the map, to a quarter of a tile. */
export function writeUrl(state: UrlState): string {
  const query = new URLSearchParams();
  const put = (key: string, value: string | null, silent?: string): void => {
    if (value !== null && value !== silent) query.set(key, value);
  };
  put('view', state.view, 'map');
  put('posts', state.posts, 'open');
  const [who, ...others] = TEXTS;
  for (const key of [who, 'state', ...others, 'agent'] as const) put(key, state[key]);
  put('turns', state.turns ? '1' : null);
  if (state.agent !== null) put('tab', state.tab);
  for (const key of ['x', 'y', 'z'] as const) {
    const value = state[key];
    if (value !== null && showsMap(state.view)) query.set(key, String(Math.round(value * 4) / 4));
  }
  put('login_error', state.login_error);
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** A one-time code: of the first start, or of the account `name`. */
export type Invitation = Readonly<{ code: string; name: string | null }>;

/** The invitation in a fragment such as `#code=hic_1&name=mo`; null without one. No server receives, so none logs, the fragment of an address. */
export function readInvitation(hash: string): Invitation | null {
  const fields = new URLSearchParams(hash.replace(/^#/, ''));
  const code = fields.get('code') ?? '';
  return code === '' ? null : { code, name: AccountName.safeParse(fields.get('name')).data ?? null };
}

/** The link that sets a password with the code, for one person. */
export function invitationLink(origin: string, { code, name }: Readonly<{ code: string; name: string }>): string {
  return `${origin}/#${new URLSearchParams({ code, name }).toString()}`;
}

export function placeOf({
  agent: _agent,
  x: _x,
  y: _y,
  z: _z,
  login_error: _error,
  payment: _payment,
  ...place
}: UrlState): Place {
  return place;
}

/** Another page drops the filters, but keeps the tab and the conversation of the panel. */
export function placeAfter(place: Place, change: Partial<Place>): Place {
  const other = change.view !== undefined && change.view !== place.view;
  return { ...(other ? { ...NOWHERE, tab: place.tab, chat: place.chat } : place), ...change };
}

function numberOf(text: string | null): number | null {
  if (text === null || text.trim() === '') return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

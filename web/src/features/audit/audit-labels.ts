import type { AuditRecord } from '@hamlet/contract';
import type { Place } from '../../client/url-state.ts';

/** The areas of the village, for narrowing; an action is `area.verb`. */
export const AREAS = [
  'ledger',
  'board',
  'run',
  'schedule',
  'agent',
  'entitlement',
  'credit',
  'reconciliation',
  'purchase',
  'auction',
  'account',
  'session',
  'turn',
] as const;

/** Since when, as people choose it. */
export const SINCE = [
  { key: 'hour', word: 'Last hour', lengthMs: 3_600_000 },
  { key: 'day', word: 'Last day', lengthMs: 86_400_000 },
  { key: 'week', word: 'Last week', lengthMs: 604_800_000 },
  { key: 'all', word: 'Always', lengthMs: null },
] as const;
type SinceKey = (typeof SINCE)[number]['key'];

/** What the audit is narrowed to; empty texts are not asked for. All of it is in the address. */
export interface AuditNarrowing {
  readonly words: string;
  readonly action: string;
  readonly actor: string;
  readonly object: string;
  readonly since: SinceKey;
  /** Whether what agents do every few seconds is among it. */ readonly turns: boolean;
}
export const EVERYTHING: AuditNarrowing = { words: '', action: '', actor: '', object: '', since: 'all', turns: false };

/** What the address says that the audit is narrowed to. */
export function narrowingOf({
  find,
  action,
  actor,
  object,
  since,
  turns,
}: Pick<Place, 'find' | 'action' | 'actor' | 'object' | 'since' | 'turns'>): AuditNarrowing {
  return {
    words: find ?? '',
    action: action ?? '',
    actor: actor ?? '',
    object: object ?? '',
    since: SINCE.find(({ key }) => key === since)?.key ?? 'all',
    turns,
  };
}

/** The address of a change of it. */
export function addressOf(change: Partial<AuditNarrowing>): Partial<Place> {
  const text = (value: string): string | null => (value === '' ? null : value);
  return {
    ...(change.words === undefined ? {} : { find: text(change.words) }),
    ...(change.action === undefined ? {} : { action: text(change.action) }),
    ...(change.actor === undefined ? {} : { actor: text(change.actor) }),
    ...(change.object === undefined ? {} : { object: text(change.object) }),
    ...(change.since === undefined ? {} : { since: change.since === 'all' ? null : change.since }),
    ...(change.turns === undefined ? {} : { turns: change.turns }),
  };
}

/**
 * The query of the api. `nowMs` is when the question was chosen: a list that is read on in pages must stay the same question, so "Last hour" begins an
 * hour before that and goes on with what happens.
 */
export function auditQuery(
  { words, action, actor, object, since, turns }: AuditNarrowing,
  nowMs: number,
): { q?: string; action?: string; except?: string; actor?: string; object?: string; since?: string } {
  const lengthMs = SINCE.find(({ key }) => key === since)?.lengthMs ?? null;
  const text = (value: string): string | undefined => (value.trim() === '' ? undefined : value.trim());
  const asked = {
    q: text(words),
    action: text(action),
    except: turns || action !== '' ? undefined : 'turn',
    actor: text(actor),
    object: text(object),
    since: lengthMs === null ? undefined : new Date(Math.floor((nowMs - lengthMs) / 60_000) * 60_000).toISOString(),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

/** The facts of a record, a line each: nested ones as JSON. */
export function detailLines({
  detail,
  request_id: requestId,
  traceparent,
}: Pick<AuditRecord, 'detail' | 'request_id' | 'traceparent'>): { readonly name: string; readonly value: string }[] {
  const facts =
    typeof detail === 'object' && detail !== null && !Array.isArray(detail)
      ? Object.entries(detail)
      : detail === null || detail === undefined
        ? []
        : [['detail', detail] as const];
  const more = [
    ['request', requestId],
    ['trace', traceparent],
  ] as const;
  return [...facts, ...more].flatMap(([name, value]) =>
    value === null || value === undefined || value === ''
      ? []
      : [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }],
  );
}

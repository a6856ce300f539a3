import { formatAiDollars, type AuditRecord } from '@hamlet/contract';
import type { Place } from '../../client/url-state.ts';
import { isJsonObject } from '../../client/json.ts';
import { moneyLabel } from '../../client/labels.ts';
import { toolLabel } from '../permissions/tool-labels.ts';
import { shortLine } from '../permissions/shown-arguments.ts';
import { visibleText } from '@hamlet/core/visible-text';

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
  'artifact',
  'models',
  'turn',
] as const;

export const SINCE = [
  { key: 'hour', word: 'Last hour', lengthMs: 3_600_000 },
  { key: 'day', word: 'Last day', lengthMs: 86_400_000 },
  { key: 'week', word: 'Last week', lengthMs: 604_800_000 },
  { key: 'all', word: 'All time', lengthMs: null },
] as const;
type SinceKey = (typeof SINCE)[number]['key'];

/** The filters of the audit; an empty text does not filter. The address of the page holds them all. */
export interface AuditFilters {
  readonly words: string;
  readonly action: string;
  readonly actor: string;
  readonly object: string;
  readonly since: SinceKey;
  /** True to include the turns and model calls of agents and their bookings, of which there are many. */
  readonly turns: boolean;
}
export const NO_FILTERS: AuditFilters = { words: '', action: '', actor: '', object: '', since: 'all', turns: false };

type AuditPlace = Pick<Place, 'find' | 'action' | 'actor' | 'object' | 'since' | 'turns'>;

export function filtersOf({ find, action, actor, object, since, turns }: AuditPlace): AuditFilters {
  return {
    words: find ?? '',
    action: action ?? '',
    actor: actor ?? '',
    object: object ?? '',
    since: SINCE.find(({ key }) => key === since)?.key ?? 'all',
    turns,
  };
}

const FREQUENT = 'turn,models.call,ledger.usage';

export function addressOf({ words, since, turns, ...texts }: Partial<AuditFilters>): Partial<Place> {
  const changed = Object.entries({ find: words, ...texts, since: since === 'all' ? '' : since });
  return {
    ...Object.fromEntries(changed.flatMap(([key, text]) => (text === undefined ? [] : [[key, text || null]]))),
    ...(turns === undefined ? {} : { turns }),
  };
}

/** `nowMs` is the time when the person chose the period: all pages of a list need the same query. */
export function auditQuery(
  { words, action, actor, object, since, turns }: AuditFilters,
  nowMs: number,
): { q?: string; action?: string; except?: string; actor?: string; object?: string; since?: string } {
  const lengthMs = SINCE.find(({ key }) => key === since)?.lengthMs ?? null;
  const text = (value: string): string | undefined => (value.trim() === '' ? undefined : value.trim());
  const asked = {
    q: text(words),
    action: text(action),
    except: turns || action !== '' ? undefined : FREQUENT,
    actor: text(actor),
    object: text(object),
    since: lengthMs === null ? undefined : new Date(Math.floor((nowMs - lengthMs) / 60_000) * 60_000).toISOString(),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

export function detailLines({
  detail,
  request_id: requestId,
  traceparent,
}: Pick<AuditRecord, 'detail' | 'request_id' | 'traceparent'>): { readonly name: string; readonly value: string }[] {
  const facts = isJsonObject(detail)
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

const FACTS = ['reason', 'note', 'title', 'name', 'role', 'state', 'outcome'] as const;

/** A record in a few words beyond its act: the tool of a call, an amount, a reason, a name; empty if it has none. */
export function factOf({ detail }: Pick<AuditRecord, 'detail'>): string {
  if (!isJsonObject(detail)) return '';
  const { tool, outcome, claimed } = detail;
  if (typeof tool === 'string') {
    const end = outcome === 'ok' || typeof outcome !== 'string' ? '' : `: ${visibleText(outcome)}`;
    return `${toolLabel(tool).word}${end}${claimed === true ? ' (claimed)' : ''}`;
  }
  const text = FACTS.map((key) => detail[key]).find((value) => typeof value === 'string' && value !== '');
  const words = typeof text === 'string' ? visibleText(shortLine(text)) : '';
  return [amountIn(detail), words].filter((part) => part !== '').join(': ');
}

/** The amount of a record: of an act in aiDollars, of a transfer in millionths of them. */
function amountIn({ amount, amount_micro: micro }: Readonly<Record<string, unknown>>): string {
  if (typeof micro === 'string' && /^[0-9]+$/.test(micro)) return moneyLabel(formatAiDollars(BigInt(micro)));
  return typeof amount === 'string' ? moneyLabel(amount) : '';
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The page that shows the object of a record, or the run that it belongs to; null if there is none. */
export function pageOf({
  action,
  object,
  detail,
}: Pick<AuditRecord, 'action' | 'object' | 'detail'>): Partial<Place> | null {
  const run = action.startsWith('run.') && UUID.test(object) ? object : isJsonObject(detail) ? detail['run_id'] : null;
  if (typeof run === 'string' && UUID.test(run)) return { view: 'runs', run };
  return UUID.test(object) && (action === 'board.post' || action === 'board.revise')
    ? { view: 'board', post: object }
    : null;
}

/** The title of an object with an id, else the end of the id, where ids of one time differ; other text stays. */
export function objectLabel({ object, detail }: Pick<AuditRecord, 'object' | 'detail'>): string {
  if (!UUID.test(object)) return object;
  const title = isJsonObject(detail) ? detail['title'] : undefined;
  return typeof title === 'string' && title !== '' ? visibleText(shortLine(title)) : `…${object.slice(-8)}`;
}

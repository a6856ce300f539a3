import { type AuditRecord, formatAiDollars, type LedgerEntry } from '@hamlet/contract';
import { type Field, openRecord, SEALED_KINDS, type SealedRecord, sidesOf } from '@hamlet/core';
import { compareText } from '@hamlet/core/compare-text';
import { isJsonObject } from '../../client/json.ts';

export type Shown =
  | { readonly kind: 'entry'; readonly entry: LedgerEntry }
  | { readonly kind: 'record'; readonly record: AuditRecord };

type Difference = Readonly<{ field: string; shown: string; sealed: string }>;

export function recordIdOf(shown: Shown): string {
  return shown.kind === 'entry' ? shown.entry.ledger_entry_id : shown.record.record_id;
}

/** The positions of the fields in a leaf, in the order of the database view from which the log is sealed. */
const LEDGER = {
  reason: 5,
  amount: 6,
  source: 17,
  note: 18,
  createdAt: 20,
  actorRole: 21,
  actorId: 22,
  relatedPost: 24,
} as const;
const ACT = {
  at: 3,
  actorRole: 4,
  actorId: 5,
  action: 6,
  object: 7,
  detail: 8,
  requestId: 10,
  traceparent: 11,
} as const;

type Fact = readonly [field: string, shown: unknown, sealed: unknown];

/** The differences between the page and the leaf; null if the leaf is not a readable record. */
export function differencesOf(shown: Shown, leaf: Uint8Array): Difference[] | null {
  try {
    return factsOf(shown, openRecord(leaf))
      .filter(([, mine, theirs]) => textOf(mine) !== textOf(theirs))
      .map(([field, mine, theirs]) => ({ field, shown: textOf(mine), sealed: textOf(theirs) }));
  } catch {
    return null;
  }
}

/** True if the leaf has only the hash of long details, which the page does not compare. */
export function isSealedByHash(shown: Shown, leaf: Uint8Array): boolean {
  try {
    return shown.kind === 'record' && shown.record.kind === 'act' && openRecord(leaf).field(ACT.detail) === null;
  } catch {
    return false;
  }
}

function factsOf(shown: Shown, sealed: SealedRecord): Fact[] {
  const id: Fact = ['id', recordIdOf(shown), sealed.field(2)];
  if (shown.kind === 'entry')
    return [['kind', SEALED_KINDS.ledger, sealed.field(0)], id, ...entryFacts(shown.entry, sealed)];
  const { record } = shown;
  if (sealed.field(0) !== SEALED_KINDS[record.kind]) return [['kind', SEALED_KINDS[record.kind], sealed.field(0)], id];
  return [id, ...(record.kind === 'act' ? actFacts(record, sealed) : moneyFacts(record, sealed))];
}

function entryFacts(entry: LedgerEntry, sealed: SealedRecord): Fact[] {
  const side = sidesOf(sealed)?.find(({ owner }) => owner === `agent/${entry.agent_id}`);
  return [
    ['agent', entry.agent_id, side === undefined ? null : entry.agent_id],
    ['amount', entry.amount, side === undefined ? null : formatAiDollars(side.amount)],
    [
      'balance after it',
      entry.balance_after,
      side === undefined || side.balanceAfter === null ? null : formatAiDollars(side.balanceAfter),
    ],
    ['number', entry.version, side === undefined ? null : side.version],
    ['reason', entry.reason, sealed.field(LEDGER.reason)],
    ['source', entry.source, sealed.field(LEDGER.source)],
    ['note', entry.note, sealed.field(LEDGER.note)],
    ['post', entry.related_post_id, sealed.field(LEDGER.relatedPost)],
    ['time', momentOf(entry.timestamp), sealedMoment(sealed.field(LEDGER.createdAt))],
  ];
}

function moneyFacts(record: AuditRecord, sealed: SealedRecord): Fact[] {
  const detail: Readonly<Record<string, unknown>> =
    typeof record.detail === 'object' && record.detail !== null ? { ...record.detail } : {};
  const [payer, payee] = sidesOf(sealed) ?? [];
  return [
    [
      'actor',
      `${record.actor_role} ${record.actor_id}`,
      `${textOf(sealed.field(LEDGER.actorRole))} ${textOf(sealed.field(LEDGER.actorId))}`,
    ],
    ['action', record.action, `ledger.${textOf(sealed.field(LEDGER.reason))}`],
    ['amount_micro', detail['amount_micro'], sealed.field(LEDGER.amount)],
    ['from', detail['from'], bookOf(payer?.owner)],
    ['to', detail['to'], bookOf(payee?.owner)],
    ['source', detail['source'], sealed.field(LEDGER.source)],
    ['note', detail['note'], sealed.field(LEDGER.note)],
  ];
}

function actFacts(record: AuditRecord, sealed: SealedRecord): Fact[] {
  const detail = sealed.field(ACT.detail);
  return [
    ['time', momentOf(record.at), sealedMoment(sealed.field(ACT.at))],
    [
      'actor',
      `${record.actor_role} ${record.actor_id}`,
      `${textOf(sealed.field(ACT.actorRole))} ${textOf(sealed.field(ACT.actorId))}`,
    ],
    ['action', record.action, sealed.field(ACT.action)],
    ['object', record.object, sealed.field(ACT.object)],
    ['request', record.request_id, sealed.field(ACT.requestId)],
    ['trace', record.traceparent, sealed.field(ACT.traceparent)],
    ...(detail === null ? [] : [['details', inOrder(record.detail), inOrder(JSON.parse(textOf(detail)))] as const]),
  ];
}

/** The owner as the audit shows it: `treasury` for `treasury/`. */
const bookOf = (owner: string | undefined): string | undefined => owner?.replace(/\/$/, '');

/** JSON with sorted keys, so that equal facts give equal text. */
function inOrder(value: unknown): string {
  const sorted = (_key: string, inner: unknown): unknown =>
    isJsonObject(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([left], [right]) => compareText(left, right)))
      : inner;
  return JSON.stringify(value, sorted);
}

/** An instant to the microsecond, from a text with any number of decimal places. */
function momentOf(moment: string): string {
  const [, whole = '', places = ''] = /^(.*?)(?:\.([0-9]+))?Z$/.exec(moment) ?? [];
  return `${whole}.${places.padEnd(6, '0')}Z`;
}

/** An instant from a leaf: Unix seconds with six decimal places. */
function sealedMoment(field: Field): string {
  const [seconds = '', places = ''] = String(field).split('.');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${places}Z`;
}

const textOf = (value: unknown): string => (value === null || value === undefined ? 'nothing' : String(value));

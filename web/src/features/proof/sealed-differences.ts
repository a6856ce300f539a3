import { type AuditRecord, formatAiDollars, type LedgerEntry } from '@hamlet/contract';
import { type Field, openRecord, SEALED_KINDS, type SealedRecord, sidesOf } from '@hamlet/core';

/** What a person sees and wants proven. */
export type Shown =
  | { readonly kind: 'entry'; readonly entry: LedgerEntry }
  | { readonly kind: 'record'; readonly record: AuditRecord };

/** Something that is shown otherwise than it was sealed. */
export interface Difference {
  readonly what: string;
  readonly shown: string;
  readonly sealed: string;
}

export function recordIdOf(shown: Shown): string {
  return shown.kind === 'entry' ? shown.entry.ledger_entry_id : shown.record.record_id;
}

/** Where the fields of a leaf stand, by the view that they are sealed from. */
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

type Fact = readonly [what: string, shown: unknown, sealed: unknown];

/** How what is shown differs from what was sealed; null where the leaf is no record, and so nothing can be said. */
export function differencesOf(shown: Shown, leaf: Uint8Array): Difference[] | null {
  try {
    return factsOf(shown, openRecord(leaf))
      .filter(([, mine, theirs]) => textOf(mine) !== textOf(theirs))
      .map(([what, mine, theirs]) => ({ what, shown: textOf(mine), sealed: textOf(theirs) }));
  } catch {
    return null;
  }
}

/** Whether the details of a record are too long to be sealed in words: they are there by their hash, and are not compared. */
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

/** `treasury/` as it is shown: `treasury`. */
function bookOf(owner: string | undefined): string | undefined {
  return owner?.replace(/\/$/, '');
}

/** JSON whose keys stand in one order, so that the same facts are the same text. */
function inOrder(value: unknown): string {
  const sorted = (_key: string, inner: unknown): unknown =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : inner;
  return JSON.stringify(value, sorted);
}

/** A moment to the microsecond, however many places it was written with. */
function momentOf(moment: string): string {
  const [, whole = '', places = ''] = /^(.*?)(?:\.([0-9]+))?Z$/.exec(moment) ?? [];
  return `${whole}.${places.padEnd(6, '0')}Z`;
}

/** Unix seconds with six places, as a leaf has them. */
function sealedMoment(field: Field): string {
  const [seconds = '', places = ''] = String(field).split('.');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, 19)}.${places}Z`;
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? 'nothing' : String(value);
}

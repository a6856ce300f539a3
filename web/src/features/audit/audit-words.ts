import type { AuditRecord } from '@hamlet/contract'

/** The areas of the village, for narrowing; an action is `area.verb`. */
export const AREAS = ['ledger', 'board', 'standing', 'agent', 'run', 'schedule', 'account', 'entitlement', 'economy', 'payments', 'trade', 'auction', 'model'] as const

/** Since when, as people choose it. */
export const SINCE = [{ key: 'hour', word: 'Last hour', lengthMs: 3_600_000 }, { key: 'day', word: 'Last day', lengthMs: 86_400_000 }, { key: 'week', word: 'Last week', lengthMs: 604_800_000 }, { key: 'all', word: 'Always', lengthMs: null }] as const
export type SinceKey = (typeof SINCE)[number]['key']

/** What the audit is narrowed to; empty texts are not asked for. */
export interface AuditNarrowing { readonly words: string; readonly action: string; readonly actor: string; readonly object: string; readonly since: SinceKey }
export const EVERYTHING: AuditNarrowing = { words: '', action: '', actor: '', object: '', since: 'all' }

/** The query of the api. The moment is kept to the minute, so that the same question stays the same. */
export function auditQuery({ words, action, actor, object, since }: AuditNarrowing, nowMs: number): { q?: string; action?: string; actor?: string; object?: string; since?: string } {
  const lengthMs = SINCE.find(({ key }) => key === since)?.lengthMs ?? null
  const text = (value: string): string | undefined => (value.trim() === '' ? undefined : value.trim())
  const asked = { q: text(words), action: text(action), actor: text(actor), object: text(object), since: lengthMs === null ? undefined : new Date(Math.floor((nowMs - lengthMs) / 60_000) * 60_000).toISOString() }
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined))
}

/** The facts of a record, a line each: nested ones as JSON. */
export function detailLines({ detail, request_id: requestId, traceparent }: Pick<AuditRecord, 'detail' | 'request_id' | 'traceparent'>): { readonly name: string; readonly value: string }[] {
  const facts = typeof detail === 'object' && detail !== null && !Array.isArray(detail) ? Object.entries(detail) : detail === null || detail === undefined ? [] : [['detail', detail] as const]
  const more = [['request', requestId], ['trace', traceparent]] as const
  return [...facts, ...more].flatMap(([name, value]) => (value === null || value === undefined || value === '' ? [] : [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }]))
}

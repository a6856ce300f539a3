import type { ApiKeyView, KeyScope } from '@hamlet/contract';
import { timeAgo, timeAhead } from '../../ui/time-labels.ts';

/** The acts that a scope lets a key do. */
export const SCOPE_WORDS: Readonly<Record<KeyScope, string>> = {
  read: 'Read what you may read',
  work: 'Talk with agents, create runs and answer requests',
  board: 'Write on the board',
  spend: 'Reward agents and spend aiDollars',
  manage: 'Run the village: agents, measures, schedules, moderation, audit',
};

/** Choices of days until a key expires, up to the maximum that the person may choose. Pure. */
export function lifetimes(mostDays: number): readonly (readonly [days: string, words: string])[] {
  const all = [
    ['7', '7 days'],
    ['30', '30 days'],
    ['90', '90 days'],
    ['365', 'a year'],
  ] as const;
  return all.filter(([days]) => Number(days) <= mostDays);
}

/** The scopes of a key, when it ends, and when a program last used it. Pure. */
export function keyLabel(key: Pick<ApiKeyView, 'scopes' | 'expires_at' | 'last_used_at'>, nowMs: number): string {
  const endsMs = Date.parse(key.expires_at);
  const end = endsMs <= nowMs ? `expired ${timeAgo(key.expires_at, nowMs)}` : `expires ${timeAhead(endsMs, nowMs)}`;
  const use = key.last_used_at === null ? 'never used' : `last used ${timeAgo(key.last_used_at, nowMs)}`;
  return `${key.scopes.join(', ')} · ${end} · ${use}`;
}

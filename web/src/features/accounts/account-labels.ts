import type { AccountDetail, Session, SignInBy } from '@hamlet/contract';
import { shorten } from '@hamlet/core';
import type { Tone } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';

/** `banned` comes before `disabled`, and `disabled` before an unused invitation. */
export function accountState({
  ban,
  disabled_at: disabled,
  pending,
}: Pick<AccountDetail, 'ban' | 'disabled_at' | 'pending'>): { readonly word: string; readonly tone: Tone } {
  if (ban !== null) return { word: 'Banned', tone: 'bad' };
  if (disabled !== null) return { word: 'Disabled', tone: 'sleep' };
  return pending ? { word: 'Invited', tone: 'waiting' } : { word: 'Active', tone: 'good' };
}

/** The time when the account was last seen: `online`, `3 h ago`; `not seen lately` if it is unknown. */
export function seenLabel(
  { last_seen_at: seen, sessions }: Pick<AccountDetail, 'last_seen_at' | 'sessions'>,
  nowMs: number,
): string {
  if (seen === null) return 'not seen lately';
  return sessions > 0 && nowMs - Date.parse(seen) < 120_000 ? 'online' : timeAgo(seen, nowMs);
}

const counted = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;

/** The ways by which an account acts: `2 sessions, 1 key, 1 messenger`; without keys and messengers if it has none. */
export function accessLabel({
  sessions,
  keys,
  messengers,
}: Pick<AccountDetail, 'sessions' | 'keys' | 'messengers'>): string {
  const more = [
    ...(keys === 0 ? [] : [counted(keys, 'key')]),
    ...(messengers === 0 ? [] : [counted(messengers, 'messenger')]),
  ];
  return [counted(sessions, 'session'), ...more].join(', ');
}

const BY_LABELS: Readonly<Record<SignInBy, string>> = {
  password: 'by password',
  code: 'by a one-time code',
  oidc: 'by the identity provider',
  bootstrap: 'as the first admin',
};
const BROWSERS: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

/** Browser and system of a session: `Firefox on Linux`; the user agent unchanged if they are unknown. */
export function deviceLabel(userAgent: string | null): string {
  if (userAgent === null || userAgent === '') return 'Unknown device';
  const browser = BROWSERS.find(([pattern]) => pattern.test(userAgent))?.[1];
  const system = SYSTEMS.find(([pattern]) => pattern.test(userAgent))?.[1];
  if (browser === undefined) return shorten(userAgent, 40);
  return system === undefined ? browser : `${browser} on ${system}`;
}

export function sessionLabel(
  { signed_in_by: by, address, seen_at: seen }: Pick<Session, 'signed_in_by' | 'address' | 'seen_at'>,
  nowMs: number,
): string {
  return `${BY_LABELS[by]}${address === null ? '' : `, from ${address}`}, seen ${timeAgo(seen, nowMs)}`;
}

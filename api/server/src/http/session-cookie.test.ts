import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  attemptCookie,
  attemptOf,
  endedAttemptCookie,
  endedSessionCookie,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  sessionCookie,
  sessionOf,
} from './session-cookie.ts';

const DAY_MS = 86_400_000;

test('a session ends after a week, or after a day without use', () => {
  assert.deepEqual([SESSION_MAX_MS, SESSION_IDLE_MS], [7 * DAY_MS, DAY_MS]);
});

test('the API reads the session only from the cookie with the exact name', () => {
  const cases: readonly (readonly [string | undefined, string | null])[] = [
    [undefined, null],
    ['', null],
    ['__Host-hamlet_session=abc', 'abc'],
    ['theme=dark; __Host-hamlet_session=abc; other=1', 'abc'],
    ['hamlet_session=abc', null],
    ['__Host-hamlet_sign_in=abc', null],
    ['__Host-hamlet_session', null],
    ['__Host-hamlet_session=', null],
    ['abc=__Host-hamlet_session', null],
    ['theme=dark', null],
    ['__Host-hamlet_session=; __Host-hamlet_session=abc', 'abc'],
    ['__Host-hamlet_session=first; __Host-hamlet_session=second', 'first'],
  ];
  for (const [header, id] of cases) assert.equal(sessionOf(header), id, header ?? 'no header');
});

test('scripts, other hosts and plain http cannot read a cookie; it expires with its session or sign-in', () => {
  assert.equal(
    sessionCookie('abc'),
    '__Host-hamlet_session=abc; Path=/; Max-Age=604800; Secure; HttpOnly; SameSite=Lax',
  );
  assert.equal(
    attemptCookie('abc', 600_000),
    '__Host-hamlet_sign_in=abc; Path=/; Max-Age=600; Secure; HttpOnly; SameSite=Lax',
  );
  for (const ended of [endedSessionCookie(), endedAttemptCookie()])
    assert.match(ended, /^__Host-hamlet_\w+=; Path=\/; Max-Age=0; /);
  assert.equal(attemptOf(attemptCookie('abc', 1).split(';')[0]), 'abc');
  assert.equal(attemptOf(sessionCookie('abc').split(';')[0]), null);
});

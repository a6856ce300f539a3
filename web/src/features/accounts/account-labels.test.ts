import assert from 'node:assert/strict';
import { test } from 'node:test';
import { accessLabel, accountState, deviceLabel, seenLabel, sessionLabel } from './account-labels.ts';

const NOW = Date.parse('2026-11-22T10:00:00Z');
const ban = {
  reason: 'insults',
  by: { role: 'admin', id: 'account a' },
  since: '2026-11-22T09:00:00.000Z',
  expires_at: null,
};

test('a ban takes precedence over every other state of an account', () => {
  const none = { ban: null, disabled_at: null, pending: false };
  assert.deepEqual(
    [
      accountState({ ...none, ban, disabled_at: ban.since, pending: true }),
      accountState({ ...none, disabled_at: ban.since, pending: true }),
      accountState({ ...none, pending: true }),
      accountState(none),
    ].map(({ word }) => word),
    ['Banned', 'Disabled', 'Invited', 'Active'],
  );
});

test('the label of an account distinguishes presence now from an earlier one', () => {
  assert.equal(seenLabel({ last_seen_at: '2026-11-22T09:59:00.000Z', sessions: 1 }, NOW), 'online');
  assert.equal(seenLabel({ last_seen_at: '2026-11-22T07:00:00.000Z', sessions: 0 }, NOW), '3 h ago');
  assert.equal(seenLabel({ last_seen_at: null, sessions: 0 }, NOW), 'not seen lately');
});

test('the label of a session names browser and system', () => {
  assert.equal(
    deviceLabel(
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36',
    ),
    'Chrome on Linux',
  );
  assert.equal(
    deviceLabel(
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile Safari/604.1',
    ),
    'Safari on iOS',
  );
  assert.equal(deviceLabel('curl/8.1'), 'curl/8.1');
  assert.equal(deviceLabel(null), 'Unknown device');
  assert.equal(
    sessionLabel({ signed_in_by: 'code', address: '10.0.0.7', seen_at: '2026-11-22T09:50:00.000Z' }, NOW),
    'by a one-time code, from 10.0.0.7, seen 10 min ago',
  );
});

test('an account shows its sessions, and its keys and messengers if it has any', () => {
  assert.equal(accessLabel({ sessions: 1, keys: 0, messengers: 0 }), '1 session');
  assert.equal(accessLabel({ sessions: 2, keys: 1, messengers: 3 }), '2 sessions, 1 key, 3 messengers');
});

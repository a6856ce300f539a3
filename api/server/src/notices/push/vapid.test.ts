import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { test } from 'node:test';
import { readVapid } from './testing/read-vapid.ts';
import { readVapidKey, vapidHeader } from './vapid.ts';

/** The example of RFC 8292, section 2.4. */
const HEADER =
  'vapid t=eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1' +
  'YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29tIn0.i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHz' +
  'voD1oA, k=BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs';
const EXPIRES_S = 1_453_523_768;

const pemOf = (curve: string): string =>
  generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'sec1', format: 'pem' }).toString();

test('the header has the form and claims of the example of RFC 8292, and a signature that holds', () => {
  const key = readVapidKey(pemOf('prime256v1'));
  const endpoint = new URL('https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV');
  const nowMs = (EXPIRES_S - 12 * 3_600) * 1_000;
  const header = vapidHeader(key, { endpoint, contact: 'mailto:push@example.com', nowMs });
  const signedIn = (text: string): string => text.slice(0, text.lastIndexOf('.'));
  assert.equal(signedIn(header), signedIn(HEADER));
  assert.deepEqual(readVapid(header), { claims: readVapid(HEADER).claims, key: key.publicKey });
});

test('a key of another curve is refused', () => {
  assert.throws(() => readVapidKey(pemOf('secp384r1')), /P-256/);
});

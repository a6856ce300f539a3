import assert from 'node:assert/strict';
import { createDecipheriv, createECDH, hkdfSync, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { untilEnd } from '@hamlet/test/env/at-end';
import { routeTo } from '../../../egress/testing/route-to.ts';
import { testAuthority } from '../../../money/testing/test-authority.ts';
import { readVapid } from './read-vapid.ts';

export const PUSH_HOST = 'push.home';
/** A name with a private address. */
const INSIDE_HOST = 'inside.home';
const MAX_BODY_BYTES = 4_096;
const DAY_S = 86_400;

type Notification = Readonly<Record<string, unknown>>;

/** Decrypts a message as RFC 8291 and RFC 8188 say. */
function decrypt(message: Buffer, keys: ReturnType<typeof createECDH>, auth: Buffer): Notification {
  const [salt, recordSize, keyLength] = [message.subarray(0, 16), message.readUInt32BE(16), message[20]];
  assert.equal(keyLength, 65);
  const sender = message.subarray(21, 86);
  const record = message.subarray(86);
  assert.ok(recordSize >= record.length, 'one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), sender]);
  const secret = Buffer.from(hkdfSync('sha256', keys.computeSecret(sender), auth, info, 32));
  const derived = (label: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, salt, label, bytes));
  const nonce = derived('Content-Encoding: nonce\0', 12);
  const decipher = createDecipheriv('aes-128-gcm', derived('Content-Encoding: aes128gcm\0', 16), nonce);
  decipher.setAuthTag(record.subarray(-16));
  const text = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  assert.equal(text.at(-1), 2, 'the last record');
  return JSON.parse(text.subarray(0, -1).toString());
}

/** A browser that subscribed at the service. */
function newBrowser(host = PUSH_HOST) {
  const keys = createECDH('prime256v1');
  const p256dh = keys.generateKeys().toString('base64url');
  const auth = randomBytes(16);
  const path = `/send/${randomBytes(24).toString('base64url')}`;
  const subscription = { endpoint: `https://${host}${path}`, p256dh, auth: auth.toString('base64url') };
  return { path, subscription, open: (message: Buffer) => decrypt(message, keys, auth) };
}
export type TestBrowser = ReturnType<typeof newBrowser>;

/**
 * A push service on loopback that checks each request strictly: the token of the village, its headers, and that the message opens
 * with the keys of its browser. It answers `status`, and 404 for a browser that it does not know. `faults` is empty after a good test.
 */
export async function startPushService() {
  const authority = await testAuthority();
  const { chain: cert, key } = await authority.server([PUSH_HOST, INSIDE_HOST]);
  const browsers = new Map<string, TestBrowser>();
  const received: { readonly path: string; readonly shown: Notification }[] = [];
  const faults: unknown[] = [];
  const state = { status: 201, retryAfter: '', publicKey: '' };

  async function take(request: IncomingMessage): Promise<number> {
    const { headers, url: path = '', method } = request;
    assert.equal(method, 'POST');
    const { claims, key: signer } = readVapid(headers.authorization ?? '');
    assert.equal(signer, state.publicKey);
    assert.deepEqual([claims['aud'], claims['sub']], [`https://${headers.host}`, 'https://village.example']);
    const lifeS = Number(claims['exp']) - Date.now() / 1_000;
    assert.ok(lifeS > 0 && lifeS <= DAY_S, 'the token holds at most a day');
    assert.equal(headers['content-encoding'], 'aes128gcm');
    assert.match(headers.ttl?.toString() ?? '', /^\d+$/);
    assert.match(headers['topic']?.toString() ?? '', /^[\w-]{1,32}$/);
    const message = await buffer(request);
    if (message.length > MAX_BODY_BYTES) return 413;
    const browser = browsers.get(path);
    if (browser === undefined) return 404;
    const shown = browser.open(message);
    received.push({ path, shown });
    return state.status;
  }

  const server = createServer({ cert, key }, (request, response) => {
    take(request).then(
      (status) => {
        response.writeHead(status, state.retryAfter === '' ? {} : { 'retry-after': state.retryAfter }).end();
      },
      (error: unknown) => {
        faults.push(error);
        response.writeHead(403).end();
      },
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  untilEnd({
    remove: async () => {
      server.closeAllConnections();
      server.close();
      await authority.remove();
    },
  });
  return {
    route: routeTo(port, authority.root),
    received,
    faults,
    state,
    shownBy: ({ path }: TestBrowser) => received.filter((each) => each.path === path).map(({ shown }) => shown),
    browser: (host?: string): TestBrowser => {
      const made = newBrowser(host);
      browsers.set(made.path, made);
      return made;
    },
    /** Ends a subscription, as a person does in the settings of their browser. */
    forget: ({ path }: TestBrowser) => browsers.delete(path),
  };
}

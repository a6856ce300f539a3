/** Verification of notifications: signature, address of the certificate, certificate, and content. */
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { atEnd } from '@hamlet/test/env/at-end';
import { bodyOf, NOTIFICATIONS } from '../testing/notifications.ts';
import { ELSEWHERE, startPayPalStandIn, textThatIsSigned, WEBHOOK_ID } from '../testing/paypal-stand-in.ts';
import { testAuthority } from '../testing/test-authority.ts';
import { eventOf } from './paypal-wire.ts';
import { certificatePlace, PAYPAL_HOSTS } from './paypal-client.ts';
import { CallError, createHttpsCaller } from './https-call.ts';
import { isSigned, signedText } from './verify-deliveries.ts';
import { CertificateError, createSigningKeys, signingKey } from './signing-keys.ts';

const HOSTS = PAYPAL_HOSTS.sandbox;
const DAY_MS = 86_400_000;

const [standIn, stranger] = await Promise.all([startPayPalStandIn(), testAuthority()]);
const pem = await readFile(standIn.environment['HAMLET_PAYPAL_CA_FILE'] ?? '', 'utf8');
const roots: readonly X509Certificate[] = [new X509Certificate(pem)];
const { call, close } = createHttpsCaller({
  hosts: new Set([HOSTS.api, ...HOSTS.certificates]),
  proxyUrl: standIn.environment['HAMLET_PAYPAL_PROXY'] ?? null,
  roots: [pem],
});
atEnd(async () => {
  close();
  await Promise.all([standIn.close(), stranger.remove()]);
});

/** A notification of 2015 from the tests of PayPal's own libraries, and its signed text. */
const RECORDED = {
  transmissionId: 'dfb3be50-fd74-11e4-8bf3-77339302725b',
  transmissionTime: '2015-05-18T15:45:13Z',
  body: '{"id":"WH-0G2756385H040842W-5Y612302CV158622M","create_time":"2015-05-18T15:45:13Z","resource_type":"sale","event_type":"PAYMENT.SALE.COMPLETED","summary":"Payment completed for $ 20.0 USD","resource":{"id":"4EU7004268015634R","create_time":"2015-05-18T15:44:02Z","update_time":"2015-05-18T15:44:21Z","amount":{"total":"20.00","currency":"USD"},"payment_mode":"INSTANT_TRANSFER","state":"completed","protection_eligibility":"ELIGIBLE","protection_eligibility_type":"ITEM_NOT_RECEIVED_ELIGIBLE,UNAUTHORIZED_PAYMENT_ELIGIBLE","parent_payment":"PAY-86C81811X5228590KKVNARQQ","transaction_fee":{"value":"0.88","currency":"USD"},"links":[{"href":"https://api.sandbox.paypal.com/v1/payments/sale/4EU7004268015634R","rel":"self","method":"GET"},{"href":"https://api.sandbox.paypal.com/v1/payments/sale/4EU7004268015634R/refund","rel":"refund","method":"POST"},{"href":"https://api.sandbox.paypal.com/v1/payments/payment/PAY-86C81811X5228590KKVNARQQ","rel":"parent_payment","method":"GET"}]},"links":[{"href":"https://api.sandbox.paypal.com/v1/notifications/webhooks-events/WH-0G2756385H040842W-5Y612302CV158622M","rel":"self","method":"GET"},{"href":"https://api.sandbox.paypal.com/v1/notifications/webhooks-events/WH-0G2756385H040842W-5Y612302CV158622M/resend","rel":"resend","method":"POST"}]}',
};

test('the signed text equals that of a recorded notification: our webhook id, and the checksum as an unsigned decimal', () => {
  const raw = Buffer.from(RECORDED.body);
  const recorded = 'dfb3be50-fd74-11e4-8bf3-77339302725b|2015-05-18T15:45:13Z|4JH86294D6297924G|2771810304';
  assert.equal(signedText({ ...RECORDED, raw }, WEBHOOK_ID), recorded);
  assert.equal(
    textThatIsSigned(raw, { id: RECORDED.transmissionId, time: RECORDED.transmissionTime, webhookId: WEBHOOK_ID }),
    recorded,
    'the stand-in signs the same text',
  );
  assert.equal(eventOf(raw)?.eventType, 'PAYMENT.SALE.COMPLETED');
  assert.deepEqual(eventOf(raw)?.captureIds, [], 'the village does not accept this kind of payment');
});

test('a signature is valid only for the same bytes, webhook and transmission', async () => {
  const keyOf = createSigningKeys({ call, hosts: HOSTS, roots, now: () => new Date() });
  const key = await keyOf(standIn.certUrl('good'));
  assert.ok(key !== null);
  const body = bodyOf(NOTIFICATIONS.capture('COMPLETED', 'CAP1', { value: '1.0', customId: 'ada' }));
  const { headers } = standIn.sign(body);
  const parts = {
    transmissionId: headers['paypal-transmission-id'] ?? '',
    transmissionTime: headers['paypal-transmission-time'] ?? '',
    signature: headers['paypal-transmission-sig'] ?? '',
    raw: Buffer.from(body),
  };
  assert.equal(isSigned(parts, WEBHOOK_ID, key), true);
  assert.equal(
    isSigned({ ...parts, raw: Buffer.from(JSON.stringify(JSON.parse(body))) }, WEBHOOK_ID, key),
    false,
    'parsed and written again, 1.0 becomes 1',
  );
  assert.equal(isSigned(parts, 'another-webhook', key), false);
  assert.equal(isSigned({ ...parts, transmissionId: 'x' }, WEBHOOK_ID, key), false);
  assert.equal(isSigned({ ...parts, signature: 'AAAA' }, WEBHOOK_ID, key), false);
});

test("the API fetches certificates only from PayPal's hosts, and only by a plain https address", () => {
  const good = 'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77';
  assert.deepEqual(certificatePlace(good, HOSTS), {
    host: 'api.sandbox.paypal.com',
    path: '/v1/notifications/certs/CERT-360caa42-fca2a594-a5cafa77',
  });
  const bad = [
    'http://api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    `https://${ELSEWHERE}/v1/notifications/certs/CERT-1`,
    'https://api.sandbox.paypal.com@elsewhere.test/v1/notifications/certs/CERT-1',
    'https://user@api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.sandbox.paypal.com:8443/v1/notifications/certs/CERT-1',
    'https://api.sandbox.paypal.com:443/v1/notifications/certs/CERT-1',
    'https://api.paypal.com/v1/notifications/certs/CERT-1',
    'https://elsewhere.test/?api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.sandbox.paypal.com/v1/notifications/certs/',
    'https://api.sandbox.paypal.com/v1/notifications/certs/../../oauth2/token',
    'https://api.sandbox.paypal.com/v1/notifications/certs/a/b',
    'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1?x=1',
    'https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1#x',
    'https://API.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.sandbox.paypal.com./v1/notifications/certs/CERT-1',
    ' https://api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    'https:\\\\api.sandbox.paypal.com/v1/notifications/certs/CERT-1',
    'https://api.sandbox.pаypal.com/v1/notifications/certs/CERT-1',
    'file:///etc/passwd',
    '',
  ];
  for (const url of bad) assert.equal(certificatePlace(url, HOSTS), null, url);
});

test("a certificate needs PayPal's name, a valid period and a chain to a trusted root", async () => {
  const { body } = await call({ method: 'GET', host: HOSTS.api, path: '/v1/notifications/certs/CERT-good' });
  const pem = body.toString();
  const now = new Date();
  assert.equal(signingKey(pem, HOSTS.signer, { roots, now }).key.asymmetricKeyType, 'rsa');
  const refused: readonly [string, () => unknown][] = [
    ['before its time', () => signingKey(pem, HOSTS.signer, { roots, now: new Date(now.getTime() - 7 * DAY_MS) })],
    ['after its time', () => signingKey(pem, HOSTS.signer, { roots, now: new Date(now.getTime() + 7 * DAY_MS) })],
    ['another name', () => signingKey(pem, PAYPAL_HOSTS.live.signer, { roots, now })],
    ['another authority', () => signingKey(pem, HOSTS.signer, { roots: [new X509Certificate(stranger.root)], now })],
    ['no authority', () => signingKey(pem, HOSTS.signer, { roots: [], now })],
    [
      'a chain without its issuer',
      () => signingKey(pem.slice(0, pem.indexOf('-----END') + 25), HOSTS.signer, { roots, now }),
    ],
    [
      'the certificate of an authority',
      () => signingKey(stranger.root, 'a root for tests', { roots: [new X509Certificate(stranger.root)], now }),
    ],
    ['no certificate', () => signingKey('<html>an error page</html>', HOSTS.signer, { roots, now })],
    [
      'a broken certificate',
      () => signingKey('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----', HOSTS.signer, { roots, now }),
    ],
  ];
  for (const [why, work] of refused) assert.throws(work, CertificateError, why);
});

test('a valid certificate is fetched once and cached; an invalid answer is not cached', async () => {
  const path = '/v1/notifications/certs/CERT-good';
  const fetched = (): number => standIn.requests.filter((request) => request.endsWith(path)).length;
  const before = fetched();
  const keyOf = createSigningKeys({ call, hosts: HOSTS, roots, now: () => new Date() });
  standIn.detours.set(path, { times: 1, answer: (response) => response.end('<html>not now</html>') });
  await assert.rejects(keyOf(standIn.certUrl('good')), CertificateError);
  standIn.detours.set(path, {
    times: 1,
    answer: (response) =>
      response.writeHead(302, { location: `https://${ELSEWHERE}/v1/notifications/certs/CERT-good` }).end(),
  });
  await assert.rejects(keyOf(standIn.certUrl('good')), /answered with 302/);
  standIn.detours.set(path, { times: 1, answer: (response) => response.end('x'.repeat(70_000)) });
  await assert.rejects(keyOf(standIn.certUrl('good')), /too large/);
  await Promise.all([1, 2, 3, 4, 5].map(() => keyOf(standIn.certUrl('good'))));
  await keyOf(standIn.certUrl('good'));
  assert.equal(fetched() - before, 4);
  assert.equal(await keyOf(`https://${ELSEWHERE}/v1/notifications/certs/CERT-good`), null);
});

test('the caller refuses forbidden hosts and endless answers', async () => {
  await assert.rejects(call({ method: 'GET', host: ELSEWHERE, path: '/' }), CallError);
  standIn.detours.set('/endless', {
    times: 1,
    answer: (response) => {
      const more = (): void => {
        while (response.write('x'.repeat(65_536)));
        response.once('drain', more);
      };
      response.on('error', () => undefined);
      more();
    },
  });
  await assert.rejects(call({ method: 'GET', host: HOSTS.api, path: '/endless' }), /larger than/);
  assert.deepEqual(
    standIn.connects.filter(
      (target) => target !== 'api.sandbox.paypal.com:443' && target !== 'api-m.sandbox.paypal.com:443',
    ),
    [],
  );
});

test('the parser reads the payment of a notification and its change, and ignores invalid fields', () => {
  const said = (notice: Parameters<typeof bodyOf>[0]): ReturnType<typeof eventOf> =>
    eventOf(Buffer.from(bodyOf(notice)));
  const paid = { value: '12.50', customId: 'ada' };
  const completed = said(NOTIFICATIONS.capture('COMPLETED', 'CAP1', paid));
  assert.deepEqual(completed?.hint, { amount: '12500000', currency: 'USD', customId: 'ada' });
  assert.deepEqual([completed?.captureIds, completed?.taking], [['CAP1'], null]);
  assert.equal(said(NOTIFICATIONS.capture('PENDING', 'CAP1', paid))?.hint, null);
  assert.deepEqual(said(NOTIFICATIONS.refund('CAP1', 'REF1', '1.00'))?.taking, { kind: 'refund', takingId: 'REF1' });
  assert.deepEqual(said(NOTIFICATIONS.refund('CAP1', 'REF1', '1.00'))?.captureIds, ['CAP1']);
  assert.deepEqual(said(NOTIFICATIONS.reversal('CAP1', '1.00'))?.taking?.kind, 'reversal');
  assert.deepEqual(said(NOTIFICATIONS.dispute('CREATED', 'CAP1', 'PP-D-1'))?.captureIds, ['CAP1']);
  const odd = {
    eventId: 'WH-1',
    type: 'PAYMENT.CAPTURE.COMPLETED',
    resource: { id: '../../v1/oauth2/token', amount: 5 },
  };
  assert.deepEqual(said(odd)?.captureIds, [], 'a path is not a valid id');
  for (const body of ['', 'null', '[]', '{}', '{"id":1}', '{"id":"WH-1"', '1.0'])
    assert.equal(eventOf(Buffer.from(body)), null, body);
  assert.equal(eventOf(Buffer.from([0xff, 0xfe, 0x00])), null);
});

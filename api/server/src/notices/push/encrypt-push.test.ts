import assert from 'node:assert/strict';
import { createECDH } from 'node:crypto';
import { test } from 'node:test';
import { areBrowserKeys, encryptPush } from './encrypt-push.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');
/** The example of RFC 8291, section 5 and appendix A. */
const BROWSER = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};
const MESSAGE =
  'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml' +
  'mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT' +
  'pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN';

test('a message is encrypted as in the example of RFC 8291', () => {
  const keys = createECDH('prime256v1');
  keys.setPrivateKey(bytes('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw'));
  const text = Buffer.from('When I grow up, I want to be a watermelon');
  const message = encryptPush(text, BROWSER, { keys, salt: bytes('DGv6ra1nlYgDCS1FRnbzlw') });
  assert.equal(message.toString('base64url'), MESSAGE);
});

test('keys that cannot encrypt are recognized', () => {
  assert.ok(areBrowserKeys(BROWSER));
  assert.ok(!areBrowserKeys({ ...BROWSER, p256dh: `BA${BROWSER.p256dh.slice(2, -1)}A` }), 'not a point of the curve');
  assert.ok(!areBrowserKeys({ ...BROWSER, p256dh: 'A'.repeat(87) }));
  assert.ok(!areBrowserKeys({ ...BROWSER, auth: BROWSER.auth.slice(0, -2) }));
});

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { KEY_BYTES, openText, reseal, sealText } from './envelope.ts';

const one = { id: 'one', bytes: randomBytes(KEY_BYTES) };
const two = { id: 'two', bytes: randomBytes(KEY_BYTES) };
const OWNER = { name: 'openai', agentId: null };
const TEXT = 'sk-0123456789abcdef';

test('a sealed text opens only with its key and owner, and is different each time', () => {
  const sealed = sealText(TEXT, OWNER, one);
  assert.equal(openText(sealed, OWNER, one), TEXT);
  assert.ok(!sealed.sealed.includes(TEXT));
  assert.notDeepEqual(sealText(TEXT, OWNER, one).sealed, sealed.sealed);
  assert.throws(() => openText(sealed, OWNER, two));
  assert.throws(() => openText(sealed, { ...OWNER, agentId: 'ada' }, one));
  assert.throws(() => openText(sealed, { ...OWNER, name: 'other' }, one));
});

test('changing any byte makes a sealed text invalid', () => {
  const sealed = sealText(TEXT, OWNER, one);
  for (const field of ['sealed', 'sealedDataKey'] as const)
    for (let at = 0; at < sealed[field].length; at += 1) {
      const changed = Buffer.from(sealed[field]);
      changed[at] = (changed[at] ?? 0) ^ 1;
      assert.throws(() => openText({ ...sealed, [field]: changed }, OWNER, one), `byte ${at} of ${field}`);
    }
});

test('after a rotation only the new key opens the text, and the sealed text is unchanged', () => {
  const sealed = sealText(TEXT, OWNER, one);
  const rotated = reseal(sealed, OWNER, { from: one, to: two });
  assert.equal(rotated.keyId, 'two');
  assert.equal(openText(rotated, OWNER, two), TEXT);
  assert.throws(() => openText(rotated, OWNER, one));
  assert.equal(rotated.sealed, sealed.sealed);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { EgressSecret } from './egress-secrets.ts';
import { KeptSecrets } from './kept-secrets.ts';

const secretOf = (name: string): EgressSecret => ({ value: `value of ${name}`, hosts: ['a.org'] });

function kept(answer: (name: string) => Promise<EgressSecret | null> = async (name) => secretOf(name)) {
  const reads: string[] = [];
  const clock = { nowMs: 0 };
  const from = {
    read: (name: string) => {
      reads.push(name);
      return answer(name);
    },
  };
  return { reads, clock, secrets: new KeptSecrets({ from, monotonicMs: () => clock.nowMs }) };
}

test('requests within a few seconds, even concurrent ones, share one read of a secret', async () => {
  const { reads, clock, secrets } = kept();
  assert.deepEqual(await Promise.all([secrets.read('a'), secrets.read('a')]), [secretOf('a'), secretOf('a')]);
  clock.nowMs = 4_999;
  await secrets.read('a');
  assert.deepEqual(reads, ['a']);
  clock.nowMs = 5_000;
  await secrets.read('a');
  assert.deepEqual(reads, ['a', 'a']);
});

test('a change of rules or measures clears the cache; failures are not cached', async () => {
  const { reads, secrets } = kept();
  await secrets.read('a');
  secrets.forget();
  await secrets.read('a');
  assert.equal(reads.length, 2);
  const broken = kept(() => Promise.reject(new Error('no answer')));
  await assert.rejects(broken.secrets.read('a'));
  await assert.rejects(broken.secrets.read('a'));
  assert.equal(broken.reads.length, 2);
});

test('the cache of secrets is limited and drops the oldest', async () => {
  const { reads, secrets } = kept();
  for (let index = 0; index <= 500; index += 1) await secrets.read(`s${index}`);
  await secrets.read('s500');
  assert.equal(reads.length, 501);
  await secrets.read('s0');
  assert.equal(reads.length, 502);
});

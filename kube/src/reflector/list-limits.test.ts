/** Limits of a list: a server that returns pages without end fills neither the memory nor the time of a process. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import { PODS, type KubeObject } from '../client/kube-object.ts';
import { FakeClock } from '../testing/fake-clock.ts';
import type { Recovery } from './recovery.ts';
import { Reflector, type WatchPort } from './reflector.ts';

const MAX_PAGES = 2_000;

/** A server whose list has this many pages, each with the same object; its watch stays open. */
function pagesOf(count: number): WatchPort & { readonly asked: (string | undefined)[] } {
  const asked: (string | undefined)[] = [];
  const item = { metadata: { name: 'a', namespace: 'n', uid: 'u', resourceVersion: '1' } } as const;
  return {
    asked,
    list: <T extends KubeObject>(_type: unknown, { query }: Parameters<WatchPort['list']>[1]) => {
      const page = Number(query?.['continue'] ?? 1);
      asked.push(query?.['continue'] === undefined ? undefined : String(page));
      const metadata = { resourceVersion: '5', ...(page < count ? { continue: String(page + 1) } : {}) };
      return Promise.resolve({ metadata, items: [item as unknown as T] });
    },
    watch: async function* watch(_type, { signal }) {
      await new Promise((_resolve, reject) =>
        signal?.aborted === true ? reject(new Error('stopped')) : signal?.addEventListener('abort', reject),
      );
      yield undefined;
    },
  };
}

function reflectorOf(client: WatchPort): { reflector: Reflector<KubeObject>; failures: [string, Recovery][] } {
  const failures: [string, Recovery][] = [];
  const reflector = new Reflector<KubeObject>({
    client,
    type: PODS,
    clock: new FakeClock(),
    random: () => 0,
    onFailure: (error, recovery) => failures.push([String(error), recovery]),
  });
  return { reflector, failures };
}

test('a list of 2,000 pages is read completely', async () => {
  const client = pagesOf(MAX_PAGES);
  const { reflector, failures } = reflectorOf(client);
  await reflector.start();
  assert.deepEqual([client.asked.length, reflector.cache.size, failures], [MAX_PAGES, 1, []]);
  await reflector.stop();
});

test('a list of more pages is aborted, reported and retried later', async () => {
  const client = pagesOf(MAX_PAGES + 1);
  const { reflector, failures } = reflectorOf(client);
  void reflector.start();
  await until('the failure', async () => failures.length === 1);
  assert.deepEqual(failures, [
    ['RangeError: the list of pods has more than 2000 pages', { action: 'resume', delayMs: 800, cause: 'protocol' }],
  ]);
  assert.deepEqual([client.asked.length, reflector.cache.size, reflector.problem], [MAX_PAGES, 0, 'not listed yet']);
  await reflector.stop();
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getVillageFreeze, type Hinted, listMyNeeds, listPermissions, listRuns } from '@hamlet/contract';
import type { Connection } from '../stream/live-socket.ts';
import { createStore } from '../store.ts';
import { followHints, hintedPace } from './hints.ts';

test('hints are read at once, then together after 5 s; a hidden page reads all of them when it is seen again', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 10_000 });
  const page = Object.assign(new EventTarget(), { hidden: false });
  Object.defineProperty(globalThis, 'document', { configurable: true, value: page });
  context.after(() => Reflect.deleteProperty(globalThis, 'document'));
  const names = [listMyNeeds, listPermissions, getVillageFreeze, listRuns].map(({ name }) => name);
  let read: string[] = [];
  let hint: (of: readonly Hinted[]) => void = () => undefined;
  followHints({
    board: { onHint: (listener) => (hint = listener) },
    queries: {
      invalidateQueries: async ({ predicate } = {}) => {
        read.push(...names.filter((name) => predicate?.({ queryKey: ['a1', name, {}] } as never)));
      },
    },
    agents: { hinted: () => read.push('agents') },
  });
  const readAfter = (ms: number): string[] => {
    read = [];
    context.mock.timers.tick(ms);
    return read;
  };
  hint(['needs']);
  assert.deepEqual(readAfter(0), [listMyNeeds.name, listPermissions.name]);
  hint(['freeze']);
  hint(['agents']);
  assert.deepEqual(readAfter(4_999), []);
  assert.deepEqual(readAfter(1), ['agents', getVillageFreeze.name]);
  page.hidden = true;
  hint(['freeze']);
  assert.deepEqual(readAfter(10_000), []);
  page.hidden = false;
  page.dispatchEvent(new Event('visibilitychange'));
  assert.deepEqual(readAfter(0), ['agents', listMyNeeds.name, listPermissions.name, getVillageFreeze.name]);
});

test('a page reads often while the connection of its hints is down', () => {
  const connection = createStore<Connection>('connecting');
  const pace = hintedPace({ connection }, 5_000);
  assert.equal(pace(), 5_000);
  connection.set(() => 'live');
  assert.equal(pace(), 30_000);
});

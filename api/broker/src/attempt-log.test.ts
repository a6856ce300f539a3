import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@hamlet/test/env/until';
import { AttemptLog } from './attempt-log.ts';
import { Unreadable, type Attempt, type AttemptEnd } from './village.ts';

const attempt = (id: string): Attempt => ({
  id,
  agent: 'ada',
  uid: 'u',
  cycle: 1,
  run: null,
  call: null,
  form: 'tunnel',
  host: 'a.org',
  port: 443,
  method: null,
  path: null,
  refused: null,
  at: 0,
});
const end = (id: string): AttemptEnd => ({
  id,
  address: null,
  status: null,
  sentBytes: 0,
  receivedBytes: 0,
  refused: null,
  durationMs: 0,
});
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('attempts that arrive while a group is sent form the next group, and each waits only for its own group', async () => {
  const groups: string[][] = [];
  const release: (() => void)[] = [];
  const log = new AttemptLog({
    begin: (attempts) => {
      groups.push(attempts.map(({ id }) => id));
      return new Promise((resolve) => release.push(resolve));
    },
    end: async () => undefined,
  });
  const settled: string[] = [];
  for (const id of ['a', 'b', 'c']) void log.begin(attempt(id)).then(() => settled.push(id));
  await turn();
  assert.deepEqual(groups, [['a']]);
  release[0]?.();
  await turn();
  assert.deepEqual([groups, settled], [[['a'], ['b', 'c']], ['a']]);
  release[1]?.();
  await turn();
  assert.deepEqual(settled, ['a', 'b', 'c']);
});

test('an attempt is refused while the API is down, and the next one is sent again', async () => {
  let isDown = true;
  const log = new AttemptLog({
    begin: async () => {
      if (isDown) throw new Error('down');
    },
    end: async () => undefined,
  });
  assert.equal((await log.begin(attempt('a')))?.code, 'egress_log_unavailable');
  isDown = false;
  assert.equal(await log.begin(attempt('b')), null);
});

test('a log that falls behind refuses instead of growing', async () => {
  const log = new AttemptLog({ begin: () => new Promise(() => undefined), end: async () => undefined });
  const refused: string[] = [];
  for (let at = 0; at < 5000; at += 1)
    void log.begin(attempt(String(at))).then((denial) => refused.push(denial?.code ?? 'kept'));
  await turn();
  assert.ok(refused.length > 2000);
  assert.deepEqual([...new Set(refused)], ['egress_log_unavailable']);
});

test('while the API is down the log drops the oldest ends, and counts them', async () => {
  const kept: string[] = [];
  const log = new AttemptLog({
    begin: async () => undefined,
    end: (ends) => {
      kept.push(...ends.map(({ id }) => id));
      return new Promise(() => undefined);
    },
  });
  for (let at = 0; at < 20_010; at += 1) log.end(end(String(at)));
  assert.equal(log.lostEnds, 10);
  assert.deepEqual(kept, ['0']);
});

test('a refusal is retried until the API stores it, and one agent cannot use up the queue', async () => {
  let isDown = true;
  const kept: string[] = [];
  const log = new AttemptLog({
    begin: async (attempts) => {
      if (isDown) throw new Error('down');
      kept.push(...attempts.map(({ id, uid, refused }) => `${uid} ${id} ${String(refused)}`));
    },
    end: async () => undefined,
  });
  for (let at = 0; at < 3000; at += 1) log.refuse({ ...attempt(String(at)), refused: 'egress_denied' });
  log.refuse({ ...attempt('x'), uid: 'other', refused: 'egress_denied' });
  await turn();
  isDown = false;
  await until('all are kept', async () => kept.length === 1001);
  assert.deepEqual([kept[0], kept.at(-1)], ['u 0 egress_denied', 'other x egress_denied']);
  log.refuse({ ...attempt('later'), refused: 'egress_denied' });
  await until('the share is free again', async () => kept.at(-1) === 'u later egress_denied');
});

test('an attempt whose request failed is recorded as refused, and ended in case the API stored it', async () => {
  const kept: Attempt[] = [];
  const ends: AttemptEnd[] = [];
  let failures = 1;
  const log = new AttemptLog({
    begin: async (attempts) => {
      failures -= 1;
      if (failures >= 0) throw new Error('the answer is lost');
      kept.push(...attempts);
    },
    end: async (ended) => void ends.push(...ended),
  });
  assert.equal((await log.begin(attempt('a')))?.code, 'egress_log_unavailable');
  await until('it is kept', async () => kept.length === 1 && ends.length === 1);
  assert.deepEqual(kept, [{ ...attempt('a'), refused: 'egress_log_unavailable' }]);
  assert.deepEqual(ends, [{ ...end('a'), refused: 'egress_log_unavailable' }]);
});

test('the log drops a fact that the API cannot read, and still delivers the others', async () => {
  const [kept, ended]: [string[], string[]] = [[], []];
  const take = (into: string[], facts: readonly { readonly id: string }[]): Promise<void> => {
    if (facts.some(({ id }) => id === 'odd')) return Promise.reject(new Unreadable('odd'));
    into.push(...facts.map(({ id }) => id));
    return Promise.resolve();
  };
  const log = new AttemptLog({ begin: (attempts) => take(kept, attempts), end: (ends) => take(ended, ends) });
  const ids = Array.from({ length: 300 }, (_, at) => (at === 150 ? 'odd' : String(at)));
  const known = ids.filter((id) => id !== 'odd');
  for (const id of ids) {
    log.refuse({ ...attempt(id), refused: 'egress_denied' });
    log.end(end(id));
  }
  await until('the others are kept', async () => kept.length === 299 && ended.length === 299);
  assert.deepEqual([kept, ended, log.lostEnds], [known, known, 1]);
  const begun = await Promise.all(ids.map(async (id) => [id, (await log.begin(attempt(id)))?.code]));
  const denied = begun.filter(([, code]) => code !== undefined);
  assert.deepEqual(denied, [['odd', 'egress_log_unavailable']], 'it does not go out, and takes no other with it');
  for (let at = 0; at < 1_000; at += 1) log.refuse({ ...attempt(`more ${at}`), refused: 'egress_denied' });
  await until('the share of its life is free again', async () => kept.includes('more 999'));
});

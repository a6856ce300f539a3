import assert from 'node:assert/strict';
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { z } from 'zod';
import { openMemory } from '../open-memory.ts';

const Plan = z.strictObject({ goal: z.string(), steps: z.array(z.string()).max(3) });
const plan = (goal: string): z.infer<typeof Plan> => ({ goal, steps: ['one'] });
const opened = <T>(dir: string, use: (memory: ReturnType<typeof openMemory>) => T): T => {
  const memory = openMemory({ dir, clock: () => 7 });
  try {
    return use(memory);
  } finally {
    memory.close();
  }
};

test('a write replaces the version that was read; another is a conflict, and what the schema refuses is not stored', () => {
  const dir = testFolder('state');
  opened(dir, (memory) => {
    const state = memory.state(Plan);
    assert.equal(state.read(), null);
    assert.deepEqual(state.write(plan('bake'), 0), { outcome: 'written', version: 1 });
    assert.deepEqual(state.write(plan('sleep'), 0), { outcome: 'conflict', version: 1 });
    assert.deepEqual(state.write(plan('sell'), 1), { outcome: 'written', version: 2 });
    const wrongs: readonly [ReturnType<typeof plan>, string][] = [
      [{ goal: 'x', steps: ['a', 'b', 'c', 'd'] }, 'invalid'],
      [plan('x'.repeat(300_000)), 'too_long'],
    ];
    for (const [wrong, reason] of wrongs) {
      const refused = state.write(wrong, 2);
      assert.equal(refused.outcome === 'refused' && refused.reason, reason);
    }
  });
  opened(dir, (memory) => assert.deepEqual(memory.state(Plan).read(), { version: 2, value: plan('sell'), at: 7 }));
});

test('a version that is damaged, or that the schema refuses, gives the previous one, and the next write replaces it', () => {
  const dir = testFolder('state');
  opened(dir, (memory) =>
    ['bake', 'sell', 'rest'].forEach((goal, version) => memory.state(Plan).write(plan(goal), version)),
  );
  const database = new DatabaseSync(join(dir, 'memory.db'));
  database.exec(`update state set value = '{"goal":"re' where version = 3`);
  database.exec(`update state set value = '{"goal":1,"steps":[]}' where version = 2`);
  database.close();
  opened(dir, (memory) => {
    const state = memory.state(Plan);
    assert.deepEqual(state.read(), { version: 3, value: plan('bake'), at: 7 });
    assert.deepEqual(state.write(plan('again'), 3), { outcome: 'written', version: 4 });
    assert.deepEqual(state.read()?.value, plan('again'));
  });
});

test('the state survives damage of other pages, three versions stay, and no search finds it', async () => {
  const dir = testFolder('state');
  const memory = openMemory({ dir });
  const state = memory.state(Plan);
  const goals = ['Quetzalcoatlus', 'two', 'three', 'four'];
  goals.forEach((goal, version) => state.write(plan(goal), version));
  await memory.remember(
    Array.from({ length: 200 }, (_, turn) => {
      const said = { kind: 'evidence', session: 's', turn, speaker: 'ana', audience: 'public' } as const;
      return { ...said, text: `Remark ${turn} about quinces and four of their kinds` };
    }),
  );
  assert.ok((await memory.search('four', { audience: 'keeper' })).every((hit) => hit.memory.text.startsWith('Remark')));
  memory.close();
  const whole = readdirSync(dir).filter((name) => readFileSync(join(dir, name)).includes('Quetzalcoatlus'));
  assert.deepEqual(whole, [], 'an older version leaves no bytes');
  const file = openSync(join(dir, 'memory.db'), 'r+');
  for (let page = 60; page < 70; page += 1) writeSync(file, Buffer.alloc(4_096, 0xab), 0, 4_096, page * 4_096);
  closeSync(file);
  const again = openMemory({ dir });
  await again.search('remark quinces kinds', { audience: 'keeper' });
  again.forget(
    again.list({ audience: 'keeper', limit: 1_000 }).memories.map(({ id }) => id),
    { audience: 'keeper' },
  );
  assert.deepEqual(again.state(Plan).read()?.value, plan('four'));
  again.close();
});

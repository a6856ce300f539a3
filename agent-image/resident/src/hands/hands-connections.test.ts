/** Reused connections to a real supervisor: restarts, ends, and pending requests. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { z } from 'zod';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { aHandsKit, useTool } from '../testing/a-hands-kit.ts';
import { connectionsTo } from './hands-connections.ts';

const hands = untilEnd(await startHands());

test('the next use reuses the last connection, and a parallel use gets its own', async () => {
  const connections = connectionsTo(hands.socket);
  const first = await connections.take();
  const beside = await connections.take();
  assert.notEqual(beside, first);
  connections.give(first);
  connections.give(beside);
  assert.equal(await connections.take(), first);
  await assert.rejects(beside.ask('list', {}, z.unknown()), { code: 'hands_lost' });
  first.close();
});

test('a connection with a pending request is not reused', async () => {
  const connections = connectionsTo(hands.socket);
  const first = await connections.take();
  await first.ask('exec', { process: 'slow', argv: ['sleep', '600'] }, z.unknown());
  const waiting = assert.rejects(first.ask('wait', { process: 'slow', timeoutMs: 60_000 }, z.unknown()), {
    code: 'hands_lost',
  });
  connections.give(first);
  await waiting;
  const second = await connections.take();
  assert.notEqual(second, first);
  await second.ask('kill', { process: 'slow', graceMs: 0 }, z.unknown());
  second.close();
});

test('100 parallel calls all succeed: those beyond the limit wait', async () => {
  writeFileSync(join(hands.workspace, 'a.txt'), 'hello\n');
  const use = useTool(aHandsKit(hands));
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => use('read_file', { path: 'a.txt' })));
  assert.deepEqual(new Set(outcomes.map((outcome) => outcome.kind)), new Set(['ok']));
});

test('an idle connection does not keep the process alive', () => {
  const script = `import { connectionsTo } from '${join(import.meta.dirname, 'hands-connections.ts')}';
    const connections = connectionsTo('${hands.socket}');
    connections.give(await connections.take());`;
  execFileSync(process.execPath, ['--input-type=module', '-e', script], { timeout: 30_000 });
});

test('the next call detects hands that have restarted or ended', async () => {
  const first = await startHands();
  const boots: string[] = [];
  const begin = async (_context: unknown, { boot }: { readonly boot: string }) => {
    boots.push(boot);
    return { kind: 'begun' } as const;
  };
  const kit = aHandsKit(first);
  const use = useTool({ ...kit, calls: { ...kit.calls, begin } });
  const file = join(first.workspace, 'ran');
  assert.equal((await use('shell', { command: 'echo one' })).kind, 'ok');
  assert.equal((await use('shell', { command: 'echo two' })).kind, 'ok');
  assert.equal(boots[0], boots[1]);
  await first.restart();
  assert.equal((await use('shell', { command: `echo three >${file}` })).kind, 'ok');
  assert.ok(existsSync(file));
  assert.notEqual(boots[2], boots[1]);
  await first.kill();
  assert.equal((await use('shell', { command: 'echo four' })).kind, 'unavailable');
  assert.equal(boots.length, 3, 'a call that cannot reach the hands is not begun');
  await first.remove();
});

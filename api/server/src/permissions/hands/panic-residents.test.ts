/**
 * The panic button stops a run whose calls fail without improvement, after its agent has reported. A resident's process, a real supervisor, real programs and the
 * API; only the model is scripted.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { PANIC_WARNINGS, PANICS, type PanicCode, type Run } from '@hamlet/contract';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { askFor, startCallMind } from '../../runs/testing/call-mind.ts';
import { payForModels, startHandsVillage } from '../../testing/hands-village.ts';
import { SessionPlay } from '../../testing/play/session-play.ts';
import { DENIALS } from '../call-outcomes.ts';
import { testResidents } from '../../testing/resident-process.ts';

/** A server of another person, which denies access and never answers at /silent. */
const server = createServer((request, response) => {
  if (request.url === '/denied') response.writeHead(403).end();
});

server.listen(0, '127.0.0.1');
await once(server, 'listening');
const listening = server.address();
const address = `http://127.0.0.1:${typeof listening === 'object' && listening !== null ? listening.port : 0}`;
const village = untilEnd(await startHandsVillage(await startCallMind()));
const talk = new SessionPlay(village.peopleUrl);
const residents = testResidents(talk.play);
await payForModels(talk.play, ['ada']);
await residents.start('ada');
atEnd(async () => {
  server.close();
  server.closeAllConnections();
});

const shell = (command: string): string => askFor('shell', { command });

/** The run of a message that asks for calls, and the village's messages in its session. */
async function ended(
  ...lines: string[]
): Promise<{ readonly run: Run; readonly said: string; readonly calls: number }> {
  const { admin } = talk.play;
  const { session_id } = await talk.open(admin, 'ada');
  const { run } = dataOf(await talk.say(admin, session_id, lines.join('\n')));
  const end = await talk.ended(run.run_id);
  const { messages } = await admin.listMessages({ session_id, limit: 100 });
  const { calls } = await admin.listCalls({ run_id: run.run_id });
  return { run: end, said: messages.map(({ text }) => text).join('\n'), calls: calls.length };
}

/** The calls end the run with the code: six attempts without improvement, the denied seventh, and the report of the agent. */
async function stopsBy(code: PanicCode, ...lines: string[]): Promise<void> {
  const { run, said, calls } = await ended(...lines, shell('touch must-not-run'));
  assert.deepEqual([run.state, run.error?.code, run.unsettled], ['failed', code, []], JSON.stringify(run.error));
  assert.equal(run.error?.message, PANICS[code]);
  for (const part of [PANICS[code], PANIC_WARNINGS[code], DENIALS.run_stopped]) assert.ok(said.includes(part), said);
  assert.ok(said.includes('The results:'), 'the agent reports');
  assert.equal(calls, lines.length, 'no call runs after the stop');
  assert.ok(!existsSync(join(village.hands.workspace, 'must-not-run')));
}

const times = (count: number, line: string): string[] => Array.from({ length: count }, () => line);

test('tests that fail the same way six times, with changes between them, stop the run', async () => {
  writeFileSync(
    join(village.hands.workspace, 'test_bread.py'),
    'import unittest\nclass T(unittest.TestCase):\n  def test(self): self.fail()\n',
  );
  const run = shell('python3 -m unittest test_bread');
  await stopsBy('tests_keep_failing', run, ...times(5, run).flatMap((again) => [shell('echo a change'), again]));
});

test('access that a server denies six times in a row stops the run', async () => {
  await stopsBy('access_denied', ...times(6, shell(`curl -sS --fail ${address}/denied`)));
});

test('single failures of every kind, and attempts that improve, stop no run', async () => {
  const tests = (failures: number) => shell(`echo "${failures} failed"; : pytest; exit 1`);
  const { run, calls } = await ended(
    askFor('git', { action: 'push', args: ['--force', 'origin', 'main'] }),
    shell('echo loaf >/dev/full'),
    shell('echo x: Permission denied >&2; exit 1'),
    ...[9, 7, 5, 3, 2, 1].map(tests),
    // Last, because words from outside make further commands ask.
    shell(`curl -sS --fail ${address}/denied`),
    shell(`curl -sS --max-time 1 ${address}/silent`),
  );
  assert.deepEqual([run.state, calls], ['done', 11], JSON.stringify(run.error));
});

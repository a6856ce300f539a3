/**
 * Causes of panic each end a run with their own code. A resident's process, a real supervisor, real programs and the
 * API; only the model is scripted.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import { PANICS, type PanicCode, type Run } from '@hamlet/contract';
import { atEnd, untilEnd } from '@hamlet/test/env/at-end';
import { dataOf } from '@hamlet/test/env/client';
import { askFor, startCallMind } from '../../runs/testing/call-mind.ts';
import { payForModels, startHandsVillage } from '../../testing/hands-village.ts';
import { SessionPlay } from '../../testing/play/session-play.ts';
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

async function endsBy(code: PanicCode, ...lines: string[]): Promise<void> {
  const { run, said, calls } = await ended(...lines, shell('touch must-not-run'));
  assert.deepEqual([run.state, run.error?.code, run.unsettled], ['failed', code, []], JSON.stringify(run.error));
  assert.equal(run.error?.message, PANICS[code]);
  assert.ok(said.includes(PANICS[code]), said);
  assert.equal(calls, lines.length, 'nothing begins after it');
}

test('tests that fail three times in a row', async () => {
  writeFileSync(
    join(village.hands.workspace, 'test_bread.py'),
    'import unittest\nclass T(unittest.TestCase):\n  def test(self): self.fail()\n',
  );
  const run = shell('python3 -m unittest test_bread');
  await endsBy('tests_keep_failing', run, shell('ls'), run, shell('echo a change'), run);
});

test('a network that times out three times in a row', async () => {
  const ask = shell(`curl -sS --max-time 1 ${address}/silent`);
  await endsBy('network_keeps_timing_out', ask, ask, ask);
});

test('a forced update of a shared branch', async () => {
  await endsBy('shared_branch_forced', askFor('git', { action: 'push', args: ['--force', 'origin', 'main'] }));
});

test('a shared branch that another person has updated by force', async () => {
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=P', '-c', 'user.email=p@p.org', ...args], { cwd, stdio: 'ignore' });
  const [theirs, ours] = [join(village.hands.workspace, 'theirs'), join(village.hands.workspace, 'ours')];
  mkdirSync(theirs);
  git(theirs, 'init', '-q', '-b', 'main');
  git(theirs, 'commit', '-q', '--allow-empty', '-m', 'one');
  git(village.hands.workspace, 'clone', '-q', theirs, ours);
  git(theirs, 'commit', '-q', '--amend', '--allow-empty', '-m', 'another');
  await endsBy('shared_branch_forced', askFor('git', { action: 'fetch', folder: 'ours' }));
});

test('access that a server denies', async () => {
  await endsBy('access_denied', shell(`curl -sS --fail ${address}/denied`));
});

test('access that the machine denies', async () => {
  await endsBy('access_denied', shell('echo x: Permission denied >&2; exit 1'));
});

test('a full disk', async () => {
  await endsBy('disk_full', shell('echo loaf >/dev/full'));
});

test('failures of other kinds, and two of one kind, end no run', async () => {
  const failing = shell('python3 -m unittest test_nothing');
  const { run } = await ended(failing, failing, shell('false'), shell('cat nothing'), shell('cat nowhere'));
  assert.equal(run.state, 'done', JSON.stringify(run.error));
});

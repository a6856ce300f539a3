/** The process as it runs in a pod: a real child process against a server with the agents' part of the API. */
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { testFolder } from '@hamlet/test/env/at-end';
import { startHttpApi, type HttpApi } from './testing/http-api.ts';

type Line = Record<string, unknown> & { event: string };

const FINISH_WRITES_MS = 700;
const END_MS = 950;

const root = testFolder('resident');
const running = new Set<ChildProcess>();
let api: HttpApi;
let volume: string;

beforeEach(async () => {
  api = await startHttpApi();
  volume = mkdtempSync(join(root, 'volume-'));
  mkdirSync(join(volume, 'workspace'));
  writeFileSync(join(volume, 'token'), 'projected\n');
});
afterEach(async () => {
  for (const child of running) child.kill('SIGKILL');
  await api.close();
});

/** Starts a resident on the volume of the test; `line` waits for an event of its log. */
function startResident(changes: NodeJS.ProcessEnv = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      HAMLET_API_URL: api.url,
      HAMLET_AGENT_ID: 'ada',
      HAMLET_CYCLE: '1',
      HAMLET_TOKEN_FILE: join(volume, 'token'),
      HAMLET_STATE_DIR: join(volume, 'state'),
      HAMLET_MEMORY_DIR: join(volume, 'memory'),
      HAMLET_WORKSPACE_DIR: join(volume, 'workspace'),
      ...changes,
    },
  });
  running.add(child);
  const lines: Line[] = [];
  let notify = Promise.withResolvers<void>();
  const wakeUp = () => {
    notify.resolve();
    notify = Promise.withResolvers();
  };
  let rest = '';
  child.stdout.on('data', (chunk: Buffer) => {
    const pieces = (rest + chunk.toString('utf8')).split('\n');
    rest = pieces.pop() ?? '';
    lines.push(...pieces.map((piece) => JSON.parse(piece) as Line));
    wakeUp();
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  const exit = once(child, 'close').then(([code]) => {
    running.delete(child);
    wakeUp();
    return code as number | null;
  });
  const line = async (event: string): Promise<Line> => {
    for (;;) {
      const found = lines.find((one) => one.event === event);
      if (found !== undefined) return found;
      assert.equal(child.exitCode, null, `the resident ended without the line ${event}: ${errors}`);
      await notify.promise;
    }
  };
  return { child, lines, exit, line, errors: () => errors };
}

test('the resident exchanges its token, connects, runs turns, and ends with 0 on SIGTERM', async () => {
  const resident = startResident();
  const turn = await resident.line('turn');
  assert.deepEqual(Object.keys(turn).slice(0, 4), ['time', 'level', 'event', 'agent_id']);
  assert.equal((await api.asked('/agent-token')).bearer, 'Bearer projected');
  assert.equal((await api.asked('/wakes')).bearer, 'Bearer token-1');
  assert.deepEqual((await api.asked('/turns')).body, {
    ...pick(turn, ['turn_id', 'cycle', 'trigger', 'perceived', 'decided', 'acted', 'reflected']),
  });
  let last = await lastLineAfterSignal(resident);
  while (last === null) {
    const next = startResident();
    await next.line('turn');
    last = await lastLineAfterSignal(next);
  }
  assert.deepEqual([last.event, last['why']], ['ended', 'stopped']);
});

/**
 * Signals a resident to end. Returns the last line of its log; null if the machine stalled beyond the process's limit, which
 * proves nothing.
 */
async function lastLineAfterSignal({ child, exit, lines }: ReturnType<typeof startResident>): Promise<Line | null> {
  const askedMs = performance.now();
  child.kill('SIGTERM');
  assert.equal(await exit, 0);
  const last = lines.at(-1) ?? assert.fail('it logged nothing');
  return last.event !== 'ended' && performance.now() - askedMs > END_MS ? null : last;
}

/**
 * Signals a resident to end while one of its writes is in flight, and lets the write finish. Returns the outcome of the write,
 * and the time until the end.
 */
async function endWhileWriting(): Promise<{ readonly acted: unknown; readonly tookMs: number }> {
  const { promise, resolve } = Promise.withResolvers<void>();
  api.requests.length = 0;
  api.hold.set('move', promise);
  const resident = startResident();
  await api.asked('/move');
  const askedMs = performance.now();
  resident.child.kill('SIGTERM');
  resolve();
  assert.equal(await resident.exit, 0);
  return {
    acted: resident.lines.find(({ event }) => event === 'turn')?.['acted'],
    tookMs: performance.now() - askedMs,
  };
}

test('a write in flight finishes before the process ends', async () => {
  const accepted = { outcome: 'accepted', seq: 2 };
  let ending = await endWhileWriting();
  // A stall of the machine beyond the limit of such a write proves nothing.
  while (ending.tookMs > FINISH_WRITES_MS && !isDeepStrictEqual(ending.acted, accepted))
    ending = await endWhileWriting();
  assert.deepEqual(ending.acted, accepted);
});

test('the resident ends even if the API never answers', async () => {
  api.hold.set('move', Promise.withResolvers<void>().promise);
  const resident = startResident();
  await api.asked('/move');
  resident.child.kill('SIGTERM');
  assert.equal(await resident.exit, 0);
});

test('the resident ends with 0 when the stream or a refusal reports a newer cycle', async () => {
  const answered = startResident();
  await answered.line('turn');
  await api.asked('/wakes');
  const timer = setInterval(() => api.send('cycle', { cycle: 2 }), 50);
  assert.equal(await answered.exit, 0);
  clearInterval(timer);
  assert.equal(answered.lines.at(-1)?.['why'], 'stale');
  api.refuse.set('config', 'stale_cycle');
  const refused = startResident();
  assert.equal(await refused.exit, 0);
  assert.equal(refused.lines.at(-1)?.['why'], 'stale');
});

test('a successor waits for its predecessor and logs that; after a SIGKILL of the predecessor it starts at once', async () => {
  const first = startResident();
  await first.line('turn');
  const second = startResident({ HAMLET_CYCLE: '2' });
  assert.equal((await second.line('waiting'))['reason'], 'WaitingForPredecessor');
  assert.ok(!second.lines.some(({ event }) => event === 'started'));
  first.child.kill('SIGKILL');
  await second.line('turn');
  second.child.kill('SIGTERM');
  assert.equal(await second.exit, 0);
});

test('after a restart the resident remembers its home and its last plan', async () => {
  api.refuse.set('move', 'zone_locked');
  const first = startResident();
  const refused = await first.line('turn');
  first.child.kill('SIGTERM');
  await first.exit;
  const life = readFileSync(join(volume, 'memory', 'life.jsonl'), 'utf8');
  assert.match(life, /"name":"home","entityType":"home","observations":\["home"\]/);
  const second = startResident();
  assert.equal((await second.line('started'))['lived_before'], true);
  const next = await second.line('turn');
  assert.equal(commandOf(refused).kind, 'move');
  assert.notDeepEqual(
    commandOf(next),
    commandOf(refused),
    'the agent repeats a command whose refusal it should remember',
  );
});

test('the resident warns about a missing capability and continues without it', async () => {
  const resident = startResident({
    HAMLET_WORKSPACE_DIR: join(volume, 'nowhere'),
    HAMLET_MEMORY_DIR: '/dev/null/memory',
  });
  await resident.line('turn');
  const codes = resident.lines.filter(({ event }) => event === 'capability').map(({ code }) => code);
  assert.deepEqual(codes, ['memory_unusable', 'not_writable', 'not_writable']);
});

test('with a wrong environment the process exits with 2 and names the variables; --help explains them', async () => {
  const wrong = startResident({ HAMLET_API_URL: 'ftp://village', HAMLET_TOKEN_FILE: undefined });
  assert.equal(await wrong.exit, 2);
  assert.match(wrong.errors(), /HAMLET_API_URL/);
});

function commandOf(turn: Line): { kind: string } {
  return (turn['decided'] as { command: { kind: string } }).command;
}

function pick(from: Line, keys: readonly string[]): object {
  return Object.fromEntries(keys.filter((key) => key in from).map((key) => [key, from[key]]));
}

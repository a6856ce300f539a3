/** Processes of ended runs under a real supervisor. The test sets the API's answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { connectHands } from '../hands/hands-client.ts';
import { handsPrograms, runsInHands } from '../hands/hands-programs.ts';
import { startProcess } from '../hands/start-process.ts';
import { noThinking } from '../testing/a-runtime.ts';
import type { Answer, Village } from '../village/village.ts';
import { endLeftPrograms } from './run-worker.ts';

const runOf = (digit: number): string => `00000000-0000-4000-8000-00000000000${digit}`;
const [SETTLED = '', RUNNING = '', FORGOTTEN = '', UNKNOWN = '', OWN = ''] = [1, 2, 3, 4, 5].map(runOf);
const no = (code: 'run_settled' | 'claim_lapsed' | 'no_such_run'): Answer<null> => ({
  kind: 'refused',
  code,
  detail: '',
});
const ANSWERS: Readonly<Record<string, Answer<null>>> = {
  [SETTLED]: no('run_settled'),
  [RUNNING]: no('claim_lapsed'),
  [FORGOTTEN]: no('no_such_run'),
  [UNKNOWN]: { kind: 'unreachable', why: 'it restarts' },
};

const hands = untilEnd(await startHands());

const log = { info: () => {}, warn: () => {} };

test('processes of settled and forgotten runs are ended; those of servers and of other or unclear runs stay', async () => {
  const client = await connectHands(hands.socket);
  for (const owner of [SETTLED, RUNNING, FORGOTTEN, UNKNOWN, OWN, 'mcp.files']) {
    const place = { run: owner, call: '1.0' };
    const program = { id: `${owner}.1.0`, place, argv: ['sleep', '600'], cwd: hands.workspace };
    await startProcess(client, { ...program, limits: { timeoutMs: 600_000 } }, () => ({}));
  }
  client.close();
  const asked: string[] = [];
  const renewRun: Village['renewRun'] = async (run, { attempt }) => {
    assert.equal(attempt, Number.MAX_SAFE_INTEGER, 'no lease is renewed');
    asked.push(run);
    return ANSWERS[run] ?? { kind: 'ok', value: null };
  };
  const { book } = noThinking();
  const run = { runId: OWN, lease: { cycle: 1, attempt: 1 }, policy: null, model: null, audience: [] };
  book.open({
    ...run,
    repository: null,
    memoryAudience: null,
    author: null,
    onLeaseLost: () => {},
    refused: new Set(),
    refusals: new Map(),
  });
  const thinking = { book, endPrograms: (each: string) => handsPrograms(hands.socket).end(each) };
  const parts = { village: { renewRun }, thinking, cycle: 1, log };
  await endLeftPrograms({ ...parts, runsInHands: () => runsInHands(hands.socket) });
  assert.deepEqual(asked.toSorted(), [SETTLED, RUNNING, FORGOTTEN, UNKNOWN]);
  assert.deepEqual([...(await runsInHands(hands.socket))].toSorted(), [RUNNING, UNKNOWN, OWN]);
});

test('if the hands do not answer, no process is ended', async () => {
  const warned: string[] = [];
  await endLeftPrograms({
    village: { renewRun: async () => assert.fail('there is no run') },
    thinking: noThinking(),
    cycle: 1,
    log: { ...log, warn: (event) => void warned.push(event) },
    runsInHands: () => runsInHands(`${hands.workspace}/no.sock`),
  });
  assert.deepEqual(warned, ['programs_left']);
});

/** Cancelling any kind of command ends everything that it started, and its outcome is unknown. Reports the times. */
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listenOnLoopback } from '@hamlet/test/env/net/loopback';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { isAlive, pidsIn, soon } from '../../testing/tool-calls.ts';
import { handsPrograms } from '../hands-programs.ts';
import { handsTool } from '../hands-tool.ts';
import { aHandsKit, callContext, preparedCall } from '../../testing/a-hands-kit.ts';

/** A server that accepts connections, and never answers. */
const blackHole = createServer(() => {});
const hands = untilEnd(await startHands());
const port = await listenOnLoopback(blackHole);
after(() => {
  blackHole.close();
  blackHole.unref();
});

const ignoring = (file: string, body: string): string => `trap "" TERM INT HUP; echo $$ >>${file}; ${body}`;

/** Commands that write the ids of their processes to a file, with the number of ids. */
const CASES: Readonly<Record<string, { readonly pids: number; command(file: string): string }>> = {
  'a busy loop': { pids: 1, command: (file) => ignoring(file, 'while :; do :; done') },
  grandchildren: {
    pids: 3,
    command: (file) =>
      `sh -c '${ignoring(file, 'sleep 600 & wait; sleep 600')}' & (setsid sh -c '${ignoring(file, 'while :; do sleep 600; done')}' &); ${ignoring(file, 'sleep 600')}`,
  },
  'a socket that never answers': {
    pids: 1,
    command: (file) => `exec 3<>/dev/tcp/127.0.0.1/${port}; ${ignoring(file, 'while :; do read -r line <&3; done')}`,
  },
  'orphans without their mark': {
    pids: 2,
    command: (file) =>
      `(env -i /usr/bin/setsid /bin/sh -c '${ignoring(file, 'while :; do /bin/sleep 600; done')}' &); ${ignoring(file, 'sleep 600')}`,
  },
  'a stopped process': { pids: 1, command: (file) => ignoring(file, 'kill -STOP $$') },
};

for (const [name, { pids, command }] of Object.entries(CASES))
  test(`cancel: ${name}`, async (context) => {
    const run = name.replaceAll(' ', '-');
    const file = join(hands.workspace, `${run}.pids`);
    const cancel = new AbortController();
    const call = preparedCall(aHandsKit(hands), 'shell', { command: command(file), timeout_s: 600 });
    const ended = call.execute(callContext({ run, conversation: run, call: '1.0', signal: cancel.signal }));
    await soon(() => pidsIn(file).length === pids);
    const begun = performance.now();
    cancel.abort();
    assert.equal((await ended).kind, 'unknown');
    await handsPrograms(hands.socket).end(run);
    await soon(() => pidsIn(file).every((pid) => !isAlive(pid)));
    context.diagnostic(`gone after ${Math.round(performance.now() - begun)} ms`);
  });

test('the time of a call does not run while it waits for its slot; work that takes longer is given up', async () => {
  const wait = 300;
  const begin = async () => {
    await delay(wait);
    return { kind: 'begun' } as const;
  };
  const kit = aHandsKit(hands);
  const slow = { ...kit, calls: { ...kit.calls, begin } };
  const prepared = (timeoutMs: number, workMs: number) => {
    const perform = () => delay(workMs, { outcome: { kind: 'ok', text: 'done' } as const, report: {} }, { ref: false });
    const made = handsTool(slow, 'read_file', { timeoutMs, perform }).prepare({ path: 'a' });
    assert.ok(made.ok);
    return made.call.execute(callContext());
  };
  // The slack of a call is 30 s, so a negative time leaves less than the wait.
  assert.equal((await prepared(100 - 30_000, 0)).kind, 'ok');
  assert.deepEqual(await prepared(100 - 30_000, 600_000), { kind: 'timed_out', afterMs: 100 });
});

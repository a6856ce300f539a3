/**
 * A program that fills the machine's disk, under a real supervisor: it ends with a code and a cause, and the agent can clean up.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { toolCalls } from '../../testing/tool-calls.ts';
import { aHandsKit } from '../../testing/a-hands-kit.ts';

const MIB = 2 ** 20;

const hands = untilEnd(await startHands({ layerBytes: 256 * MIB }));
const kit = aHandsKit(hands);
const { use } = toolCalls(() => kit);

/** The outcome of a command, with its text. */
async function ran(command: string) {
  const outcome = await use('shell', { command });
  assert.ok(outcome.kind === 'ok' || outcome.kind === 'failed', JSON.stringify(outcome));
  return outcome;
}

test('a command that fills the disk gets a full-disk code and the cause; then the agent can clean up', async () => {
  const filled = await ran(
    'mkdir cache; fallocate -l 190M cache/log; for i in $(seq 30); do head -c 1M /dev/zero >>cache/log; sleep 0.2; done; sleep 600',
  );
  assert.ok(filled.kind === 'failed');
  assert.equal(filled.code, 'disk_full');
  assert.match(filled.text, /of at most 256 MiB; the most is in \S*\/cache \([^]*Remove files/);
  const cleaned = await ran('rm -r cache; ls | wc -l');
  assert.match(
    cleaned.text,
    /All programs were ended[^]*Exit code 0[^]*stdout:\n0\n/,
    'the next command repeats the cause once',
  );
  assert.match((await ran('echo works')).text, /^Exit code 0[^]*works/);
});

test('a command that fills the disk quickly and ends is named in the next result', async () => {
  await ran('fallocate -l 400M jump');
  for (let words = ''; !words.includes('400 MiB of at most');) words = (await ran('sleep 0.1')).text;
  assert.match((await ran('rm jump; echo works')).text, /Exit code 0[^]*works/);
});

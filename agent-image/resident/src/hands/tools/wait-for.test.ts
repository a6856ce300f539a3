/** Waiting under a real supervisor: for a process, its words, a file and the time; once over all attempts of a call. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { handsTools } from './hands-tools.ts';
import { aHandsKit, callContext, preparedCall, useTool } from '../../testing/a-hands-kit.ts';

const hands = untilEnd(await startHands());
const kit = aHandsKit(hands);
const use = useTool(kit);

const wait = async (input: object, place = {}): Promise<string> => {
  const outcome = await use('wait_for', input, place);
  return 'text' in outcome ? outcome.text : JSON.stringify(outcome);
};
const start = (command: string, call: string) => use('shell', { command, background: true }, { call });

test('a background process is awaited until its end, and its end and output are the result', async () => {
  await start('echo building; sleep 1; echo built; exit 3', '1.0');
  const text = await wait({ process: '1.0', seconds: 60 });
  assert.match(text, /^Process 1\.0 is over\. It ended after [\d.]+ s with exit code 3\.\nstdout:\nbuilding\nbuilt\n$/);
});

test('a text in the output ends the wait, even on stderr, across parts, and if it is there already', async () => {
  await start('printf "server lis" >&2; sleep 1; printf "tening\\n" >&2; sleep 60', '2.0');
  const waited = { process: '2.0', text: 'listening', seconds: 60 };
  assert.match(await wait(waited), /^The output of process 2\.0 has the text\./);
  assert.match(await wait(waited), /^The output of process 2\.0 has the text\./);
  await start('printf "gr\\303" >&2; sleep 2; printf "\\274n" >&2; sleep 60', '2.2');
  assert.match(await wait({ process: '2.2', text: 'grün', seconds: 60 }), /has the text/, 'a character in two parts');
  await start('echo no', '2.1');
  assert.match(await wait({ process: '2.1', text: 'yes' }), /is over, and its output lacks the text\. It ended/);
});

test('a file ends the wait; a file that does not come, and the time, are results too', async () => {
  const coming = wait({ file: 'ready', seconds: 60 });
  writeFileSync(join(hands.workspace, 'ready'), '');
  assert.equal(await coming, 'ready is there.');
  assert.equal(await wait({ file: 'never', seconds: 1 }), 'never is not there after 1 s.');
  assert.equal(await wait({ seconds: 1 }), '1 s are over.');
  await start('sleep 60', '3.0');
  assert.match(await wait({ process: '3.0', seconds: 1 }), /^1 s are over, and process 3\.0 still runs\. Wait again/);
});

test('a wrong wait is explained: another run, an unknown process, a path outside', async () => {
  assert.match(
    await wait({ process: '9.9', seconds: 5 }),
    /no process of that id: [^]*Look at what it left, and start it again/,
  );
  await start('sleep 60', '4.0');
  assert.match(await wait({ process: '4.0', seconds: 5 }, { run: 'r2' }), /no process of that id/);
  assert.match(await wait({ file: '../etc/passwd', seconds: 5 }), /is outside of/);
});

test('after an abort the clock runs on, and the next attempt of the call waits for the same one', async () => {
  const cancel = new AbortController();
  const input = { seconds: 4 };
  const first = preparedCall(kit, 'wait_for', input).execute(callContext({ call: '5.0', signal: cancel.signal }));
  setTimeout(() => cancel.abort(), 200);
  await assert.rejects(first);
  const listed = await use('list_processes', {});
  assert.match('text' in listed ? listed.text : '', /^- 5\.0: It has run since/m);
  assert.equal(await wait(input, { call: '5.0' }), '4 s are over.');
});

test('the tools that only wait or look are marked, so that a long build does not end its run', () => {
  const polling = handsTools(kit).flatMap(({ name, polls }) => (polls ? [name] : []));
  assert.deepEqual(polling.toSorted(), ['list_processes', 'read_output', 'wait_for']);
});

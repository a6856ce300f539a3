/** Paths that a model writes from its repository, where commands start, although the tools for files expect them from the workspace. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { toolCalls } from '../../testing/tool-calls.ts';
import { aHandsKit } from '../../testing/a-hands-kit.ts';

const hands = untilEnd(await startHands());
const tree = join(hands.workspace, 'till');
mkdirSync(join(tree, 'till'), { recursive: true });
execFileSync('git', ['init', '--quiet', tree]);
writeFileSync(join(tree, 'README.md'), 'The till\n');
writeFileSync(join(tree, 'till/basket.py'), 'one\n');
let note = '';
const calls = toolCalls(() => aHandsKit(hands, { trees: { of: async () => ({ folder: tree, note }) } }));
const failureOf = async (name: string, input: object): Promise<string> => {
  const outcome = await calls.use(name, input);
  assert.equal(outcome.kind, 'failed');
  return 'text' in outcome ? outcome.text : '';
};

test('a refused path that exists in the repository is answered with the path from the workspace', async () => {
  const edit = { path: 'till/basket.py', old_text: 'one', new_text: 'two' };
  for (const [name, input, meant] of [
    ['read_file', { path: 'README.md' }, 'till/README.md'],
    ['edit_file', edit, 'till/till/basket.py'],
    ['deliver', { kind: 'file', path: 'README.md' }, 'till/README.md'],
    ['deliver', { kind: 'patch', path: '.' }, 'till'],
  ] as const)
    assert.equal(
      await failureOf(name, input),
      `Paths begin in ${hands.workspace}, not in your repository: write ${meant}.`,
    );
});

test('a path that exists in neither place, or lies outside, is refused in the usual words', async () => {
  assert.equal(await failureOf('read_file', { path: 'missing.md' }), 'missing.md does not exist');
  assert.match(await failureOf('read_file', { path: '../README.md' }), /is outside of/);
});

test('the note about the repository comes after the words of a failure', async () => {
  note = 'Your repository is in /workspace/till.';
  assert.equal(await failureOf('read_file', { path: 'missing.md' }), `missing.md does not exist\n${note}`);
});

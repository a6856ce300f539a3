/** Deliverables under a real supervisor and real git: files, patches and tables, and nothing from outside the workspace. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, test } from 'node:test';
import { testFolder, untilEnd } from '@hamlet/test/env/at-end';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import { ARTIFACT_MAX_BYTES, DeliveredTable, type Artifact, type ScriptDetail } from '@hamlet/contract';
import type { ToolOutcome } from '@hamlet/engine';
import type { MadeArtifact } from '../../artifacts/keep-artifact.ts';
import { aHandsKit, aScript, callContext } from '../../testing/a-hands-kit.ts';
import { handsTools } from './hands-tools.ts';

const SCRIPT = (version: string): ScriptDetail =>
  aScript({ name: 'words', description: 'Counts words', language: 'bash', version, source: 'wc -w </workspace/a' });

const hands = untilEnd(await startHands());
const outside = testFolder('outside');
writeFileSync(join(outside, 'secret'), 'the secret of the neighbour');
let kept: MadeArtifact[] = [];
beforeEach(() => void (kept = []));
const kit = aHandsKit(hands, {
  search: null,
  outsideAgents: [],
  readScript: async ({ name, version }) =>
    name === 'words'
      ? { kind: 'ok', value: SCRIPT(version) }
      : { kind: 'refused', code: 'no_such_script', detail: 'No such script' },
  keepArtifact: async (_run, _call, made) => {
    kept.push(made);
    return { kind: 'ok', value: { artifact_id: 'a1', name: made.name } as Artifact };
  },
});

const at = (name: string): string => join(hands.workspace, name);
const textOf = (): string => Buffer.from(kept[0]?.bytes ?? []).toString();

async function deliver(input: object): Promise<ToolOutcome> {
  const prepared = handsTools(kit)
    .find(({ name }) => name === 'deliver')
    ?.prepare(input);
  if (prepared?.ok !== true) return { kind: 'failed', code: 'invalid', text: '' };
  const outcome = await prepared.call.execute(callContext());
  assert.ok(outcome.kind !== 'needs_permission' && outcome.kind !== 'parked');
  return outcome;
}
const codeOf = async (input: object): Promise<string> => {
  const outcome = await deliver(input);
  return outcome.kind === 'failed' ? outcome.code : JSON.stringify(outcome);
};

test('a file is delivered byte for byte, even if it is read in parts', async () => {
  const content = Buffer.alloc(1_300_000, 'a long line\n');
  writeFileSync(at('long.csv'), content);
  const outcome = await deliver({ kind: 'file', path: '/workspace/long.csv'.replace('/workspace', hands.workspace) });
  assert.match(outcome.kind === 'ok' ? outcome.text : '', /Delivered long\.csv \(1300000 bytes\) as a1/);
  const [made] = kept;
  assert.deepEqual([made?.name, made?.mediaType, made?.deliverable], ['long.csv', 'text/csv', 'file']);
  assert.ok(content.equals(made?.bytes ?? new Uint8Array()));
});

test('files that are outside the workspace, empty or too long are not delivered', async () => {
  symlinkSync(join(outside, 'secret'), at('link'));
  symlinkSync(outside, at('folder'));
  writeFileSync(at('empty'), '');
  writeFileSync(at('huge'), Buffer.alloc(ARTIFACT_MAX_BYTES + 1));
  for (const path of ['link', 'folder/secret', '../secret', join(outside, 'secret')])
    assert.match(await codeOf({ kind: 'file', path }), /^(outside|wrong_kind|denied)$/, path);
  assert.match(await codeOf({ kind: 'patch', path: 'folder' }), /^outside$/);
  assert.equal(await codeOf({ kind: 'file', path: 'none' }), 'not_found');
  assert.equal(await codeOf({ kind: 'file', path: 'empty' }), 'artifact_empty');
  assert.equal(await codeOf({ kind: 'file', path: 'huge' }), 'artifact_too_large');
  assert.equal(await codeOf({ kind: 'table', path: 'huge' }), 'invalid');
  assert.equal(await codeOf({ kind: 'file' }), 'invalid');
  assert.deepEqual(kept, []);
});

function repository(name: string): (...args: readonly string[]) => string {
  mkdirSync(at(name));
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: at(name), encoding: 'utf8' });
  git('init', '-q', '-b', 'main');
  writeFileSync(at(`${name}/bread.py`), 'HEAT = 180\nbake()\n');
  git('add', '.');
  git('commit', '-qm', 'bread');
  return git;
}

test('a patch contains changed, new and committed files, applies to its base, and leaves the repository unchanged', async () => {
  const git = repository('bakery');
  writeFileSync(at('bakery/oven.py'), 'hot = True\n');
  git('add', '.');
  git('commit', '-qm', 'oven');
  writeFileSync(at('bakery/bread.py'), 'HEAT = 240\nbake()\n');
  writeFileSync(at('bakery/new.txt'), 'new\n');
  const state = git('status', '--porcelain');
  const outcome = await deliver({ kind: 'patch', path: 'bakery', base: 'main~1' });
  assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
  assert.deepEqual([kept[0]?.name, kept[0]?.mediaType], ['bakery.patch', 'text/x-diff']);
  assert.match(textOf(), /-HEAT = 180\n\+HEAT = 240[^]*b\/new\.txt[^]*\+new[^]*b\/oven\.py/);
  assert.equal(git('status', '--porcelain'), state);
  writeFileSync(at('the.patch'), textOf());
  git('worktree', 'add', '-q', at('fresh'), 'main~1');
  execFileSync('git', ['apply', at('the.patch')], { cwd: at('fresh') });
  assert.equal(readFileSync(at('fresh/new.txt'), 'utf8'), 'new\n');
  assert.equal(await codeOf({ kind: 'patch', path: 'bakery', base: 'none' }), 'no_such_commit');
  assert.equal(await codeOf({ kind: 'patch', path: 'bakery', base: '--output=/tmp/x' }), 'invalid');
});

test('a patch starts no diff program of the repository, and fails without changes or without a repository', async () => {
  const git = repository('trap');
  assert.equal(await codeOf({ kind: 'patch', path: 'trap' }), 'no_changes');
  const mark = at('started');
  for (const [key, value] of [
    ['diff.external', `touch ${mark} #`],
    ['core.fsmonitor', `touch ${mark} #`],
    ['diff.x.textconv', `touch ${mark} #`],
  ] as const)
    git('config', key, value);
  writeFileSync(at('trap/.gitattributes'), '* diff=x\n');
  assert.equal((await deliver({ kind: 'patch', path: 'trap' })).kind, 'ok');
  assert.throws(() => readFileSync(mark));
  mkdirSync(at('plain'));
  assert.equal(await codeOf({ kind: 'patch', path: 'plain' }), 'no_repository');
});

test('a table keeps the sources of each row, which must be web addresses', async () => {
  const row = { cells: ['Rye', '4.20'], sources: ['https://example.org/bread'] };
  const table = { columns: ['Bread', 'Price'], rows: [row, { cells: ['Spelt', '5'] }] };
  const outcome = await deliver({ kind: 'table', name: 'prices.json', table });
  assert.equal(outcome.kind, 'ok', JSON.stringify(outcome));
  assert.deepEqual(DeliveredTable.parse(JSON.parse(textOf())).rows, [row, { cells: ['Spelt', '5'], sources: [] }]);
  const withSource = (source: string) => ({ ...table, rows: [{ ...row, sources: [source] }] });
  for (const source of ['javascript:alert(1)', 'file:///etc/passwd', 'https://me:pass@example.org/'])
    assert.equal(await codeOf({ kind: 'table', table: withSource(source) }), 'invalid', source);
  assert.equal(await codeOf({ kind: 'table', table: { ...table, rows: [{ cells: ['Rye'] }] } }), 'invalid');
});

test('a script is delivered as the village stores it, and an unknown one is refused', async () => {
  const version = 'a'.repeat(32);
  const done = await deliver({ kind: 'script', script: { name: 'words', version } });
  assert.equal(done.kind, 'ok', JSON.stringify(done));
  assert.deepEqual(JSON.parse(textOf()), {
    name: 'words',
    description: 'Counts words',
    language: 'bash',
    source: 'wc -w </workspace/a',
    parameters: { type: 'object', properties: {}, required: [] },
  });
  assert.deepEqual([kept[0]?.name, kept[0]?.deliverable], ['words.script.json', 'script']);
  const none = await deliver({ kind: 'script', script: { name: 'none', version } });
  assert.equal(none.kind === 'failed' && none.code, 'no_such_script');
  assert.equal((await deliver({ kind: 'script' })).kind, 'failed');
  assert.equal((await deliver({ kind: 'file', path: 'a', script: { name: 'words', version } })).kind, 'failed');
});

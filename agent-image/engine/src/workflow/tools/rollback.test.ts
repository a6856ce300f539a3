/** Copies of changed files, and rollbacks of mutations from them. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { sha256Of } from './built-ins/file-content.ts';
import { keptCopies } from './kept-copies.ts';
import { mutationOf } from './mutation.ts';
import { rollback } from './rollback.ts';
import { aWorkspace, useBuiltIn } from './testing/a-workspace.ts';

const workspace = await aWorkspace();
const use = useBuiltIn(workspace);
const at = (name: string): string => join(workspace.root, name);
const write = async (path: string, content: string, context = {}) =>
  (await use.json('filesystem.write_file', { path, content }, context)).mutations;
const codeOf = ([end]: Awaited<ReturnType<typeof rollback>>): string =>
  end?.ok === false && 'code' in end.outcome ? end.outcome.code : JSON.stringify(end);

test('a rollback restores the files of a summary, the last change first, and can be rolled back', async () => {
  writeFileSync(at('file'), 'first');
  chmodSync(at('file'), 0o640);
  const summary = [
    ...(await write('file', 'second')),
    ...(await write('file', 'third')),
    ...(await write('a/new', 'x')),
  ];
  const ends = await rollback(workspace, JSON.parse(JSON.stringify(summary)));
  assert.deepEqual(
    ends.map(({ path, ok }) => [path, ok]),
    [
      ['a/new', true],
      ['file', true],
      ['file', true],
    ],
  );
  assert.equal(readFileSync(at('file'), 'utf8'), 'first');
  assert.equal(statSync(at('file')).mode & 0o777, 0o640);
  assert.ok(!existsSync(at('a/new')));
  const made = ends.flatMap((end) => (end.ok ? [end.mutation] : []));
  assert.deepEqual(
    made.map(({ change }) => change),
    ['deleted', 'changed', 'changed'],
  );
  assert.ok((await rollback(workspace, made)).every(({ ok }) => ok));
  assert.equal(readFileSync(at('file'), 'utf8'), 'third');
  assert.equal(readFileSync(at('a/new'), 'utf8'), 'x');
});

test('a file that changed since stays as it is, and the others are restored', async () => {
  const summary = [...(await write('one', '1')), ...(await write('two', '2'))];
  writeFileSync(at('two'), 'by a person');
  const ends = await rollback(workspace, summary);
  assert.equal(codeOf(ends), 'changed');
  assert.equal(readFileSync(at('two'), 'utf8'), 'by a person');
  assert.ok(ends[1]?.ok && !existsSync(at('one')));
  assert.equal(codeOf(await rollback(workspace, summary.slice(0, 1))), 'changed', 'it is rolled back already');
});

test('a rollback writes nothing outside of the root, neither by a path nor by a link that appeared later', async () => {
  const outside = testFolder('outside');
  writeFileSync(join(outside, 'file'), 'outside');
  const [mutation] = await write('into', 'x');
  symlinkSync(outside, at('gate'));
  for (const path of ['../file', 'gate/file', '/etc/hostname']) {
    const [end] = await rollback(workspace, [{ ...mutation, path }]);
    assert.ok(end?.ok === false && end.outcome.kind === 'denied' && end.outcome.code === 'path_outside_root', path);
  }
  assert.equal(readFileSync(join(outside, 'file'), 'utf8'), 'outside');
  const reserved = [{ path: 'into', isData: true }];
  assert.equal(codeOf(await rollback({ ...workspace, reserved }, [mutation])), 'path_not_permitted');
  await assert.rejects(rollback(workspace, [{ path: 'x' }]), /change/);
});

test('a repeated attempt of a call gives the mutation of the first one', async () => {
  const key = 'r9/1.0';
  const first = await write('again', 'x', { key });
  assert.deepEqual(await write('again', 'x', { key, attempt: 2 }), first);
  assert.deepEqual(await write('again', 'x', { key: 'r9/2.0', attempt: 2 }), [], 'another call');
  assert.deepEqual(await write('again', 'x', { key }), [], 'a first attempt');
});

test('copies have a limit, the oldest go first, and a file without its copy is not restored', async () => {
  const folder = join(testFolder('copies'), 'kept');
  const copies = keptCopies(folder, { bytes: 1_000, files: 3 });
  const content = (text: string) => ({ data: Buffer.from(text), sha256: sha256Of(Buffer.from(text)) });
  const all = ['a', 'b', 'c', 'd'].map(content);
  await Promise.all(all.slice(0, 3).map(copies.keep));
  await copies.keep(content('a'));
  await copies.keep(content('d'));
  const kept = await Promise.all(all.map(async ({ sha256 }) => (await copies.read(sha256))?.toString() ?? null));
  assert.deepEqual(kept, ['a', null, 'c', 'd'], 'the one that was kept again is among the newest');
  await copies.keep(content('x'.repeat(999)));
  assert.deepEqual(readdirSync(folder).length, 2, 'the last copy and one byte more');
  writeFileSync(join(folder, `${'0'.repeat(8)}.tmp`), 'left by a process that ended');
  const again = keptCopies(folder, { bytes: 2_000, files: 2 });
  await again.keep(content('e'));
  assert.equal(readdirSync(folder).length, 2);
  writeFileSync(join(folder, sha256Of(Buffer.from('e'))), 'damaged');
  assert.equal(await again.read(sha256Of(Buffer.from('e'))), null);
  const mutation = mutationOf({ path: 'gone', before: content('lost'), after: content('now') });
  writeFileSync(at('gone'), 'now');
  assert.equal(codeOf(await rollback(workspace, [mutation])), 'not_kept');
  assert.equal(readFileSync(at('gone'), 'utf8'), 'now');
});

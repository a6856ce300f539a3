import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { SAMPLE_MANIFESTS } from '../testing/sample-manifests.ts';
import { loadManifests } from './load-manifests.ts';

const root = await mkdtemp(join(tmpdir(), 'manifests-'));
after(() => rm(root, { recursive: true }));

async function folder(name: string, files: Iterable<readonly [string, string]>): Promise<string> {
  const dir = join(root, name);
  await mkdir(dir);
  for (const [file, text] of files) await writeFile(join(dir, file), text);
  return dir;
}

const errorsIn = async (dir: string): Promise<unknown> => {
  const loaded = await loadManifests(dir);
  return loaded.ok || loaded.errors.map(({ code, file, hint }) => [code, file, hint]);
};

test('a folder is loaded, also through the links of a ConfigMap; other files are left alone', async () => {
  const dir = await folder('data', [...SAMPLE_MANIFESTS, ['notes.yaml', '[']]);
  const linked = await folder('linked', []);
  for (const [file] of SAMPLE_MANIFESTS) await symlink(join(dir, file), join(linked, file));
  const loaded = await loadManifests(linked);
  assert.equal(loaded.ok && loaded.value.workflow.id, 'review');
  assert.deepEqual(await loadManifests(dir), loaded);
});

test('a folder without a workflow, or with a name that is nearly right, is refused', async () => {
  const missing = ['config_file', 'workflow.yaml', 'Add it, with the workflow and at least one node.'];
  assert.deepEqual(await errorsIn(await folder('empty', [])), [missing]);
  assert.deepEqual(await errorsIn(await folder('yml', [['agents.yml', 'agents: []']])), [
    ['config_file', 'agents.yml', 'Rename it to agents.yaml.'],
    missing,
  ]);
});

test('a folder that is missing, or is a file, is one error', async () => {
  const dir = await folder('one', [['workflow.yaml', '']]);
  for (const [path, hint] of [
    [join(root, 'nowhere'), 'Correct its name, or make it.'],
    [join(dir, 'workflow.yaml'), 'Name the folder of the manifests.'],
  ] as const)
    assert.deepEqual(await errorsIn(path), [['config_file', 'workflow.yaml', hint]]);
});

test('a text that is not UTF-8 is refused, and the mark of its encoding is left out', async () => {
  const workflow = 'workflow: { id: a, nodes: [{ id: n, role: linear }] }\n';
  const marked = await folder('marked', [['workflow.yaml', `\uFEFF${workflow}`]]);
  assert.equal((await loadManifests(marked)).ok, true);
  const wide = await folder('wide', []);
  await writeFile(join(wide, 'workflow.yaml'), `\uFEFF${workflow}`, 'utf16le');
  assert.deepEqual(await errorsIn(wide), [['config_file', 'workflow.yaml', 'Save it as UTF-8.']]);
});

test('a file that cannot be read, or is too large, is refused with its name', async () => {
  const dir = await folder('odd', [['agents.yaml', '#'.repeat(2_000_000)]]);
  await mkdir(join(dir, 'tools.yaml'));
  assert.deepEqual(await errorsIn(dir), [
    ['config_limit', 'agents.yaml', 'Shorten the manifest.'],
    ['config_file', 'tools.yaml', 'Make it a file that the program may read.'],
  ]);
});

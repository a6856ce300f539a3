import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { testFolder } from '@hamlet/test/env/at-end';
import { ROOT } from '../paths.ts';

const read = (name: string): string => readFileSync(join(ROOT, 'agent-image/base', name), 'utf8');

/** Names of programs in the first table of a list of tools. */
function toolsIn(text: string): ReadonlySet<string> {
  const [table = ''] = text.split('\n\n').filter((part) => part.startsWith('| for |'));
  return new Set([...table.matchAll(/`([a-z][a-z0-9+-]*)`/g)].map(([, name = '']) => name));
}

test('the slim image explains how to get each tool that it lacks', () => {
  const [full, slim] = [toolsIn(read('full.md')), toolsIn(read('slim.md'))];
  assert.ok(full.size > 25 && slim.size > 8);
  assert.deepEqual(
    [...slim].filter((tool) => !full.has(tool)),
    [],
  );
  const lacks = new Set(
    read('lacks.tsv')
      .split('\n')
      .map((line) => line.split('\t')[0]),
  );
  for (const tool of full) {
    if (slim.has(tool)) continue;
    assert.ok(lacks.has(tool), `bash of the slim image knows ${tool}`);
    assert.ok(read('slim.md').includes(`\`${tool}\``), `slim.md names ${tool}`);
  }
});

test('the base contains no runtime', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );
  assert.ok(copied.length > 5);
  for (const path of copied)
    assert.match(path, /^agent-image\/(base\/|docs\/ai$|skills$|AGENTS\.md$|memory-seed\.json$)/);
});

interface Manifest {
  readonly name: string;
  readonly dependencies?: object;
  readonly devDependencies?: object;
}

test('the runtime brings only the npm packages of its own workspaces', () => {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { workspaces: string[] };
  const manifests = workspaces.map(
    (folder) => JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest,
  );
  const reached = new Set(['@hamlet/resident']);
  // npm also installs what the development of a workspace needs, if that is a workspace.
  for (const name of reached) {
    const { dependencies, devDependencies } = manifests.find((each) => each.name === name) ?? { name };
    for (const each of Object.keys({ ...dependencies, ...devDependencies }))
      if (manifests.some((workspace) => workspace.name === each)) reached.add(each);
  }
  const own = ['contract', 'core', 'engine', 'models', 'resident'].map((name) => `@hamlet/${name}`);
  assert.deepEqual([...reached].toSorted(), own);
});

test("git of the agent's image never enters a bare repository that a clone brings", () => {
  const root = testFolder('agent-git');
  const [system, docs, ran] = [join(root, 'gitconfig'), join(root, 'clone/docs'), join(root, 'ran')];
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_SYSTEM: system };
  const git = (...args: string[]) => execFileSync('git', args, { env });
  const bare = ['-c', 'safe.bareRepository=all', `--git-dir=${docs}`];
  git('init', '--quiet', '--bare', docs);
  for (const [key, value] of [
    ['core.bare', 'false'],
    ['core.worktree', root],
    ['core.fsmonitor', `touch ${ran} #`],
  ] as const)
    git(...bare, 'config', key, value);
  const status = (): boolean => {
    rmSync(ran, { force: true });
    spawnSync('git', ['-C', docs, 'status'], { env });
    return existsSync(ran);
  };
  assert.equal(status(), true, 'without the settings of the image it starts what the repository names');
  const image = readFileSync(join(ROOT, 'agent-image/Dockerfile'), 'utf8');
  const settings = [...image.matchAll(/git config --system (\S+) (\S+)/g)];
  assert.ok(settings.length > 0);
  for (const [, key = '', value = ''] of settings) git('config', '--file', system, key, value);
  assert.equal(status(), false);
});

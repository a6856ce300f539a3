/** Arguments and output of package managers: hostile names are refused, random names give exactly the fixed arguments and the names. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { INSTALL_TOOL, isPackageName, PACKAGE_MANAGERS, type PackageManager } from '@hamlet/contract';
import { cases } from '@hamlet/test/env/seeded';
import { failureOfInstall, installCommand, installedIn, installPlan, nameOf } from './index.ts';

const COUNT = cases(10_000, 200_000);
const SEED = Number(process.env['SEED'] ?? 96);
const PLACE = { hasVenv: false, crates: 'http://hamlet/crates/' };
const { input } = INSTALL_TOOL.install_package;

/** Small and seeded; a failure names its round. */
function randomOf(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const GOOD: Readonly<Record<PackageManager, readonly string[]>> = {
  apt: ['jq', 'g++', 'libc6:amd64', 'python3.11', 'jq=1.7.1-3+deb13u1', 'libstdc++6'],
  pip: ['flask', 'requests[socks]', 'requests>=2.31,<3', 'zope.interface==6.*', 'Pillow~=10.0', 'a'],
  npm: ['left-pad', '@types/node', '@types/node@22', 'left-pad@^1.3.0', 'react@next', 'lodash.merge'],
  cargo: ['serde', 'serde_json@1.0.140', 'tokio@1'],
  go: ['golang.org/x/text', 'golang.org/x/text@v0.21.0', 'rsc.io/quote/v3@latest', 'gopkg.in/yaml.v3'],
};
const HOSTILE = [
  '',
  '-',
  '--',
  '-y',
  '--index-url=http://evil.test/',
  '-e.',
  '.',
  '..',
  './x',
  '../x',
  '/etc/passwd',
  '~/x',
  'a b',
  'a;id',
  'a&&id',
  'a|id',
  '$(id)',
  '`id`',
  'a\nid',
  'a\n',
  '\na',
  'a\0b',
  'a#b',
  "a'b",
  'a"b',
  'http://evil.test/x.tgz',
  'git+https://evil.test/x',
  'git@evil.test:x',
  'github:user/repo',
  'user/repo',
  'file:x',
  'a@file:x',
  'a@http://evil.test',
  'a@npm:b',
  'a @ http://evil.test',
  'a;python_version<"3"',
  'jq/stable',
  'jq*',
  '^jq',
  'jq$',
  '?name(jq)',
  '~n.*',
  'web-server^',
  'golang.org/x/...',
  'golang.org/../x',
  'golang.org/x/text@none',
  'golang.org/x/text@master:x',
  './...',
  'a..b',
  'x'.repeat(201),
  'jq\u202e',
  'ｊｑ',
] as const;

test('package names are accepted; options, addresses, paths, patterns, removals and shell syntax are refused', () => {
  for (const manager of PACKAGE_MANAGERS) {
    for (const name of GOOD[manager]) assert.ok(isPackageName(manager, name), `${manager} ${name}`);
    for (const name of HOSTILE) assert.ok(!isPackageName(manager, name), `${manager} ${JSON.stringify(name)}`);
    assert.equal(input.safeParse({ manager, packages: [GOOD[manager][0], '--x'] }).success, false);
    assert.equal(input.safeParse({ manager, packages: [] }).success, false);
    assert.equal(input.safeParse({ manager, packages: Array.from({ length: 21 }, () => 'a.b/c') }).success, false);
  }
});

test('a name that the manager could take for a file or for several packages is refused', () => {
  for (const name of ['vim-', 'jq/stable', 'a']) assert.ok(!isPackageName('apt', name), name);
  for (const name of ['all', 'std', 'main.go', 'x.go@latest']) assert.ok(!isPackageName('go', name), name);
  for (const name of ['evil.whl==1', 'a.tar.gz', 'x.egg', 'x.zip[a]']) assert.ok(!isPackageName('pip', name), name);
  for (const name of ['x.tar', 'a@x.tgz', '@a/b.tgz', '@a/b@1.tar.gz']) assert.ok(!isPackageName('npm', name), name);
});

const ALPHABET = [...'abAB019-_.+~^=<>!@:/\\[],; \t\n\0\'"$`|&*?#%(){}é', '--', '://', '..', '@v1', '=='];

test(`${COUNT} random names (seed ${SEED}): the arguments are always the fixed ones, then the names after --`, () => {
  const random = randomOf(SEED);
  const one = <T>(of: readonly T[]): T => of[random(of.length)] as T;
  let taken = 0;
  for (let round = 0; round < COUNT; round += 1) {
    const manager = one(PACKAGE_MANAGERS);
    const base = random(2) === 0 ? one(GOOD[manager]) : one(HOSTILE);
    const at = random(base.length + 1);
    const name = random(4) === 0 ? base : `${base.slice(0, at)}${one(ALPHABET)}${base.slice(at)}`;
    const parsed = input.safeParse({ manager, packages: [name] });
    assert.equal(parsed.success, isPackageName(manager, name), `round ${round}: ${manager} ${JSON.stringify(name)}`);
    if (!parsed.success) continue;
    taken += 1;
    const where = `seed ${SEED}, round ${round}: ${manager} ${JSON.stringify(name)}`;
    assert.match(name, /^[A-Za-z0-9@][\w@:/.+~^=<>!,*[\]-]*$/, where);
    assert.doesNotMatch(name, /:\/\/|\.\.\/|^\/|^@[^/]*$/, where);
    const call = { manager, packages: [name] };
    const fixed = installPlan({ manager, packages: [] }, PLACE);
    const plan = installPlan(call, PLACE);
    assert.deepEqual(plan.install, [...fixed.install, name], where);
    assert.equal(fixed.install.at(-1), '--', where);
    assert.deepEqual([plan.update, plan.fetch], [fixed.update, fixed.fetch], where);
    const listed = plan.list.slice(fixed.list.length);
    assert.deepEqual(plan.list.slice(0, fixed.list.length), fixed.list, where);
    assert.deepEqual(listed, fixed.list.at(-1) === '--' ? [nameOf(manager, name)] : [], where);
  }
  assert.ok(taken > COUNT / 10, `the generator makes valid names: ${taken}`);
});

test('pip installs into the virtual environment of the folder, else into the home', () => {
  const words = (hasVenv: boolean) => installPlan({ manager: 'pip', packages: ['a'] }, { ...PLACE, hasVenv });
  assert.ok(words(false).install.includes('--user'));
  assert.deepEqual(words(true).install.slice(0, 4), ['pip', '--python', '.venv', 'install']);
  assert.ok(!words(true).install.includes('--user'));
  assert.deepEqual(words(true).list.slice(0, 4), ['pip', '--python', '.venv', 'list']);
});

test('every name is one word in the equivalent shell command', () => {
  assert.equal(installCommand({ manager: 'pip', packages: ['a', 'b>=1,<2'] }), "pip install a 'b>=1,<2'");
  assert.equal(installCommand({ manager: 'cargo', packages: ['serde'] }), 'cargo add serde');
});

test("installed versions of the named packages are read from the manager's output", () => {
  const read = (manager: PackageManager, packages: string[], printed: string) =>
    installedIn({ manager, packages }, printed).map(({ name, version }) => `${name} ${version}`);
  assert.deepEqual(
    read('pip', ['Toy.Wheel[x]==1', 'gone'], '[{"name":"toy-wheel","version":"1.0"},{"name":"z","version":"9"}]'),
    ['Toy.Wheel 1.0', 'gone null'],
  );
  assert.deepEqual(read('npm', ['@toys/top@^1'], '{"dependencies":{"@toys/top":{"version":"1.0.0"}}}'), [
    '@toys/top 1.0.0',
  ]);
  assert.deepEqual(
    read('apt', ['jq', 'old', 'libc6:amd64'], 'jq\t1.7\tinstalled\nold\t1\tconfig-files\nlibc6\t2.4\tinstalled\n'),
    ['jq 1.7', 'old null', 'libc6:amd64 2.4'],
  );
  assert.deepEqual(read('cargo', ['serde_json'], 'a v1.0.0 (/w/a)\nserde-json v1.0.9\n'), ['serde_json 1.0.9']);
  assert.deepEqual(read('go', ['golang.org/x/text/language'], 'mine \ngolang.org/x/text v0.21.0\n'), [
    'golang.org/x/text/language v0.21.0',
  ]);
  for (const manager of PACKAGE_MANAGERS)
    for (const printed of ['', 'null', '[]', '{"dependencies":7}', '[{"name":{}}]', '{"__proto__":{"version":"1"}}'])
      assert.deepEqual(read(manager, ['abc.de/x'], printed), ['abc.de/x null'], `${manager} ${printed}`);
});

test('a failure has a code and a fix', () => {
  const code = (manager: PackageManager, output: string, exit = 1) => failureOfInstall(manager, { exit, output }).code;
  assert.equal(code('apt', 'E: Unable to locate package nosuch'), 'no_such_package');
  assert.equal(code('pip', 'ERROR: No matching distribution found for nosuch'), 'no_such_package');
  assert.equal(code('npm', 'npm error code E404'), 'no_such_package');
  assert.equal(code('go', 'go: go.mod file not found in current directory'), 'no_project');
  assert.equal(code('npm', 'npm error 403 egress_registry_off'), 'egress_registry_off');
  assert.equal(code('apt', 'E: 403 egress_not_allowed'), 'egress_refused');
  assert.equal(code('pip', 'gcc: fatal error'), 'install_failed');
  const missing = failureOfInstall('cargo', { exit: 127, output: 'cargo: not found' });
  assert.deepEqual([missing.code, missing.advice.includes('packages ["cargo"]')], ['no_package_manager', true]);
});

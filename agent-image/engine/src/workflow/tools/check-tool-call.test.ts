/** Permissions of manifests: three levels, denials that stay, safe modes, and texts that name the place. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf } from '../../testing/dice.ts';
import { checkToolCall, type Need, type ToolRules, type ToolVerdict } from './check-tool-call.ts';
import type { PermissionLevel, StatedPermissions } from './permissions/permission-levels.ts';

type Stated = Partial<Record<PermissionLevel['name'], StatedPermissions>>;

const PLACES = {
  default: { file: 'tools.yaml', path: ['permissions'] },
  agent: { file: 'agents.yaml', path: ['agents', 0, 'permissions'] },
  tool: { file: 'tools.yaml', path: ['tools', 1, 'permissions'] },
} as const;

const levelsOf = (stated: Stated): readonly PermissionLevel[] =>
  (['default', 'agent', 'tool'] as const).flatMap((name) =>
    stated[name] === undefined ? [] : [{ name, ...PLACES[name], stated: stated[name] }],
  );

const rulesOf = (stated: Stated, changes: Partial<ToolRules> = {}): ToolRules => ({
  tool: 'edit',
  effect: 'idempotent',
  mode: null,
  levels: levelsOf(stated),
  reserved: [],
  lineOf: () => 7,
  ...changes,
});

const check = (stated: Stated, need: Need, changes: Partial<ToolRules> = {}): string => {
  const verdict: ToolVerdict = checkToolCall(rulesOf(stated, changes), [need]);
  return verdict.verdict === 'allow' ? 'allow' : `${verdict.code}: ${verdict.text}`;
};

const write = (path: string): Need => ({ kind: 'write', path });
const run = (...argv: readonly string[]): Need => ({ kind: 'run', argv });
const files = (...list: readonly string[]): StatedPermissions => ({ filesystem: { write: list } });

test('only stated permissions allow a call, and the denial says where to state one', () => {
  assert.match(
    check({ tool: {} }, write('a')),
    /^path_not_permitted: edit may not be used to write a: no manifest states filesystem\.write\. Add it to tools\.yaml:7 \(tools\[1\]\.permissions\.filesystem\.write\)\.$/,
  );
  assert.match(check({ tool: {} }, { kind: 'network', host: 'a.org' }), /^network_not_permitted: .*network\.allow/);
  assert.match(check({ tool: {} }, run('git')), /^program_not_permitted: .*shell\.allow/);
  assert.match(check({ tool: {} }, { kind: 'read', path: '' }), /to read the root/);
});

test('a more specific list of what is allowed replaces a more general one', () => {
  const stated = { default: files('a/**'), agent: files('b/**'), tool: files('c/**') };
  assert.equal(check(stated, write('c/x')), 'allow');
  assert.match(
    check(stated, write('a/x')),
    /no entry of tools\.yaml:7 \(tools\[1\]\.permissions\.filesystem\.write\) fits/,
  );
  assert.equal(check({ default: stated.default, agent: stated.agent }, write('b/x')), 'allow');
  assert.match(
    check({ default: files('**'), agent: files() }, write('a')),
    /agents\.yaml:7 \(agents\[0\]/,
    'empty: nothing',
  );
});

test('a denial of any level stays, even if a more specific level allows it', () => {
  for (const level of ['default', 'agent', 'tool'] as const) {
    const all = { filesystem: { write: ['**'] }, shell: { allow: ['*'] }, network: { allow: ['*'] } };
    const denials = { filesystem: { write: ['!secret/**'] }, shell: { deny: ['rm'] }, network: { deny: ['a.org'] } };
    const merged = {
      filesystem: { write: ['**', '!secret/**'] },
      shell: { ...all.shell, ...denials.shell },
      network: { ...all.network, ...denials.network },
    };
    const stated: Stated = level === 'tool' ? { tool: merged } : { [level]: denials, tool: all };
    const file = level === 'agent' ? 'agents' : 'tools';
    assert.match(check(stated, write('secret/x')), new RegExp(`"!secret/\\*\\*" in ${file}\\.yaml:7 .*denies it`));
    assert.equal(check(stated, write('open/x')), 'allow');
    assert.match(check(stated, run('/bin/rm', 'x')), new RegExp(`program_not_permitted: .*"rm" in ${file}\\.yaml`));
    assert.match(check(stated, { kind: 'network', host: 'a.org' }), /network_not_permitted/);
    assert.equal(check(stated, { kind: 'network', host: 'b.org' }), 'allow');
  }
});

test('a shell needs the switch at some level and no level that says false', () => {
  const allow = { shell: { allow: ['*'] } };
  const on = { shell: { enabled: true } };
  const off = { shell: { enabled: false } };
  assert.match(check({ tool: allow }, run('sh', '-c', 'ls')), /^shell_not_enabled: .*set enabled: true in tools\.yaml/);
  assert.equal(check({ default: on, tool: allow }, run('bash', '-c', 'ls')), 'allow');
  assert.match(
    check({ agent: off, tool: { shell: { ...allow.shell, enabled: true } } }, run('sh')),
    /agents\.yaml:7 .* says false/,
  );
  assert.match(check({ tool: on }, run('sh')), /program_not_permitted/, 'the lists judge a shell too');
});

test('analysis_only denies every effect but read, and dry_run denies nothing more', () => {
  const stated = { tool: { filesystem: { write: ['**'], read: ['**'] } } };
  for (const effect of ['idempotent', 'keyed', 'verify', 'once'] as const)
    assert.match(check(stated, write('a'), { mode: 'analysis_only', effect }), /^analysis_only: /);
  const read: Need = { kind: 'read', path: 'a' };
  assert.equal(check(stated, read, { mode: 'analysis_only', effect: 'read' }), 'allow');
  assert.equal(check(stated, write('a'), { mode: 'dry_run' }), 'allow');
});

test('no manifest opens the data of the engine, and none lets a tool write the manifests', () => {
  const reserved = [
    { path: '.hamlet', isData: true },
    { path: 'flows/tools.yaml', isData: false },
  ];
  const all = { tool: { filesystem: { read: ['**'], write: ['**'] } } };
  const denied = /^path_not_permitted: .* belongs to the engine/;
  assert.match(check(all, write('.hamlet/kept/x'), { reserved }), denied);
  assert.match(check(all, { kind: 'read', path: '.hamlet' }, { reserved }), denied);
  assert.match(check(all, write('flows/tools.yaml'), { reserved }), denied);
  assert.equal(check(all, { kind: 'read', path: 'flows/tools.yaml' }, { reserved }), 'allow');
  for (const path of ['.hamlet-more/x', 'flows/tools.yaml.md', 'flows'])
    assert.equal(check(all, write(path), { reserved }), 'allow');
});

test('more denials never allow more', () => {
  const seed = seedOf();
  const dice = diceOf(seed);
  const list = (): readonly string[] =>
    Array.from(
      { length: dice.below(3) },
      () => `${dice.chance(0.3) ? '!' : ''}${dice.of(['**', 'a/**', 'b', 'a/b', '*'])}`,
    );
  const some = (): StatedPermissions => (dice.chance(0.3) ? {} : files(...list()));
  let narrowed = 0;
  for (let round = 0; round < 3_000; round += 1) {
    const stated = { default: some(), agent: some(), tool: some() };
    const need = write(dice.of(['a', 'b', 'a/b', 'a/c']));
    const level = dice.of(['default', 'agent', 'tool'] as const);
    const before = stated[level].filesystem?.write ?? [];
    // A level that stated nothing must not state an allow list by its denial.
    const denied = { ...stated, [level]: files(...before, `!${dice.of(['a', 'b', 'a/**'])}`) };
    const isEmptied = stated[level].filesystem !== undefined && before.length === 0;
    if (isEmptied) continue;
    const [first, second] = [check(stated, need), check(denied, need)];
    assert.ok(first === 'allow' || second !== 'allow', `SEED=${seed}: ${JSON.stringify({ stated, denied, need })}`);
    if (first === 'allow' && second !== 'allow') narrowed += 1;
  }
  assert.ok(narrowed > 50, `${narrowed} were narrowed`);
});

/** The rules by which entries of manifests fit paths, programs and hosts. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diceOf, seedOf } from '../../../testing/dice.ts';
import { fitsGlob } from './fits-glob.ts';
import { fitsHost } from './fits-host.ts';
import { allowsProgram, deniesProgram, isShell } from './fits-program.ts';
import { partsOf } from '../workspace-path.ts';

const GLOBS: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['**', ['', 'a', '.env', 'a/.git/config'], []],
  ['src/**', ['src', 'src/a', 'src/a/b.ts', 'src/.x'], ['', 'srcs', 'a/src', 'lib/src/a']],
  ['src/*.ts', ['src/a.ts', 'src/.ts'], ['src', 'src/a/b.ts', 'src/a.tsx']],
  ['**/*.md', ['a.md', 'docs/a.md', 'a/b/c/d.md'], ['md', 'a.md/x']],
  ['a/**/z', ['a/z', 'a/b/z', 'a/b/c/z'], ['a', 'z', 'a/zz']],
  ['?.txt', ['a.txt'], ['.txt', 'ab.txt']],
  ['*a*b*', ['ab', 'xaxbx', 'aabb'], ['ba', 'a', 'x/ab']],
  ['./src//x', ['src/x'], ['src']],
  ['', [''], ['a']],
  ['.', [''], ['a']],
];

test('a pattern fits the paths that it names, dot files too', () => {
  for (const [pattern, fitting, others] of GLOBS) {
    for (const path of fitting) assert.ok(fitsGlob(pattern, path), `${pattern} fits ${path}`);
    for (const path of others) assert.ok(!fitsGlob(pattern, path), `${pattern} does not fit ${path}`);
  }
});

test('random patterns fit as the regular expression of the same meaning does', () => {
  const seed = seedOf();
  const dice = diceOf(seed);
  const word = (signs: string): string => Array.from({ length: dice.below(4) + 1 }, () => dice.of([...signs])).join('');
  for (let round = 0; round < 5_000; round += 1) {
    const parts = Array.from({ length: dice.below(4) + 1 }, () => (dice.chance(0.3) ? '**' : word('ab*?')));
    const path = Array.from({ length: dice.below(4) + 1 }, () => word('ab')).join('/');
    // Each part fits with the slash after it.
    const source = parts.map((part) =>
      part === '**' ? '(?:[ab]+/)*' : `${part.replaceAll('*', '[ab]*').replaceAll('?', '[ab]')}/`,
    );
    const expected = new RegExp(`^${source.join('')}$`).test(`${path}/`);
    // `**` among the letters of a part is a `*` twice, as in the expression.
    assert.equal(fitsGlob(parts.join('/'), path), expected, `SEED=${seed}: ${parts.join('/')} and ${path}`);
  }
});

test('a hostile pattern costs the product of the lengths', () => {
  const parts = Array.from({ length: 500 }, () => '**/*a*a*a*b').join('/');
  assert.equal(fitsGlob(parts, Array.from({ length: 500 }, () => 'a'.repeat(50)).join('/')), false);
});

test('a program is allowed as it is written, and denied in every folder', () => {
  assert.ok(allowsProgram('git', ['git', 'push']));
  assert.ok(allowsProgram('git status', ['git', 'status', '-s']));
  assert.ok(!allowsProgram('git status', ['git', 'push']));
  assert.ok(!allowsProgram('git', ['./git']), 'another file of that name');
  assert.ok(!allowsProgram('git', ['git2']));
  assert.ok(allowsProgram('./build.sh', ['./build.sh', 'x']));
  assert.ok(allowsProgram('*', ['anything']));
  assert.ok(deniesProgram('rm', ['/bin/rm', '-r']) && deniesProgram('rm', ['RM']));
  assert.ok(deniesProgram('git push', ['/usr/bin/git', 'push']) && !deniesProgram('git push', ['git', 'pull']));
  assert.ok(!deniesProgram('rm', ['rmdir']));
});

test('shells are known by name in every folder', () => {
  for (const program of ['sh', '/bin/bash', 'BASH', './zsh', 'busybox']) assert.ok(isShell([program]), program);
  for (const program of ['git', 'shfmt', '', 'bash-completion']) assert.ok(!isShell([program]), program);
});

test('an entry fits a host or the names below it', () => {
  assert.ok(
    fitsHost('*', 'a.b') && fitsHost('Example.org', 'example.org.') && fitsHost('*.example.org', 'a.b.example.org'),
  );
  assert.ok(!fitsHost('*.example.org', 'example.org') && !fitsHost('*.example.org', '.example.org'));
  assert.ok(!fitsHost('example.org', 'badexample.org') && !fitsHost('*.example.org', 'badexample.org'));
});

test('a path has folders and a name, and never a way out', () => {
  const parts = (path: string): unknown => {
    const read = partsOf(path);
    return read.ok ? read.parts.join('/') : read.message;
  };
  assert.equal(parts('./a//b/'), 'a/b');
  assert.equal(parts('.'), '');
  assert.equal(parts('..a/b..'), '..a/b..');
  const refusals: readonly (readonly [string, RegExp])[] = [
    ['..', /without ".."/],
    ['a/../b', /without ".."/],
    ['/etc/passwd', /absolute/],
    ['C:/x', /absolute/],
    ['a\\..\\b', /backslash/],
    ['a\0b', /NUL/],
    ['x'.repeat(4_097), /4096 characters/],
    ['å'.repeat(128), /255 bytes/],
  ];
  for (const [path, expected] of refusals) assert.match(String(parts(path)), expected);
});

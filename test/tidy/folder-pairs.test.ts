/** Dependencies between folders of a package have one direction. A folder and its sub-folders count as one. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
/** Pairs that may import each other. */
const MAX_PAIRS = 5;
const NOT_COUNTED = /\.test\.tsx?$|\/testing\/|^test\/|^bench\/|\.generated\./;

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 })
  .split('\0')
  .filter((file) => file !== '' && existsSync(join(ROOT, file)));
const packages = tracked.filter((file) => file.endsWith('/package.json')).map((file) => `${dirname(file)}/`);
const packageOf = (file: string): string => packages.find((folder) => file.startsWith(folder)) ?? '';

/** `from to` for each pair of folders of one package, with an import as proof. */
function dependencies(): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const file of tracked.filter((name) => /\.tsx?$/.test(name) && !NOT_COUNTED.test(name))) {
    const text = readFileSync(join(ROOT, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g)) {
      const target = normalize(join(dirname(file), specifier));
      const [from, to] = [dirname(file), dirname(target)];
      if (packageOf(target) === packageOf(file) && !`${from}/`.startsWith(`${to}/`) && !`${to}/`.startsWith(`${from}/`))
        found.set(`${from} ${to}`, `${file} -> ${target}`);
    }
  }
  return found;
}

test(`at most ${MAX_PAIRS} pairs of folders import each other`, () => {
  const found = dependencies();
  const pairs = [...found].flatMap(([key, there]) => {
    const [from = '', to = ''] = key.split(' ');
    const back = found.get(`${to} ${from}`);
    return from < to && back !== undefined ? [`${from} <-> ${to}: ${there}, ${back}`] : [];
  });
  assert.ok(found.size > 100, `only ${found.size} dependencies between folders found`);
  assert.ok(pairs.length <= MAX_PAIRS, `${pairs.length} pairs:\n${pairs.join('\n')}`);
});

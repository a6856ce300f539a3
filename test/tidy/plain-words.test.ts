import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { OUT, plainWordHits } from './plain-words.ts';

const ROOT = resolve(import.meta.dirname, '../..');

test('comments, texts, titles, identifiers and documents have no forbidden word, and every exception is needed', () => {
  const { hits, unused } = plainWordHits();
  assert.deepEqual(
    hits.map(({ file, line, word, text }) => `${file}:${line} [${word}] ${text.slice(0, 140)}`),
    [],
  );
  assert.deepEqual(unused, []);
});

test('titles of tests begin with their subject, not with what, who or of', () => {
  const pattern = String.raw`\b(test|testOnDevices)\(['"](what|who|whose|of) `;
  const { stdout } = spawnSync('git', ['grep', '-nE', pattern, '--', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' });
  assert.deepEqual(stdout.split('\n').filter(Boolean), []);
});

test('the glossary rules out the same verbs', () => {
  const [, verbs = ''] = readFileSync(resolve(ROOT, 'docs/GLOSSARY.md'), 'utf8').split('## Words for verbs');
  const rows = [...(verbs.split('\n## ')[0] ?? '').matchAll(/^\| [^|]+ \| ([^|]+) \|$/gm)].map(([, not = '']) => not);
  const words = rows.filter((not) => not !== 'not').flatMap((not) => not.split(', '));
  assert.ok(words.length > 5);
  assert.deepEqual(
    words.filter((word) => !OUT.some(({ pattern }) => pattern.test(word))),
    [],
  );
});

test('names that the glossary has replaced do not return', () => {
  const [, section = ''] = readFileSync(resolve(ROOT, 'docs/GLOSSARY.md'), 'utf8').split('## Names that were replaced');
  const rows = [...(section.split('\n## ')[0] ?? '').matchAll(/^\| `(\w+)`(?: \((\w+)\))? \|/gm)];
  assert.ok(rows.length > 0);
  const found = rows.flatMap(([, name = '', folder = '.']) => {
    const args = ['grep', '-lw', name, '--', `${folder}/*.ts`, `${folder}/*.tsx`];
    return spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' })
      .stdout.split('\n')
      .filter(Boolean)
      .map((file) => `${file}: ${name}`);
  });
  assert.deepEqual(found, []);
});

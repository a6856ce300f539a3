import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { OUT, plainWordHits } from './plain-words.ts';

const ROOT = resolve(import.meta.dirname, '../..');
/** Hits that are still there. Lower it whenever some are gone. */
const MAX_HITS = 775;

test(`comments, texts and documents have at most ${MAX_HITS} words that are out`, () => {
  const hits = plainWordHits();
  const lines = hits.map(({ file, line, word, text }) => `${file}:${line} [${word}] ${text}`);
  assert.ok(hits.length <= MAX_HITS, `${hits.length} hits:\n${lines.join('\n')}`);
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

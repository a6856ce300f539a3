/** Rules of CONTRIBUTING.md that oxlint cannot check: names, folder sizes, machine paths, stacked docstrings. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { test } from 'node:test';

const ROOT = resolve(import.meta.dirname, '../..');
const MAX_SOURCES_PER_FOLDER = 15;
const MAX_LINES = 400;

const tracked = execFileSync('git', ['ls-files', '-z'], { cwd: ROOT, encoding: 'utf8', maxBuffer: 64 << 20 })
  .split('\0')
  .filter((file) => file !== '' && statSync(join(ROOT, file), { throwIfNoEntry: false })?.isFile() === true);
const sources = tracked.filter((file) => /\.(ts|tsx|go|sql|sh|css)$/.test(file) && !file.includes('.generated.'));

test('sources are named after one concept, in kebab-case', () => {
  const scripts = sources.filter((file) => /\.tsx?$/.test(file));
  const vague = scripts.filter((file) => /^(utils?|helpers?|common|types|misc|shared)\.tsx?$/.test(basename(file)));
  const notKebab = scripts.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)*\.tsx?$/.test(basename(file)));
  assert.deepEqual({ vague, notKebab }, { vague: [], notKebab: [] });
});

test(`a folder holds at most ${MAX_SOURCES_PER_FOLDER} sources and a source at most ${MAX_LINES} lines`, () => {
  const perFolder = new Map<string, number>();
  // Migrations are one list, which only grows.
  for (const file of sources.filter((name) => !/\.test\.tsx?$|_test\.go$|\/migrations\//.test(name))) {
    perFolder.set(dirname(file), (perFolder.get(dirname(file)) ?? 0) + 1);
  }
  const crowded = [...perFolder].filter(([, count]) => count > MAX_SOURCES_PER_FOLDER);
  const long = sources.filter((file) => readFileSync(join(ROOT, file), 'utf8').split('\n').length - 1 > MAX_LINES);
  assert.deepEqual({ crowded, long }, { crowded: [], long: [] });
});

test('no tracked file has a path of one machine or an open to-do', () => {
  const texts = tracked.filter(
    (file) =>
      !/package-lock\.json$|go\.sum$|\.(png|ico|woff2?)$/.test(file) && file !== 'test/tidy/house-rules.test.ts',
  );
  const offenders: string[] = [];
  for (const file of texts) {
    readFileSync(join(ROOT, file), 'utf8')
      .split('\n')
      .forEach((line, index) => {
        if (/(^|[\s"'`(=])\/(work|farm)\//.test(line) || /\b(TODO|FIXME|XXX)\b/.test(line))
          offenders.push(`${file}:${index + 1}`);
      });
  }
  assert.deepEqual(offenders, []);
});

test('a docstring stands before a declaration, never before another docstring', () => {
  const stacked = sources
    .filter((file) => /\.tsx?$/.test(file))
    .filter((file) => /\*\/\n[ \t]*\/\*\*/.test(readFileSync(join(ROOT, file), 'utf8')));
  assert.deepEqual(stacked, []);
});

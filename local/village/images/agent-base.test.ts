import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
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

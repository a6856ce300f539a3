/** zod accepts the good samples and refuses the bad ones. verdict.test.ts checks that the API server agrees. Samples of ConfigMaps have other names. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { DEFINITIONS } from './definitions.ts';

const SAMPLES = resolve(import.meta.dirname, '../samples');

for (const file of readdirSync(SAMPLES, { recursive: true, encoding: 'utf8' }).filter((name) =>
  /^(good|bad)-.*\.yaml$/.test(basename(name)),
)) {
  const good = basename(file).startsWith('good-');
  test(`zod ${good ? 'accepts' : 'refuses'} ${file}`, () => {
    const source = readFileSync(join(SAMPLES, file), 'utf8');
    const sample = parse(source) as { kind: string };
    const schema = DEFINITIONS.find(({ kind }) => kind === sample.kind)?.schema;
    assert.ok(schema);
    const verdict = schema.safeParse(sample);
    assert.equal(verdict.success, good, verdict.success ? 'taken' : verdict.error.message);
    if (!good)
      assert.match(source, /^# refused: ./, 'the first line of a bad sample must have the text that a user should see');
  });
}

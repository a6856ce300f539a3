import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { MANIFEST_DENIALS } from '../../../effects/tool-outcome.ts';
import { BUILT_INS } from '../built-ins/built-in.ts';

const DOCS = resolve(import.meta.dirname, '../../../../../../docs');

test('the reference of the tools of workflows is current, and has each tool and each denial', () => {
  const argv = [join(import.meta.dirname, 'tools-reference.ts'), '--check'];
  const { status, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  const text = readFileSync(join(DOCS, 'reference/workflow-tools.generated.md'), 'utf8');
  for (const name of [...Object.keys(BUILT_INS), ...MANIFEST_DENIALS])
    assert.ok(text.includes(`| \`${name}\` |`), name);
  assert.ok(readFileSync(join(DOCS, 'TOOLS.md'), 'utf8').includes('workflow-tools.generated.md'));
});

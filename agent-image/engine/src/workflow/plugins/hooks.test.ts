import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { HOOKS, HOOKS_VERSION } from './hooks.ts';

const DOCUMENT = join(import.meta.dirname, '../../../../../docs/reference/hooks.md');

/** A hook as the document has it. */
const rows = Object.entries(HOOKS).map(([name, { when, vetoes, payload }]) => {
  const fields = Object.keys(payload.shape).map((field) => `\`${field}\``);
  return `| \`${name}\` | ${when} | ${vetoes ? 'yes' : ''} | ${fields.join(' ')} |`;
});

test('the document has every hook of the list with its fields, in order, and no other', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  const shown = text.split('\n').filter((line) => line.startsWith('| `'));
  assert.deepEqual(
    shown,
    rows,
    'write the rows of the hooks into docs/reference/hooks.md, and raise HOOKS_VERSION if plugins break',
  );
  assert.ok(text.includes(`Version ${HOOKS_VERSION} of the hooks`), 'name the version in docs/reference/hooks.md');
});

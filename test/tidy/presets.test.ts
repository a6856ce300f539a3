/** The page about other minds lists every preset with the facts that the village shows before it installs one. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { ACP_PRESETS } from '@hamlet/contract';

const PAGE = join(resolve(import.meta.dirname, '../..'), 'docs/BRING-YOUR-OWN-AGENT.md');

test('the page lists each preset with its version, licence and size, and says if it asks', () => {
  const rows = readFileSync(PAGE, 'utf8').split('\n');
  const listed = rows.flatMap((row) => /^\| `([a-z-]+)` \| .* MB \|/.exec(row)?.[1] ?? []);
  assert.deepEqual(listed.toSorted(), Object.keys(ACP_PRESETS).toSorted());
  for (const [name, { title, version, licence, megabytes, asks }] of Object.entries(ACP_PRESETS)) {
    const row = rows.find((each) => each.startsWith(`| \`${name}\` |`)) ?? '';
    for (const fact of [`${title} ${version}`, licence, `${megabytes} MB`, asks ? '| yes' : '| no'])
      assert.ok(row.includes(fact), `${name}: the page lacks "${fact}"`);
  }
});

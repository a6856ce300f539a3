/** The page of the audit has words for each act that the API records under a fixed name. */
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACTION_REASONS, MEASURES, PermissionAnswer } from '@hamlet/contract';
import { Decision } from '../../api/contract/src/board/post.ts';
import { hasWords } from '../../web/src/features/audit/audit-words.ts';

const ROOT = join(import.meta.dirname, '../..');
const LITERALS = /action: (?:[^'`\n,]*\? )?'([a-z0-9_.]+)'(?: : '([a-z0-9_.]+)')?/g;

test('each act of the audit has words', () => {
  const sources = ['api/server/src/**/*.ts', 'api/store/src/**/*.ts'].flatMap((glob) => globSync(glob, { cwd: ROOT }));
  const written = sources
    .filter((file) => !file.endsWith('.test.ts') && !file.includes('/testing/'))
    .flatMap((file) => [...readFileSync(join(ROOT, file), 'utf8').matchAll(LITERALS)])
    .flatMap(([, one, other]) => [one ?? [], other ?? []].flat());
  assert.ok(written.length > 60, `found ${written.length}`);
  const composed = [
    ...MEASURES.flatMap((measure) => [measure, `lift.${measure}`]),
    ...PermissionAnswer.options.map((answer) => `permission.${answer}`),
    ...['steer', 'act'].flatMap((verb) => ['move', ...Object.keys(ACTION_REASONS)].map((kind) => `${verb}.${kind}`)),
    ...['agent', 'entitlement', 'schedule'].flatMap((kind) => [`${kind}.create`, `${kind}.change`, `${kind}.delete`]),
    ...Decision.options.map((decision) => `board.${decision}`),
  ];
  const wordless = [...new Set([...written, ...composed])].filter((action) => !hasWords(action));
  assert.deepEqual(wordless, []);
});

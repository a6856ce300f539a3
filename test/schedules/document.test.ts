/** docs/SCHEDULES.md lists every reason, with the words of the contract. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { Schedule, SCHEDULE_EVENT_REASONS, SCHEDULE_REASONS } from '@hamlet/contract/kinds';
import { parse } from 'yaml';

const document = readFileSync(resolve(import.meta.dirname, '../../docs/SCHEDULES.md'), 'utf8');

test('every reason of a condition and of an event is explained', () => {
  const rows = new Map(
    [...document.matchAll(/^\| `(\w+)` \|(?: [A-Z][\w, ]*? \|)? (.+) \|$/gm)].map(([, reason, words]) => [
      reason,
      words,
    ]),
  );
  for (const [reason, words] of [...Object.entries(SCHEDULE_REASONS), ...Object.entries(SCHEDULE_EVENT_REASONS)])
    assert.equal(rows.get(reason), words, reason);
});

test('the example is a Schedule', () => {
  const [, yaml = ''] = /```yaml\n([^]*?)```/.exec(document) ?? [];
  assert.equal(Schedule.safeParse(parse(yaml)).success, true);
});

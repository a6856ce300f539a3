import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ScheduleSpec, specProblems, TOOL_CLASSES, VILLAGE_TOOLS } from '@hamlet/contract';
import { CHARACTERS } from './characters.ts';

const SKILLS: readonly string[] = readdirSync(join(import.meta.dirname, '../../../../../agent-image/skills'));
const KNOWN: ReadonlySet<string> = new Set([...TOOL_CLASSES, ...Object.keys(VILLAGE_TOOLS)]);

test('there are six characters, each with its own id', () => {
  assert.equal(new Set(CHARACTERS.map(({ id }) => id)).size, 6);
});

for (const { id, spec, schedule } of CHARACTERS)
  test(`the ${id} is valid, and its skills, tools and schedule exist`, () => {
    assert.deepEqual(specProblems(spec), []);
    for (const { name } of spec.skills ?? []) assert.ok(SKILLS.includes(name), name);
    for (const { tools } of spec.tools?.rules ?? [])
      for (const tool of tools) assert.ok(KNOWN.has(tool), `${tool} is neither a tool nor a class`);
    const { prompt, daily_at: dailyAt } = schedule ?? { prompt: '', daily_at: '' };
    assert.ok(ScheduleSpec.safeParse({ agentName: id, prompt, dailyAt, timeZone: 'UTC' }).success);
  });

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent } from '@hamlet/contract';
import { copyName, nameFromTitle, nameProblem } from './agent-name.ts';

const accepted = (name: string): boolean =>
  Agent.safeParse({ apiVersion: 'hamlet.village/v1alpha1', kind: 'Agent', metadata: { name }, spec: {} }).success;

test('a name from a title is one that Kubernetes accepts', () => {
  for (const [title, name] of [
    ['Zoë the Baker', 'zoe-the-baker'],
    ['  Dr. No  ', 'dr-no'],
    ['2nd clerk', 'nd-clerk'],
    ['A--b__c', 'a-b-c'],
    [`${'long '.repeat(8)}x`, 'long-long-long-long-long-long-long-long'],
  ] as const) {
    assert.equal(nameFromTitle(title), name);
    assert.ok(accepted(name), name);
  }
  assert.equal(nameFromTitle('小明'), '', 'no letter is left: the person writes the name');
});

test('a copy gets the next free name, within the longest one', () => {
  assert.equal(copyName('ada', new Set(['ada'])), 'ada-2');
  assert.equal(copyName('ada-2', new Set(['ada', 'ada-2'])), 'ada-3');
  const long = copyName('a'.repeat(40), new Set());
  assert.equal(long, `${'a'.repeat(38)}-2`);
  assert.ok(accepted(long));
});

test('a name that the schema refuses has a problem, a free good one has none', () => {
  for (const name of ['', 'Ada', '-ada', 'ada-', '1ada', 'a.b', 'a'.repeat(41)]) {
    assert.ok(nameProblem(name, new Set()) !== undefined, name);
    assert.equal(accepted(name), false, name);
  }
  assert.equal(nameProblem('ada', new Set()), undefined);
  assert.match(nameProblem('ada', new Set(['ada'])) ?? '', /already/);
});

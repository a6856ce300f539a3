import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, ScheduleSpec } from '@hamlet/contract';
import { parseAllDocuments } from 'yaml';
import { resourceYaml } from './agent-yaml.ts';

test('the text is one that kubectl accepts: both objects, with all texts as they were written', () => {
  const instructions = 'Bake at dawn.\n\n- no: "quotes"\n- # is not a comment';
  const text = resourceYaml([
    { kind: 'Agent', name: 'ada', spec: { displayName: 'Ada ', persona: { instructions: `${instructions}\n` } } },
    {
      kind: 'Schedule',
      name: 'ada-daily',
      spec: { agentName: 'ada', prompt: 'Bake.', dailyAt: '06:00', timeZone: 'UTC' },
    },
  ]);
  const [agent, schedule] = parseAllDocuments(text).map((document): unknown => document.toJS());
  assert.deepEqual(Agent.parse(agent).spec.persona, { instructions });
  assert.deepEqual(agent, {
    apiVersion: 'hamlet.village/v1alpha1',
    kind: 'Agent',
    metadata: { name: 'ada' },
    spec: { displayName: 'Ada', persona: { instructions } },
  });
  assert.equal(ScheduleSpec.parse((schedule as { spec: unknown }).spec).dailyAt, '06:00');
  assert.match(text, /instructions: \|-\n {6}Bake at dawn\./, 'a long text is a block');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placeOfStage } from './stage-place.ts';

const files = new Map([
  [
    'workflow.yaml',
    `workflow:
  id: review
  nodes:
    - { id: read, role: tool, tool: read }
    - id: judge
      role: agent
    - { id: judge.check, role: linear }
`,
  ],
  [
    'pipelines.yaml',
    `pipelines:
  - { id: quick }
  - id: full
    stages:
      tool: [node, { id: shape, role: linear, output: "=input" }]
      agent:
        - node
        - id: log
          role: linear
`,
  ],
]);

test('a stage is at its node, or where its pipeline adds it', () => {
  const at = (stage: string, pipeline = 'full'): string => {
    const place = placeOfStage(files, stage, pipeline);
    return place === null ? 'nowhere' : `${place.file}:${place.line}:${place.column}`;
  };
  assert.deepEqual(
    [at('read'), at('judge'), at('judge.check'), at('read.shape'), at('judge.log')],
    ['workflow.yaml:4:7', 'workflow.yaml:5:7', 'workflow.yaml:7:7', 'pipelines.yaml:5:20', 'pipelines.yaml:8:11'],
  );
  assert.deepEqual([at('judge.log', 'quick'), at('gone'), at('judge.log', 'gone')], ['nowhere', 'nowhere', 'nowhere']);
});

test('unreadable texts, and texts other than manifests, have no stages', () => {
  for (const text of ['workflow: [', '[]', 'workflow: { nodes: 4 }', 'workflow: { nodes: [null, 4, [], {}] }'])
    assert.equal(placeOfStage(new Map([['workflow.yaml', text]]), 'read', 'full'), null);
  assert.equal(placeOfStage(new Map(), 'read', 'full'), null);
});

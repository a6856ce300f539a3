import type { CallData, getRunWorkflow, WorkflowStage } from '@hamlet/contract';

const AGENTS = `models:
  - { id: fast, provider: openai, name: gpt-5-mini, api_key_env: OPENAI_API_KEY }
agents:
  - id: critic
    description: Judges a change.
    instructions: You review a change. Score it from 1 (wrong) to 5 (ready).
    model: fast
    output:
      type: object
      properties: { score: { type: integer } }
  - id: writer
    description: Writes.
    instructions: You write.
    model: fast
`;

const TOOLS = `tools:
  - { id: read, uses: filesystem.read_file }
`;

const WORKFLOW = `workflow:
  id: careful-review
  description: Critics, one verdict, and a report if reading fails.
  nodes:
    - { id: fetch, role: tool, tool: read, input: { path: "=task.input.path" } }
    - { id: logic, role: agent, agent: critic, retry: { attempts: 3 } }
    - { id: style, role: agent, agent: critic }
    - { id: all, role: merge, merge: by_source }
    - { id: gate, role: decision }
    - { id: draft, role: agent, agent: writer }
    - { id: polish, role: feedback, agent: critic, reviews: draft, until: "output.score >= 4", max_rounds: 3 }
    - { id: praise, role: linear, output: "={'verdict': 'ship it'}" }
    - { id: alarm, role: linear, output: "={'failed': true}" }
  edges:
    - { from: fetch, to: logic }
    - { from: fetch, to: style }
    - { from: fetch, to: alarm, type: error }
    - { from: logic, to: all }
    - { from: style, to: all }
    - { from: all, to: gate }
    - { from: gate, to: praise, type: conditional, when: "input.logic.score >= 4" }
    - { from: gate, to: draft, type: conditional, otherwise: true }
    - { from: draft, to: polish }
`;

export type RunWorkflowData = CallData<typeof getRunWorkflow>;

/** A stage of the API for tests: an agent's, which took two seconds. */
export const aWorkflowStage = (stage: string, more: Partial<WorkflowStage> = {}): WorkflowStage => ({
  stage,
  role: 'agent',
  status: 'completed',
  round: 1,
  attempt: 1,
  input: '{"path":"notes.md"}',
  output: '{"score":3}',
  failure: null,
  edges: [],
  worker_run_id: null,
  tokens: 0,
  cost: '0',
  started_at: '2026-11-29T10:00:00.000Z',
  ended_at: '2026-11-29T10:00:02.000Z',
  ...more,
});

/** The answer about a run of a review with nine stages, before its first stage. */
export const aRunWorkflow = (more: Partial<RunWorkflowData> = {}): RunWorkflowData => ({
  manifests: {
    sha256: 'ab'.repeat(32),
    files: [
      { path: 'agents.yaml', text: AGENTS },
      { path: 'tools.yaml', text: TOOLS },
      { path: 'workflow.yaml', text: WORKFLOW },
    ],
  },
  pipeline: null,
  plan: null,
  stages: [],
  ...more,
});

/** The stages of that run while it is in its second round of judgement. */
export const STAGES_UNDER_WAY: readonly WorkflowStage[] = [
  aWorkflowStage('fetch', { role: 'tool', edges: ['fetch->logic', 'fetch->style'], output: '"# Notes"' }),
  aWorkflowStage('logic', { attempt: 2, tokens: 1204, cost: '0.0213', edges: ['logic->all'] }),
  aWorkflowStage('style', { tokens: 880, cost: '0.012', edges: ['style->all'] }),
  aWorkflowStage('all', { role: 'merge', edges: ['all->gate'], output: '{"logic":{"score":3},"style":{"score":4}}' }),
  aWorkflowStage('gate', { role: 'decision', edges: ['gate->draft'] }),
  aWorkflowStage('draft', { round: 2, tokens: 5310, cost: '0.094', output: null, status: 'running', ended_at: null }),
  aWorkflowStage('polish', { role: 'feedback', status: 'repeated', tokens: 420, cost: '0.004', output: '{"score":2}' }),
  aWorkflowStage('praise', { role: 'linear', status: 'skipped', output: null, started_at: null, attempt: 0, round: 0 }),
  aWorkflowStage('alarm', { role: 'linear', status: 'skipped', output: null, started_at: null, attempt: 0, round: 0 }),
];

import type { TelemetryEvent, TelemetryOf, TelemetryType } from '../telemetry/event.ts';

const ENVELOPE = {
  v: 1,
  seq: 1,
  task: 't1',
  run: 'r1',
  stage: 'judge',
  agent: null,
  at: 1_800_000_000_500,
  monotonic_ms: 500,
} as const;
const SPAN = { started_at: 1_800_000_000_000, duration_ms: 500 };
const USAGE = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15, cost_micros: 20, money_micros: 1 };
const STAGE = { role: 'agent', attempt: 1, round: 1 } as const;
const CALL = { call: '1.0', tool: 'read' };
const FAILURE = {
  taskId: 't1',
  pipelineId: 'default',
  stageId: 'judge',
  nodeType: 'agent',
  category: 'tool',
  code: 'timed_out',
} as const;
const CALLED = { ...SPAN, model: 'fast', conversation: 'c1', usage: USAGE };

type Bodies = { readonly [T in TelemetryType]: Omit<TelemetryOf<T>, keyof typeof ENVELOPE> };

const BODIES: Bodies = {
  task_created: {
    type: 'task_created',
    workflow: 'review',
    pipeline: 'default',
    mode: null,
    tags: ['code'],
    input: { path: 'a.ts' },
  },
  task_finished: {
    type: 'task_finished',
    ...SPAN,
    workflow: 'review',
    pipeline: 'default',
    status: 'completed',
    failure: null,
    usage: USAGE,
  },
  stage_started: { type: 'stage_started', ...STAGE, input: { path: 'a.ts' } },
  stage_finished: {
    type: 'stage_finished',
    ...SPAN,
    ...STAGE,
    end: 'done',
    output: { good: true },
    failure: null,
    usage: USAGE,
  },
  agent_called: { type: 'agent_called', ...CALLED, outcome: 'done', code: null },
  tool_called: { type: 'tool_called', ...SPAN, ...CALL, effect: 'read', attempts: 1, outcome: 'ok', code: null },
  model_called: {
    type: 'model_called',
    ...CALLED,
    ask: 1,
    attempt: 1,
    outcome: 'answered',
    finish: 'stop',
    code: null,
    tool_calls: 0,
  },
  memory_retrieved: { type: 'memory_retrieved', parts: 2, tokens: 40 },
  routing_decision: { type: 'routing_decision', kind: 'edges', choice: ['judge->ship'] },
  json_repair: {
    type: 'json_repair',
    where: 'arguments',
    tool: 'read',
    result: 'repaired',
    code: null,
    actions: ['commas_removed'],
  },
  permission_checked: { type: 'permission_checked', ...CALL, verdict: 'allow', by: 'policy' },
  permission_denied: { type: 'permission_denied', ...CALL, code: 'policy', message: 'Not in src.' },
  sensitive_call: { type: 'sensitive_call', ...CALL, effect: 'once' },
  error: { type: 'error', where: 'tool', failure: FAILURE, message: 'The tool ended.' },
};

export const TELEMETRY_TYPES = Object.keys(BODIES) as readonly TelemetryType[];

export const aTelemetryEvent = <T extends TelemetryType>(
  type: T,
  fields: Partial<Omit<TelemetryOf<T>, 'type'>> = {},
): TelemetryEvent => ({ ...ENVELOPE, ...BODIES[type], ...fields }) as unknown as TelemetryEvent;

import { EVENT_VERSION, type EventOf, type EventType, type JournalEvent } from '../journal/event.ts';

/** A readable reference of a text. */
export const aRef = (text: string): string =>
  text
    .replaceAll(/[^\w-]/g, '_')
    .padEnd(22, '0')
    .slice(0, 22);

export const BUDGETS = { steps: 100, tokens: 1_000_000, moneyMicros: 1_000_000, timeMs: 3_600_000, idleCalls: 10 };

const ENVELOPE = {
  v: EVENT_VERSION as typeof EVENT_VERSION,
  run: 'r1',
  stage: 'main',
  fence: 1,
  at: 1_800_000_000_000,
  elapsedMs: 0,
};
const NO_USAGE = { prompt: 0, completion: 0, total: 0 };

/** A complete event of each type, with values that are legal in the shortest run. */
const DEFAULTS: { readonly [T in EventType]: Omit<EventOf<T>, keyof typeof ENVELOPE> } = {
  run_opened: {
    type: 'run_opened',
    conversation: 'c1',
    after: null,
    parent: null,
    plan: aRef('plan'),
    model: 'test',
    budgets: BUDGETS,
    prompt: aRef('prompt'),
    situation: aRef('situation'),
    recalled: aRef('recalled'),
    input: aRef('input'),
  },
  run_resumed: { type: 'run_resumed', volumeLost: false },
  stage_opened: { type: 'stage_opened' },
  stage_closed: { type: 'stage_closed' },
  calls_planned: {
    type: 'calls_planned',
    calls: [{ id: 'a.1.1:1', modelId: 'a.1.1:1', tool: 'read', arguments: aRef('arguments'), effect: 'read' }],
  },
  model_asked: { type: 'model_asked', ask: 1, attempt: 1, request: aRef('request') },
  model_answered: {
    type: 'model_answered',
    ask: 1,
    attempt: 1,
    message: aRef('answer'),
    hasText: true,
    finish: 'stop',
    calls: [],
    usage: NO_USAGE,
    moneyMicros: 0,
  },
  model_failed: {
    type: 'model_failed',
    ask: 1,
    attempt: 1,
    code: 'network',
    retryable: true,
    retryAfterMs: null,
    usage: NO_USAGE,
    moneyMicros: 0,
  },
  context_built: {
    type: 'context_built',
    parts: [{ source: 'message', form: 'whole', tokens: 3, text: aRef('input'), run: null }],
  },
  tool_intent: {
    type: 'tool_intent',
    call: '1.0',
    tool: 'post',
    arguments: aRef('arguments'),
    effect: 'once',
    key: null,
    attempt: 1,
  },
  parked: { type: 'parked', code: 'network', waitMs: 60_000 },
  tool_settled: { type: 'tool_settled', call: '1.0', outcome: 'ok', result: aRef('result'), polls: false },
  tool_unknown: { type: 'tool_unknown', call: '1.0', attempt: 1 },
  program_noted: {
    type: 'program_noted',
    call: '1.0',
    note: '1.0.t1',
    tool: 'program.edit',
    outcome: null,
    claim: aRef('claim'),
  },
  call_parked: { type: 'call_parked', call: '1.0', code: 'network', waitMs: 60_000 },
  permission_asked: { type: 'permission_asked', request: 'q1', call: '1.0', why: 'policy' },
  permission_answered: { type: 'permission_answered', request: 'q1', answer: 'allow', words: null },
  permission_expired: { type: 'permission_expired', request: 'q1' },
  budget_spent: { type: 'budget_spent', by: 'r2', steps: 1, tokens: 1, moneyMicros: 1 },
  budget_warned: { type: 'budget_warned', code: 'budget_steps' },
  budgets_raised: { type: 'budgets_raised', budgets: { ...BUDGETS, steps: 200 } },
  finish_asked: { type: 'finish_asked', code: 'budget_steps', words: null },
  turns_compacted: { type: 'turns_compacted', summary: aRef('summary'), turns: 1 },
  cancel_asked: { type: 'cancel_asked' },
  interrupted: { type: 'interrupted' },
  run_closed: { type: 'run_closed', outcome: { kind: 'failed', code: 'test', answer: null }, unsettled: [] },
};

export function anEvent<T extends EventType>(type: T, fields: Partial<Omit<EventOf<T>, 'type'>> = {}): JournalEvent {
  return { ...ENVELOPE, ...DEFAULTS[type], ...fields } as unknown as JournalEvent;
}

export const aCall = (fields: Partial<EventOf<'model_answered'>['calls'][number]> = {}) => ({
  id: '1.0',
  modelId: 'call_1',
  tool: 'post',
  arguments: aRef('arguments'),
  effect: 'once' as const,
  ...fields,
});

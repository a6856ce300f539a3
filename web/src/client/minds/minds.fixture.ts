import type {
  CALL_EVENT_KINDS,
  ChatSession,
  MODEL_EVENT_KINDS,
  Permission,
  Run,
  RunCallDetail,
  RunEvent,
  RunModelDetail,
  SessionMessage,
} from '@hamlet/contract';

export const RUN_ID = '01a20000-0000-7000-8000-000000000001';
const SESSION_ID = '01a20000-0000-7000-8000-000000000002';
const AT = '2026-11-23T12:00:00Z';

export function aRun(more: Partial<Run> = {}): Run {
  return {
    run_id: RUN_ID,
    agent_id: 'ada',
    kind: 'message',
    state: 'running',
    prompt: 'What does Bob want?',
    created_at: AT,
    created_by: { role: 'member', id: 'account mia' },
    schedule: null,
    attempt: 1,
    cycle: 3,
    started_at: AT,
    ended_at: null,
    summary: null,
    error: null,
    cancel_requested_at: null,
    session_id: SESSION_ID,
    usage: { steps: 0, tokens: 0, cost: '0', witnessed: true },
    budgets: null,
    unsettled: [],
    runtime: 'engine',
    ...more,
  };
}

const EVENT = { run_id: RUN_ID, at: AT, witnessed: false } as const;

export function aRunEvent(number: number, event: OtherKind, detail: Record<string, unknown> = {}): RunEvent {
  return { ...EVENT, number, event, detail };
}

export function aModelEvent(number: number, event: ModelKind, detail: Partial<RunModelDetail> = {}): RunEvent {
  const blank = { ask: 0, attempt: 1, model: null, usage: null, cost: null, code: null, text: null };
  return { ...EVENT, number, event, detail: { ...blank, ...detail } };
}

export function aCallEvent(number: number, event: CallKind, detail: Partial<RunCallDetail> = {}): RunEvent {
  const call = { call_id: '2.0', tool: 'post_to_board', effect: 'keyed', arguments_text: null };
  return { ...EVENT, number, event, detail: { ...call, outcome: null, result_text: null, ...detail } };
}

type ModelKind = (typeof MODEL_EVENT_KINDS)[number];
type CallKind = (typeof CALL_EVENT_KINDS)[number];
type OtherKind = Exclude<RunEvent['event'], ModelKind | CallKind>;

export function aPermission(more: Partial<Permission> = {}): Permission {
  return {
    permission_id: '01a20000-0000-7000-8000-000000000003',
    run_id: RUN_ID,
    agent_id: 'ada',
    session_id: SESSION_ID,
    call_id: '2.0',
    request: `${RUN_ID}/2.0/1`,
    tool: 'post_to_board',
    arguments: '{"body":"Bob needs rope.","title":"Rope for Bob"}',
    why: 'policy',
    allowed_by: 'approver',
    reason: 'Posts to the board need a permission.',
    question: null,
    state: 'pending',
    policy_version: 'a'.repeat(64),
    asked_at: AT,
    expires_at: '2026-11-23T13:00:00Z',
    answered_at: null,
    answered_by: null,
    answer: null,
    reply: null,
    rule_id: null,
    taint: null,
    ...more,
  };
}

export function aSession(more: Partial<ChatSession> = {}): ChatSession {
  return {
    session_id: SESSION_ID,
    agent_id: 'ada',
    title: 'What does Bob want?',
    state: 'idle',
    repository: null,
    people: [{ id: 'mia', name: 'Mia' }],
    created_by: { role: 'member', id: 'account mia' },
    created_at: AT,
    last_at: AT,
    waiting: 0,
    ...more,
  };
}

export function aMessage(number: number, more: Partial<SessionMessage> = {}): SessionMessage {
  return {
    message_id: `01a20000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    session_id: SESSION_ID,
    number,
    author: { role: 'member', id: 'account mia', name: 'Mia' },
    text: `message ${number}`,
    forgotten_at: null,
    at: AT,
    run_id: RUN_ID,
    state: 'answered',
    in_reply_to: null,
    cost: null,
    steps: null,
    progress: false,
    version: 1,
    revised_at: null,
    ...more,
  };
}

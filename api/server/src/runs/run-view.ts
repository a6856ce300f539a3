import { formatAiDollars, RUN_EVENT_TEXT_MAX_CHARS } from '@hamlet/contract';
import type {
  Run,
  RunBudgets,
  RunBudgetsUsed,
  RunCallDetail,
  RunEvent,
  RunModelDetail,
  RunUsage,
} from '@hamlet/contract';
import type { RunEventRow, RunRow } from '@hamlet/store';
import { firstLimit, shorten } from '@hamlet/core';
import { taintOf } from '../permissions/view/taint-view.ts';
import { outcomeInWords, plainInWords } from './outcome-words.ts';
import { z } from 'zod';

function scheduleOf({ scheduleName: name, scheduleUid: uid, slot }: RunRow): Run['schedule'] {
  return name === null || uid === null || slot === null ? null : { name, uid, slot: slot.toISOString() };
}

/**
 * The API's own count, if it has one. Steps are counted by the agent, because only its journal has them. The engine's count of a workflow
 * includes its stages, and the API's has only what was charged to the run itself, so the higher one counts.
 */
function usageOf({ steps, tokens, costMicros, claimedTokens, claimedCostMicros, workflow }: RunRow): RunUsage {
  const isWhole = workflow === null || tokens >= claimedTokens;
  const witnessed = isWhole && (tokens > 0 || costMicros > 0);
  const micros = witnessed ? costMicros : claimedCostMicros;
  return { steps, tokens: witnessed ? tokens : claimedTokens, cost: formatAiDollars(BigInt(micros)), witnessed };
}

/** The limits of a run with what it has used of them. A price of zero has no limit of money. */
function budgetsOf(row: RunRow, usage: RunUsage): RunBudgetsUsed | null {
  const budgets = row.budgets as RunBudgets | null;
  if (budgets === null) return null;
  const { steps, tokens, cost: money } = usage;
  const { workedMs: timeMs, workingSince } = row;
  const spent = { steps, tokens, money, timeMs, since: workingSince?.toISOString() ?? null };
  return { ...budgets, spent, first: firstLimit(budgets, spent) };
}

/** The giver with a name, if it has an account: people do not read ids. */
function giverOf({ createdByRole: role, createdById: id, createdByName: name }: RunRow): Run['created_by'] {
  return name === null ? { role, id } : { role, id, name };
}

function workerIn({ parentRunId, parentCallId, role, depth, toolLists, stage }: RunRow): Pick<Run, 'worker'> {
  if (parentRunId === null || parentCallId === null || role === null) return {};
  const tools = toolLists === null ? {} : { tools: toolLists.map((list) => [...list]) };
  const ofStage = stage === null ? {} : { stage };
  return { worker: { parent_run_id: parentRunId, call_id: parentCallId, role, depth, ...tools, ...ofStage } };
}

const workflowIn = ({ workflow, manifests }: RunRow): Pick<Run, 'workflow'> =>
  workflow === null || manifests === null ? {} : { workflow: { ...workflow, manifests } };

const namedMindIn = ({ mind }: RunRow): Pick<Run, 'mind'> => (mind === null ? {} : { mind });

function taintIn(row: RunRow): Pick<Run, 'taint'> {
  const taint = taintOf(row);
  return taint === null ? {} : { taint: [...taint] };
}

const parkedOf = ({ state, parkedUntil, parkedCode }: RunRow): NonNullable<Run['parked']> | null =>
  state !== 'queued' || parkedUntil === null || parkedCode === null
    ? null
    : { until: parkedUntil.toISOString(), code: parkedCode };

export function runView(row: RunRow): Run {
  const { errorCode: code, errorMessage: message } = row;
  const usage = usageOf(row);
  return {
    run_id: row.runId,
    agent_id: row.agentId,
    kind: row.kind,
    state: row.state,
    prompt: row.prompt,
    created_at: row.createdAt.toISOString(),
    created_by: giverOf(row),
    schedule: scheduleOf(row),
    attempt: row.attempt,
    cycle: row.cycle,
    started_at: row.startedAt?.toISOString() ?? null,
    ended_at: row.endedAt?.toISOString() ?? null,
    summary: row.summary,
    error: code === null || message === null ? null : { code, message },
    cancel_requested_at: row.cancelRequestedAt?.toISOString() ?? null,
    session_id: row.sessionId,
    runtime: row.runtime,
    ...namedMindIn(row),
    usage,
    budgets: budgetsOf(row, usage),
    unsettled: [...row.unsettled],
    parked: parkedOf(row),
    ...(row.safeMode === null ? {} : { safe_mode: row.safeMode }),
    ...workerIn(row),
    ...workflowIn(row),
    ...taintIn(row),
  };
}

/** A run without the long texts of its workflow: the input, the overrides, and the input of a stage that it repeats. */
export function withoutInputs(run: Run): Run {
  if (run.workflow === undefined) return run;
  const { input_json: _, overrides: __, rerun, ...workflow } = run.workflow;
  const place = rerun && { rerun: { run_id: rerun.run_id, stage: rerun.stage } };
  return { ...run, workflow: { ...workflow, ...place } };
}

const cut = (text: string | null): string | null => text && shorten(text, RUN_EVENT_TEXT_MAX_CHARS);

/** An answer as the engine stores it; a field that cannot be read counts as absent. */
const StoredAnswer = z.object({
  content: z.string().catch(''),
  reasoning: z.array(z.object({ text: z.string() })).catch([]),
});

function saidIn(message: string | null): Pick<RunModelDetail, 'text' | 'thoughts'> {
  if (message === null) return { text: null };
  try {
    const { content, reasoning } = StoredAnswer.parse(JSON.parse(message));
    const thoughts = reasoning.map(({ text }) => text.trim()).filter((text) => text !== '');
    const shown = cut(thoughts.join('\n\n') || null);
    return { text: cut(content || null), ...(shown === null ? {} : { thoughts: shown }) };
  } catch {
    return { text: null };
  }
}

function modelDetail({ detail, messageText }: RunEventRow): RunModelDetail {
  const { ask, attempt, model, usage, cost, code, repairs, output } = detail as Partial<RunModelDetail>;
  return {
    ask: ask ?? 0,
    attempt: attempt ?? 0,
    model: model ?? null,
    usage: usage ?? null,
    cost: cost ?? null,
    code: code ?? null,
    ...(repairs === undefined ? {} : { repairs }),
    ...(output === undefined ? {} : { output }),
    ...saidIn(messageText),
  };
}

/** The text of a result is an outcome unless its event says that it is plain. */
const wordsOfResult = (detail: unknown, text: string): string =>
  (detail as Readonly<{ plain?: unknown }>).plain === true ? plainInWords(text) : outcomeInWords(text);

/** A call that the API performs has its texts in the detail; a call that the agent claims refers to them. */
function callDetail({ detail, argumentsText, resultText }: RunEventRow): RunCallDetail {
  const { call_id, tool, effect, arguments_text, outcome, result_text, exit } = detail as Partial<RunCallDetail>;
  return {
    call_id: call_id ?? '?',
    tool: tool ?? null,
    effect: effect ?? null,
    arguments_text: cut(argumentsText ?? arguments_text ?? null),
    outcome: outcome ?? null,
    result_text: cut(resultText === null ? (result_text ?? null) : wordsOfResult(detail, resultText)),
    ...(exit === undefined ? {} : { exit }),
  };
}

export function runEventView(runId: string, row: RunEventRow): RunEvent {
  const { number, event, at, detail, witnessed } = row;
  const base = { run_id: runId, number, at: at.toISOString(), witnessed };
  switch (event) {
    case 'model_asked':
    case 'model_answered':
    case 'model_failed':
      return { ...base, event, detail: modelDetail(row) };
    case 'call_begun':
    case 'call_settled':
    case 'call_unknown':
      return { ...base, event, detail: callDetail(row) };
    default:
      return { ...base, event, detail: detail as Record<string, unknown> };
  }
}

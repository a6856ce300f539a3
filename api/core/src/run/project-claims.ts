import {
  formatAiDollars,
  VisibleClaim,
  type JournalClaim,
  type JournalEntry,
  type RunEventKind,
} from '@hamlet/contract';

/** Maximum number of claimed events that a run shows, which leaves room for the API's own events; the journal has all. */
export const RUN_CLAIMS_MAX = 20_000;

/** A call as the model's answer, or the stage of a workflow, named it. */
export interface ClaimedCall {
  readonly tool: string;
  readonly effect: string | null;
  readonly argumentsRef: string;
}

export interface ClaimContext {
  readonly model: string | null;
  readonly calls: ReadonlyMap<string, ClaimedCall>;
  /** Calls that the API saw itself, whose claims are redundant. */
  readonly witnessed: ReadonlySet<string>;
  /** Number of events that the run already has. */
  readonly events: number;
}

export interface ProjectedEvent {
  readonly event: RunEventKind;
  readonly detail: Readonly<Record<string, unknown>>;
}

export interface Projection {
  readonly events: readonly ProjectedEvent[];
  readonly model: string | null;
  /** As the agent counted. */
  readonly used: { readonly steps: number; readonly tokens: number; readonly costMicros: number };
}

type ClaimOf<T extends VisibleClaim['type']> = Extract<VisibleClaim, { type: T }>;

/** The calls that the models' answers and the stages of workflows among these claims name. */
export function callsOf(claims: readonly JournalClaim[]): ReadonlyMap<string, ClaimedCall> {
  return new Map(
    claims.flatMap((claim) => {
      const { data } = VisibleClaim.safeParse(claim);
      return namedIn(data).map(({ id, tool, effect, arguments: argumentsRef }) => [id, { tool, effect, argumentsRef }]);
    }),
  );
}

function namedIn(claim: VisibleClaim | undefined): ClaimOf<'model_answered'>['calls'] {
  if (claim?.type === 'model_answered' || claim?.type === 'calls_planned') return claim.calls;
  return claim?.type === 'stage_opened' ? (claim.flow?.calls ?? []) : [];
}

/** The calls of new entries, and those without an answer among the entries. */
export interface CallsOfEntries {
  readonly ids: readonly string[];
  readonly unnamed: readonly string[];
}

/** The calls in new entries. Their names may be in an already stored answer. */
export function callsIn(entries: readonly JournalEntry[]): CallsOfEntries {
  const named = callsOf(entries.map(({ event }) => event));
  const ids = new Set<string>();
  const unnamed = new Set<string>();
  for (const { event } of entries) {
    const { data } = VisibleClaim.safeParse(event);
    if (data?.type === 'program_noted') ids.add(data.note);
    if (data === undefined || !('call' in data)) continue;
    ids.add(data.call);
    // An intent contains all names.
    if (data.type !== 'tool_intent' && !named.has(data.call)) unnamed.add(data.call);
  }
  return { ids: [...ids], unnamed: [...unnamed] };
}

/**
 * The public events of a run from new entries of its agent's journal. Unknown kinds, and events that the API records
 * itself (start, permissions, cancel, end), give none. Pure.
 */
export function projectClaims(entries: readonly JournalEntry[], before: ClaimContext): Projection {
  const known = entries.flatMap(({ event }) => VisibleClaim.safeParse(event).data ?? []);
  const calls = new Map([...before.calls, ...callsOf(entries.map(({ event }) => event))]);
  const model = known.reduce((last, claim) => (claim.type === 'run_opened' ? claim.model : last), before.model);
  const room = Math.max(0, RUN_CLAIMS_MAX - before.events);
  const events = known.flatMap((claim) => shownBy(claim, { ...before, model, calls }) ?? []);
  return { events: events.slice(0, room), model, used: usedBy(known) };
}

function usedBy(claims: readonly VisibleClaim[]): Projection['used'] {
  const used = { steps: 0, tokens: 0, costMicros: 0 };
  for (const claim of claims) {
    if (claim.type !== 'model_answered' && claim.type !== 'model_failed') continue;
    if (claim.type === 'model_answered') used.steps += 1;
    used.tokens += claim.usage.total;
    used.costMicros += claim.moneyMicros;
  }
  return used;
}

function shownBy(claim: VisibleClaim, context: ClaimContext): ProjectedEvent | null {
  switch (claim.type) {
    case 'run_opened':
    case 'calls_planned':
      return null;
    case 'stage_opened':
    case 'stage_closed':
      return stageEvent(claim);
    default:
      return eventOf(claim, context);
  }
}

type ClaimOfEvent = Exclude<VisibleClaim, { readonly type: 'run_opened' | 'calls_planned' | `stage_${string}` }>;

function eventOf(claim: ClaimOfEvent, context: ClaimContext): ProjectedEvent | null {
  switch (claim.type) {
    case 'model_asked':
    case 'model_answered':
    case 'model_failed':
      return { event: claim.type, detail: modelDetail(claim, context) };
    case 'tool_intent':
      return callEvent('call_begun', claim, context);
    case 'tool_settled':
      return callEvent('call_settled', claim, context);
    case 'tool_unknown':
      return callEvent('call_unknown', claim, context);
    case 'program_noted':
      return programEvent(claim, context);
    case 'budget_warned':
      return { event: 'budget_warned', detail: { code: claim.code } };
    case 'interrupted':
      return { event: 'interrupted', detail: {} };
  }
}

type ModelClaim = ClaimOf<'model_asked'> | ClaimOf<'model_answered'> | ClaimOf<'model_failed'>;

function modelDetail(claim: ModelClaim, { model }: ClaimContext): ProjectedEvent['detail'] {
  const { ask, attempt } = claim;
  if (claim.type === 'model_asked') return { ask, attempt, model };
  const cost = formatAiDollars(BigInt(claim.moneyMicros));
  const used = { ask, attempt, model, usage: claim.usage, cost };
  if (claim.type === 'model_failed') return { ...used, code: claim.code };
  const repairs = claim.calls.flatMap(({ tool, repair = [] }) =>
    repair.length === 0 ? [] : [{ tool, actions: repair }],
  );
  return {
    ...used,
    message_ref: claim.message,
    ...(repairs.length === 0 ? {} : { repairs }),
    ...(claim.output && { output: { code: claim.output.code, actions: claim.output.repair } }),
  };
}

type CallClaim = ClaimOf<'tool_intent'> | ClaimOf<'tool_settled'> | ClaimOf<'tool_unknown'>;

function callEvent(
  event: 'call_begun' | 'call_settled' | 'call_unknown',
  claim: CallClaim,
  { calls, witnessed }: ClaimContext,
): ProjectedEvent | null {
  if (witnessed.has(claim.call)) return null;
  const named = calls.get(claim.call);
  const call = { call_id: claim.call, tool: named?.tool, effect: named?.effect, arguments_ref: named?.argumentsRef };
  if (claim.type === 'tool_intent')
    return { event, detail: { ...call, tool: claim.tool, effect: claim.effect, arguments_ref: claim.arguments } };
  if (claim.type === 'tool_unknown') return { event, detail: call };
  const form = claim.plain === true ? { plain: true } : {};
  return { event, detail: { ...call, outcome: claim.outcome, result_ref: claim.result, ...form } };
}

/** A note of a program about its own work. A call that the API saw has events of the API. */
function programEvent(
  { note, tool, outcome, claim }: ClaimOf<'program_noted'>,
  { witnessed }: ClaimContext,
): ProjectedEvent | null {
  if (witnessed.has(note)) return null;
  const detail = { call_id: note, tool, effect: null, arguments_ref: claim };
  if (outcome === null) return { event: 'call_begun', detail };
  return { event: outcome === 'unknown' ? 'call_unknown' : 'call_settled', detail: { ...detail, outcome } };
}

/** Only the stages of a workflow are events. */
function stageEvent(claim: ClaimOf<'stage_opened'> | ClaimOf<'stage_closed'>): ProjectedEvent | null {
  const { stage } = claim;
  if (claim.flow === undefined) return null;
  if (claim.type === 'stage_opened') {
    const { role, round, attempt } = claim.flow;
    return { event: 'stage_begun', detail: { stage, role, round, attempt } };
  }
  const { end, failure } = claim.flow;
  return { event: 'stage_ended', detail: { stage, end, ...(failure && { code: failure.code }) } };
}

export interface LastEntry {
  readonly seq: number;
  readonly fence: number;
  readonly type: string;
}

/** The contradiction between new entries of a run and its state as a sentence; null if there is none. Pure. */
export function contradictionIn(
  runId: string,
  fresh: readonly JournalEntry[],
  stored: LastEntry | null,
): string | null {
  let last: LastEntry | null = stored;
  for (const { seq, event } of fresh) {
    const { run, fence, type } = event;
    if (run !== runId) return `The entry ${seq} belongs to the run ${run}`;
    if (last !== null && seq <= last.seq) return `The entry ${seq} comes after the entry ${last.seq}`;
    if (last !== null && fence < last.fence) return `The fence of the entry ${seq} is smaller than that of ${last.seq}`;
    if (last?.type === 'run_closed') return `The entry ${seq} follows the end of the run`;
    last = { seq, fence, type };
  }
  return null;
}

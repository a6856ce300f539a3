import type { CallContext, Postponed, PreparedCall, ProgramNote, Tool, Verified } from '../effects/tool.ts';
import { plainText } from '../effects/kept-outcome.ts';
import { bounded, withoutMiddle, ToolOutcome as ToolOutcomeSchema, type ToolOutcome } from '../effects/tool-outcome.ts';
import { canonicalArguments, parseArguments } from '../journal/arguments.ts';
import type { Kit } from './kit.ts';
import { offeredTools } from './offer.ts';
import type { ProposedCall, Question } from './ports.ts';
import { resultRoom } from '../effects/result-room.ts';
import { withinTime, type TimeLimit } from '../effects/within-time.ts';
import { type CallState } from '../state/call-state.ts';
import { currentCalls, currentTurn, unsettledCalls } from '../state/run-state.ts';
import type { Session } from './session.ts';
import { readAnswer, resultKey } from './transcript.ts';

/** Wait before another attempt of a call in the same process, multiplied by the number of attempts so far. */
const RETRY_MS = 250;
const MAX_ASK_ATTEMPTS = 5;
const MAX_QUESTIONS = 5;
/** Milliseconds that a verification has at least. */
const MIN_VERIFY_MS = 30_000;
/** Maximum length of an exception's message in a result. */
const MAX_ERROR_CHARS = 2_000;

type Ready = Readonly<{ call: CallState; tool: Tool; prepared: PreparedCall; proposed: ProposedCall }>;

export function settleCall(
  kit: Kit,
  session: Session,
  { call, outcome }: Readonly<{ call: CallState; outcome: ToolOutcome }>,
): void {
  const kept = bounded(outcome);
  // A stage of a plan gives its output as the same text.
  const plain = session.state.flow === null ? null : plainText(kept);
  const result = kit.ports.journal.refer(plain ?? JSON.stringify(kept));
  const polls = kit.toolsOf(session.run).get(call.tool)?.polls ?? false;
  const settled = { type: 'tool_settled', call: call.id, outcome: outcome.kind, result: result.ref, polls } as const;
  session.append([plain === null ? settled : { ...settled, plain: true }], [result]);
  session.turn.outcomes.set(resultKey({ result: result.ref, isPlain: plain !== null }), kept);
}

export async function startCall(kit: Kit, session: Session, call: CallState): Promise<void> {
  const ready = prepare(kit, session, call);
  if (ready === null) return;
  if (isAllowed(kit, session, { ready, why: 'policy' })) await runAttempt(kit, session, ready);
}

/** Continues a call whose last attempt has an unknown outcome, by the effect of its tool. */
export async function recoverCall(
  kit: Kit,
  session: Session,
  { call, by }: Readonly<{ call: CallState; by: 'run' | 'verify' | 'ask' }>,
): Promise<void> {
  const tool = kit.toolsOf(session.run).get(call.tool);
  // If the tool is missing or its effect has changed since the earlier attempt, the engine cannot know whether a repeat is safe.
  if (by === 'ask' || tool === undefined || tool.effect !== call.effect) return askAbout(session, call, 'unknown');
  const ready = prepare(kit, session, call);
  if (ready === null) return;
  if (by === 'verify') {
    const verified = await verify(kit, session, ready);
    if (verified.kind === 'done') return settleCall(kit, session, { call, outcome: verified.outcome });
    if (verified.kind === 'unknown') return askAbout(session, call, 'unknown');
  }
  if (!isAllowed(kit, session, { ready, why: 'unknown' })) return;
  await kit.ports.clock.sleep(RETRY_MS * (call.attempt - 1), session.stopped.signal);
  await runAttempt(kit, session, ready);
}

/** Shows a question to people. If that fails, the question stays open and the next engine shows it again. */
export async function askPerson(kit: Kit, session: Session, call: CallState): Promise<void> {
  const proposed = proposedCall(kit, session, call);
  if (proposed === null || call.question === null) return;
  const question: Question = { ...proposed, request: call.question.request, why: call.question.why };
  for (let attempt = 1; attempt <= MAX_ASK_ATTEMPTS; attempt += 1) {
    try {
      return await kit.ports.approvals.ask(question);
    } catch (error) {
      kit.ports.notify({ type: 'problem', run: session.run, where: 'approvals', error });
      await kit.ports.clock.sleep(RETRY_MS * attempt, session.stopped.signal);
    }
  }
}

/** Judges each attempt. False if the policy forbids it: the call is then already settled or waits for a person. */
function isAllowed(
  kit: Kit,
  session: Session,
  { ready, why }: Readonly<{ ready: Ready; why: 'policy' | 'unknown' }>,
): boolean {
  const { call } = ready;
  const { verdict, reason } = kit.ports.policy.judge(ready.proposed);
  if (verdict === 'deny') settleCall(kit, session, { call, outcome: refusal(call, reason) });
  else if (verdict === 'ask' && !isPermitted(call)) askAbout(session, call, why);
  else return true;
  return false;
}

const isPermitted = ({ question }: CallState): boolean => question?.answer === 'allow' || question?.answer === 'repeat';

/** An earlier attempt may have happened, and a denial of the next one must not hide that. */
const refusal = (call: CallState, reason: string): ToolOutcome =>
  call.attempt > 0
    ? { kind: 'unknown', text: `It may not run again: ${reason}` }
    : { kind: 'denied', code: 'policy', text: reason };

function askAbout(session: Session, call: CallState, why: 'policy' | 'unknown'): void {
  const request = `${session.run}/${call.id}/${call.questions + 1}`;
  session.append([{ type: 'permission_asked', request, call: call.id, why }]);
}

function prepare(kit: Kit, session: Session, call: CallState): Ready | null {
  const tool = kit.toolsOf(session.run).get(call.tool);
  const proposed = proposedCall(kit, session, call);
  if (proposed === null) return null;
  const settled = (outcome: ToolOutcome): null => {
    settleCall(kit, session, { call, outcome });
    return null;
  };
  if (tool === undefined) {
    const known = offeredTools(kit, session.run, []).map(({ name }) => name);
    return settled({
      kind: 'denied',
      code: 'no_such_tool',
      text: `There is no tool ${call.tool}. Known: ${known.join(', ')}.`,
    });
  }
  if (isCutCall(session, call, proposed.arguments)) return settled(CUT_CALL);
  const parsed = parseArguments(proposed.arguments);
  if (!parsed.ok) return settled({ kind: 'invalid_input', issues: [{ path: '', expected: parsed.expected }] });
  const prepared = tool.prepare(parsed.value);
  return prepared.ok
    ? { call, tool, prepared: prepared.call, proposed: { ...proposed, effect: tool.effect } }
    : settled(prepared.outcome);
}

const CUT_CALL: ToolOutcome = {
  kind: 'failed',
  code: 'arguments_cut',
  text: 'Your answer reached its maximum length within the arguments, so nothing ran. Call again with less in one call: for example, write a long file in several parts.',
};

/** True if the answer reached its limit of tokens within the arguments of this call. */
function isCutCall({ state }: Session, call: CallState, text: string): boolean {
  const turn = currentTurn(state);
  if (turn?.finish !== 'length' || turn.calls.at(-1)?.id !== call.id) return false;
  // No arguments at all: the answer ended after the name.
  const parsed = parseArguments(text);
  return text === '{}' || !parsed.ok || !parsed.isValid;
}

/** The call as the policy and people see it. Ends the run if the arguments differ from those in the stored answer. */
function proposedCall(kit: Kit, session: Session, call: CallState): ProposedCall | null {
  const text = session.turn.arguments.get(call.arguments) ?? storedArguments(kit, session, call);
  if (text === null) {
    session.append([
      ...(session.state.stage === 'open' ? [{ type: 'stage_closed' as const }] : []),
      {
        type: 'run_closed',
        outcome: { kind: 'failed', code: 'diverged', answer: null },
        unsettled: [...unsettledCalls(session.state)],
      },
    ]);
    return null;
  }
  const { run } = session;
  const { conversation } = session.state.opened;
  const effect = call.effect ?? 'once';
  return { run, conversation, call: call.id, tool: call.tool, effect, arguments: text, argumentsRef: call.arguments };
}

/** The arguments of a call in the stored answer or of a plan, as canonical JSON; null if there is no such call. */
function storedArguments(kit: Kit, session: Session, call: CallState): string | null {
  if (session.state.flow !== null) return session.textOf(call.arguments);
  const turn = currentTurn(session.state);
  const said = turn === undefined ? [] : readAnswer(session, turn.message).toolCalls;
  const written = said.find(({ id, name }) => id === call.modelId && name === call.tool);
  if (written === undefined) return null;
  const text = canonicalArguments(written.arguments);
  return kit.ports.journal.refer(text).ref === call.arguments ? text : null;
}

async function runAttempt(kit: Kit, session: Session, ready: Ready): Promise<void> {
  const { call, tool, prepared, proposed } = ready;
  const context = contextOf(kit, session, proposed);
  const attempt = call.attempt + 1;
  const key = tool.effect === 'keyed' ? context.key : null;
  const { id, tool: name, arguments: ref } = call;
  if (
    !session.append([{ type: 'tool_intent', call: id, tool: name, arguments: ref, effect: tool.effect, key, attempt }])
  )
    return;
  if (session.sharesSync(tool.effect)) {
    await kit.ports.journal.synced();
    if (session.stopped.signal.aborted) return;
  }
  const result = await executeCall(prepared, { ...context, attempt }, timing(kit, session, { tool, call }));
  if (result.kind === 'lost' && result.error !== null)
    kit.ports.notify({ type: 'problem', run: session.run, where: `tool ${name}`, error: result.error });
  if (result.kind === 'parked')
    return void session.append([{ type: 'call_parked', call: id, code: result.code, waitMs: result.waitMs }]);
  if (result.kind === 'needs_permission') return askAgain(kit, session, { ready, reason: result.reason });
  finish(kit, session, { call, attempt, result, effect: tool.effect });
}

/** A tool may demand a permission on every attempt. The call then ends as denied. */
function askAgain(kit: Kit, session: Session, { ready, reason }: Readonly<{ ready: Ready; reason: string }>): void {
  const { call, tool } = ready;
  if (tool.effect !== 'once' && call.questions < MAX_QUESTIONS) return askAbout(session, call, 'policy');
  settleCall(kit, session, { call, outcome: { kind: 'denied', code: 'policy', text: reason } });
}

type Finished = Readonly<{
  call: CallState;
  attempt: number;
  result: Exclude<Attempt, Postponed>;
  effect: Tool['effect'];
}>;

/**
 * Settles a call after an attempt. If the attempt was lost and a repeat might do harm, the call is unknown, as after a crash. If
 * a repeat is harmless, the model decides about it.
 */
function finish(kit: Kit, session: Session, { call, attempt, result, effect }: Finished): void {
  if (
    result.kind === 'outcome' ||
    ((effect === 'read' || effect === 'idempotent') && result.outcome.kind !== 'unknown')
  )
    return settleCall(kit, session, { call, outcome: result.outcome });
  session.append([{ type: 'tool_unknown', call: call.id, attempt }]);
}

async function verify(kit: Kit, session: Session, { call, tool, prepared, proposed }: Ready): Promise<Verified> {
  let verified: Verified = { kind: 'unknown' };
  const asking: PreparedCall = {
    verify: prepared.verify,
    execute: async (context) => {
      verified = await prepared.verify(context);
      return { kind: 'ok', text: '' };
    },
  };
  const context = { ...contextOf(kit, session, proposed), attempt: call.attempt };
  const { timeoutMs, ...rest } = timing(kit, session, { tool, call });
  // A verification begins nothing, so it may also run when the time of the run is over.
  const verifyMs = Math.max(timeoutMs, Math.min(tool.timeoutMs, MIN_VERIFY_MS));
  const result = await executeCall(asking, context, { ...rest, timeoutMs: verifyMs });
  return result.kind === 'outcome' ? verified : { kind: 'unknown' };
}

const timeOfStage = (kit: Kit, session: Session, { id }: CallState): number =>
  session.state.flow === null ? Infinity : (kit.ports.flow?.timeLeftOf(kit, session, id) ?? Infinity);

const timing = (kit: Kit, session: Session, { tool, call }: Pick<Ready, 'tool' | 'call'>): TimeLimit => ({
  timeoutMs: Math.max(1, Math.min(tool.timeoutMs, session.timeLeftMs, timeOfStage(kit, session, call))),
  signal: session.killed.signal,
  after: kit.ports.clock.after,
});

const contextOf = (
  kit: Kit,
  session: Session,
  { conversation, call, arguments: args, argumentsRef }: ProposedCall,
) => ({
  run: session.run,
  conversation,
  call,
  args,
  key: kit.ports.journal.refer(`${session.run} ${call} ${argumentsRef}`).ref,
  fence: kit.ports.journal.fence,
  ...roomOf(kit, session),
  output: (text: string): void => {
    if (!session.killed.signal.aborted) kit.ports.notify({ type: 'output', run: session.run, call, text });
  },
  note: ({ id, tool, outcome, claim: text }: ProgramNote): void => {
    if (!currentCalls(session.state).some((each) => each.id === call && each.phase === 'running')) return;
    const claim = kit.ports.journal.refer(text);
    session.tryAppend(
      [{ type: 'program_noted', call, note: `${call}.${id}`, tool, outcome, claim: claim.ref }],
      [claim],
    );
  },
});

function roomOf(kit: Kit, session: Session): Pick<CallContext, 'roomChars'> {
  const { state, sized } = session;
  const contextTokens = kit.ports.compaction?.contextTokens(state.opened.model) ?? null;
  const room = resultRoom({ contextTokens, usedTokens: sized?.tokens ?? 0, calls: currentCalls(state).length });
  return room === null ? {} : { roomChars: room };
}

/** `lost`: the attempt ended with an unknown effect. */
type Attempt =
  | Readonly<{ kind: 'outcome'; outcome: ToolOutcome }>
  | Postponed
  | Readonly<{ kind: 'lost'; outcome: ToolOutcome; error: unknown }>;

/** One attempt of a call, until the tool ends or times out. An abort of the run reaches the tool, which should then end. */
const executeCall = (call: PreparedCall, context: Omit<CallContext, 'signal'>, limit: TimeLimit): Promise<Attempt> =>
  withinTime<Attempt>(limit, (signal) => attempt(call, { ...context, signal }), {
    timedOut: () => ({ kind: 'lost', outcome: { kind: 'timed_out', afterMs: limit.timeoutMs }, error: null }),
  });

async function attempt(call: PreparedCall, context: CallContext): Promise<Attempt> {
  try {
    const result = await call.execute(context);
    if (result.kind === 'needs_permission' || result.kind === 'parked') return result;
    const outcome = bounded(ToolOutcomeSchema.parse(result), context.roomChars);
    return outcome.kind === 'unknown' ? { kind: 'lost', outcome, error: null } : { kind: 'outcome', outcome };
  } catch (error) {
    return { kind: 'lost', outcome: { kind: 'failed', code: 'tool_error', text: messageOf(error) }, error };
  }
}

const messageOf = (error: unknown): string =>
  `The tool ended with an error: ${withoutMiddle(error instanceof Error ? error.message : String(error), MAX_ERROR_CHARS)}`;

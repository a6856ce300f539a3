import type { AgentConfig, CallReport, HandsToolName } from '@hamlet/contract';
import { EGRESS_ANSWER_S, HANDS_TOOLS } from '@hamlet/contract/resident';
import {
  defineTool,
  withoutMiddle,
  type CallContext,
  type Tool,
  type ToolOutcome,
  type Verified,
} from '@hamlet/engine';
import { aliasesOf } from '../toolset/argument-aliases.ts';
import type { z } from 'zod';
import type { KeepArtifact } from '../artifacts/keep-artifact.ts';
import { outcomeOf, type ToolResult } from '../tools/tool-kit.ts';
import type { RememberDocuments } from '../tools/remember-documents.ts';
import type { ReadScript } from '../scripts/read-script.ts';
import type { ChangeLog } from './files/change-log.ts';
import { withMeantPath } from './files/hands-files.ts';
import { HandsError, isRefusal, type HandsClient, type HandsConnection } from './hands-client.ts';
import type { HandsConnections } from './hands-connections.ts';
import { withRefusals, type Refusals } from './refusals.ts';
import { CLONE_MS, type WorkTrees } from './repository/work-trees.ts';
import type { EnvironmentOf } from './start-process.ts';

export interface HandsKit {
  readonly agentId: string;
  readonly connections: HandsConnections;
  readonly workspace: string;
  readonly shells: string;
  readonly environmentOf: EnvironmentOf;
  readonly trees: WorkTrees;
  readonly calls: CallLog;
  readonly changes: ChangeLog;
  readonly keepArtifact: KeepArtifact;
  readonly readScript: ReadScript;
  readonly rememberDocuments: RememberDocuments;
  readonly refusals: Pick<Refusals, 'take'>;
  readonly search: AgentConfig['search'];
  readonly outsideAgents: AgentConfig['outside_agents'];
}

export interface HandsJob {
  readonly hands: HandsClient;
  readonly kit: HandsKit;
  readonly context: CallContext;
  /** Folder of the run's repository; the workspace if it has none. */
  readonly tree: string;
  /** Extra time in ms while a person decides about data that the call sends. */
  readonly waitsMs: number;
}

export interface HandsEnd {
  readonly outcome: ToolOutcome;
  readonly report: CallReport;
}

export interface HandsWork<Input> {
  readonly perform: (input: Input, job: HandsJob) => Promise<HandsEnd>;
  /** The outcome of a call that an earlier process began; null if it certainly did not begin. Only for the effect `verify`. */
  readonly recover?: (input: Input, job: HandsJob) => Promise<HandsEnd | null>;
  /** True if a person decides about a call whose program ended with the machine; else the model looks at what it left. */
  readonly asksAfterRestart?: (input: Input) => boolean;
}

const SLACK_MS = 30_000;
/** Maximum wait of a call for a slot of the tier. */
export const SLOT_WAIT_MS = 120_000;
/** A call may wait this long before its work begins: for a slot of the tier, and for the clone of the run's repository. */
const BEFORE_MS = SLOT_WAIT_MS + CLONE_MS;
const WAIT_MS = EGRESS_ANSWER_S * 1_000;

export type HandsInput<N extends HandsToolName> = z.output<(typeof HANDS_TOOLS)[N]['input']>;
type Work<Input> = HandsWork<Input> & {
  readonly timeoutMs: number;
  /** True if it only waits for a program or reads its output: its calls count neither for nor against progress. */
  readonly polls?: boolean;
  /** True if it may wait for a person to permit a request of its program: the call then gets that extra time. */
  readonly mayWait?: boolean;
  /** True if its result lists the broker's refusals to its programs. The network tools list them themselves. */
  readonly namesRefusals?: boolean;
};

/** The time of the work itself, which begins when it has its slot. */
const ownMs = ({ timeoutMs, mayWait = false }: Pick<Work<never>, 'timeoutMs' | 'mayWait'>): number =>
  timeoutMs + (mayWait ? WAIT_MS : 0) + SLACK_MS;

export function handsTool<N extends HandsToolName>(kit: HandsKit, name: N, work: Work<HandsInput<N>>): Tool {
  const { description, effect, input } = HANDS_TOOLS[name];
  const callOf = (given: HandsInput<N>, { args }: CallContext): Call<HandsInput<N>> => {
    return { tool: name, given, args, repeats: effect !== 'verify' };
  };
  const shared = {
    name,
    description,
    // The table has the schema of each name; the compiler only knows the union of all schemas.
    input: input as unknown as z.ZodType<HandsInput<N>>,
    aliases: aliasesOf(name),
    timeoutMs: BEFORE_MS + ownMs(work),
    polls: work.polls ?? false,
    execute: (given: HandsInput<N>, context: CallContext) =>
      outcomeOf(() => execute({ kit, context }, callOf(given, context), work)),
  };
  if (effect !== 'verify') return defineTool({ ...shared, effect });
  return defineTool({
    ...shared,
    effect,
    verify: (given, context) => verify({ kit, context }, callOf(given, context), work),
  });
}

interface Call<Input> {
  readonly tool: string;
  readonly given: Input;
  readonly args: string;
  readonly repeats: boolean;
}
type Place = Pick<HandsJob, 'kit' | 'context'>;

async function execute<Input>(place: Place, { given, ...call }: Call<Input>, work: Work<Input>): Promise<ToolResult> {
  const { kit, context } = place;
  return inHands(place, async (hands) => {
    const begun = await kit.calls.begin(context, { ...call, boot: hands.boot });
    if (begun.kind !== 'begun') return begun;
    const { folder: tree, note } = await kit.trees.of(hands, context, context.signal);
    const job = { ...place, hands, tree, waitsMs: begun.waitsMs ?? 0 };
    const done = await inOwnTime(job, call, { ms: ownMs(work), perform: (own) => performed(work, given, own) });
    const end = fitting(noted(named(done, place, work), note), context);
    return advised(end.outcome, await kit.calls.end(context, end));
  });
}

const performed = <Input>(work: Work<Input>, given: Input, job: HandsJob): Promise<HandsEnd> =>
  work.perform(given, job).catch(async (error: unknown) => {
    throw await withMeantPath(job, given, error);
  });

interface OwnWork {
  readonly ms: number;
  readonly perform: (job: HandsJob) => Promise<HandsEnd>;
}

/** Performs the work, and gives it up after its time. The outcome of a call that may not repeat is then unknown. */
async function inOwnTime(job: HandsJob, { repeats }: Pick<Call<never>, 'repeats'>, work: OwnWork): Promise<HandsEnd> {
  const late = new AbortController();
  const over = Promise.withResolvers<HandsEnd>();
  const timer = setTimeout(() => {
    late.abort(new DOMException('The call timed out.', 'TimeoutError'));
    const text = 'The call took too long.';
    over.resolve({
      outcome: repeats ? { kind: 'timed_out', afterMs: work.ms } : { kind: 'unknown', text },
      report: {},
    });
  }, work.ms);
  const signal = AbortSignal.any([job.context.signal, late.signal]);
  try {
    const end = work.perform({ ...job, context: { ...job.context, signal } }).catch(refusedEnd);
    return await Promise.race([end, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of a call with the broker's refusals to its programs. */
const named = <Input>(end: HandsEnd, { kit, context }: Place, { namesRefusals = false }: Work<Input>): HandsEnd =>
  namesRefusals ? withRefusals(end, kit.refusals.take(context)) : end;

/** The note about the work tree comes before the result of the first call, and after the words of a failure. */
function noted(end: HandsEnd, note: string): HandsEnd {
  const { outcome } = end;
  if (note === '' || !('text' in outcome)) return end;
  const parts = outcome.kind === 'failed' ? [outcome.text, note] : [note, outcome.text];
  return { ...end, outcome: { ...outcome, text: parts.join('\n') } };
}

/** A result with the API's advice to the model after it. */
export const advised = (outcome: ToolOutcome, advice: string | null): ToolOutcome =>
  advice !== null && 'text' in outcome ? { ...outcome, text: `${outcome.text}\n\n${advice}` } : outcome;

/** Omits the middle of a result that the model's context has no room for. read_output shows what a program printed there. */
function fitting(end: HandsEnd, { call, roomChars }: CallContext): HandsEnd {
  const { outcome, report } = end;
  if (roomChars === undefined || !('text' in outcome)) return end;
  const hint = report.stdout === undefined ? '' : `: read_output process ${call} has all of the output`;
  const note = (chars: number): string => `${chars} characters are left out, for which you have no room${hint}`;
  const text = withoutMiddle(outcome.text, roomChars, note);
  return { ...end, outcome: { ...outcome, text } };
}

/** A refusal of the supervisor ends the call. After a lost connection the outcome is unknown. */
function refusedEnd(error: unknown): HandsEnd {
  if (!isRefusal(error)) throw error;
  return { outcome: { kind: 'failed', code: error.code, text: error.message }, report: {} };
}

/** The end of a call whose program ended with an earlier start of the hands: the model looks at what it left. */
const RESTARTED: HandsEnd = {
  outcome: {
    kind: 'failed',
    code: 'machine_restarted',
    text: 'Your machine started again while this ran, so its end and its output are lost. It may have done a part: look at what is there before you repeat it. Background processes have ended too.',
  },
  report: {},
};

/** Finds the outcome of a call that an earlier process began. */
async function verify<Input>(place: Place, { given, ...call }: Call<Input>, work: Work<Input>): Promise<Verified> {
  const { kit, context } = place;
  const { recover, asksAfterRestart = () => false } = work;
  if (recover === undefined) return { kind: 'unknown' };
  const found = await inHands<Verified | ToolOutcome>(place, async (hands): Promise<Verified> => {
    const state = await kit.calls.find(context, { ...call, boot: hands.boot });
    if (state.kind === 'absent') return { kind: 'not_done' };
    const isRestarted = state.boot !== null && state.boot !== hands.boot;
    if (isRestarted && asksAfterRestart(given)) return { kind: 'unknown' };
    const found = isRestarted ? RESTARTED : await recovered(place, hands, (job) => recover(given, job));
    if (found === null) return { kind: 'not_done' };
    const end = named(found, place, work);
    const outcome = advised(end.outcome, await kit.calls.end(context, end));
    return outcome.kind === 'unknown' ? { kind: 'unknown' } : { kind: 'done', outcome };
  });
  return found.kind === 'done' || found.kind === 'not_done' ? found : { kind: 'unknown' };
}

async function recovered(
  place: Place,
  hands: HandsClient,
  recover: (job: HandsJob) => Promise<HandsEnd | null>,
): Promise<HandsEnd | null> {
  const { kit, context } = place;
  const { folder: tree } = await kit.trees.of(hands, context, context.signal);
  return recover({ ...place, hands, tree, waitsMs: 0 });
}

/** After a lost connection the outcome of a call is unknown; the next attempt finds it. */
async function inHands<T>({ kit }: Place, use: (hands: HandsClient) => Promise<T>): Promise<T | ToolOutcome> {
  let hands: HandsConnection;
  try {
    hands = await kit.connections.take();
  } catch (error) {
    if (!(error instanceof HandsError)) throw error;
    return { kind: 'unavailable', text: `Nothing was done. ${error.message} Try again later.` };
  }
  try {
    return await use(hands);
  } catch (error) {
    if (!(error instanceof HandsError)) throw error;
    if (error.code === 'hands_lost') return { kind: 'unknown', text: error.message };
    return { kind: 'failed', code: error.code, text: error.message };
  } finally {
    kit.connections.give(hands);
  }
}

export type { CallReport };

/** A call that may run. `waitsMs`: extra time in ms while a person decides about data that it sends; default none. */
interface BegunWork {
  readonly kind: 'begun';
  readonly waitsMs?: number;
}

/** The call may run, or its result states why it may not. */
export type BeginAnswer = BegunWork | ToolResult;

/** `absent`: the call certainly did not begin. `boot`: the start of the hands in which it began; null if unknown. */
type KnownCall = { readonly kind: 'absent' } | { readonly kind: 'begun'; readonly boot: string | null };

interface BegunIn {
  readonly tool: string;
  readonly args: string;
  readonly boot: string;
  /** True if the call may run again, even after a restart of the hands. */
  readonly repeats: boolean;
}

/** The log of a run's calls that run in the hands. */
export interface CallLog {
  begin(context: CallContext, call: BegunIn): Promise<BeginAnswer>;
  /** Stores the end of a call. Resolves with the API's advice to the model; null if it has none. */
  end(
    context: CallContext,
    end: { readonly outcome: ToolOutcome; readonly report: CallReport },
  ): Promise<string | null>;
  find(context: CallContext, call: BegunIn): Promise<KnownCall>;
}

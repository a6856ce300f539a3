import type { AgentConfig, VillageTool } from '@hamlet/contract';
import { EGRESS_ANSWER_S } from '@hamlet/contract/resident';
import {
  canonicalArguments,
  defineTool,
  type CallContext,
  type Tool,
  type ToolOutcome,
  type Verified,
} from '@hamlet/engine';
import type { z } from 'zod';
import type { KeepArtifact } from '../artifacts/keep-artifact.ts';
import { outcomeOf, type ToolResult } from '../tools/tool-kit.ts';
import type { CallLog, CallReport } from './call-log.ts';
import type { ReadScript } from '../scripts/read-script.ts';
import type { ChangeLog } from './files/change-log.ts';
import { HandsError, type HandsClient, type HandsConnection } from './hands-client.ts';
import type { HandsConnections } from './hands-connections.ts';
import { withRefusals, type Refusals } from './refusals.ts';
import type { WorkTrees } from './repository/work-trees.ts';
import type { EnvironmentOf } from './start-process.ts';

/** The hands of one pod, as its tools use them. */
export interface HandsKit {
  readonly agentId: string;
  readonly connections: HandsConnections;
  /** Folder of the agent's work, in the hands. */
  readonly workspace: string;
  /** Folder of the sessions of `shell`, in the hands. */
  readonly shells: string;
  readonly environmentOf: EnvironmentOf;
  readonly trees: WorkTrees;
  readonly calls: CallLog;
  readonly changes: ChangeLog;
  readonly keepArtifact: KeepArtifact;
  readonly readScript: ReadScript;
  /** Refusals of the broker to programs of the hands. */
  readonly refusals: Pick<Refusals, 'take'>;
  /** The village's service of web_search; without one there is no such tool. */
  readonly search: AgentConfig['search'];
}

/** One call while it runs. */
export interface HandsJob {
  readonly hands: HandsClient;
  readonly kit: HandsKit;
  readonly context: CallContext;
  /** Folder of the repository of the run; the workspace if it has none. */
  readonly tree: string;
  /** Time in ms that its programs may take beside their own limit, because people are asked about what they send. */
  readonly waitsMs: number;
}

/** The end of a call: for the model, and for the log of the call. */
export interface HandsEnd {
  readonly outcome: ToolOutcome;
  readonly report: CallReport;
}

export interface HandsWork<Input> {
  readonly perform: (input: Input, job: HandsJob) => Promise<HandsEnd>;
  /** Finds the end of a call that an earlier process began; null if it certainly did not begin. Only for the effect `verify`. */
  readonly recover?: (input: Input, job: HandsJob) => Promise<HandsEnd | null>;
}

/** Time for the bookkeeping of a call besides its own work. */
const SLACK_MS = 30_000;
const WAIT_MS = EGRESS_ANSWER_S * 1_000;

export interface Described<Input> extends Pick<VillageTool, 'description' | 'effect'> {
  readonly name: string;
  readonly input: z.ZodType<Input>;
}
type Work<Input> = HandsWork<Input> & {
  /** The longest time of the work. */
  readonly timeoutMs: number;
  /** True if its programs may send something about which people are asked: then it may take so much longer. */
  readonly mayWait?: boolean;
  /** True if its end names what the broker refused to its programs. The tools of the net say it themselves. */
  readonly namesRefusals?: boolean;
};

/** A tool that runs in the hands, with its line of the contract's table. */
export function handsTool<Input>(kit: HandsKit, described: Described<Input>, work: Work<Input>): Tool {
  const { name, description, effect, input } = described;
  const shared = {
    name,
    description,
    input,
    timeoutMs: work.timeoutMs + (work.mayWait === true ? WAIT_MS : 0) + SLACK_MS,
  };
  // `prepare` puts the work in, which needs the arguments as the model wrote them.
  const nothing = async (): Promise<ToolOutcome> => ({ kind: 'unknown', text: '' });
  const unverified = async (): Promise<Verified> => ({ kind: 'unknown' });
  const tool =
    effect === 'verify'
      ? defineTool<Input>({ ...shared, effect, execute: nothing, verify: unverified })
      : defineTool<Input>({ ...shared, effect, execute: nothing });
  return {
    ...tool,
    prepare: (value) => {
      const parsed = input.safeParse(value);
      const checked = tool.prepare(value);
      if (!checked.ok || !parsed.success) return checked;
      const args = canonicalArguments(JSON.stringify(value));
      const call: Call<Input> = { tool: name, given: parsed.data, args, repeats: effect !== 'verify' };
      return {
        ok: true,
        call: {
          execute: (context) => outcomeOf(() => execute({ kit, context }, call, work)),
          verify: (context) => verify({ kit, context }, call, work),
        },
      };
    },
  };
}

interface Call<Input> {
  readonly tool: string;
  readonly given: Input;
  readonly args: string;
  readonly repeats: boolean;
}
type Place = Pick<HandsJob, 'kit' | 'context'>;

/** Stores the start of the call at the API, does the work, and stores its end. */
async function execute<Input>(place: Place, { given, ...call }: Call<Input>, work: Work<Input>): Promise<ToolResult> {
  const { kit, context } = place;
  return withHands(place, async (hands) => {
    const begun = await kit.calls.begin(context, { ...call, boot: hands.boot });
    if (begun.kind !== 'begun') return begun;
    const { folder: tree, note } = await kit.trees.of(hands, context, context.signal);
    const job = { ...place, hands, tree, waitsMs: begun.waitsMs ?? 0 };
    const end = noted(named(await work.perform(given, job).catch(refusedEnd), place, work), note);
    await kit.calls.end(context, end);
    return end.outcome;
  });
}

/** The end of a call with what the broker refused to its programs. */
const named = <Input>(end: HandsEnd, { kit, context }: Place, { namesRefusals = false }: Work<Input>): HandsEnd =>
  namesRefusals ? withRefusals(end, kit.refusals.take(context)) : end;

/** The note about the work tree comes before the result of the first call. */
function noted(end: HandsEnd, note: string): HandsEnd {
  const { outcome } = end;
  if (note === '' || !('text' in outcome)) return end;
  return { ...end, outcome: { ...outcome, text: `${note}\n${outcome.text}` } };
}

/** A refusal of the supervisor is the end of the call; a lost connection leaves its end open. */
function refusedEnd(error: unknown): HandsEnd {
  if (!(error instanceof HandsError) || error.code === 'hands_lost') throw error;
  return { outcome: { kind: 'failed', code: error.code, text: error.message }, report: {} };
}

/** Finds the end of a call that an earlier process began. The programs of another start of the container are lost. */
async function verify<Input>(place: Place, { given, ...call }: Call<Input>, work: Work<Input>): Promise<Verified> {
  const { kit, context } = place;
  const { recover } = work;
  if (recover === undefined) return { kind: 'unknown' };
  const found = await withHands<Verified | ToolOutcome>(place, async (hands): Promise<Verified> => {
    const state = await kit.calls.find(context, { ...call, boot: hands.boot });
    if (state.kind === 'absent') return { kind: 'not_done' };
    if (state.boot !== null && state.boot !== hands.boot) return { kind: 'unknown' };
    const { folder: tree } = await kit.trees.of(hands, context, context.signal);
    const found = await recover(given, { ...place, hands, tree, waitsMs: 0 });
    if (found === null) return { kind: 'not_done' };
    const end = named(found, place, work);
    await kit.calls.end(context, end);
    return end.outcome.kind === 'unknown' ? { kind: 'unknown' } : { kind: 'done', outcome: end.outcome };
  });
  return found.kind === 'done' || found.kind === 'not_done' ? found : { kind: 'unknown' };
}

/** A lost connection leaves the end of a call open: the next attempt finds out. */
async function withHands<T>({ kit }: Place, use: (hands: HandsClient) => Promise<T>): Promise<T | ToolOutcome> {
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

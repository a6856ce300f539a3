import { isEgressTool, VILLAGE_TOOLS, type askPermission as askRoute, type PermissionWhy } from '@hamlet/contract';
import {
  countPermissions,
  findRequest,
  inTransaction,
  insertPermission,
  lockRun,
  noteRunEvent,
  PERMISSIONS_OF_RUN_MAX,
  withdrawInside,
} from '@hamlet/store';
import type { PermissionRow, RunRow, Tx } from '@hamlet/store';
import { recordAct } from '../audit/record-act.ts';
import { plain, type Handlers, type RequestOf } from '../http/handler.ts';
import { accepted, refused, type Outcome } from '../http/outcome.ts';
import { applyToHeldRun } from '../runs/apply-to-run.ts';
import { permitWork } from '../runs/work-handlers.ts';
import { deniedByRegistry } from './hands/registry-switch.ts';
import { deniedByScript } from './hands/script-call.ts';
import { readArguments, type CallArguments } from './call-arguments.ts';
import { answerByRule } from './rules/allow-rules.ts';
import { DENIALS } from './call-outcomes.ts';
import { judgeRunCall, type JudgedRunCall } from './shell/judge-hands-call.ts';
import { hostName, hostsOpenedBy, openingInWords } from './shell/named-hosts.ts';
import { noteCall } from './trial/note-call.ts';
import { permissionView } from './view/permission-view.ts';
import { taintOf } from './view/taint-view.ts';
import { amountOf } from './village-calls.ts';
import type { Village } from '../village.ts';

type Asked = RequestOf<typeof askRoute>;

/** Seconds in which a person may answer. While a call waits, the rules set this time; for a question it is a day. */
const LASTS_S: Readonly<Record<PermissionWhy, number>> = { policy: 900, unknown: 86_400, question: 86_400 };

/** Locks the run of a request if the agent works on it in this attempt, and renews its lease. */
export async function lockWork(
  tx: Tx,
  {
    actor,
    params,
    body,
  }: Pick<Asked, 'actor'> & {
    readonly params: { readonly run_id: string };
    readonly body: { readonly cycle: number; readonly attempt: number };
  },
): Promise<Outcome<RunRow>> {
  const run = await lockRun(tx, params.run_id);
  if (run === null) return refused('no_such_run');
  const denied = permitWork(actor, body.cycle)(run);
  if (denied !== null) return denied;
  const { cycle, attempt } = body;
  const held = await applyToHeldRun(tx, run, { command: { kind: 'renew', cycle, attempt }, words: {} });
  return held.ok ? accepted(held.data.run) : held;
}

function questionOf({ why, tool }: Asked['body'], value: unknown): string | null {
  if (why !== 'question') return null;
  return tool === 'ask_human' ? (VILLAGE_TOOLS.ask_human.input.safeParse(value).data?.question ?? null) : null;
}

function isSame(row: PermissionRow, { call_id, tool, why }: Asked['body'], { hash }: CallArguments): boolean {
  return row.callId === call_id && row.tool === tool && row.why === why && row.argumentsHash.equals(hash);
}

/** The API cannot perform a tool that only the pod has, so people may always report whether such a call happened. */
const isOfPod = ({ why, tool }: Asked['body']): boolean => why === 'unknown' && !Object.hasOwn(VILLAGE_TOOLS, tool);

async function judgeAsked(
  tx: Tx,
  village: Village,
  { run, body, value }: { readonly run: RunRow; readonly body: Asked['body']; readonly value: unknown },
): Promise<Outcome<JudgedRunCall>> {
  if (run.stoppedCode !== null && body.why !== 'unknown') return refused('policy_denied', DENIALS.run_stopped);
  const call = { tool: body.tool, value };
  const impossible =
    deniedByRegistry(village, { agentId: run.agentId, ...call }) ?? (await deniedByScript(tx, run, call));
  if (impossible !== null && body.why === 'policy') return refused('policy_denied', impossible.text);
  const judgedCall = await judgeRunCall({ ...village, db: tx }, run, call);
  if (body.why !== 'unknown') await noteCall(tx, { run, callId: body.call_id, call, ...judgedCall });
  const { verdict, reason } = judgedCall.judged;
  return verdict === 'deny' && !isOfPod(body) ? refused('policy_denied', reason) : accepted(judgedCall);
}

/** Why a person decides. The manifests of a workflow may ask for a call that the rules allow. */
function reasonOf(
  run: Pick<RunRow, 'workflow' | 'stage'>,
  { why, tool }: Asked['body'],
  { verdict, reason }: JudgedRunCall['judged'],
): string {
  if (why === 'unknown') return `It is unknown whether this call of ${tool} happened`;
  const isOfWorkflow = run.workflow !== null || run.stage !== null;
  return verdict === 'allow' && isOfWorkflow ? `The workflow asks a person before ${tool}` : reason;
}

async function ask(
  tx: Tx,
  request: Asked,
  { args, village }: { readonly args: CallArguments; readonly village: Village },
): Promise<Outcome<{ readonly permission: ReturnType<typeof permissionView> }>> {
  const { body } = request;
  const held = await lockWork(tx, request);
  if (!held.ok) return held;
  const run = held.data;
  const before = await findRequest(tx, run.runId, body.request);
  if (before !== null)
    return isSame(before, body, args)
      ? accepted({ permission: permissionView(before, run.sessionId) })
      : refused('arguments_differ');
  const allowed = await judgeAsked(tx, village, { run, body, value: args.value });
  if (!allowed.ok) return allowed;
  const { policy, judged } = allowed.data;
  const question = questionOf(body, args.value);
  if (body.why === 'question' && question === null)
    return refused('validation_failed', 'why: only a call of ask_human can ask a question');
  if ((await countPermissions(tx, run.runId)) >= PERMISSIONS_OF_RUN_MAX) return refused('too_many_permissions');
  const call = { tool: body.tool, value: args.value };
  const opens = body.why === 'policy' ? hostsOpenedBy(village, run, call) : [];
  const permission = await insertPermission(tx, {
    runId: run.runId,
    agentId: run.agentId,
    request: body.request,
    callId: body.call_id,
    tool: body.tool,
    arguments: args.text,
    argumentsHash: args.hash,
    why: body.why,
    reason: `${reasonOf(run, body, judged)}${openingInWords(opens)}`,
    question,
    amount: amountOf(body.tool, args.value),
    policyVersion: policy.version,
    lastsS: LASTS_S[body.why],
    taint: taintOf(run),
    opens: opens.map(hostName),
  });
  const about = { permission_id: permission.permissionId, call_id: body.call_id, tool: body.tool, why: body.why };
  const noted = await noteRunEvent(tx, run, { event: 'permission_asked', detail: about });
  await recordAct(tx, request, {
    action: 'permission.ask',
    object: run.agentId,
    detail: { run_id: run.runId, ...about, arguments_hash: Buffer.from(args.hash).toString('hex') },
  });
  const { economy, readCommand } = village;
  const shown = await answerByRule(tx, { run: noted, permission, asked: request, economy, readCommand });
  await withdrawAsked(tx, noted, body);
  return accepted({ permission: permissionView(shown, run.sessionId) });
}

/** Withdraws what the program of a call still asks for: once the end of the call is unknown, nothing waits for the answers. */
async function withdrawAsked(tx: Tx, run: RunRow, { why, call_id: outer }: Asked['body']): Promise<void> {
  if (why !== 'unknown') return;
  let noted = run;
  for (const { permissionId, callId: call_id, tool, state } of await withdrawInside(tx, run.runId, outer)) {
    const detail = { permission_id: permissionId, call_id, tool, state, answer: null };
    noted = await noteRunEvent(tx, noted, { event: 'permission_answered', detail });
  }
}

export function askPermission(village: Village): Handlers['askPermission'] {
  return plain(async (request) => {
    const args = readArguments(request.body.arguments);
    if (args === null) return refused('validation_failed', 'body.arguments: write the arguments as JSON');
    if (isEgressTool(request.body.tool))
      return refused(
        'policy_denied',
        'Only the broker asks about requests that leave a pod: send the request, and the broker asks a person',
      );
    return inTransaction(village.db, (tx) => ask(tx, request, { args, village }));
  });
}

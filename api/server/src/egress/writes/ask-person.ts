import { EGRESS_ANSWER_S } from '@hamlet/contract';
import { insertPermission, noteRunEvent, type PermissionRow, type RunRow, type Tx } from '@hamlet/store';
import { recordAct, type Acting } from '../../audit/record-act.ts';
import type { CallArguments } from '../../permissions/call-arguments.ts';
import { taintOf } from '../../permissions/view/taint-view.ts';

interface BrokerQuestion {
  readonly run: RunRow;
  /** Id of the write or the host, and of this request for it. */
  readonly callId: string;
  readonly request: string;
  readonly tool: string;
  readonly args: CallArguments;
  readonly reason: string;
  readonly policyVersion: string;
  /** The call that the pod claims; null if it names none. */
  readonly duringCall: string | null;
  /** The other hosts that an admin who allows it opens too, as host:port. */
  readonly opens?: readonly string[];
}

/** Asks people about a request that waits in the broker, as an event of its run and an act of the audit. */
export async function askPerson(
  tx: Tx,
  acting: Acting,
  question: BrokerQuestion,
): Promise<{ readonly permission: PermissionRow; readonly run: RunRow }> {
  const { run, callId, request, tool, args, reason, policyVersion, duringCall, opens = [] } = question;
  const permission = await insertPermission(tx, {
    runId: run.runId,
    agentId: run.agentId,
    request,
    callId,
    tool,
    arguments: args.text,
    argumentsHash: args.hash,
    why: 'policy',
    reason,
    question: null,
    amount: null,
    policyVersion,
    lastsS: EGRESS_ANSWER_S,
    taint: taintOf(run),
    opens,
  });
  const about = { permission_id: permission.permissionId, call_id: callId, tool, why: 'policy' };
  const noted = await noteRunEvent(tx, run, { event: 'permission_asked', detail: about });
  await recordAct(tx, acting, {
    action: 'permission.ask',
    object: run.agentId,
    detail: {
      run_id: run.runId,
      ...about,
      during_call: duringCall,
      arguments_hash: Buffer.from(args.hash).toString('hex'),
    },
  });
  return { permission, run: noted };
}

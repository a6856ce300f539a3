import {
  EGRESS_HOST_HELD_S,
  REACH_HOST,
  type EgressPermitted,
  type permitEgressHost as permitRoute,
} from '@hamlet/contract';
import { judgeEgressHost } from '@hamlet/core';
import { deny, hostsInWords, isInternational, type Destination, type EgressDenial } from '@hamlet/core/egress';
import type { HeldPermission, RunRow, Tx } from '@hamlet/store';
import {
  countBrokerPermissions,
  endPermission,
  hostCallId,
  isRuleRevoked,
  lockHostPermission,
  lockPermission,
  lockRequestThatNames,
  lockRequestThatOpened,
  lockRun,
  readLongWaits,
} from '@hamlet/store';
import { plain, type RequestOf } from '../../http/handler.ts';
import { accepted } from '../../http/outcome.ts';
import { readArguments, type CallArguments } from '../../permissions/call-arguments.ts';
import { answerByRule } from '../../permissions/rules/allow-rules.ts';
import type { Village } from '../../village.ts';
import { hostName, hostsNamedByPerson, openedWith, refuseOpening } from '../../permissions/shell/named-hosts.ts';
import { answerByEarlier } from './answer-by-earlier.ts';
import { askPerson } from './ask-person.ts';
import { holdAnswer } from './hold-answer.ts';
import { refuseLife } from './refuse-life.ts';
import { withdrawOpen } from './withdraw-open.ts';
import { deniedBy, NO_RUN, waiting } from './write-facts.ts';

type Request = RequestOf<typeof permitRoute>;

/** Maximum number of hosts that one run may ask for, and of those that may wait for an admin at one time. */
export const HOSTS_OF_RUN_MAX = 20;
export const HOSTS_WAITING_MAX = 3;

interface Held {
  readonly request: Request;
  readonly run: RunRow;
  /** The host at each port that an answer opens. */
  readonly opens: readonly Destination[];
  readonly permission: HeldPermission | null;
}

/**
 * Decides whether a run may reach a host that no rule opens. The first request asks an admin, unless one has allowed a request that
 * named the host; the answer then holds for all reads of that host and port by the run, and at both ports of the web. Rules that deny,
 * measures and the freeze override it at each request.
 */
export function permitHost(village: Village) {
  return plain(async (request: Request) =>
    accepted(await holdAnswer(village, request.body.wait_ms, (tx) => judge(tx, village, request))),
  );
}

async function judge(tx: Tx, village: Village, request: Request): Promise<EgressPermitted> {
  const { body } = request;
  const run = await lockRun(tx, body.run);
  if (run === null || run.agentUid !== body.uid) return NO_RUN;
  const stopped = await refuseLife(tx, village, { body, run });
  if (stopped !== null) return stopped;
  const closed = refuseOpening(village, body, run);
  if (closed !== null) return closed.by === 'egress' ? closed.denial : deniedBy('policy_denied', closed.reason);
  const opens = openedWith(village, run, { host: body.host, port: body.port });
  const permission = await lockHostPermission(tx, run.runId, hostCallId(body.host, portsOf(opens)));
  return decide(tx, village, { request, run, opens, permission });
}

/** A request that expired unanswered, was withdrawn, or was allowed by a rule that an admin has revoked, is asked again. */
async function decide(tx: Tx, village: Village, held: Held): Promise<EgressPermitted> {
  const { permission } = held;
  if (permission?.state === 'denied') return keptClosed(held.request.body, permission.reply);
  if (permission?.state === 'consumed' && !(await isRuleRevoked(tx, permission))) return allowed(permission);
  if (permission === null || permission.isOver || !isOpen(permission)) return ask(tx, village, held);
  return permission.state === 'allowed' ? use(tx, permission) : waiting(permission);
}

const isOpen = ({ state }: HeldPermission): boolean => state === 'pending' || state === 'allowed';

const allowed = ({ permissionId }: { readonly permissionId: string }): EgressPermitted => ({
  verdict: 'allow',
  permission_id: permissionId,
});

async function use(tx: Tx, { permissionId }: { readonly permissionId: string }): Promise<EgressPermitted> {
  return allowed(await endPermission(tx, permissionId, 'consumed'));
}

const portsOf = (opens: readonly Destination[]): readonly number[] => opens.map(({ port }) => port);

/** The text that the admin reads. The name stands in it exactly as the broker compares it. Pure. */
function hostArguments(
  { host, summary, call }: Request['body'],
  opens: readonly Destination[],
  beside: readonly Destination[],
): CallArguments {
  const ports = portsOf(opens);
  const line = `{ host: ${host}, ports: [${ports.join(', ')}], writes: Ask }`;
  const args = readArguments(
    JSON.stringify({
      summary: `open ${hostsInWords([...opens, ...beside])} for reading; a write there asks again`,
      details: [
        `first request: ${summary}`,
        ...(isInternational({ host })
          ? ['the name has letters of another alphabet, shown here in their encoded form']
          : []),
        ...(beside.length === 0
          ? []
          : [`the message of this run names all of them; an answer for all later runs is about ${host} alone`]),
        `to keep it open, always allow it, or add ${line} to spec.egress.allow of the Agent`,
      ],
      host,
      ports,
      ...(call === null ? {} : { call }),
    }),
  );
  if (args === null) throw new TypeError('a bug: the arguments of a host could not be serialized as JSON');
  return args;
}

/**
 * The other closed hosts in the person's message, if it names this one too: the admin decides about all at once, except about
 * hosts that an admin keeps closed.
 */
async function namedBeside(
  tx: Tx,
  village: Village,
  { run, opens }: Pick<Held, 'run' | 'opens'>,
): Promise<readonly Destination[]> {
  const asked = new Set(opens.map(hostName));
  const named = await hostsNamedByPerson(tx, village, run);
  if (!named.some((host) => asked.has(hostName(host)))) return [];
  const others = Map.groupBy(
    named.filter((host) => !asked.has(hostName(host))),
    ({ host }) => host,
  );
  const beside: Destination[] = [];
  for (const [host, at] of others) {
    const earlier = await lockHostPermission(tx, run.runId, hostCallId(host, portsOf(at)));
    if (earlier?.state !== 'denied') beside.push(...at);
  }
  return beside;
}

async function ask(tx: Tx, village: Village, { request, run: held, opens }: Held): Promise<EgressPermitted> {
  const { body } = request;
  const asking = await lockRequestThatNames(tx, held.runId, opens.map(hostName));
  if (asking !== null) return waiting(asking);
  const { all, pending } = await countBrokerPermissions(tx, held.runId, [REACH_HOST]);
  const run = all >= HOSTS_OF_RUN_MAX ? null : await withPlace(tx, village, { run: held, pending });
  if (run === null) return tooMany(body);
  // An admin's earlier answer opens what its own text named, and no further host.
  const earlier = await lockRequestThatOpened(tx, run.runId, opens.map(hostName));
  const beside = earlier === null ? await namedBeside(tx, village, { run, opens }) : [];
  const callId = hostCallId(body.host, portsOf(opens));
  const policy = village.policyOfRun(run);
  const question = await askPerson(tx, request, {
    run,
    callId,
    request: `${callId}/${all}`,
    tool: REACH_HOST,
    args: hostArguments(body, opens, beside),
    reason: judgeEgressHost(policy).reason,
    policyVersion: policy.version,
    duringCall: body.call,
    opens: beside.map(hostName),
  });
  const { economy, readCommand } = village;
  const ruled = await answerByRule(tx, { ...question, asked: request, economy, readCommand });
  const shown =
    ruled.state === 'pending' && earlier !== null
      ? await answerByEarlier(tx, { ...question, permission: ruled, earlier, asked: request })
      : ruled;
  return shown.state === 'allowed' ? use(tx, shown) : waiting(shown);
}

/**
 * The run with a place for a request: the oldest one that no program waits for is withdrawn. Null if programs may wait
 * for all of them. The broker holds a program for a limited time, so that programs at other replicas have left an older
 * request too.
 */
async function withPlace(
  tx: Tx,
  { writeWaits }: Village,
  { run, pending }: { readonly run: RunRow; readonly pending: number },
): Promise<RunRow | null> {
  if (pending < HOSTS_WAITING_MAX) return run;
  const waits = await readLongWaits(tx, run.runId, { tool: REACH_HOST, seconds: EGRESS_HOST_HELD_S });
  const left = waits.find((id) => !writeWaits.isWaiting(id));
  if (left === undefined) return null;
  await withdrawOpen(tx, { run, permission: await lockPermission(tx, left) });
  // The withdrawal is an event of the run.
  return lockRun(tx, run.runId);
}

const keptClosed = ({ host, port }: Request['body'], reply: string | null): EgressDenial =>
  deny(
    'egress_person_denied',
    `an admin keeps ${host}:${port} closed${reply === null || reply === '' ? '' : `: ${reply}`}`,
  );

const tooMany = ({ host, port }: Request['body']): EgressDenial =>
  deny(
    'egress_not_allowed',
    `no rule of this agent allows ${host}:${port}, and this run has asked about as many hosts as it may; continue without it, or ask an admin to add it to spec.egress of the Agent`,
  );

import { afterEach } from 'node:test';
import { answerPermission, beginCall, endCall, performCall } from '@hamlet/contract';
import type { CallData, CallInput, Outcome, Permission, Run, SafeMode } from '@hamlet/contract';
import { dataOf, type TestClient } from '@hamlet/test/env/client';
import { openSuperuser } from '@hamlet/test/env/superuser';
import {
  clientOf,
  TOKENS,
  type AgentId,
  Play,
  type TestVillage,
  startPlay,
  type PlayOptions,
} from '../../testing/test-village.ts';

/** Rules of a village in which agents ask before they publish or spend in a run. */
export const ASKING_RULES = JSON.stringify([
  { tools: ['read', 'speak', 'act', 'publish', 'spend', 'persona', 'schedule'], verdict: 'allow' },
  { tools: ['publish', 'spend'], when: 'run', verdict: 'ask', reason: 'People see it' },
]);

export interface Working {
  readonly agentId: AgentId;
  readonly runId: string;
  readonly cycle: number;
  readonly attempt: number;
}

type Tool = Pick<CallInput<typeof performCall>['body'], 'tool'> & { readonly callId: string; readonly args: unknown };
type CallEnd = Pick<CallInput<typeof endCall>['body'], 'outcome' | 'report'>;
export type HandsCall = Partial<CallInput<typeof beginCall>['body']> & {
  readonly callId?: string;
  readonly args?: object;
};
type Answer = CallInput<typeof answerPermission>['body'];
export type CallAnswer = Outcome<CallData<typeof performCall>>;

/** Acts for tests of permissions and calls. Stateful: it tracks the runs that it has started. */
export class PermissionPlay {
  readonly play: Play;
  readonly member: TestClient;
  #started: readonly Working[] = [];

  constructor(url: string) {
    this.play = new Play(url);
    this.member = clientOf(url, TOKENS.member);
  }

  /** The same village through another replica. */
  at(url: string): PermissionPlay {
    return new PermissionPlay(url);
  }

  /** Creates a run as an admin or a member, and starts it as its agent. */
  async startRun(agentId: AgentId, by: TestClient = this.play.admin, safeMode?: SafeMode): Promise<Working> {
    const body = { prompt: 'Work.', ...(safeMode === undefined ? {} : { safe_mode: safeMode }) };
    const { run } = await by.createRun({ agent_id: agentId, ...body });
    return this.start(agentId, run);
  }

  async start(agentId: AgentId, { run_id: runId }: Pick<Run, 'run_id'>): Promise<Working> {
    const { cycle } = await this.play.agent(agentId);
    const started = await this.play.as(agentId).startRun({ run_id: runId, cycle, runtime: 'engine' });
    const working = { agentId, runId, cycle, attempt: started.run.attempt };
    this.#started = [...this.#started, working];
    return working;
  }

  /** Ends all started runs, because an agent of the lowest tier works on one at a time. */
  async endAll(): Promise<void> {
    for (const working of this.#started) await this.end(working);
    this.#started = [];
  }

  end({ agentId, runId, cycle, attempt }: Working): Promise<Outcome<unknown>> {
    return this.play.as(agentId).raw.settleRun({ run_id: runId, cycle, attempt, state: 'failed', summary: 'Enough.' });
  }

  ask(
    { agentId, runId, cycle, attempt }: Working,
    { tool, callId, args }: Tool,
    more: { readonly why?: Permission['why']; readonly request?: string } = {},
  ) {
    const { why = 'policy', request = `${runId}/${callId}/1` } = more;
    const body = { cycle, attempt, call_id: callId, request, tool, arguments: JSON.stringify(args), why };
    return this.play.as(agentId).raw.askPermission({ run_id: runId, ...body });
  }

  answer(permissionId: string, body: Answer, by: TestClient = this.play.admin) {
    return by.raw.answerPermission({ permission_id: permissionId, ...body });
  }

  perform({ agentId, runId, cycle, attempt }: Working, { tool, callId, args }: Tool): Promise<CallAnswer> {
    const body = { cycle, attempt, tool, arguments: typeof args === 'string' ? args : JSON.stringify(args) };
    return this.play.as(agentId).raw.performCall({ run_id: runId, call_id: callId, ...body });
  }

  begin(
    { agentId, runId, cycle, attempt }: Working,
    { callId = '1.0', tool = 'shell', args = { command: 'ls' }, ...more }: HandsCall = {},
  ) {
    const body = { cycle, attempt, tool, arguments: JSON.stringify(args), boot: 'b1', ...more };
    return this.play.as(agentId).raw.beginCall({ run_id: runId, call_id: callId, ...body });
  }

  /** `begun`, or the code with which a call in the hands is refused or denied. */
  async begun(working: Working, call: HandsCall): Promise<string> {
    const answer = await this.begin(working, call);
    return answer.ok ? (answer.data.outcome?.code ?? answer.data.state) : answer.problem.code;
  }

  finish({ agentId, runId, cycle, attempt }: Working, callId: string, end: Partial<CallEnd> = {}) {
    const body = { cycle, attempt, outcome: { kind: 'ok' as const, text: 'Done.' }, report: {}, ...end };
    return this.play.as(agentId).endCall({ run_id: runId, call_id: callId, ...body });
  }

  /** Asks for a call, and lets an admin allow it. Returns the id of the permission. */
  async allow(working: Working, call: Tool): Promise<string> {
    const { permission } = dataOf(await this.ask(working, call));
    dataOf(await this.answer(permission.permission_id, { answer: 'allow' }));
    return permission.permission_id;
  }
}

/** A village with one replica under these rules. Its started runs end after each test. */
export async function startPermits({ rules, environment, ...options }: PlayOptions & { readonly rules?: string } = {}) {
  const { village, play } = await startPlay({
    ...options,
    environment: async (of) => ({
      ...(rules === undefined ? {} : { HAMLET_TOOL_RULES: rules }),
      ...(typeof environment === 'function' ? await environment(of) : environment),
    }),
  });
  const permits = new PermissionPlay(play.url);
  afterEach(() => permits.endAll());
  return { village, permits };
}

export function post(callId: string, title = 'Bread at noon'): Tool {
  return { tool: 'post_to_board', callId, args: { title, body: 'At the café.' } };
}

/** The kind and code of a performed call, or the code of its refusal. */
export function resultOf(answer: CallAnswer): string {
  if (!answer.ok) return answer.problem.code;
  const { kind, code } = answer.data.outcome;
  return code === undefined ? kind : `${kind} ${code}`;
}

/**
 * Environment of a replica whose agents may reach one host by a tunnel, in which the broker cannot ask about requests.
 */
export async function withTunnel(village: Pick<TestVillage, 'writeSample'>): Promise<Record<string, string>> {
  const rules = JSON.stringify({ allow: [{ host: 'open.example.org' }] });
  return { HAMLET_EGRESS_FILE: await village.writeSample('tunnel.json', rules) };
}

/** Lets a permission expire, which no database role of the village can do. */
export const outlast = (village: TestVillage, permissionId: string): Promise<void> =>
  setTimes(village, permissionId, "asked_at = asked_at - interval '2 days', expires_at = clock_timestamp()");

/** Makes a permission so old that no program can wait for it any more. */
export const outlastHold = (village: TestVillage, permissionId: string): Promise<void> =>
  setTimes(village, permissionId, "asked_at = asked_at - interval '3 minutes'");

async function setTimes({ postgres }: TestVillage, permissionId: string, times: string): Promise<void> {
  const superuser = openSuperuser(postgres);
  await superuser.run('alter table permission disable trigger goes_forward');
  await superuser.run(`update permission set ${times} where permission_id = '${permissionId}'`);
  await superuser.run('alter table permission enable always trigger goes_forward');
  await superuser.close();
}

export async function countPosts({ postgres }: TestVillage, title: string): Promise<number> {
  const superuser = openSuperuser(postgres);
  const [row] = await superuser.run(`select count(*)::integer as posts from board.post where title = '${title}'`);
  await superuser.close();
  return Number(row?.['posts']);
}

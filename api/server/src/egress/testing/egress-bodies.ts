import { createHash, randomUUID } from 'node:crypto';
import type { CallInput, EgressAttempt, permitEgress, permitEgressHost } from '@hamlet/contract';
import type { TestClient } from '@hamlet/test/env/client';
import type { PermissionPlay, Working } from '../../permissions/testing/permission-play.ts';
import type { AgentId, Play } from '../../testing/test-village.ts';

export type Write = CallInput<typeof permitEgress>['body'];
export const SHA = createHash('sha256').update('the write').digest('hex');

/** The broker's record of an attempt: by default a GET outside of any run. */
export async function attemptOf(
  play: Play,
  agent: AgentId,
  changes: Partial<EgressAttempt> = {},
): Promise<EgressAttempt> {
  const { uid, cycle } = await play.agent(agent);
  const request = { form: 'inspect', host: 'api.example.org', port: 443, method: 'GET', path: '/v1/x' } as const;
  const about = { run: null, call: null, refused: null, at: new Date().toISOString() };
  return { id: randomUUID(), agent, uid, cycle, ...about, ...request, ...changes };
}

/** The broker's question about a write of a call: by default a POST with a body. */
export async function writeOf(
  { permits, broker }: { readonly permits: PermissionPlay; readonly broker: TestClient },
  { agentId, runId, cycle }: Working,
  changes: Partial<Write> = {},
): Promise<Write> {
  const { access_token: token } = await permits.play.as(agentId).exchangeAgentToken();
  const admitted = await broker.admitEgress({ token });
  if (!('policy' in admitted)) throw new Error(`the agent ${agentId} is not admitted`);
  const summary = 'POST https://api.example.org/v1/notes';
  const sent = { kind: 'write', summary, changes: [], body: '{"text":"hello"}', bytes: 16, sha256: SHA } as const;
  const { uid, policy } = admitted;
  const about = { ask: randomUUID(), uid, run: runId, cycle, call: 'call-1', rules: policy.version };
  return { ...about, by_rule: false, wait_ms: 0, ...sent, changes: [], ...changes };
}

export type Host = CallInput<typeof permitEgressHost>['body'];

/** The broker's question about a host that no rule opens. */
export async function hostOf(
  by: Parameters<typeof writeOf>[0],
  working: Working,
  changes: Partial<Host> = {},
): Promise<Host> {
  const { uid, cycle, call = null, rules, wait_ms } = await writeOf(by, working);
  const about = { uid, run: working.runId, cycle, call, rules, wait_ms };
  return { ...about, host: 'new.example.org', port: 443, summary: 'CONNECT new.example.org:443', ...changes };
}

/** The question about a push of a call's changes to the agent's own branch. */
export function pushOf(by: Parameters<typeof writeOf>[0], working: Working, call: string): Promise<Write> {
  const change = `create refs/heads/hamlet/${working.agentId}/x`;
  const summary = `push to git.example.org/team/a: ${change}`;
  return writeOf(by, working, { call, kind: 'push', summary, changes: [change], body: null, bytes: null });
}

import { randomUUID } from 'node:crypto';
import { type CallInput, type permitEgress } from '@hamlet/contract';
import type { TestClient } from '@hamlet/test/env/client';
import type { PermissionPlay, Working } from '../../permissions/testing/permission-play.ts';

/** The broker's request to push a call's changes to the agent's own branch. */
export async function aPush(
  { agentId, runId, cycle }: Working,
  { permits, broker, call }: { readonly permits: PermissionPlay; readonly broker: TestClient; readonly call: string },
): Promise<CallInput<typeof permitEgress>['body']> {
  const { access_token: token } = await permits.play.as(agentId).exchangeAgentToken();
  const admitted = await broker.admitEgress({ token });
  if (!('policy' in admitted)) throw new Error(`the agent ${agentId} is not admitted`);
  const change = `create refs/heads/hamlet/${agentId}/x`;
  return {
    ask: randomUUID(),
    uid: admitted.uid,
    run: runId,
    cycle,
    call,
    kind: 'push',
    summary: `push to git.example.org/team/a: ${change}`,
    changes: [change],
    body: null,
    bytes: null,
    sha256: 'a'.repeat(64),
    rules: admitted.policy.version,
    by_rule: false,
    wait_ms: 0,
  };
}

import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import type { AgentConfig } from '@hamlet/contract';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import type { KeepArtifact } from '../../artifacts/keep-artifact.ts';
import { type HandsEnd } from '../../hands/hands-tool.ts';
import { createRefusals, type Refusals } from '../../hands/refusals.ts';
import { NO_CALL_LOG, aHandsKit, KEEPS_NONE } from '../../testing/a-hands-kit.ts';
import { toolCalls } from '../../testing/tool-calls.ts';
import type { Net } from './a-net.ts';

interface Parts {
  readonly search?: AgentConfig['search'];
  readonly outsideAgents?: AgentConfig['outside_agents'];
  readonly keepArtifact?: KeepArtifact;
  readonly refusals?: Refusals;
}

export type NetHands = Awaited<ReturnType<typeof startNetHands>>;

/** Real hands whose programs reach the hosts of a net, with their tools. */
export async function startNetHands(
  net: Pick<Net, 'environmentOf'>,
  { search = null, outsideAgents = [], keepArtifact = KEEPS_NONE, refusals = createRefusals() }: Parts = {},
) {
  const hands = await startHands();
  let last: HandsEnd | undefined;
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const kit = aHandsKit(hands, {
    environmentOf: (place) => ({ PATH: path, ...net.environmentOf(place) }),
    calls: { ...NO_CALL_LOG, end: async (_context, end) => ((last = end), null) },
    keepArtifact,
    search,
    outsideAgents,
    refusals,
  });
  const { use, textOf, codeOf } = toolCalls(() => kit);
  return {
    workspace: hands.workspace,
    socket: hands.socket,
    /** The end of the last call, as its log records it. */
    lastEnd: () => last,
    use,
    codeOf,
    textOf: async (...call: Parameters<typeof textOf>): Promise<string> => {
      const text = await textOf(...call);
      assert.ok(last?.outcome.kind === 'ok' && last.outcome.untrusted === true, 'untrusted text is marked');
      return text;
    },
    remove: () => hands.remove(),
  };
}

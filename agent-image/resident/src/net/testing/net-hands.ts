import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import type { AgentConfig } from '@hamlet/contract';
import type { NeedsPermission, ToolOutcome } from '@hamlet/engine';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import type { KeepArtifact } from '../../artifacts/keep-artifact.ts';
import { type HandsEnd } from '../../hands/hands-tool.ts';
import { createRefusals, type Refusals } from '../../hands/refusals.ts';
import { NO_CALL_LOG, aHandsKit, KEEPS_NONE, useTool, type CallPlace } from '../../testing/a-hands-kit.ts';
import type { Net } from './a-net.ts';

export interface NetHands {
  readonly workspace: string;
  readonly socket: string;
  /** The end of the last call, as its log records it. */
  lastEnd(): HandsEnd | undefined;
  use(tool: string, input: object, place?: CallPlace): Promise<ToolOutcome | NeedsPermission>;
  /** The text of a call that must succeed. */
  textOf(tool: string, input: object, place?: CallPlace): Promise<string>;
  /** The code of a call that must fail. */
  codeOf(tool: string, input: object, place?: CallPlace): Promise<string>;
  remove(): Promise<void>;
}

interface Parts {
  readonly search?: AgentConfig['search'];
  readonly keepArtifact?: KeepArtifact;
  readonly refusals?: Refusals;
}

/** Real hands whose programs reach the hosts of a net, with their tools. */
export async function startNetHands(
  net: Pick<Net, 'environmentOf'>,
  { search = null, keepArtifact = KEEPS_NONE, refusals = createRefusals() }: Parts = {},
): Promise<NetHands> {
  const hands = await startHands();
  let last: HandsEnd | undefined;
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const kit = aHandsKit(hands, {
    environmentOf: (place) => ({ PATH: path, ...net.environmentOf(place) }),
    calls: { ...NO_CALL_LOG, end: async (_context, end) => void (last = end) },
    keepArtifact,
    search,
    refusals,
  });
  const use: NetHands['use'] = useTool(kit);
  return {
    workspace: hands.workspace,
    socket: hands.socket,
    lastEnd: () => last,
    use,
    textOf: async (...call) => {
      const outcome = await use(...call);
      assert.ok(outcome.kind === 'ok', JSON.stringify(outcome).slice(0, 2_000));
      assert.equal(outcome.untrusted, true, 'untrusted text is marked');
      return outcome.text;
    },
    codeOf: async (...call) => {
      const outcome = await use(...call);
      assert.ok(outcome.kind === 'failed', JSON.stringify(outcome).slice(0, 2_000));
      return outcome.code;
    },
    remove: () => hands.remove(),
  };
}

import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import type { AgentConfig } from '@hamlet/contract';
import type { CallContext, NeedsPermission, ToolOutcome } from '@hamlet/engine';
import { startHands } from '@hamlet/test/env/hands/start-hands';
import type { KeepArtifact } from '../../artifacts/keep-artifact.ts';
import { NO_CALL_LOG } from '../../hands/call-log.ts';
import { openChangeLog } from '../../hands/files/change-log.ts';
import type { HandsEnd, HandsKit } from '../../hands/hands-tool.ts';
import { inWorkspace } from '../../hands/repository/work-trees.ts';
import { handsTools } from '../../hands/tools/hands-tools.ts';
import { HAS_NO_SCRIPTS, KEEPS_NONE } from '../../testing/keeps-none.ts';
import type { Net } from './a-net.ts';

export interface NetHands {
  readonly workspace: string;
  readonly socket: string;
  /** The end of the last call, as its log has it. */
  lastEnd(): HandsEnd | undefined;
  use(tool: string, input: object, place?: Partial<CallContext>): Promise<ToolOutcome | NeedsPermission>;
  /** The text of a call that must succeed. */
  textOf(tool: string, input: object, place?: Partial<CallContext>): Promise<string>;
  /** The code of a call that must fail. */
  codeOf(tool: string, input: object, place?: Partial<CallContext>): Promise<string>;
  remove(): Promise<void>;
}

interface Parts {
  readonly search?: AgentConfig['search'];
  readonly keepArtifact?: KeepArtifact;
}

/** Real hands whose programs reach the hosts of a net, with their tools. */
export async function startNetHands(
  net: Pick<Net, 'environmentOf'>,
  { search = null, keepArtifact = KEEPS_NONE }: Parts = {},
): Promise<NetHands> {
  const hands = await startHands();
  let last: HandsEnd | undefined;
  let calls = 0;
  const path = `${dirname(process.execPath)}:${process.env['PATH'] ?? ''}`;
  const kit: HandsKit = {
    agentId: 'ada',
    trees: inWorkspace(hands.workspace),
    socket: hands.socket,
    workspace: hands.workspace,
    shells: `${hands.workspace}/.shells`,
    environmentOf: (place) => ({ PATH: path, ...net.environmentOf(place) }),
    calls: { ...NO_CALL_LOG, end: async (_context, end) => void (last = end) },
    changes: openChangeLog(':memory:'),
    keepArtifact,
    readScript: HAS_NO_SCRIPTS,
    search,
  };
  const use: NetHands['use'] = async (name, input, place = {}) => {
    const prepared = handsTools(kit)
      .find((each) => each.name === name)
      ?.prepare(input);
    assert.ok(prepared?.ok === true, JSON.stringify(prepared));
    const { signal } = new AbortController();
    const shared = { run: 'r1', conversation: 'c1', key: 'k', attempt: 1, fence: 1, output: () => {} };
    return prepared.call.execute({ ...shared, signal, call: `1.${(calls += 1)}`, ...place });
  };
  return {
    workspace: hands.workspace,
    socket: hands.socket,
    lastEnd: () => last,
    use,
    textOf: async (...call) => {
      const outcome = await use(...call);
      assert.ok(outcome.kind === 'ok', JSON.stringify(outcome).slice(0, 2_000));
      assert.equal(outcome.untrusted, true, 'text of strangers is marked');
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

import assert from 'node:assert/strict';
import type { CallContext, NeedsPermission, Tool, ToolOutcome } from '@hamlet/engine';
import { NO_CALL_LOG } from '../hands/call-log.ts';
import { openChangeLog } from '../hands/files/change-log.ts';
import { connectionsTo, type HandsConnections } from '../hands/hands-connections.ts';
import type { HandsKit } from '../hands/hands-tool.ts';
import { createRefusals } from '../hands/refusals.ts';
import { inWorkspace } from '../hands/repository/work-trees.ts';
import { handsTools } from '../hands/tools/hands-tools.ts';
import { HAS_NO_SCRIPTS, KEEPS_NONE } from './keeps-none.ts';

const connections = new Map<string, HandsConnections>();

/** The connections of this process to hands: all kits of one pod share them. */
export function sharedConnections(socket: string): HandsConnections {
  const shared = connections.get(socket) ?? connectionsTo(socket);
  connections.set(socket, shared);
  return shared;
}

/** The kit of a resident that works in the given hands, without an API: no call is stored. */
export const aHandsKit = (
  { socket, workspace }: { readonly socket: string; readonly workspace: string },
  parts: Partial<HandsKit> = {},
): HandsKit => ({
  agentId: 'ada',
  connections: sharedConnections(socket),
  workspace,
  shells: `${workspace}/.shells`,
  trees: inWorkspace(workspace),
  environmentOf: () => ({}),
  calls: NO_CALL_LOG,
  changes: openChangeLog(':memory:'),
  keepArtifact: KEEPS_NONE,
  readScript: HAS_NO_SCRIPTS,
  refusals: createRefusals(),
  search: { kind: 'searxng', url: 'http://search.test/search', secret: null },
  ...parts,
});

export type CallPlace = Partial<CallContext>;

type PreparedCall = Extract<ReturnType<Tool['prepare']>, { ok: true }>['call'];

let calls = 0;

/** The first attempt of a call, with an id of its own unless the place gives one. */
export const callContext = (place: CallPlace = {}): CallContext => ({
  run: 'r1',
  conversation: 'c1',
  call: `1.${(calls += 1)}`,
  key: 'k',
  attempt: 1,
  fence: 1,
  signal: new AbortController().signal,
  output: () => {},
  ...place,
});

/** A call whose arguments the tool accepts. */
export const preparedCall = (kit: HandsKit, name: string, input: object): PreparedCall =>
  preparedOf(handsTools(kit), name, input);

function preparedOf(tools: readonly Tool[], name: string, input: object): PreparedCall {
  const prepared = tools.find((tool) => tool.name === name)?.prepare(input);
  assert.ok(prepared?.ok === true, JSON.stringify(prepared));
  return prepared.call;
}

/** Calls tools of the hands as the engine does, which makes them once. */
export function useTool(kit: HandsKit) {
  const tools = handsTools(kit);
  return async (name: string, input: object, place: CallPlace = {}): Promise<ToolOutcome | NeedsPermission> =>
    preparedOf(tools, name, input).execute(callContext(place));
}

import assert from 'node:assert/strict';
import type { CallContext, Postponed, Tool, ToolOutcome } from '@hamlet/engine';
import type { Script, ScriptDetail } from '@hamlet/contract';
import { type CallLog, type HandsKit } from '../hands/hands-tool.ts';
import { openChangeLog } from '../hands/files/change-log.ts';
import { connectionsTo, type HandsConnections } from '../hands/hands-connections.ts';
import { createRefusals } from '../hands/refusals.ts';
import { handsTools } from '../hands/tools/hands-tools.ts';
import type { KeepArtifact } from '../artifacts/keep-artifact.ts';
import type { ReadScript } from '../scripts/read-script.ts';

const connections = new Map<string, HandsConnections>();

function sharedConnections(socket: string): HandsConnections {
  const shared = connections.get(socket) ?? connectionsTo(socket);
  connections.set(socket, shared);
  return shared;
}

/** Stores nothing, and finds nothing. */
export const NO_CALL_LOG: CallLog = {
  begin: async () => ({ kind: 'begun' }),
  end: async () => null,
  find: async () => ({ kind: 'begun', boot: null }),
};

/** The kit of a resident that works in the given hands, without an API: no call is stored. */
export const aHandsKit = (
  { socket, workspace }: { readonly socket: string; readonly workspace: string },
  parts: Partial<HandsKit> = {},
): HandsKit => ({
  agentId: 'ada',
  connections: sharedConnections(socket),
  workspace,
  shells: `${workspace}/.shells`,
  trees: { of: async () => ({ folder: workspace, note: '' }) },
  environmentOf: () => ({}),
  calls: NO_CALL_LOG,
  changes: openChangeLog(':memory:'),
  keepArtifact: KEEPS_NONE,
  readScript: HAS_NO_SCRIPTS,
  rememberDocuments: async () => ({ kind: 'failed', code: 'memory_refused', text: 'No memory' }),
  refusals: createRefusals(),
  search: { kind: 'searxng', url: 'http://search.test/search', secret: null },
  outsideAgents: [{ name: 'weather', url: 'http://weather.test/a2a', secret: null }],
  ...parts,
});

export type CallPlace = Partial<CallContext>;

type PreparedCall = Extract<ReturnType<Tool['prepare']>, { ok: true }>['call'];

let calls = 0;

/** The first attempt of a call, with an id of its own unless the place sets one. */
export const callContext = (place: CallPlace = {}): CallContext => ({
  run: 'r1',
  conversation: 'c1',
  call: `1.${(calls += 1)}`,
  args: '{}',
  key: 'k',
  attempt: 1,
  fence: 1,
  signal: new AbortController().signal,
  output: () => {},
  note: () => {},
  ...place,
});

export const preparedCall = (kit: HandsKit, name: string, input: object): PreparedCall =>
  preparedOf(handsTools(kit), name, input);

function preparedOf(tools: readonly Tool[], name: string, input: object): PreparedCall {
  const prepared = tools.find((tool) => tool.name === name)?.prepare(input);
  assert.ok(prepared?.ok === true, JSON.stringify(prepared));
  return prepared.call;
}

/** Calls tools of the hands as the engine does, which creates them once. */
export function useTool(kit: HandsKit) {
  const tools = handsTools(kit);
  return async (name: string, input: object, place: CallPlace = {}): Promise<ToolOutcome | Postponed> =>
    preparedOf(tools, name, input).execute(callContext({ args: JSON.stringify(input), ...place }));
}

export const KEEPS_NONE: KeepArtifact = async () => ({ kind: 'refused', code: 'artifacts_full', detail: 'No room' });

/** An agent that has registered no script. */
const HAS_NO_SCRIPTS: ReadScript = async () => ({ kind: 'refused', code: 'no_such_script', detail: 'No script' });

type Given = Pick<Script, 'name' | 'description' | 'version' | 'language'> & { readonly source: string };

/** A script of ada as the API returns it, with one version and without parameters. */
export const aScript = ({ source, ...given }: Given): ScriptDetail => ({
  script: {
    ...given,
    agent_id: 'ada',
    versions: 1,
    bytes: source.length,
    tainted: false,
    adopted_from: null,
    saved_at: '2026-11-25T10:00:00.000Z',
    saved_in: null,
    runs: 0,
    last_run: null,
  },
  parameters: { type: 'object', properties: {}, required: [] },
  source,
  versions: [],
});

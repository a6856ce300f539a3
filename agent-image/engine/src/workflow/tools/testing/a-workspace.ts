import assert from 'node:assert/strict';
import { testFolder } from '@hamlet/test/env/at-end';
import type { CallContext } from '../../../effects/tool.ts';
import type { ToolOutcome } from '../../../effects/tool-outcome.ts';
import { BUILT_INS } from '../built-ins/built-in.ts';
import type { SafeMode } from '../check-tool-call.ts';
import type { StatedPermissions } from '../permissions/permission-levels.ts';
import { toolsOf, type ToolManifests } from '../tools-of.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';

export const aWorkspace = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Promise<Workspace> => openWorkspace({ root: testFolder('workspace'), data: testFolder('data'), environment });

export const EVERYTHING: StatedPermissions = {
  filesystem: { read: ['**'], write: ['**'] },
  network: { allow: ['*'] },
  shell: { enabled: true, allow: ['*'] },
};

/** All built-in tools by their own names, with a timeout in seconds. */
export const builtInManifests = (permissions: StatedPermissions = EVERYTHING, timeoutS = 30): ToolManifests => ({
  permissions,
  tools: Object.keys(BUILT_INS).map((uses) => ({
    id: uses,
    uses: uses as keyof typeof BUILT_INS,
    timeout_s: timeoutS,
  })),
  agents: [],
});

let calls = 0;

export const aCallContext = (changes: Partial<CallContext> = {}): CallContext => ({
  run: 'r1',
  conversation: 'c1',
  call: `${(calls += 1)}.0`,
  args: '{}',
  key: `r1/${calls}`,
  attempt: 1,
  fence: 1,
  signal: new AbortController().signal,
  output: () => {},
  note: () => {},
  ...changes,
});

// The tests read fields of JSON results by name.
// oxlint-disable-next-line typescript/no-explicit-any
type Json = any;

export type UseBuiltIn = ((name: string, input: object, context?: Partial<CallContext>) => Promise<ToolOutcome>) &
  Readonly<{ json: (name: string, input: object, context?: Partial<CallContext>) => Promise<Json> }>;

/** Calls a built-in tool as the engine does: prepared, and then executed. */
export function useBuiltIn(
  workspace: Workspace,
  permissions: StatedPermissions = EVERYTHING,
  mode: SafeMode | null = null,
): UseBuiltIn {
  const manifests = builtInManifests(permissions);
  const tools = toolsOf({ manifests, handlers: new Map(), workspace, agent: null, mode });
  const use = async (name: string, input: object, context: Partial<CallContext> = {}): Promise<ToolOutcome> => {
    const tool = tools.find((each) => each.name === name) ?? assert.fail(`no tool ${name}`);
    const prepared = tool.prepare(input);
    if (!prepared.ok) return prepared.outcome;
    const outcome = await prepared.call.execute(aCallContext(context));
    return outcome.kind === 'needs_permission' || outcome.kind === 'parked' ? assert.fail(outcome.kind) : outcome;
  };
  const json = async (name: string, input: object, context: Partial<CallContext> = {}): Promise<Json> => {
    const outcome = await use(name, input, context);
    return outcome.kind === 'ok' ? JSON.parse(outcome.text) : assert.fail(JSON.stringify(outcome));
  };
  return Object.assign(use, { json });
}

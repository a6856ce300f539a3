import { z } from 'zod';
import { defineTool, type CallContext, type PreparedCall, type Tool } from '../../effects/tool.ts';
import type { ToolOutcome } from '../../effects/tool-outcome.ts';
import { coerceAndValidate } from '../../json/repair-and-validate.ts';
import type { JsonSchema } from '../../json/guide.ts';
import { BUILT_INS, type BuiltIn, type BuiltInName } from './built-ins/built-in.ts';
import { denial, outcomeOf, ToolFault } from './built-ins/tool-fault.ts';
import { jsonResult } from './built-ins/tool-job.ts';
import { checkToolCall, type Need, type SafeMode, type ToolRules } from './check-tool-call.ts';
import type { PermissionLevel, StatedPermissions } from './permissions/permission-levels.ts';
import { runHandler, type ToolHandler } from './tool-handler.ts';
import type { Workspace } from './workspace.ts';

/** Time of a command to end with its processes before the engine gives the call up. */
const SLACK_MS = 5_000;

type Common = Readonly<{ id: string; permissions?: StatedPermissions | undefined; timeout_s: number }>;
type BuiltInSpec = Common & Readonly<{ uses: BuiltInName; description?: string | undefined }>;
type HandlerSpec = Common &
  Readonly<{
    uses: 'handler';
    description: string;
    effect: 'read' | 'idempotent' | 'keyed' | 'once';
    input: JsonSchema;
    output?: JsonSchema | undefined;
  }>;

/** A tool of the manifests. */
export type ManifestTool = BuiltInSpec | HandlerSpec;

/** The part of the manifests that says which tools there are, and who may use them for what. */
export type ToolManifests = Readonly<{
  permissions?: StatedPermissions | undefined;
  tools: readonly ManifestTool[];
  agents: readonly Readonly<{ id: string; tools: readonly string[]; permissions?: StatedPermissions | undefined }>[];
}>;

/** The engine carries out the calls itself, in a folder. */
type Local = Readonly<{ handlers: ReadonlyMap<string, ToolHandler>; workspace: Workspace }>;
/** `toolFor`: the tool of a host that carries out a tool of the manifests. It gets arguments that fit the manifest. */
type Hosted = Readonly<{ toolFor: (tool: ManifestTool) => Tool }>;

export type ToolsRequest = (Local | Hosted) & Asking;

type Asking = Readonly<{
  manifests: ToolManifests;
  /** The agent that calls; null for a tool stage, which may use every tool of the manifests. */
  agent: string | null;
  mode: SafeMode | null;
  /** The line of a value in a manifest, for denials; by default none is known. */
  lineOf?: ToolRules['lineOf'];
}>;

/** The engine's tools for one caller: those of the manifests, of which an agent has the ones that it lists. Each call is judged before its intent, and by its real paths again before it acts. */
export function toolsOf(request: ToolsRequest): readonly Tool[] {
  const { manifests, agent: id } = request;
  const index = manifests.agents.findIndex((agent) => agent.id === id);
  const agent = manifests.agents[index];
  if (id !== null && agent === undefined) throw new Error(`No agent ${id} in the manifests.`);
  const ofAll = levelsAt('default', 'tools.yaml', { path: ['permissions'], stated: manifests.permissions });
  const path = ['agents', index, 'permissions'];
  const ofAgent = levelsAt('agent', 'agents.yaml', { path, stated: agent?.permissions });
  return manifests.tools.flatMap((spec, at) => {
    if (agent !== undefined && !agent.tools.includes(spec.id)) return [];
    const own: PermissionLevel = {
      name: 'tool',
      file: 'tools.yaml',
      path: ['tools', at, 'permissions'],
      stated: spec.permissions ?? {},
    };
    const rules: ToolRules = {
      tool: spec.id,
      effect: spec.uses === 'handler' ? spec.effect : BUILT_INS[spec.uses].effect,
      mode: request.mode,
      levels: [...ofAll, ...ofAgent, own],
      reserved: 'workspace' in request ? request.workspace.reserved : [],
      lineOf: request.lineOf ?? (() => null),
    };
    return [toolOf(spec, rules, request)];
  });
}

function toolOf(spec: ManifestTool, rules: ToolRules, request: ToolsRequest): Tool {
  if ('toolFor' in request) return hostedTool(spec, rules, request.toolFor(spec));
  return spec.uses === 'handler' ? handlerTool(spec, { rules, request }) : builtInTool(spec, { rules, request });
}

type Stated = Readonly<{ path: PermissionLevel['path']; stated: StatedPermissions | undefined }>;

const levelsAt = (name: 'default' | 'agent', file: string, { path, stated }: Stated): readonly PermissionLevel[] =>
  stated === undefined ? [] : [{ name, file, path, stated }];

type Setting = Readonly<{ rules: ToolRules; request: Local & Asking }>;

/** Throws the denial of a need. */
const permitBy =
  (rules: ToolRules) =>
  (...needs: readonly Need[]): void => {
    const verdict = checkToolCall(rules, needs);
    if (verdict.verdict === 'deny') throw denial(verdict.code, verdict.text);
  };

/** The denial that a check throws; null if it throws none. */
function refusalOf(check: () => void): ToolOutcome | null {
  try {
    check();
    return null;
  } catch (error) {
    if (error instanceof ToolFault) return error.outcome;
    throw error;
  }
}

function builtInTool(spec: BuiltInSpec, setting: Setting): Tool {
  // The name decides the input type, which only this tool knows.
  return toolFrom(spec, BUILT_INS[spec.uses] as BuiltIn<unknown>, setting);
}

function toolFrom<Input>(spec: BuiltInSpec, built: BuiltIn<Input>, { rules, request }: Setting): Tool {
  const permit = permitBy(rules);
  const timeoutMs = spec.timeout_s * 1_000;
  const { workspace } = request;
  return defineTool<Input>({
    name: spec.id,
    description: spec.description ?? built.description,
    input: built.input,
    effect: built.effect,
    timeoutMs: timeoutMs + SLACK_MS,
    refuses: (input) => refusalOf(() => permit(...built.needs(input))),
    execute: (input, context) => {
      const isDry = request.mode === 'dry_run';
      return outcomeOf(() => built.perform(input, { workspace, context, permit, isDry, timeoutMs }));
    },
  });
}

function handlerTool(spec: HandlerSpec, { rules, request }: Setting): Tool {
  const handler = request.handlers.get(spec.id);
  if (handler === undefined) throw new Error(`No handler ${spec.id} is registered.`);
  const { mode } = request;
  const isPlanned = mode === 'dry_run' && spec.effect !== 'read';
  const permit = permitBy(rules);
  return defineTool<Record<string, unknown>>({
    name: spec.id,
    description: spec.description,
    input: inputOf(spec.input),
    effect: spec.effect,
    timeoutMs: spec.timeout_s * 1_000,
    refuses: () => refusalOf(permit),
    execute: async (input, context: CallContext) => {
      if (isPlanned) return jsonResult({ planned: true, tool: spec.id, arguments: input, mutations: [] });
      const { run, call, key, attempt, signal } = context;
      return runHandler({ handler, output: spec.output }, input, { run, call, key, attempt, signal, mode, permit });
    },
  });
}

type Described = Readonly<{ description: string; input: z.ZodType; needs: (input: unknown) => readonly Need[] }>;

/** A built-in tool knows the needs of a call; any other tool of a host judges its calls itself. */
function describedBy(spec: ManifestTool): Described {
  if (spec.uses === 'handler') return { description: spec.description, input: inputOf(spec.input), needs: () => [] };
  // The name decides the input type, which only this tool knows.
  const { description, input, needs } = BUILT_INS[spec.uses] as BuiltIn<unknown>;
  return { description: spec.description ?? description, input, needs };
}

/** A tool of a host under the name of the manifests, which judge each call first. */
function hostedTool(spec: ManifestTool, rules: ToolRules, host: Tool): Tool {
  const { description, input, needs } = describedBy(spec);
  const { effect, timeoutMs, polls } = host;
  const judging: ToolRules = { ...rules, effect };
  const permit = permitBy(judging);
  const isPlanned = rules.mode === 'dry_run' && effect !== 'read';
  const preparedBy = async <T>(given: unknown, use: (call: PreparedCall) => Promise<T>): Promise<T | ToolOutcome> => {
    const prepared = host.prepare(given);
    return prepared.ok ? use(prepared.call) : prepared.outcome;
  };
  const tool = defineTool<unknown>({
    name: spec.id,
    description,
    input,
    timeoutMs,
    polls,
    refuses: (given) => refusalOf(() => permit(...needs(given))),
    execute: async (given, context) =>
      isPlanned
        ? jsonResult({ planned: true, tool: spec.id, arguments: given, mutations: [] })
        : preparedBy(given, (call) => call.execute(context)),
    effect: 'verify',
    verify: async (given, context) => {
      const verified = await preparedBy(given, (call) => call.verify(context));
      return verified.kind === 'done' || verified.kind === 'not_done' ? verified : { kind: 'unknown' };
    },
  });
  return { ...tool, effect };
}

/** The JSON Schema of a manifest as the engine uses it: the model reads it, and arguments are held to it. */
const inputOf = (schema: JsonSchema): z.ZodType<Record<string, unknown>> =>
  z
    .looseObject({})
    .transform((value, context) => {
      const fitted = coerceAndValidate<Record<string, unknown>>(value, schema);
      if (fitted.ok) return fitted.value;
      for (const { path, expected } of fitted.issues)
        context.addIssue({ code: 'custom', path: path === '' ? [] : path.split('.'), message: expected });
      return z.NEVER;
    })
    .meta(schema);

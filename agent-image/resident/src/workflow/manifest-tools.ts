import { mcpServerOf } from '@hamlet/core/policy';
import { defineTool, isJsonObject, type CallContext, type Tool, type ToolOutcome } from '@hamlet/engine';
import {
  nearestName,
  VILLAGE_NAMES,
  villageCall,
  type ManifestTool,
  type MissingTool,
} from '@hamlet/engine/workflow/host';
import { z } from 'zod';

/** `arguments`: JSON text. */
interface NamedCall {
  readonly tool: string;
  readonly arguments: string;
}

interface Setting {
  /** The agent's present tools. */
  readonly tools: () => readonly Tool[];
  /** The absolute path of the workspace in the hands. */
  readonly workspace: string;
}

/** Tools only for runs that a model leads, each with the alternative. */
const NOT_IN_WORKFLOWS: ReadonlyMap<string, string> = new Map([
  ['delegate', 'Add a stage with an agent instead.'],
  ['find_tools', 'Name the tools themselves instead.'],
]);
const NAMES_SHOWN = 20;
/** Longer than a call of an MCP server may take. */
const SERVED_MS = 900_000;

/** The tools of manifests as those of the agent. Mutable: it keeps the tools of the manifests that it was asked for. */
export class ManifestTools {
  readonly #setting: Setting;
  readonly #specs = new Map<string, ManifestTool>();

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** The agent's tool behind a tool of the manifests, whose arguments it takes. */
  toolFor(spec: ManifestTool): Tool | MissingTool {
    this.#specs.set(spec.id, spec);
    const name = nameOf(spec);
    const tool = this.#setting.tools().find((each) => each.name === name);
    if (spec.uses !== 'handler') return tool === undefined ? withoutHands(spec.uses) : this.#renamed(spec.id, tool);
    const instead = NOT_IN_WORKFLOWS.get(name);
    if (instead !== undefined) return { missing: `${name} is not a tool for workflows`, hint: instead };
    return tool ?? this.#served(name) ?? this.#unknown(name);
  }

  /** The names of tools of the manifests for the list of a worker: the agent's own, and of a tool of an MCP server that of the server. */
  namesOf(ids: readonly string[]): readonly string[] {
    const names = ids.flatMap((id) => {
      const spec = this.#specs.get(id);
      return spec === undefined ? [] : [listedName(nameOf(spec))];
    });
    return [...new Set(names)];
  }

  /** A call of a tool of the manifests as a call of the agent's tool, which the village judges and performs. */
  translate({ tool, arguments: text }: NamedCall): NamedCall {
    const spec = this.#specs.get(tool);
    if (spec === undefined || spec.uses === 'handler') return { tool, arguments: text };
    const given: unknown = JSON.parse(text === '' ? '{}' : text);
    const timed = isJsonObject(given) && spec.uses === 'command.run' ? { timeout_s: spec.timeout_s, ...given } : given;
    const call = villageCall(spec.uses, isJsonObject(timed) ? timed : {}, this.#setting.workspace);
    return { tool: call.tool, arguments: JSON.stringify(call.arguments) };
  }

  /** The village binds permissions to the text of the arguments, so that text becomes the agent's own, not the parsed input. */
  #renamed(id: string, tool: Tool): Tool {
    const own = (context: CallContext) => {
      const args = this.translate({ tool: id, arguments: context.args }).arguments;
      return { prepared: tool.prepare(JSON.parse(args)), context: { ...context, args } };
    };
    return {
      ...tool,
      prepare: () => ({
        ok: true,
        call: {
          execute: async (given) => {
            const { prepared, context } = own(given);
            return prepared.ok ? prepared.call.execute(context) : prepared.outcome;
          },
          verify: async (given) => {
            const { prepared, context } = own(given);
            return prepared.ok ? prepared.call.verify(context) : { kind: 'unknown' };
          },
        },
      }),
    };
  }

  /**
   * A tool of an MCP server that offers no tools now. A task outlives a restart of its servers, so each call looks for
   * the tool again.
   */
  #served(name: string): Tool | null {
    const server = mcpServerOf(name);
    const { tools } = this.#setting;
    if (server === null || tools().some((tool) => mcpServerOf(tool.name) === server)) return null;
    return defineTool({
      name,
      description: `A tool of the MCP server ${server}.`,
      input: z.looseObject({}),
      effect: 'once',
      timeoutMs: SERVED_MS,
      execute: async (input, context) => {
        const prepared = tools()
          .find((tool) => tool.name === name)
          ?.prepare(input);
        if (prepared === undefined) return absent(server, name);
        return prepared.ok ? prepared.call.execute(context) : prepared.outcome;
      },
    });
  }

  #unknown(name: string): MissingTool {
    const known = this.#setting
      .tools()
      .map((tool) => tool.name)
      .filter((each) => !NOT_IN_WORKFLOWS.has(each))
      .toSorted();
    const nearest = nearestName(name, known);
    const listed = known.slice(0, NAMES_SHOWN).join(', ');
    const more = known.length > NAMES_SHOWN ? ` and ${known.length - NAMES_SHOWN} more` : '';
    const hint = nearest === null ? `Name one of its tools: ${listed}${more}.` : `Write ${nearest}.`;
    return { missing: `the agent has no tool ${name}`, hint };
  }
}

const nameOf = ({ id, uses }: ManifestTool): string => (uses === 'handler' ? id : VILLAGE_NAMES[uses].tool);

/** The API lists MCP servers as a whole; the worker still sees only the tools of its agent. */
function listedName(tool: string): string {
  const server = mcpServerOf(tool);
  return server === null ? tool : `mcp__${server}`;
}

const absent = (server: string, tool: string): ToolOutcome => ({
  kind: 'failed',
  code: 'mcp_unreachable',
  text: `The MCP server ${server} does not answer, or has no tool ${tool}. Try again later, or correct the id in tools.yaml.`,
});

const withoutHands = (uses: string): MissingTool => ({
  missing: `${uses} needs hands, and the agent has none`,
  hint: 'Set spec.hands.enabled of the Agent to true, or remove the tool.',
});

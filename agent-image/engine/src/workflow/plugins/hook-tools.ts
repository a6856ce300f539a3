import type { CallContext, Postponed, PreparedCall, Tool } from '../../effects/tool.ts';
import { renderOutcome, type ToolOutcome } from '../../effects/tool-outcome.ts';
import type { HookContext } from './hooks.ts';
import type { PluginManager } from './plugin-manager.ts';

/** The place of a run; null for a run outside of a task, which calls no hooks. */
export type PlaceOf = (
  run: string,
  call: string,
) => Pick<HookContext<'before_tool'>, 'task' | 'stage' | 'agent'> | null;

/**
 * Tools whose calls pass the hooks `before_tool` and `after_tool`. The engine asks its policy before it executes a call, so a plugin sees
 * only calls that the policy allows: it can deny one of them and allow none. A vetoed call ends as denied, and its tool never runs.
 */
export const withToolHooks = (
  tools: readonly Tool[],
  plugins: Pick<PluginManager, 'emit'>,
  placeOf: PlaceOf,
): readonly Tool[] =>
  tools.map((tool) => ({
    ...tool,
    prepare: (input) => {
      const prepared = tool.prepare(input);
      if (!prepared.ok) return prepared;
      const { call } = prepared;
      return {
        ok: true,
        call: { ...call, execute: (context) => execute({ tool, call, plugins, placeOf, input }, context) },
      };
    },
  }));

type Hooked = Readonly<{
  tool: Tool;
  call: PreparedCall;
  plugins: Pick<PluginManager, 'emit'>;
  placeOf: PlaceOf;
  input: unknown;
}>;

async function execute(hooked: Hooked, context: CallContext): Promise<ToolOutcome | Postponed> {
  const { tool, call, plugins, placeOf, input } = hooked;
  const place = placeOf(context.run, context.call);
  if (place === null) return call.execute(context);
  const { run, call: id, attempt } = context;
  const asked = { ...place, run, call: id, tool: tool.name, effect: tool.effect, attempt, arguments: input };
  const { vetoed } = await plugins.emit('before_tool', asked);
  if (vetoed !== null) return { kind: 'denied', code: 'policy', text: vetoed };
  // The engine has ended an attempt whose time was over, and must be right about what it records.
  context.signal.throwIfAborted();
  try {
    const outcome = await call.execute(context);
    const isSettled = outcome.kind !== 'needs_permission' && outcome.kind !== 'parked';
    await plugins.emit('after_tool', {
      ...asked,
      outcome: outcome.kind,
      text: isSettled ? renderOutcome(outcome) : '',
    });
    return outcome;
  } catch (error) {
    await plugins.emit('after_tool', { ...asked, outcome: 'failed', text: String(error) });
    throw error;
  }
}

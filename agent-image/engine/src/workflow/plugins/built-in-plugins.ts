import { z } from 'zod';
import { costTracking } from './cost-tracking.ts';
import { learnedRouter } from './learned-router.ts';
import { PluginError, type Plugin } from './plugin.ts';

/** A plugin as a manifest names it. `uses`: the name of its code. */
type PluginEntry = Readonly<{ id: string; uses: string; config: unknown }>;

/** Keeps what plugins learn, as JSON. */
export type PluginStates = Readonly<{
  /** Null if nothing is kept for the plugin. */
  load: (id: string) => unknown;
  save: (id: string, state: unknown) => void;
}>;

const RouterConfig = z.strictObject({ seed: z.int().min(0).default(0) });

/**
 * A plugin of the engine itself: `cost_tracking`, or the experimental `learned_router`. Null for a name of other code, which a program
 * registers. Throws a `PluginError` for a config or a state that is not of its form.
 */
export function builtInPlugin({ id, uses, config }: PluginEntry, states: PluginStates): Plugin | null {
  if (uses === 'cost_tracking') return costTracking(id, config);
  if (uses !== 'learned_router') return null;
  const read = RouterConfig.safeParse(config);
  if (!read.success)
    throw new PluginError(
      'plugin_config',
      `The config of the plugin ${id} cannot be read: ${z.prettifyError(read.error)}`,
    );
  return learnedRouter({ id, seed: read.data.seed, state: states.load(id), save: (state) => states.save(id, state) });
}

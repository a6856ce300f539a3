import type { Hook, HookHandler } from './hooks.ts';

/** The part of a pipeline and of a task that a router may learn from. */
export type RouteQuestion = Readonly<{
  task: string;
  mode: string | null;
  tags: readonly string[];
  /** The pipelines that fit the task, by their ids, in the order of the manifest. At least two. */
  candidates: readonly string[];
}>;

/** Code that observes tasks. It changes nothing but through a veto, a price and the choice among pipelines that fit. */
export type Plugin = Readonly<{
  /** Unique among the plugins of an engine. */
  id: string;
  /** The `HOOKS_VERSION` for which the plugin was written. */
  hooksVersion: number;
  hooks: Readonly<{ [H in Hook]?: HookHandler<H> }>;
  /** The cost of a request in millionths of the plugin's currency; null if it does not know the model. Pure. */
  costOf?: (model: string, tokens: Readonly<{ prompt: number; completion: number }>) => number | null;
  /** Experimental. Chooses one of the candidates; null to leave the choice to the scores. */
  route?: (question: RouteQuestion) => string | null;
}>;

type PluginErrorCode =
  | 'plugin_version'
  | 'plugin_duplicate'
  | 'plugin_unknown_hook'
  | 'plugin_limit'
  | 'plugin_config'
  | 'plugin_failed'
  | 'plugin_timed_out'
  | 'plugin_bad_answer';

/** A plugin cannot be used, or failed at a hook. */
export class PluginError extends Error {
  readonly code: PluginErrorCode;
  constructor(code: PluginErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PluginError';
    this.code = code;
  }
}

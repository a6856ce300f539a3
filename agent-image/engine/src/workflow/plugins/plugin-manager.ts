import type { ClockPort } from '../../loop/ports.ts';
import { firstChars } from '../../first-chars.ts';
import { HOOKS, HOOKS_VERSION, type Hook, type HookContext, type HookHandler, type Veto } from './hooks.ts';
import { PluginError, type Plugin, type RouteQuestion } from './plugin.ts';

const MAX_PLUGINS = 32;
/** Time that one plugin has at one hook. Its work may continue afterwards; its answer then has no effect. */
const HOOK_MS = 5_000;
const MAX_REASON_CHARS = 500;

type ManagerParts = Readonly<{
  clock: Pick<ClockPort, 'after'>;
  /** Reports a failure of a plugin at a run. The failure ends nothing. */
  report: (problem: Readonly<{ task: string; run: string; where: string; error: PluginError }>) => void;
}>;

/** `vetoed`: the reason of the first plugin that keeps what comes next from happening; else null. */
export type Emitted = Readonly<{ vetoed: string | null }>;

export type PluginManager = Readonly<{
  /** Adds a plugin after the others. Throws a `PluginError` for another version of the hooks, a known id or an unknown hook. */
  register: (plugin: Plugin) => void;
  /**
   * Calls the plugins in the order of their registration, one after the other, with a frozen copy of the context. A veto ends the
   * emission. A plugin that fails or takes longer than 5 s is reported and has no effect. Failures of plugins reach no `on_error`.
   */
  emit: <H extends Hook>(hook: H, context: HookContext<H>) => Promise<Emitted>;
  /** The cost by the first plugin that knows the model; null if none does. */
  costOf: NonNullable<Plugin['costOf']>;
  /** Experimental. The choice of the first plugin that makes one of the candidates; null if none does. */
  route: (question: RouteQuestion) => string | null;
}>;

type At = Readonly<{ task: string; run: string }>;
const NOWHERE: At = { task: '', run: '' };
const NO_VETO: Emitted = { vetoed: null };

export function createPluginManager(parts: ManagerParts): PluginManager {
  const plugins: Plugin[] = [];
  const report = (plugin: Plugin, { task, run }: At, error: PluginError): void => {
    try {
      parts.report({ task, run, where: `plugin ${plugin.id}`, error });
    } catch {
      // A failing report must not reach the engine, which calls the hooks.
    }
  };
  return {
    register: (plugin) => {
      check(plugin, plugins);
      plugins.push(plugin);
    },
    emit: async (hook, context) => {
      if (isAboutPlugin(hook, context)) return NO_VETO;
      const handlers = plugins.flatMap((plugin) => {
        const handler = plugin.hooks[hook];
        return handler === undefined ? [] : [{ plugin, handler }];
      });
      if (handlers.length === 0) return NO_VETO;
      const copy = frozen(structuredClone(context));
      for (const { plugin, handler } of handlers) {
        const answer = await answerOf({ plugin, hook, clock: parts.clock }, handler, copy);
        if (answer instanceof PluginError) report(plugin, context, answer);
        else if (answer !== null) return { vetoed: `${answer} (plugin ${plugin.id})` };
      }
      return NO_VETO;
    },
    costOf: (model, tokens) =>
      firstOf(
        plugins,
        (plugin) => costBy(plugin, model, tokens),
        (plugin, error) => report(plugin, NOWHERE, error),
      ),
    route: (question) =>
      firstOf(
        plugins,
        (plugin) => choiceBy(plugin, question),
        (plugin, error) => report(plugin, { ...NOWHERE, task: question.task }, error),
      ),
  };
}

type Failing = Readonly<{ run: string; failure?: Readonly<{ category: string; code: string }> | null }>;
const OF_PLUGINS: ReadonlySet<string> = new Set(['plugin_failed', 'plugin_timed_out', 'plugin_bad_answer']);

/** A plugin that fails at `on_error` would be called with its own failure, without end. */
const isAboutPlugin = (hook: Hook, { failure }: Failing): boolean =>
  hook === 'on_error' && failure?.category === 'engine' && OF_PLUGINS.has(failure.code);

function check({ id, hooksVersion, hooks }: Plugin, known: readonly Plugin[]): void {
  if (hooksVersion !== HOOKS_VERSION)
    throw new PluginError(
      'plugin_version',
      `The plugin ${id} is written for version ${hooksVersion} of the hooks, and the engine has version ${HOOKS_VERSION}. Update the plugin.`,
    );
  if (known.some((plugin) => plugin.id === id))
    throw new PluginError('plugin_duplicate', `Two plugins have the id ${id}. Give one of them another id.`);
  const unknown = Object.keys(hooks).find((hook) => !Object.hasOwn(HOOKS, hook));
  if (unknown !== undefined)
    throw new PluginError(
      'plugin_unknown_hook',
      `The plugin ${id} has the hook ${unknown}, which does not exist. The hooks are ${Object.keys(HOOKS).join(', ')}.`,
    );
  if (known.length >= MAX_PLUGINS)
    throw new PluginError(
      'plugin_limit',
      `An engine has at most ${MAX_PLUGINS} plugins. Remove one before you add ${id}.`,
    );
}

type Place = Readonly<{ plugin: Plugin; hook: Hook; clock: ManagerParts['clock'] }>;

/** The reason of a veto, null without one, or the failure. */
async function answerOf<H extends Hook>(
  place: Place & Readonly<{ hook: H }>,
  handler: HookHandler<H>,
  context: HookContext<H>,
): Promise<string | null | PluginError> {
  const { plugin, hook, clock } = place;
  const late = Promise.withResolvers<PluginError>();
  const cancel = clock.after(HOOK_MS, () =>
    late.resolve(
      new PluginError('plugin_timed_out', `The plugin ${plugin.id} took longer than ${HOOK_MS} ms at ${hook}.`),
    ),
  );
  try {
    const answer = await Promise.race([Promise.try(handler, context), late.promise]);
    return answer instanceof PluginError ? answer : reasonOf(place, answer);
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    return new PluginError('plugin_failed', `The plugin ${plugin.id} failed at ${hook}: ${words}`, { cause });
  } finally {
    cancel();
  }
}

function reasonOf({ plugin, hook }: Place, answer: Veto | void): string | null | PluginError {
  if (typeof answer !== 'object' || answer === null || !('veto' in answer)) return null;
  if (!HOOKS[hook].vetoes)
    return new PluginError(
      'plugin_bad_answer',
      `The plugin ${plugin.id} answered ${hook} with a veto, which only a before_ hook may give.`,
    );
  const reason: unknown = answer.veto;
  if (typeof reason === 'string' && reason.trim() !== '') return firstChars(reason.toWellFormed(), MAX_REASON_CHARS);
  return new PluginError(
    'plugin_bad_answer',
    `The plugin ${plugin.id} gave no reason for its veto at ${hook}, so it has no effect.`,
  );
}

/** The same value, frozen, so that a plugin cannot change it for the next one. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  for (const each of Object.values(value)) frozen(each);
  return Object.freeze(value);
}

/** The first value that a plugin gives. A plugin that fails gives none. */
function firstOf<T>(
  plugins: readonly Plugin[],
  valueOf: (plugin: Plugin) => T | null | PluginError,
  report: (plugin: Plugin, error: PluginError) => void,
): T | null {
  for (const plugin of plugins) {
    const value = guarded(plugin, valueOf);
    if (value instanceof PluginError) report(plugin, value);
    else if (value !== null) return value;
  }
  return null;
}

function guarded<T>(plugin: Plugin, valueOf: (plugin: Plugin) => T | null | PluginError): T | null | PluginError {
  try {
    return valueOf(plugin);
  } catch (cause) {
    return new PluginError('plugin_failed', `The plugin ${plugin.id} failed: ${String(cause)}`, { cause });
  }
}

function costBy(plugin: Plugin, ...asked: Parameters<NonNullable<Plugin['costOf']>>): number | null | PluginError {
  const cost = plugin.costOf?.(...asked) ?? null;
  if (cost === null || (Number.isSafeInteger(cost) && cost >= 0)) return cost;
  return new PluginError(
    'plugin_bad_answer',
    `The plugin ${plugin.id} gave the cost ${cost}, which is not a whole number of millionths.`,
  );
}

function choiceBy(plugin: Plugin, question: RouteQuestion): string | null | PluginError {
  const chosen = plugin.route?.(question) ?? null;
  if (chosen === null || question.candidates.includes(chosen)) return chosen;
  return new PluginError(
    'plugin_bad_answer',
    `The plugin ${plugin.id} chose the pipeline ${chosen}, which does not fit the task.`,
  );
}

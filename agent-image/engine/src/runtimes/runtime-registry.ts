import type { AgentRuntime } from '../agent-runtime.ts';

/** The runtimes that a resident supports, by the name in an Agent's `spec.runtime.name`. */
export type RuntimeRegistry = Readonly<Record<string, () => AgentRuntime>>;

/** An unregistered runtime name. `code` is stable; `message` is for people and lists the registered names. */
export type UnknownRuntime = Readonly<{
  code: 'unknown_runtime';
  name: string;
  known: readonly string[];
  message: string;
}>;

export type CreatedRuntime = { ok: true; runtime: AgentRuntime } | { ok: false; error: UnknownRuntime };

export function createRuntime(registry: RuntimeRegistry, name: string): CreatedRuntime {
  const factory = Object.hasOwn(registry, name) ? registry[name] : undefined;
  if (factory !== undefined) return { ok: true, runtime: factory() };
  const known = Object.keys(registry).toSorted();
  const message = `There is no runtime "${name}". Write one of: ${known.join(', ')}.`;
  return { ok: false, error: { code: 'unknown_runtime', name, known, message } };
}

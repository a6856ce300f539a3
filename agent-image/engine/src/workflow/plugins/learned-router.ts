/** Experimental: its name, state and choices may change in any version. */
import { hash } from 'node:crypto';
import { z } from 'zod';
import { HOOKS_VERSION, type HookContext } from './hooks.ts';
import { PluginError, type Plugin, type RouteQuestion } from './plugin.ts';

const MAX_PIPELINES = 1_000;
/** Maximum number of tasks whose end the router waits for. It learns nothing from older ones. */
const MAX_WAITING = 10_000;

const count = z.int().min(0);

/** The knowledge of the router: for each pipeline, its tasks that ended and those that were completed. JSON. */
const RouterState = z.strictObject({
  version: z.literal(1),
  pipelines: z
    .record(z.string(), z.strictObject({ ended: count, completed: count }))
    .refine((pipelines) => Object.keys(pipelines).length <= MAX_PIPELINES, `at most ${MAX_PIPELINES} pipelines`),
});
export type RouterState = z.infer<typeof RouterState>;

type RouterParts = Readonly<{
  id: string;
  /** Decides between pipelines of the same rank. */
  seed: number;
  /** An earlier state; null to begin. */
  state: unknown;
  /** Receives each new state. */
  save: (state: RouterState) => void;
}>;

/**
 * A bandit (UCB1) over the pipelines that fit a task. It has no chance in it: equal states and questions have equal choices. It tries
 * each pipeline once, then takes the one whose share of completed tasks plus its uncertainty is the highest. Throws a `PluginError` for
 * a state that is not of this form.
 */
export function learnedRouter({ id, seed, state, save }: RouterParts): Plugin {
  const read = RouterState.nullable().safeParse(state);
  if (!read.success)
    throw new PluginError(
      'plugin_config',
      `The state of the router ${id} cannot be read: ${z.prettifyError(read.error)}`,
    );
  const known = new Map(Object.entries(read.data?.pipelines ?? {}));
  const waiting = new Set<string>();
  return {
    id,
    hooksVersion: HOOKS_VERSION,
    hooks: {
      after_task: ({ task, pipeline, status }) => {
        if (!waiting.delete(task) || pipeline === null || status === 'cancelled') return;
        learn(known, pipeline, status);
        save({ version: 1, pipelines: Object.fromEntries(known) });
      },
    },
    route: (question) => {
      waiting.add(question.task);
      const [oldest] = waiting;
      if (waiting.size > MAX_WAITING && oldest !== undefined) waiting.delete(oldest);
      return choose(known, question, seed);
    },
  };
}

type Arm = RouterState['pipelines'][string];
type Known = Map<string, Arm>;
const NEW: Arm = { ended: 0, completed: 0 };

function learn(known: Known, pipeline: string, status: HookContext<'after_task'>['status']): void {
  const { ended, completed } = known.get(pipeline) ?? NEW;
  if (!known.has(pipeline) && known.size >= MAX_PIPELINES) return;
  known.set(pipeline, { ended: ended + 1, completed: completed + (status === 'completed' ? 1 : 0) });
}

function choose(known: ReadonlyMap<string, Arm>, { candidates }: RouteQuestion, seed: number): string | null {
  const arms = candidates.map((pipeline) => ({ pipeline, ...(known.get(pipeline) ?? NEW) }));
  const total = arms.reduce((sum, { ended }) => sum + ended, 0);
  const ranked = arms.map((arm) => ({ ...arm, rank: rankOf(arm, total) }));
  const best = Math.max(...ranked.map(({ rank }) => rank));
  const equal = ranked.filter(({ rank }) => rank === best).map(({ pipeline }) => pipeline);
  return equal.toSorted((one, other) => (lotOf(seed, total, one) < lotOf(seed, total, other) ? -1 : 1))[0] ?? null;
}

/** The share of completed tasks, and an allowance that shrinks with each task (Auer, Cesa-Bianchi, Fischer 2002). */
const rankOf = ({ ended, completed }: Arm, total: number): number =>
  ended === 0 ? Infinity : completed / ended + Math.sqrt((2 * Math.log(total)) / ended);

const lotOf = (seed: number, total: number, pipeline: string): string =>
  hash('sha256', JSON.stringify([seed, total, pipeline]));

import type { DrillFigure } from '@hamlet/contract';
import { tryBrake, type Brake, type Limits, type Trial } from './measure.ts';

/** The figures of one brake. `trials` has at least one. */
export function figureOf(brake: string, effects: readonly string[], trials: readonly Trial[]): DrillFigure {
  const sorted = trials.map(({ lastEffectMs }) => lastEffectMs).toSorted((a, b) => a - b);
  return {
    brake,
    effects: effects.join(', '),
    trials: trials.length,
    p50_ms: sorted[Math.floor((sorted.length - 1) / 2)] ?? 0,
    max_ms: sorted.at(-1) ?? 0,
    held: trials.every(({ held }) => held),
  };
}

export interface Measuring {
  readonly trials: number;
  readonly limits?: Limits;
  /** Ends the measurement with its reason before the next trial. */
  readonly signal?: AbortSignal;
}

/** Measures a brake; a trial in which it did not hold is the last one. */
export async function measureBrake(brake: Brake, { trials: count, limits, signal }: Measuring): Promise<DrillFigure> {
  const trials: Trial[] = [];
  let effects: readonly string[] = [];
  while (trials.length < count && trials.at(-1)?.held !== false) {
    signal?.throwIfAborted();
    const armed = await brake.arm();
    effects = armed.effects.map(({ name }) => name);
    trials.push(await tryBrake(armed, limits));
  }
  return figureOf(brake.name, effects, trials);
}

export function tableOf(figures: readonly DrillFigure[]): string {
  const rows = [
    ['brake', 'the last … was seen after', 'n', 'p50', 'max', ''],
    ...figures.map(({ brake, effects, trials, p50_ms: p50, max_ms: max, held }) => [
      brake,
      effects,
      String(trials),
      `${p50} ms`,
      `${max} ms`,
      held ? '' : 'DOES NOT HOLD',
    ]),
  ];
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

import { join } from 'node:path';
import type { Stage } from '../engine/stage.ts';
import { peersOf } from '../peer-packages.ts';

const PEERS = peersOf('engine');

/** The measured programs; ours is the first. */
export const PROGRAMS = ['hamlet', 'langgraphMemory', 'langgraph', 'dbos', 'mastra'] as const;
export type Program = (typeof PROGRAMS)[number];
/** The programs of others that store each stage on the disk. */
export const DURABLE_PEERS: readonly Program[] = ['langgraph', 'dbos', 'mastra'];

export const FILES: Readonly<Record<Program, string>> = {
  hamlet: join(import.meta.dirname, 'hamlet-workflow.ts'),
  langgraphMemory: join(PEERS, 'langgraph-memory-workflow.mjs'),
  langgraph: join(PEERS, 'langgraph-workflow.mjs'),
  dbos: join(PEERS, 'dbos-workflow.mjs'),
  mastra: join(PEERS, 'mastra-workflow.mjs'),
};

export type WorkflowStage = Pick<Stage<Program>, 'start'>;

/** The text that each stage returns. */
export const TEXT_BYTES = 1_024;

/** Our figure, and those of the others. */
export function besides(figures: ReadonlyMap<Program, number>): {
  readonly ours: number;
  readonly peers: Readonly<Record<string, number>>;
} {
  const peers = Object.fromEntries([...figures].filter(([name]) => name !== 'hamlet'));
  return { ours: figures.get('hamlet') ?? Number.NaN, peers };
}

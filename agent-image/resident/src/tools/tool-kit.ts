import { CycleOver, type RetryPorts } from '../village/retry.ts';
import { RunFailure, type CallContext, type Postponed, type ToolOutcome } from '@hamlet/engine';
import type { BodyLock } from '../engine/body-lock.ts';
import type { RunBook } from '../engine/run-book.ts';
import type { OwnMemory } from '../memory/own-memory.ts';
import type { RepositoryMemory } from '../memory/repository-memory.ts';
import type { AsyncEvent } from '../process/async-event.ts';
import type { ChildRuns } from '../runs/child-runs.ts';
import type { Village } from '../village/village.ts';
import type { WorkVillage } from '../village/work-village.ts';

export interface ToolKit extends RetryPorts {
  readonly agentId: string;
  readonly village: Village;
  readonly work: WorkVillage;
  readonly ownMemory: OwnMemory;
  readonly repositoryMemory: RepositoryMemory;
  readonly book: Pick<RunBook, 'find'>;
  readonly body: BodyLock;
  readonly childRuns: ChildRuns;
  readonly arrival: AsyncEvent;
  /** Resolves when the API has the run's journal. */
  readonly mirrored: (run: string, signal: AbortSignal) => Promise<void>;
  readonly stop: AbortSignal;
}

export type ToolResult = ToolOutcome | Postponed;
export type Perform<Input> = (input: Input, context: CallContext) => Promise<ToolResult>;

export const okay = (text: string): ToolOutcome => ({ kind: 'ok', text });
/** A result with untrusted text, which the model reads as data. */
export const fromOutside = (text: string): ToolOutcome => ({ kind: 'ok', text, untrusted: true });
export const failed = (code: string, text: string): ToolOutcome => ({ kind: 'failed', code, text });

/** Engine codes are lower-case words. */
export const codeOf = (code: string): string => (/^[a-z][a-z0-9_]{0,63}$/.test(code) ? code : 'failed');

/** A refusal by the village is an outcome. The end of the process leaves the call open for the next process. */
export async function outcomeOf(perform: () => Promise<ToolResult>): Promise<ToolResult> {
  try {
    return await perform();
  } catch (error) {
    if (error instanceof RunFailure) return failed(codeOf(error.code), error.message);
    if (error instanceof CycleOver) return { kind: 'unknown', text: 'The process ended.' };
    throw error;
  }
}

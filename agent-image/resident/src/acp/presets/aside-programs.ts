import type { ProgramPort } from '@hamlet/engine';
import type { PreparePorts } from '../preset.ts';

export interface AsidePlace {
  /** The beginning of the ids of these programs, unique in the pod. */
  readonly id: string;
  /** Programs of one owner end together. */
  readonly owner: string;
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Runs programs in the hands beside the program of a conversation, one after another. */
export function asidePrograms(programs: ProgramPort, { id, owner, cwd, signal }: AsidePlace): PreparePorts['run'] {
  let runs = 0;
  return ({ stdin = '', onOutput = () => {}, ...program }) => {
    const aside = { id: `${id}.p${(runs += 1)}`, owner, cwd, env: {}, stdin, ...program };
    return programs.run(aside, { onOutput, signal });
  };
}

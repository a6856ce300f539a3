type Attempt = Readonly<{ stage: string; round: number; attempt: number }>;

/** The id of a call of a stage: `STAGE.ROUND.ATTEMPT:NUMBER`. `number`: from 1, in the order of the attempt's calls. Pure. */
export const stageCallId = ({ stage, round, attempt }: Attempt, number: number): string =>
  `${stage}.${round}.${attempt}:${number}`;

/** The stage in the id of one of its calls; null for the id of any other call. Pure. */
export const stageOfCall = (id: string): string | null => /^(.+)\.\d+\.\d+:\d+$/.exec(id)?.[1] ?? null;

import { setTimeout as sleep } from 'node:timers/promises';
import { dataOf, listRuns, streamRun, type Client, type Run } from '@hamlet/contract';
import { persistent } from './persistent-stream.ts';
import { hasEnded, stateLines } from './run-end.ts';
import type { Transcript } from './transcript.ts';

const RUNS_SEARCHED = 50;
const PAUSE_MS = 1_000;

/** The run that an agent works on, else its oldest one that waits; undefined without an open run. Pure. */
const openRunOf = (runs: readonly Run[]): Run | undefined =>
  runs.find(({ state }) => state === 'running') ?? runs.findLast((run) => !hasEnded(run));

export async function nextOpenRun(api: Client, agent: string, onWait: () => void): Promise<Run> {
  let known: ReadonlySet<string> | null = null;
  for (;;) {
    const { runs } = await dataOf(api.call(listRuns, { query: { agent_id: agent, limit: RUNS_SEARCHED } }));
    const before = known;
    const found = openRunOf(runs) ?? runs.findLast(({ run_id: id }) => before?.has(id) === false);
    if (found !== undefined) return found;
    if (known === null) onWait();
    known = new Set(runs.map(({ run_id: id }) => id));
    await sleep(PAUSE_MS);
  }
}

export async function followRun(api: Client, runId: string, transcript: Transcript): Promise<Run> {
  let after = 0;
  const open = () => api.open(streamRun, { params: { run_id: runId }, query: { after } });
  for await (const event of persistent(open)) {
    if (event.event === 'delta') transcript.delta(event.data);
    if (event.event === 'run_event') {
      transcript.event(event.data);
      after = event.data.number;
    }
    if (event.event !== 'run' || !hasEnded(event.data)) continue;
    for (const line of stateLines(event.data)) transcript.line(line);
    return event.data;
  }
  throw new Error('the stream of a run has no end of its own');
}

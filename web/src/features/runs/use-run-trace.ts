import { streamRun, type StreamEvent } from '@hamlet/contract';
import { isSettled } from '@hamlet/core';
import { useMemo } from 'react';
import type { Api } from '../../client/api.ts';
import type { RunTrace } from '../../client/minds/run-trace.ts';
import { afterDelta, afterLostConnection, afterRun, afterRunEvent, EMPTY_TRACE } from '../../client/minds/run-trace.ts';
import { type Streamed, type StreamSubject, useStreamed } from '../../client/stream/use-streamed.ts';
import { useVillage } from '../village-context.ts';

type RunStreamEvent = StreamEvent<typeof streamRun>;

export function useRunTrace(runId: string): Streamed<RunTrace> {
  const { api } = useVillage();
  return useStreamed(useMemo(() => runSubject(api, runId), [api, runId]));
}

function runSubject(api: Api, runId: string): StreamSubject<RunTrace, RunStreamEvent> {
  return {
    initial: EMPTY_TRACE,
    open: (cursor, { signal, onBytes, onEvent }) =>
      api.open(
        streamRun,
        { params: { run_id: runId }, query: cursor === null ? {} : { after: Number(cursor) }, signal, onBytes },
        onEvent,
      ),
    reduce: afterStreamEvent,
    lost: afterLostConnection,
    isOver: ({ run }) => run !== null && isSettled(run.state),
  };
}

function afterStreamEvent(trace: RunTrace, { event, data }: RunStreamEvent): RunTrace {
  switch (event) {
    case 'run_event':
      return afterRunEvent(trace, data);
    case 'delta':
      return afterDelta(trace, data);
    case 'run':
      return afterRun(trace, data);
  }
}

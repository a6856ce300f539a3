import type { Run } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { useCancelRun } from '../runs/use-cancel-run.ts';

type StopProps = Readonly<{ runId: string; run: Run | null }>;

/** Stops the work on a message. Nothing starts after it; the transcript names what is unsettled. */
export function StopButton({ runId, run }: StopProps): ReactElement {
  const { busy, done, refused, cancel } = useCancelRun(runId);
  const isStopping = busy || done || (run !== null && run.cancel_requested_at !== null);
  return (
    <Button
      icon="stop"
      word={isStopping ? 'Stopping…' : 'Stop'}
      className="button-stop"
      aria-disabled={isStopping}
      onClick={() => {
        if (!isStopping) void cancel();
      }}
      title={refused === null ? 'Stop the work under way' : `${refused.title}. ${refused.detail}`}
      data-action="stop"
      data-code={refused?.code}
    />
  );
}

import { cancelRun, type Run } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { useIntent } from '../../client/query/use-intent.ts';
import { Button } from '../../ui/button.tsx';
import { useVillage } from '../village-context.ts';

type StopProps = Readonly<{ runId: string; run: Run | null }>;

/** Stops the work on a message. Nothing starts after it; the transcript names what is unsettled. */
export function StopButton({ runId, run }: StopProps): ReactElement {
  const { api } = useVillage();
  const { busy, done, refused, send } = useIntent();
  const isStopping = busy || done || (run !== null && run.cancel_requested_at !== null);
  const stop = async (): Promise<void> => {
    await send((idempotencyKey) => api.call(cancelRun, { params: { run_id: runId }, body: {}, idempotencyKey }));
  };
  return (
    <Button
      icon="stop"
      word={isStopping ? 'Stopping…' : 'Stop'}
      className="button-stop"
      aria-disabled={isStopping}
      onClick={() => {
        if (!isStopping) void stop();
      }}
      title={refused === null ? 'Stop the work under way' : `${refused.title}. ${refused.detail}`}
      data-action="stop"
      data-code={refused?.code}
    />
  );
}

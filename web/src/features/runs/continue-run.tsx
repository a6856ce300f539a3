import { createRun, type Run } from '@hamlet/contract';
import { useIntent } from '../../client/query/use-live.ts';
import { LinkButton, RefusedNotice } from '../../ui/controls.tsx';
import { useRole, useShowAgent, useViewerId, useVillage } from '../village-context.ts';
import { endedAtLimit } from './run-advice.ts';
import { mayContinue } from './run-labels.ts';

const TASK = 'Continue this task.';
const MESSAGE = 'Continue where you stopped.';

/** Continues a run that ended at a limit: in its conversation, or as another run with its task and last report. */
export function ContinueRun({ run }: { readonly run: Run }) {
  const [role, id] = [useRole(), useViewerId()];
  const { open } = useVillage();
  const showAgent = useShowAgent();
  const { busy, refused, call } = useIntent();
  const { agent_id, run_id: continues, session_id: chat } = run;
  if (!mayContinue(run, { role, id })) return null;
  if (chat !== null)
    return (
      <LinkButton word="Continue in the conversation" onClick={() => showAgent(agent_id, { tab: 'chat', chat })} />
    );
  const begin = async (): Promise<void> => {
    if (busy) return;
    const data = await call(createRun, { params: { agent_id }, body: { prompt: TASK, continues } });
    if (data !== null) open({ view: 'runs', run: data.run.run_id });
  };
  return (
    <>
      <LinkButton
        word="Continue"
        title="Another run with new limits reads this task and its last report"
        onClick={() => void begin()}
        data-action="continue-run"
      />
      {refused !== null && <RefusedNotice refused={refused} />}
    </>
  );
}

/** Sends the message that continues work which ended at a limit; the agent still knows its conversation. */
export function ContinueMessage({ run }: { readonly run: Pick<Run, 'error' | 'session_id'> }) {
  const { messages } = useVillage();
  const { error, session_id: chat } = run;
  if (chat === null || !endedAtLimit(error)) return null;
  return (
    <LinkButton
      word="Continue"
      title={`Sends “${MESSAGE}”, with new limits`}
      onClick={() => void messages.outbox.add(chat, MESSAGE)}
      data-action="continue-work"
    />
  );
}

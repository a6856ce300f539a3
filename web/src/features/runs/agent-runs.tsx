import { type AgentDetail, roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useRole, useVillage } from '../village-context.ts';
import { PromptForm } from './prompt-form.tsx';
import { RunList } from './run-list.tsx';
import { useRuns } from './use-runs.ts';

const PAGE = 10;

/** The work of one agent, and the means to give it more. */
export function AgentRuns({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { openSignIn } = useVillage();
  if (!roleMay(useRole(), 'runs:read'))
    return (
      <p className="hint">
        Runs are for members.{' '}
        <button type="button" className="link" onClick={openSignIn}>
          Sign in
        </button>
      </p>
    );
  return <Runs agent={agent} />;
}

function Runs({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { open } = useVillage();
  const live = useRuns({ agent: agent.agent_id, schedule: null, state: null, page: PAGE });
  const [opened, setOpened] = useState<string | null>(null);
  return (
    <>
      <PromptForm
        agent={agent}
        onSent={(id) => {
          setOpened(id);
          live.again();
        }}
      />
      <RunList
        live={live}
        opened={opened}
        onOpen={setOpened}
        withAgent={false}
        empty="It has done no runs yet. What it does of itself is in its diary."
      />
      {live.runs !== null && live.runs.length > 0 && (
        <button type="button" className="link" onClick={() => open({ view: 'runs', who: agent.agent_id })}>
          All its runs on a page
        </button>
      )}
    </>
  );
}

import { type AgentDetail, roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { LinkButton } from '../../ui/button.tsx';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { PromptForm } from './prompt-form.tsx';
import { RunList } from './run-list.tsx';
import { useRuns } from './use-runs.ts';

const PAGE = 10;

/** The runs of one agent, and a form to give it a new one. */
export function AgentRuns({ agent }: { readonly agent: AgentDetail }): ReactElement {
  if (!roleMay(useRole(), 'runs:read')) return <SignInHint text="Runs are for members." />;
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
        empty="No runs yet. The agent's own activity is in its diary."
      />
      {live.rows !== null && live.rows.length > 0 && (
        <LinkButton word="All its runs on a page" onClick={() => open({ view: 'runs', who: agent.agent_id })} />
      )}
    </>
  );
}

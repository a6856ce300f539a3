import { type AgentDetail, roleMay } from '@hamlet/contract';
import { Notice, Unread } from '../../ui/controls.tsx';
import { AgentField } from '../agent-field.tsx';
import { Page } from '../navigation/page.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import './manifests.css';
import { useManifests } from './texts/use-manifests.ts';
import { Workbench } from './workbench.tsx';

export function ManifestsPage() {
  const { open } = useVillage();
  const who = useVillageState((state) => state.place.who);
  const agent = useVillageState((state) => (who === null ? undefined : state.details.get(who)));
  return (
    <Page
      title={agent === undefined ? 'Workflows' : `Workflow of ${agent.display_name}`}
      intro="A graph of stages, checked as you type. A run keeps the manifests that it began with."
      needs="runs:read"
      tools={
        <div className="manifests-agent">
          <AgentField value={who ?? ''} onChange={(id) => open({ who: id === '' ? null : id })} />
        </div>
      }
    >
      {agent === undefined ? (
        <p className="card empty">
          {who === null ? 'Choose an agent to see its workflow.' : `No agent is called “${who}”.`}
        </p>
      ) : (
        <AgentManifests key={agent.agent_id} agent={agent} />
      )}
    </Page>
  );
}

function AgentManifests({ agent }: { readonly agent: AgentDetail }) {
  const mayWrite = roleMay(useRole(), 'agent:lifecycle');
  const manifests = useManifests(agent.agent_id);
  if (manifests.saved === null) return <Unread refused={manifests.unread} />;
  return (
    <>
      {manifests.saved.problem !== null && <Notice tone="bad">{manifests.saved.problem}</Notice>}
      {!mayWrite && <p className="hint">Only admins change workflows.</p>}
      <Workbench agent={agent} manifests={manifests} readOnly={!mayWrite} />
    </>
  );
}

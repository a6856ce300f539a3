import { type AgentDetail, roleMay } from '@hamlet/contract';
import { lazy, useState } from 'react';
import { Button, LazyBoundary } from '../../ui/controls.tsx';
import { useRole, useVillage } from '../village-context.ts';

const DeleteAgent = lazy(async () => ({ default: (await import('../agent-form/delete-agent.tsx')).DeleteAgent }));

/** Leads to the form of an agent and to the form of a copy, and deletes it. The panel closes for a form, which needs its room. */
export function AgentActions({ agent }: { readonly agent: AgentDetail }) {
  const { open, select, fetchPage } = useVillage();
  const [deleting, setDeleting] = useState(false);
  if (!roleMay(useRole(), 'agent:manage')) return null;
  const go = (view: 'edit-agent' | 'new-agent') => ({
    onPointerEnter: () => fetchPage(view),
    onClick: () => {
      select(null);
      open({ view, who: agent.agent_id });
    },
  });
  return (
    <div className="button-row" role="group" aria-label="Agent">
      <Button icon="edit" word="Edit" data-action="edit-agent" {...go('edit-agent')} />
      <Button icon="layers" word="Clone" data-action="clone-agent" {...go('new-agent')} />
      <Button icon="trash" word="Delete…" data-action="delete-agent" onClick={() => setDeleting(true)} />
      {deleting && (
        <LazyBoundary fallback={null}>
          <DeleteAgent agent={agent} onClose={() => setDeleting(false)} />
        </LazyBoundary>
      )}
    </div>
  );
}

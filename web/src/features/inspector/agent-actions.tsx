import { roleMay } from '@hamlet/contract';
import { Button } from '../../ui/controls.tsx';
import { useRole, useVillage } from '../village-context.ts';

/** Leads to the form of an agent, or to the form of a copy. The panel closes, because the form needs its room. */
export function AgentActions({ id }: { readonly id: string }) {
  const { open, select, fetchPage } = useVillage();
  if (!roleMay(useRole(), 'agent:manage')) return null;
  const go = (view: 'edit-agent' | 'new-agent') => ({
    onPointerEnter: () => fetchPage(view),
    onClick: () => {
      select(null);
      open({ view, who: id });
    },
  });
  return (
    <div className="button-row" role="group" aria-label="Agent">
      <Button icon="edit" word="Edit" data-action="edit-agent" {...go('edit-agent')} />
      <Button icon="layers" word="Clone" data-action="clone-agent" {...go('new-agent')} />
    </div>
  );
}

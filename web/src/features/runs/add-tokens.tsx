import { type Run, roleMay } from '@hamlet/contract';
import { LinkButton } from '../../ui/controls.tsx';
import { useRole, useVillage } from '../village-context.ts';

/** Links to how this viewer may get the agent more tokens: buy them for it, or reward it so that it buys them. */
export function AddTokens({ run }: { readonly run: Pick<Run, 'agent_id'> }) {
  const { open, select } = useVillage();
  if (roleMay(useRole(), 'trade:buy'))
    return <LinkButton word="Add tokens" onClick={() => open({ view: 'market' })} data-action="add-tokens" />;
  const reward = (): void => {
    select(run.agent_id);
    open({ tab: 'money' });
  };
  return (
    <LinkButton word="Add tokens" title="Reward the agent: it can buy them" onClick={reward} data-action="add-tokens" />
  );
}

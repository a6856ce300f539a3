import { type Run, roleMay } from '@hamlet/contract';
import { LinkButton } from '../../ui/controls.tsx';
import { useRole, useVillage } from '../village-context.ts';

/** The way to more tokens that the viewer may go: to buy them for the agent, or to reward it so that it buys them. */
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

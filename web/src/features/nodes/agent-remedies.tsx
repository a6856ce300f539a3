import { Button, LinkButton, RefusedNotice } from '../../ui/controls.tsx';
import { notAllowed, locks } from '../../client/lifecycle.ts';
import { useStore } from '../../client/store.ts';
import { useRole, useShowAgent, useVillage, useVillageState } from '../village-context.ts';

/**
 * Two ways to relieve a node of an agent: its pod stops, or another tier gives it less. Empty until the agent is read.
 */
export function AgentRemedies({ id }: { readonly id: string }) {
  const { lifecycle } = useVillage();
  const show = useShowAgent();
  const role = useRole();
  const agent = useVillageState((state) => state.details.get(id));
  const change = useStore(lifecycle.states, (states) => states.get(id));
  if (agent === undefined) return null;
  if (agent.power === 'Asleep' || locks(change, 'suspend')) {
    const text = change?.verb === 'suspend' && change.kind !== 'refused' ? change.text : 'It is asleep.';
    return <small className="node-remedies">{text}</small>;
  }
  const reason = notAllowed('suspend', { power: agent.power, role, pending: false });
  return (
    <span className="node-remedies">
      <Button
        icon="sleep"
        word="Suspend"
        aria-label={`Suspend ${agent.display_name}`}
        aria-disabled={reason !== null}
        title={reason ?? 'Stop its pod; home and memory are kept.'}
        data-verb="suspend"
        onClick={() => {
          if (reason === null) void lifecycle.ask(agent, 'suspend');
        }}
      />
      <LinkButton word="Change its tier" data-action="change-tier" onClick={() => show(id, { tab: 'money' })} />
      {change?.kind === 'refused' && <RefusedNotice refused={change.refused} />}
    </span>
  );
}

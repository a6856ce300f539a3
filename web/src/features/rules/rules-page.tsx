import { getPolicy, type PolicyProposal } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { SelectField } from '../../ui/fields.tsx';
import { RefusedNotice, Unread } from '../../ui/notices/refused-notice.tsx';
import { useAgentNames } from '../agent-list/use-agent-names.ts';
import { Page } from '../navigation/page.tsx';
import { useTiers } from '../tiers/use-tiers.ts';
import { RuleList } from './rule-list.tsx';
import { layerKey, layerOf, rulesIn } from './rules-labels.ts';
import { TrialForm } from './trial-form.tsx';
import './rules.css';

const EVERY_MS = 30_000;

/** The rules about the tools of agents, and trials of others on the calls of the last week. */
export function RulesPage(): ReactElement {
  return (
    <Page
      title="Rules"
      intro="Which calls of agents are allowed, which ask a person, and which are denied. The strictest rule that matches decides; tiers and Agents only narrow the village."
      needs="policy:try"
    >
      <Layers />
    </Page>
  );
}

function Layers(): ReactElement {
  const [key, setKey] = useState('village');
  const agents = useAgentNames();
  const tiers = useTiers();
  const options: readonly (readonly [string, string])[] = [
    ['village', 'The village'],
    ...(tiers.data?.entitlements ?? []).map(({ name }) => [layerKey({ tier: name }), `Tier ${name}`] as const),
    ...agents.map(({ id, name }) => [layerKey({ agent_id: id }), `Agent ${name}`] as const),
  ];
  const live = useLive(getPolicy, { query: layerOf(key) }, EVERY_MS);
  return (
    <>
      <SelectField
        className="pick rules-pick"
        label="Rules of"
        name="layer"
        value={key}
        options={options}
        onChange={setKey}
      />
      {live.data === null ? (
        <Unread refused={live.refused} />
      ) : (
        <>
          {live.refused !== null && <RefusedNotice refused={live.refused} />}
          <Layer key={key} inForce={live.data.in_force} />
        </>
      )}
    </>
  );
}

/** The rules of one layer, and a trial of others in their place. */
function Layer({ inForce }: { readonly inForce: PolicyProposal }): ReactElement {
  return (
    <>
      <RuleList of={inForce.of} rules={rulesIn(inForce)} />
      <TrialForm inForce={inForce} />
    </>
  );
}

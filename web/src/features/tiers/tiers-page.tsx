import { type EntitlementView, roleMay } from '@hamlet/contract';
import { lazy, useMemo, useState } from 'react';
import './tiers.css';
import { Button, Icon } from '../../ui/controls.tsx';
import { Time } from '../../ui/time.tsx';
import { LazyBoundary } from '../../ui/lazy-boundary.tsx';
import { Notice, RefusedNotice, Unread } from '../../ui/notices.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { adviceOf } from '../inspector/condition-labels.ts';
import { moneyLabel, sumOf } from '../../client/money-labels.ts';
import { Page } from '../navigation/page.tsx';
import { useRole, useTiers, useVillageState } from '../village-context.ts';
import { Face, TierCard } from './tier-card.tsx';
import {
  hourlyPrices,
  isSeated,
  nodeGroups,
  type Occupant,
  tierCounts,
  type Waiting,
  waitingOf,
} from './tier-picture.ts';

/** The tier in the open form; null for a new one. */
type Editing = { readonly tier: EntitlementView | null } | null;

const TierForm = lazy(async () => ({ default: (await import('./tier-form.tsx')).TierForm }));

export function TiersPage() {
  const mayWrite = roleMay(useRole(), 'entitlements:change');
  const [editing, setEditing] = useState<Editing>(null);
  const tools = mayWrite && (
    <Button
      look="strong"
      icon="plus"
      word="New tier"
      onClick={() => setEditing({ tier: null })}
      data-action="new-tier"
    />
  );
  return (
    <Page
      title="Tiers and seats"
      intro="The balance that opens each tier, its price, and its seats on the nodes."
      needs="world:read"
      tools={tools}
    >
      <Tiers editing={editing} onEdit={mayWrite ? setEditing : null} />
    </Page>
  );
}

function Tiers({ editing, onEdit }: Readonly<{ editing: Editing; onEdit: ((editing: Editing) => void) | null }>) {
  const details = useVillageState((state) => state.details);
  const agents = useMemo((): readonly Occupant[] => [...details.values()], [details]);
  const { data, refused, again } = useTiers();
  const [saved, setSaved] = useState<string | null>(null);
  if (data === null) return <Unread refused={refused} />;
  const ladder = data.entitlements.toSorted((left, right) => right.rank - left.rank);
  const close = (name: string | null): void => {
    onEdit?.(null);
    setSaved(name);
    if (name !== null) again();
  };
  return (
    <>
      {refused !== null && <RefusedNotice refused={refused} />}
      {saved !== null && (
        <Notice tone="good" data-saved={saved}>
          <b>{saved}</b> is saved in its custom resource. Limits and prices hold from now on; the operator changes pods
          within seconds.
        </Notice>
      )}
      <Summary agents={agents} tiers={ladder} />
      <WaitingList waiting={waitingOf(agents)} />
      <ol className="ladder" aria-label="Tiers, highest first">
        {ladder.map((tier) => (
          <TierCard
            key={tier.name}
            tier={tier}
            agents={agents.filter((agent) => agent.tier === tier.name)}
            onEdit={onEdit === null ? null : () => onEdit({ tier })}
          />
        ))}
      </ol>
      {ladder.length === 0 && (
        <p className="card empty">
          <b>No tiers yet.</b>{' '}
          {onEdit === null ? 'An admin creates the first one.' : 'Create one here, or apply an Entitlement.'}
        </p>
      )}
      <NodeList agents={agents} />
      {editing !== null && (
        <LazyBoundary fallback={null}>
          <TierForm tier={editing.tier} tiers={data.entitlements} onClose={close} />
        </LazyBoundary>
      )}
    </>
  );
}

function Summary({ agents, tiers }: Readonly<{ agents: readonly Occupant[]; tiers: readonly EntitlementView[] }>) {
  const seated = agents.filter(isSeated).length;
  const cost = sumOf(hourlyPrices(agents, tiers));
  return (
    <p className="summary">
      <b>{seated}</b> of {agents.length} {agents.length === 1 ? 'agent has' : 'agents have'} a seat now, and all seats
      together cost <b>{moneyLabel(cost)}</b> an hour.
    </p>
  );
}

function NodeList({ agents }: { readonly agents: readonly Occupant[] }) {
  const groups = nodeGroups(agents);
  return (
    <section aria-label="Nodes">
      <h2 className="page-section">Nodes</h2>
      {groups.length === 0 && <p className="card empty">No agent runs on a node now.</p>}
      <ul className="nodes">
        {groups.map(({ node, agents: there }) => (
          <li key={node} className="card node" data-node={node}>
            <h3>
              <Icon name="server" size={16} />
              {node} <span className="count">{there.length}</span>
            </h3>
            <p className="hint">{tierCounts(there)}</p>
            <ul className="faces">
              {there.map((agent) => (
                <li key={agent.agent_id}>
                  <Face agent={agent} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}

function WaitingList({ waiting }: { readonly waiting: readonly Waiting[] }) {
  if (waiting.length === 0) return null;
  return (
    <section className="card waiting" aria-label="Waiting for a seat">
      <h2>
        Waiting for a seat <span className="count">{waiting.length}</span>
      </h2>
      <ol>
        {waiting.map(({ agent, reason, message, since }) => (
          <li key={agent.agent_id} className="waiting-row" data-reason={reason}>
            <Face agent={agent} />
            <span>
              <code className="reason">{reason}</code> {message}
              <span className="why-advice">{adviceOf(reason)}</span>
            </span>
            <Time at={since} word={timeAgo(since, Date.now())} />
          </li>
        ))}
      </ol>
    </section>
  );
}

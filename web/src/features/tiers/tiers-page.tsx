import { type EntitlementView, roleMay } from '@hamlet/contract';
import { lazy, type ReactElement, useMemo, useState } from 'react';
import './tiers.css';
import { Icon } from '../../ui/icon.tsx';
import { LazyBoundary } from '../../ui/lazy-boundary.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { timeAgo } from '../../ui/time-words.ts';
import { adviceOf } from '../inspector/condition-words.ts';
import { moneyWords, sumOf } from '../money/money-labels.ts';
import { Page } from '../navigation/page.tsx';
import { useRole, useVillageState } from '../village-context.ts';
import { Face, TierCard } from './tier-card.tsx';
import { hourlyPrices, isSeated, nodeGroups, type Occupant, tierCounts, type Waiting, waitingOf } from './tier-picture.ts';
import { useTiers } from './use-tiers.ts';

/** What the form is open for: a tier to change, or a new one. */
type Editing = { readonly tier: EntitlementView | null } | null;

/** For admins alone, so it comes when one begins to write. */
const TierForm = lazy(async () => ({ default: (await import('./tier-form.tsx')).TierForm }));

/** What a balance opens, how much room there is, who has it, who waits for it, and on which machine they run; admins write the tiers. */
export function TiersPage(): ReactElement {
  const mayWrite = roleMay(useRole(), 'entitlements:change');
  const [editing, setEditing] = useState<Editing>(null);
  const tools = mayWrite && (
    <button
      type="button"
      className="button button-strong"
      onClick={() => setEditing({ tier: null })}
      data-action="new-tier"
    >
      <Icon name="plus" size={16} />
      New tier
    </button>
  );
  return (
    <Page
      title="Tiers and seats"
      intro="What a balance opens, what it costs, and how much room the nodes have."
      needs="world:read"
      tools={tools}
    >
      <Tiers editing={editing} onEdit={mayWrite ? setEditing : null} />
    </Page>
  );
}

interface TiersProps {
  readonly editing: Editing;
  readonly onEdit: ((editing: Editing) => void) | null;
}

function Tiers({ editing, onEdit }: TiersProps): ReactElement {
  const details = useVillageState((state) => state.details);
  const agents = useMemo((): readonly Occupant[] => [...details.values()], [details]);
  const { data, refused, again } = useTiers();
  const [saved, setSaved] = useState<string | null>(null);
  if (data === null) return refused === null ? <p className="empty">Reading…</p> : <RefusedNotice refused={refused} />;
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
        <p className="notice notice-good" role="status" data-saved={saved}>
          <Icon name="check" size={16} />
          <span>
            <b>{saved}</b> is written to its custom resource. Limits and prices hold from now on; pods follow within
            seconds.
          </span>
        </p>
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
          <b>No tiers yet.</b> {onEdit === null ? '' : 'Make one here, or '}
          <code>kubectl apply</code> an Entitlement.
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

function Summary({
  agents,
  tiers,
}: {
  readonly agents: readonly Occupant[];
  readonly tiers: readonly EntitlementView[];
}): ReactElement {
  const seated = agents.filter(isSeated).length;
  const cost = sumOf(hourlyPrices(agents, tiers));
  return (
    <p className="summary">
      <b>{seated}</b> of {agents.length} {agents.length === 1 ? 'agent has' : 'agents have'} a seat now, for{' '}
      <b>{moneyWords(cost)}</b> an hour in all.
    </p>
  );
}

/** The machines and who runs on each. */
function NodeList({ agents }: { readonly agents: readonly Occupant[] }): ReactElement {
  const groups = nodeGroups(agents);
  return (
    <section aria-label="Nodes">
      <h2 className="page-section">Nodes</h2>
      {groups.length === 0 && <p className="card empty">No agent is on a node now.</p>}
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

/** Who waits for a seat, and why; nothing where nobody does. */
export function WaitingList({ waiting }: { readonly waiting: readonly Waiting[] }): ReactElement | null {
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
            <time dateTime={since} title={since}>
              {timeAgo(since, Date.now())}
            </time>
          </li>
        ))}
      </ol>
    </section>
  );
}

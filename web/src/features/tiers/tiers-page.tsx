import { type EntitlementView, roleMay } from '@hamlet/contract';
import { lazy, useMemo, useState } from 'react';
import './tiers.css';
import { Avatar, Button, Icon, LazyBoundary, Notice, RefusedNotice, Time, Unread, Fact } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { adviceOf } from '../inspector/condition-labels.ts';
import { moneyLabel, priceLabel, sumOf } from '../../client/labels.ts';
import { Page } from '../navigation/page.tsx';
import { useRole, useTiers, useVillage, useVillageState } from '../village-context.ts';
import type { Occupant, SeatPicture, Waiting } from './tier-picture.ts';
import {
  computeLabel,
  hourlyPrices,
  isSeated,
  nodeGroups,
  seatPicture,
  tierCounts,
  waitingOf,
} from './tier-picture.ts';
import { limitLabel } from '../market/item-labels.ts';
import { tierLabel } from '../money/tier-outlook.ts';

const FACES = 24;

type TierCardProps = Readonly<{ tier: EntitlementView; agents: readonly Occupant[]; onEdit: (() => void) | null }>;

export function TierCard({ tier, agents, onEdit }: TierCardProps) {
  const label = tierLabel([tier], tier.name);
  const wrong = tier.conditions.find((condition) => condition.status !== 'True');
  return (
    <li className="tier card" data-tier={tier.name}>
      <header className="tier-head">
        <h2>
          {label} {label !== tier.name && <code className="reason">{tier.name}</code>}
        </h2>
        <p className="tier-opens">
          <Icon name="coin" size={15} />
          {tier.min_balance.startsWith('-') || tier.min_balance === '0'
            ? 'Open to all agents'
            : `from ${moneyLabel(tier.min_balance)}`}
        </p>
        {onEdit !== null && (
          <Button
            icon="edit"
            iconPx={15}
            word="Edit"
            onClick={onEdit}
            data-action="edit-tier"
            aria-label={`Edit ${tier.name}`}
          />
        )}
      </header>
      <dl className="tier-facts">
        <Fact name="Compute">{computeLabel(tier.compute)}</Fact>
        <Fact name="Limits">{limitLabel(tier.limits)}</Fact>
        <Fact name="Price">{priceLabel(tier.price)}</Fact>
      </dl>
      <div className="tier-seats">
        <SeatMap picture={seatPicture(tier, agents.filter(isSeated).length)} />
        {wrong !== undefined && (
          <Notice tone="waiting" icon="info" data-reason={wrong.reason}>
            {wrong.message === '' ? wrong.reason : wrong.message}
          </Notice>
        )}
      </div>
      <Faces agents={agents} />
    </li>
  );
}

function Faces({ agents }: { readonly agents: readonly Occupant[] }) {
  if (agents.length === 0) return <p className="empty tier-faces">No agent is in this tier.</p>;
  return (
    <ul className="faces tier-faces">
      {agents.slice(0, FACES).map((agent) => (
        <li key={agent.agent_id}>
          <Face agent={agent} />
        </li>
      ))}
      {agents.length > FACES && <li className="hint">and {agents.length - FACES} more</li>}
    </ul>
  );
}

export function Face({ agent }: { readonly agent: Occupant }) {
  const { select } = useVillage();
  const seated = isSeated(agent);
  const state =
    agent.power === 'Asleep'
      ? 'asleep'
      : seated
        ? agent.why.ready
          ? 'awake'
          : 'not ready, has a seat'
        : 'has no seat';
  return (
    <button
      type="button"
      className={`face${seated ? '' : ' face-away'}`}
      onClick={() => select(agent.agent_id)}
      title={`${agent.display_name}, ${state}`}
      data-agent={agent.agent_id}
    >
      <Avatar id={agent.agent_id} size={24} dimmed={!seated} />
      <span>{agent.display_name}</span>
      <span className="sr-only">, {state}</span>
    </button>
  );
}

const SQUARES = 64;

/** Seats as squares: used by this tier, used by other tiers, free. Colour is never the only difference. */
function SeatMap({ picture }: { readonly picture: SeatPicture | null }) {
  if (picture === null) return <p className="hint">The operator has not counted seats yet.</p>;
  const { own, others, free, total } = picture;
  const words = `${free} of ${total} ${total === 1 ? 'seat is' : 'seats are'} free${others > 0 ? `; other tiers use ${others}` : ''}`;
  const kinds = [
    ['own', own],
    ['others', others],
    ['free', free],
  ] as const;
  return (
    <figure className="seats" data-free={free} data-total={total}>
      <figcaption>
        <b>{free}</b> of {total} {total === 1 ? 'seat' : 'seats'} free
        {others > 0 && <small>, other tiers use {others}</small>}
      </figcaption>
      {total > 0 && total <= SQUARES && (
        <div className="seat-squares" role="img" aria-label={words}>
          {kinds.flatMap(([kind, count]) =>
            Array.from({ length: count }, (_, index) => (
              <span key={`${kind}${index}`} className={`seat seat-${kind}`} />
            )),
          )}
        </div>
      )}
      {total > SQUARES && (
        <div className="seat-bar" role="img" aria-label={words}>
          {kinds.map(([kind, count]) => (
            <span key={kind} className={`seat-${kind}`} style={{ flexGrow: count }} />
          ))}
        </div>
      )}
    </figure>
  );
}

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

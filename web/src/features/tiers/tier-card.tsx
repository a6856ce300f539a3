import type { EntitlementView } from '@hamlet/contract';
import { Notice } from '../../ui/notices.tsx';
import { Button, Icon } from '../../ui/controls.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { limitLabel } from '../market/item-labels.ts';
import { moneyLabel, priceLabel } from '../../client/money-labels.ts';
import { useVillage } from '../village-context.ts';
import { computeLabel, isSeated, type Occupant, type SeatPicture, seatPicture } from './tier-picture.ts';

const FACES = 24;

type TierCardProps = Readonly<{ tier: EntitlementView; agents: readonly Occupant[]; onEdit: (() => void) | null }>;

export function TierCard({ tier, agents, onEdit }: TierCardProps) {
  const wrong = tier.conditions.find((condition) => condition.status !== 'True');
  return (
    <li className="tier card" data-tier={tier.name}>
      <header className="tier-head">
        <h2>{tier.name}</h2>
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
        <dt>Compute</dt>
        <dd>{computeLabel(tier.compute)}</dd>
        <dt>Limits</dt>
        <dd>{limitLabel(tier.limits)}</dd>
        <dt>Price</dt>
        <dd>{priceLabel(tier.price)}</dd>
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

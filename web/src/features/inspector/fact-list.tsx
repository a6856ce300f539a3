import type { AgentDetail } from '@hamlet/contract';
import type { ReactElement, ReactNode } from 'react';
import type { Row } from '../../client/app-state.ts';
import { Icon, LinkButton } from '../../ui/controls.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { moneyLabel, priceLabel } from '../../client/money-labels.ts';
import { useVillage, useVillageState } from '../village-context.ts';
import { limitLabel } from '../market/item-labels.ts';

export function FactList({ row, detail }: { readonly row: Row; readonly detail: AgentDetail }): ReactElement {
  const { open } = useVillage();
  return (
    <dl className="facts">
      <Fact icon="pin" title="Place">
        {row.place ?? 'On the way'}{' '}
        <small>
          {Math.round(row.x)}, {Math.round(row.y)}
        </small>
      </Fact>
      <Fact icon="market" title="Carries">
        {carriedLabel(row.carried)}
      </Fact>
      <Fact icon="server" title="Node">
        {detail.node ?? 'None'} {detail.pod !== null && <small>pod {detail.pod}</small>}
      </Fact>
      <Fact icon="reboot" title="Run cycle">
        {detail.cycle}
      </Fact>
      <Fact icon="coin" title="Balance">
        <BalanceFact detail={detail} />
      </Fact>
      <Fact icon="chip" title="Tier">
        <LinkButton word={detail.tier ?? 'None'} onClick={() => open({ view: 'tiers' })} />{' '}
        <small>{detail.entitlement.policy === 'Pinned' ? 'pinned' : 'by balance'}</small>
      </Fact>
      <Fact icon="bag" title="Price">
        {detail.entitlement.price === null ? 'Not known' : priceLabel(detail.entitlement.price)}
      </Fact>
      <Fact icon="seat" title="Seat">
        {seatLabel(detail)}
      </Fact>
      <Fact icon="signal" title="Limits">
        {limitLabel(detail.entitlement.limits)}
      </Fact>
      <Fact icon="home" title="Home">
        <HomeName id={detail.home} />
      </Fact>
      <Fact icon="clock" title="Last seen">
        {lastSeen(detail)}
      </Fact>
    </dl>
  );
}

function lastSeen({ status }: AgentDetail): string {
  if (status.online) return 'Here now';
  return status.last_seen === null ? 'Never' : timeAgo(status.last_seen, Date.now());
}

function BalanceFact({ detail }: { readonly detail: AgentDetail }): ReactElement {
  const { open } = useVillage();
  return (
    <LinkButton
      word={detail.balance === null ? 'No account yet' : moneyLabel(detail.balance)}
      onClick={() => open({ tab: 'money' })}
      data-balance={detail.balance ?? ''}
    />
  );
}

function HomeName({ id }: { readonly id: string | null }): ReactElement {
  const name = useVillageState((state) => state.landmarks.find((landmark) => landmark.id === id)?.name);
  return <>{name ?? id ?? 'None'}</>;
}

type FactProps = Readonly<{ icon: IconName; title: string; children: ReactNode }>;

function Fact({ icon, title, children }: FactProps): ReactElement {
  return (
    <div className="fact">
      <dt>
        <Icon name={icon} size={16} />
        {title}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The agent's seat, by the condition Admitted. The operator's message has the agent's place in the queue. */
function seatLabel({ conditions, power }: Pick<AgentDetail, 'conditions' | 'power'>): string {
  const admitted = conditions.find((condition) => condition.type === 'Admitted');
  if (admitted?.status === 'True') return 'Has one';
  if (power === 'Asleep') return 'Needs none while asleep';
  if (admitted === undefined || admitted.reason === 'Waiting') return 'Not asked for yet';
  return admitted.message === '' ? 'Waits for one' : `Waits: ${admitted.message}`;
}

function carriedLabel(carried: readonly string[]): string {
  if (carried.length === 0) return 'Nothing';
  return [...new Set(carried)]
    .map((kind) => {
      const count = carried.filter((other) => other === kind).length;
      return count === 1 ? kind : `${kind} × ${count}`;
    })
    .join(', ');
}

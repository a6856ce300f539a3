import type { AgentDetail, BalanceAnswer, EntitlementView, QuoteAnswer } from '@hamlet/contract';
import { formatAiDollars, getQuote, roleMay } from '@hamlet/contract';
import { lazy } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { changeLine } from '../market/item-labels.ts';
import { PurchaseRow } from '../market/purchases.tsx';
import { LazyBoundary, LinkButton } from '../../ui/controls.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { byWeight, lostBelow, type Rung, rungsOf, tierAt, tierLabel } from './tier-outlook.ts';
import { moneyLabel, priceLabel, readAmount } from '../../client/labels.ts';

const PinForm = lazy(async () => ({ default: (await import('../tiers/pin-form.tsx')).PinForm }));

const REFRESH_MS = 8000;
const CHANGES = 6;

type LadderProps = Readonly<{ agent: AgentDetail; balance: BalanceAnswer; tiers: readonly EntitlementView[] }>;

export function TierLadder({ agent, balance, tiers }: LadderProps) {
  const quote = useAgentQuote(agent.agent_id);
  const { open } = useVillage();
  if (tiers.length === 0) return null;
  const pinned = agent.entitlement.policy === 'Pinned';
  const micro = readAmount(balance.balance) ?? 0n;
  const tier = pinned ? agent.entitlement.tier : tierAt(tiers, micro, agent.standing.balance_tier);
  return (
    <section className="section" aria-label="Tier">
      <h3 className="section-name">Tier</h3>
      <ol className="rungs" aria-label="Tiers, highest first">
        {rungsOf(tiers, micro, tier).map((rung) => (
          <RungRow key={rung.name} rung={rung} label={tierLabel(tiers, rung.name)} pinned={pinned} />
        ))}
      </ol>
      {pinned ? (
        <p className="hint">
          Pinned to {tierLabel(tiers, agent.entitlement.pinned_to)}. The balance does not change the tier.
        </p>
      ) : (
        <Outlook tiers={tiers} tier={tier} next={quote?.next ?? null} />
      )}
      <Decider agent={agent} tiers={tiers} />
      {quote !== null && quote.purchases.length > 0 && (
        <>
          <h3 className="section-name">Purchases</h3>
          <ul className="list-rows">
            {quote.purchases.map((purchase) => (
              <PurchaseRow key={purchase.purchase_id} purchase={purchase} withAgent={false} />
            ))}
          </ul>
        </>
      )}
      <p className="hint">
        <LinkButton word="All tiers and seats" onClick={() => open({ view: 'tiers' })} /> ·{' '}
        <LinkButton word="Market" onClick={() => open({ view: 'market' })} />
      </p>
    </section>
  );
}

function Decider(props: Pick<LadderProps, 'agent' | 'tiers'>) {
  if (!roleMay(useRole(), 'entitlements:change')) return null;
  return (
    <>
      <h3 className="section-name">Change the tier</h3>
      <LazyBoundary fallback={<p className="empty">Opening…</p>}>
        <PinForm {...props} />
      </LazyBoundary>
    </>
  );
}

function useAgentQuote(id: string): NonNullable<QuoteAnswer['agent']> | null {
  const may = roleMay(useRole(), 'trade:read');
  const live = useLive(getQuote, may ? { query: { agent_id: id } } : null, REFRESH_MS);
  return live.data?.agent ?? null;
}

const PLACE_LABELS: Readonly<Record<Rung['place'], string>> = { passed: '', here: 'here', next: 'next', above: '' };

function RungRow({ rung, label, pinned }: Readonly<{ rung: Rung; label: string; pinned: boolean }>) {
  const { name, opensAt, place, filled, seats, price } = rung;
  const free = readAmount(opensAt) ?? 0n;
  return (
    <li
      className={`rung rung-${place}`}
      aria-current={place === 'here' ? 'step' : undefined}
      data-rung={name}
      data-place={place}
    >
      <span className="rung-name">
        <b>{label}</b>
        {PLACE_LABELS[place] !== '' && <span className="role">{PLACE_LABELS[place]}</span>}
      </span>
      <span className="rung-facts">
        {free <= 0n ? 'open to all agents' : `from ${moneyLabel(opensAt)}`}
        <small>
          {priceLabel(price)}
          {seats !== null && ` · ${seats.free} of ${seats.total} ${seats.total === 1 ? 'seat' : 'seats'} free`}
        </small>
      </span>
      {!pinned && place === 'next' && (
        <span className="rung-way" role="img" aria-label={`${Math.round(filled * 100)} % of the way`}>
          <span style={{ width: `${filled * 100}%` }} />
        </span>
      )}
    </li>
  );
}

type Next = NonNullable<QuoteAnswer['agent']>['next'];

type OutlookProps = Readonly<{ tiers: readonly EntitlementView[]; tier: string | null; next: Next }>;

function Outlook({ tiers, tier, next }: OutlookProps) {
  const lost = lostBelow(tiers, tier);
  return (
    <>
      {next !== null && (
        <div className="unlocks" data-next={next.tier} data-missing={next.missing}>
          <p>
            <b>{moneyLabel(next.missing)}</b> more opens {tierLabel(tiers, next.tier)}:
          </p>
          <dl>
            {byWeight(next.changes)
              .slice(0, CHANGES)
              .map((change) => {
                const { what, from, to } = changeLine(change);
                return (
                  <div key={what}>
                    <dt>{what}</dt>
                    <dd>
                      {from} <span aria-hidden="true">→</span>
                      <span className="sr-only">becomes</span> <b>{to}</b>
                    </dd>
                  </div>
                );
              })}
          </dl>
        </div>
      )}
      {lost !== null && (
        <p className="hint">
          It keeps {tierLabel(tiers, tier)} while its balance is at least {moneyLabel(formatAiDollars(lost))}.
        </p>
      )}
    </>
  );
}

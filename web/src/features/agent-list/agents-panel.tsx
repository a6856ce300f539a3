import { listMoneyDays, roleMay } from '@hamlet/contract';
import { memo, useMemo, useState } from 'react';
import type { AppState, Row } from '../../client/app-state.ts';
import { useLive } from '../../client/query/use-live.ts';
import { Avatar, Icon, IconButton, LinkButton, Unread } from '../../ui/controls.tsx';
import { FilterField } from '../../ui/fields.tsx';
import { moveFocus, VirtualList } from '../../ui/virtual-list.tsx';
import { UnreadMark } from '../away/unread-mark.tsx';
import { useUnread } from '../away/use-unread.ts';
import { MindName } from '../mind/mind-name.tsx';
import { ActivityFeed } from './activity-feed.tsx';
import { useRole, useShowAgent, useTiers, useVillage, useVillageState } from '../village-context.ts';
import { type Order, orderedRows, ORDERS } from './agent-order.ts';
import { HANDS_ICONS } from '../../ui/icon-paths.ts';
import { moneyLabel, shortMoneyLabel, sumOf } from '../../client/labels.ts';
import { roundedLabel } from '../ledger/day-labels.ts';
import { hourlyPrices } from '../tiers/tier-picture.ts';
import { doing, lifeState } from './agent-state.ts';

/** The height of a row in CSS pixels; the style sheet has the same number. */
const ROW_PX = 54;

/** Every agent as text: the alternative to the map for keyboards and screen readers. */
export function AgentsPanel() {
  const rows = useVillageState((state) => state.rows);
  const details = useVillageState((state) => state.details);
  const agents = useVillageState((state) => state.agents);
  const unread = useUnread().agents;
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<Order>('name');
  const [open, setOpen] = useState(false);
  const found = useMemo(() => orderedRows(rows, details, { filter, order }), [rows, details, filter, order]);
  return (
    <aside className={`agents panel${open ? ' agents-open' : ''}`} aria-label="Agents">
      <header className="panel-head">
        <h2>
          Agents <span className="count">{rows.length}</span>
        </h2>
        <select
          className="pick-small agents-order"
          aria-label="Order of the agents"
          value={order}
          onChange={(event) => setOrder(ORDERS.find(({ key }) => key === event.target.value)?.key ?? 'name')}
        >
          {ORDERS.map(({ key, word }) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </select>
        <NewAgentButton />
        <IconButton
          icon={open ? 'close' : 'menu'}
          label={open ? 'Show less' : 'Show all agents'}
          className="phone-only"
          onClick={() => setOpen(!open)}
          aria-expanded={open}
        />
      </header>
      <FilterField
        id="agents-filter"
        label="Filter agents"
        placeholder="Find an agent or a place"
        value={filter}
        onChange={setFilter}
        hasKey
      />
      <NoRows {...agents} empty={rows.length === 0} />
      {rows.length > 0 && found.length === 0 && <p className="empty">No agent matches “{filter}”.</p>}
      <VirtualList
        rows={found}
        rowPx={ROW_PX}
        className="agents-list"
        gapClassName="agents-gap"
        idOf={({ id }) => id}
        render={(row, place) => (
          <AgentRow key={row.id} row={row} unread={unread.get(row.id) ?? 0} place={place} of={found.length} />
        )}
        onKeyDown={(event) => moveFocus(event, '.agent-row')}
      />
      <VillageCost />
      <NextSteps agent={rows.find(({ online }) => online) ?? rows[0]} />
      <ActivityFeed />
    </aside>
  );
}

function NewAgentButton() {
  const { open, select, fetchPage } = useVillage();
  if (!roleMay(useRole(), 'agent:manage')) return null;
  return (
    <IconButton
      icon="plus"
      label="New agent"
      title="New agent"
      data-action="new-agent"
      onPointerEnter={() => fetchPage('new-agent')}
      onClick={() => {
        select(null);
        open({ view: 'new-agent' });
      }}
    />
  );
}

const SPENT_EVERY_MS = 60_000;

/** The price of the village now and its spending of today, on the first page that a person sees. */
function VillageCost() {
  const { open } = useVillage();
  const mayRead = roleMay(useRole(), 'ledger:read');
  const today = useLive(listMoneyDays, mayRead ? { query: { days: 1 } } : null, SPENT_EVERY_MS).data?.days[0];
  const details = useVillageState((state) => state.details);
  const tiers = useTiers().data?.entitlements;
  if (tiers === undefined || details.size === 0) return null;
  const cost = sumOf(hourlyPrices([...details.values()], tiers));
  return (
    <p className="hint agents-cost">
      {details.size === 1 ? 'It costs' : 'Together they cost'} {moneyLabel(cost)} an hour
      {today !== undefined && (
        <span data-spent={today.total.spent} title={moneyLabel(today.total.spent)}>
          , and spent {roundedLabel(today.total.spent)} ai$ today
        </span>
      )}
      . <LinkButton word="See the ledger" onClick={() => open({ view: 'ledger' })} />
    </p>
  );
}

/** The first things that a person can do here. */
function NextSteps({ agent }: { readonly agent: Row | undefined }) {
  const { open, openSignIn } = useVillage();
  const show = useShowAgent();
  const role = useRole();
  if (agent === undefined) return null;
  if (!roleMay(role, 'sessions:write'))
    return (
      <p className="hint agents-cost">
        <LinkButton word="Sign in" onClick={openSignIn} /> to talk to agents and give them work.
      </p>
    );
  return (
    <p className="hint agents-cost" data-next-steps>
      <LinkButton word={`Talk to ${agent.name}`} onClick={() => show(agent.id, { tab: 'chat', chat: null })} />,{' '}
      <LinkButton word="give a task" onClick={() => show(agent.id, { tab: 'runs' })} /> or{' '}
      <LinkButton word="ask on the board" onClick={() => open({ view: 'board' })} />.
    </p>
  );
}

type NoRowsProps = AppState['agents'] & Readonly<{ empty: boolean }>;

function NoRows({ read, refused, empty }: NoRowsProps) {
  if (refused !== null || (empty && !read)) return <Unread refused={refused} word="Loading the agents…" />;
  if (!empty) return null;
  return (
    <div className="empty">
      <p>
        <b>No agents yet.</b>
      </p>
      <p>Agents appear here. An admin makes one with the button + above, or with:</p>
      <pre>kubectl apply -f ada.yaml</pre>
    </div>
  );
}

/** `place` is the position in the list. `of` is the length of the whole list, of which only a part may be rendered. */
type RowProps = Readonly<{ row: Row; unread: number; place: number; of: number }>;

const AgentRow = memo(function AgentRow({ row, unread, place, of }: RowProps) {
  const tools = useVillage();
  const selected = useVillageState((state) => state.selected === row.id);
  const detail = useVillageState((state) => state.details.get(row.id));
  const state = lifeState(row, detail);
  const choose = (): void => {
    tools.select(row.id);
    tools.goTo(row);
  };
  return (
    <li aria-setsize={of} aria-posinset={place}>
      <button
        type="button"
        className="agent-row"
        aria-current={selected}
        onClick={choose}
        onDoubleClick={() => tools.follow(true)}
        data-agent-id={row.id}
        data-x={row.x.toFixed(2)}
        data-y={row.y.toFixed(2)}
        data-node={row.node ?? ''}
        data-state={state.word}
      >
        <Avatar id={row.id} dimmed={row.asleep || !row.online} />
        <span className="agent-text">
          <span className="agent-name">
            {row.name}
            <MindName mind={detail?.mind} />
            <UnreadMark texts={unread} />
            {row.speech !== null && (
              <span className="agent-speaks" title={row.speech}>
                <Icon name="speech" size={13} />
              </span>
            )}
          </span>
          {detail !== undefined && <Balance amount={detail.balance} />}
          <Doing row={row} />
        </span>
        <span className={`mark mark-${state.tone}`} title={state.word}>
          <span className="sr-only">{state.word}</span>
        </span>
      </button>
    </li>
  );
});

function Balance({ amount }: { readonly amount: string | null }) {
  return (
    <span
      className="agent-balance"
      title={amount === null ? undefined : `Balance: ${moneyLabel(amount)}`}
      data-balance={amount ?? ''}
    >
      {amount === null ? 'not known' : shortMoneyLabel(amount)}
    </span>
  );
}

function Doing({ row }: { readonly row: Row }) {
  return (
    <span className="agent-doing" data-hands={row.hands ?? undefined}>
      {row.hands !== null && <Icon name={HANDS_ICONS[row.hands]} size={13} />}
      {doing(row)}
    </span>
  );
}

import type { AgentDetail } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { Avatar } from '../../ui/avatar.tsx';
import { Icon } from '../../ui/icon.tsx';
import { moneyWords, sumOf } from '../money/money-words.ts';
import { useVillage } from '../village-context.ts';

/** Rows shown at once; a longer list is narrowed by its filter. */
const ROWS_MAX = 100;
/** From this many on a filter is worth its room. */
const FILTER_FROM = 8;

interface ListProps {
  readonly agents: readonly AgentDetail[];
  readonly chosen: readonly string[];
  readonly onToggle: (id: string) => void;
}

/** Every account, the richest first; those that are ticked are in the picture. */
export function AccountList({ agents, chosen, onToggle }: ListProps): ReactElement {
  const { open, select } = useVillage();
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const found = agents.filter(
    ({ agent_id: id, display_name: name }) =>
      wanted === '' || id.includes(wanted) || name.toLowerCase().includes(wanted),
  );
  return (
    <section className="card accounts" aria-label="Accounts">
      <header className="accounts-head">
        <h2>Accounts</h2>
        <p className="hint">{moneyWords(sumOf(agents.map(({ balance }) => balance ?? '0')))} in all</p>
      </header>
      {agents.length >= FILTER_FROM && (
        <label className="filter">
          <Icon name="search" size={16} />
          <input
            type="search"
            data-search
            placeholder="Find an account"
            aria-label="Find an account"
            value={filter}
            onChange={(event) => setFilter(event.target.value)}
          />
        </label>
      )}
      <ul>
        {found.slice(0, ROWS_MAX).map((agent) => (
          <li key={agent.agent_id} className="account-row" data-account={agent.agent_id}>
            <label className="check">
              <input
                type="checkbox"
                checked={chosen.includes(agent.agent_id)}
                onChange={() => onToggle(agent.agent_id)}
                aria-label={`${agent.display_name} in the picture`}
              />
              <Avatar id={agent.agent_id} size={28} dimmed={agent.power === 'Asleep'} />
            </label>
            <button
              type="button"
              className="account-open"
              onClick={() => {
                select(agent.agent_id);
                open({ tab: 'money' });
              }}
              title={`The money of ${agent.display_name}`}
            >
              <b>{agent.display_name}</b>
              <small>
                {agent.tier ?? 'no tier'}
                {agent.entitlement.policy === 'Pinned' ? ', pinned' : ''}
              </small>
            </button>
            <span className="account-sum">{agent.balance === null ? 'not known' : moneyWords(agent.balance)}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="empty">No account is like that.</p>}
      {found.length > ROWS_MAX && <p className="empty">{found.length - ROWS_MAX} more: narrow the list above.</p>}
    </section>
  );
}

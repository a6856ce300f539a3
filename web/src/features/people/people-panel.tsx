import { type KeyboardEvent, type ReactElement, useMemo, useRef, useState } from 'react';
import type { Row } from '../../client/app-state.ts';
import { Icon } from '../../ui/icon.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useWindow } from '../../ui/window/use-window.ts';
import { useVillageState } from '../village-context.ts';
import { HappeningList } from './happening-list.tsx';
import { type Order, ORDERS, orderedRows } from './people-order.ts';
import { PersonRow } from './person-row.tsx';

/** The height of a row in CSS pixels; the style sheet has the same number. */
const ROW_PX = 54;

/** Every agent, in text: the map's twin for keyboards and screen readers. */
export function PeoplePanel(): ReactElement {
  const rows = useVillageState((state) => state.rows);
  const details = useVillageState((state) => state.details);
  const agents = useVillageState((state) => state.agents);
  const [filter, setFilter] = useState('');
  const [order, setOrder] = useState<Order>('name');
  const [open, setOpen] = useState(false);
  const found = useMemo(() => orderedRows(rows, details, { filter, order }), [rows, details, filter, order]);
  return (
    <aside className={`people panel${open ? ' people-open' : ''}`} aria-label="Agents">
      <header className="panel-head">
        <h2>
          Agents <span className="count">{rows.length}</span>
        </h2>
        <select
          className="pick-small people-order"
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
        <button
          type="button"
          className="icon-button phone-only"
          onClick={() => setOpen(!open)}
          aria-expanded={open}
          aria-label={open ? 'Show less' : 'Show all agents'}
        >
          <Icon name={open ? 'close' : 'menu'} />
        </button>
      </header>
      <label className="filter">
        <Icon name="search" size={16} />
        <input
          id="people-filter"
          type="search"
          data-search
          placeholder="Find an agent or a place"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          aria-label="Filter agents"
        />
        <kbd aria-hidden="true">/</kbd>
      </label>
      {agents.refused !== null && <RefusedNotice refused={agents.refused} />}
      {rows.length === 0 &&
        agents.refused === null &&
        (agents.read ? (
          <EmptyVillage />
        ) : (
          <p className="empty" role="status">
            Reading the agents…
          </p>
        ))}
      {rows.length > 0 && found.length === 0 && <p className="empty">No agent matches “{filter}”.</p>}
      <PersonRows rows={found} withBalance={order !== 'name'} />
      <HappeningList />
    </aside>
  );
}

function PersonRows({
  rows,
  withBalance,
}: {
  readonly rows: readonly Row[];
  readonly withBalance: boolean;
}): ReactElement {
  const list = useRef<HTMLUListElement>(null);
  const { first, end } = useWindow(list, rows.length, ROW_PX);
  return (
    <ul className="people-list" ref={list} onKeyDown={moveFocus}>
      {first > 0 && <li className="people-gap" style={{ height: first * ROW_PX }} aria-hidden="true" />}
      {rows.slice(first, end).map((row, index) => (
        <PersonRow key={row.id} row={row} withBalance={withBalance} place={first + index + 1} of={rows.length} />
      ))}
      {end < rows.length && (
        <li className="people-gap" style={{ height: (rows.length - end) * ROW_PX }} aria-hidden="true" />
      )}
    </ul>
  );
}

function EmptyVillage(): ReactElement {
  return (
    <div className="empty">
      <p>
        <b>Nobody lives here yet.</b>
      </p>
      <p>Create an agent:</p>
      <pre>kubectl apply -f ada.yaml</pre>
    </div>
  );
}

/** Up and down walk through the list. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('.person')];
  const at = buttons.findIndex((button) => button === document.activeElement);
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus();
}

import { type AgentDetail, ENTRY_REASONS, type EntryReason, type LedgerEntry } from '@hamlet/contract';
import { useMemo, useState } from 'react';
import './ledger.css';
import { Avatar, Button, LinkButton, RefusedNotice, Time, useNow } from '../../ui/controls.tsx';
import { Choices, FilterField, SelectField } from '../../ui/fields.tsx';
import { dateTime, minuteTime } from '../../ui/time-labels.ts';
import { REASONS, shortMoneyLabel, sumOf } from '../../client/labels.ts';
import { Page } from '../navigation/page.tsx';
import { EntryLabel } from '../actor-name.tsx';
import { Amount, AmountChange } from '../money/amount.tsx';
import { tierLabel } from '../money/tier-outlook.ts';
import { useShowAgent, useTiers, useVillage, useVillageState } from '../village-context.ts';
import { chosenOf, flowOf, type History, NO_HISTORY, reaches, seriesOf, useHistories } from './history.ts';
import { instantsOf, type Series, valueAt } from './series.ts';
import { MoneyDays } from './money-days.tsx';
import { PlotKey, StepPlot } from './step-plot.tsx';
import { Proof, VerifyButton } from '../proof/verify-record.tsx';

const ROWS = 40;

interface EntriesProps {
  readonly accounts: readonly { readonly id: string; readonly name: string; readonly history: History }[];
  /** False until the entries of all accounts were read. */
  readonly isRead: boolean;
}

function EntryTable({ accounts, isRead }: EntriesProps) {
  const [reason, setReason] = useState<EntryReason | ''>('');
  const [rows, setRows] = useState(ROWS);
  const entries = useMemo(
    () =>
      accounts
        .flatMap(({ name, history }) => history.entries.map((entry) => ({ name, entry })))
        .filter(({ entry }) => reason === '' || entry.reason === reason)
        .toSorted((left, right) => right.entry.timestamp.localeCompare(left.entry.timestamp)),
    [accounts, reason],
  );
  return (
    <section className="card entry-card" aria-label="Entries">
      <header className="plot-head">
        <h2>Entries</h2>
        <SelectField<EntryReason | ''>
          className="pick"
          label="Reason"
          name="entry-reason"
          value={reason}
          options={[['', 'All reasons'], ...ENTRY_REASONS.map((known) => [known, REASONS[known]] as const)]}
          onChange={setReason}
        />
      </header>
      {isRead && entries.length === 0 && (
        <p className="empty">
          {reason === '' ? 'No entries yet. Rewards, purchases and usage appear here.' : 'No entry has this reason.'}
        </p>
      )}
      <ol className="entry-rows">
        {entries.slice(0, rows).map(({ name, entry }) => (
          <Row key={entry.ledger_entry_id} name={name} entry={entry} />
        ))}
      </ol>
      {entries.length > rows && <Button word="Older entries" onClick={() => setRows(rows + ROWS)} />}
    </section>
  );
}

function Row({ name, entry }: { readonly name: string; readonly entry: LedgerEntry }) {
  const { open } = useVillage();
  const [proving, setProving] = useState(false);
  return (
    <li className="entry-row" data-entry={entry.ledger_entry_id}>
      <span className="entry-who">
        <Avatar id={entry.agent_id} size={24} />
        {name}
      </span>
      <AmountChange of={entry.amount} />
      <span className="entry-text">
        <EntryLabel entry={entry} />
        {entry.note !== '' && <small>{entry.note}</small>}
        {entry.related_post_id !== null && (
          <LinkButton
            word="Open the post"
            onClick={() => open({ view: 'board', posts: 'all', post: entry.related_post_id })}
          />
        )}{' '}
        <VerifyButton open={proving} onOpen={setProving} />
      </span>
      <span className="entry-after">
        <span className="sr-only">Balance after this entry: </span>
        <Amount of={entry.balance_after} />
      </span>
      <Time at={entry.timestamp} word={minuteTime(entry.timestamp)} />
      {proving && <Proof shown={{ kind: 'entry', entry }} />}
    </li>
  );
}

/** Maximum number of lines in the plot: a reader can tell apart this many colours and dashes. */
const CHOSEN_MAX = 5;
const HOUR_MS = 3_600_000;
const RANGES = [
  { key: 'hour', word: 'Hour', lengthMs: HOUR_MS },
  { key: 'day', word: 'Day', lengthMs: 24 * HOUR_MS },
  { key: 'week', word: 'Week', lengthMs: 168 * HOUR_MS },
  { key: 'month', word: 'Month', lengthMs: 720 * HOUR_MS },
] as const;
type Range = (typeof RANGES)[number];

export function LedgerPage() {
  return (
    <Page
      title="Ledger"
      intro="Every transfer of aiDollars. Entries never change: another entry corrects a mistake."
      needs="ledger:read"
    >
      <Ledger />
    </Page>
  );
}

function Ledger() {
  const { open } = useVillage();
  const details = useVillageState((state) => state.details);
  const who = useVillageState((state) => state.place.who);
  const agents = useMemo(() => byBalance([...details.values()]), [details]);
  const chosen = useMemo(() => {
    const named = chosenOf(who, CHOSEN_MAX);
    return named.length > 0 ? named : agents.slice(0, 2).map(({ agent_id: id }) => id);
  }, [who, agents]);
  const toggle = (id: string): void => {
    const next = chosen.includes(id) ? chosen.filter((other) => other !== id) : [...chosen, id].slice(-CHOSEN_MAX);
    open({ who: next.length === 0 ? null : next.join(',') });
  };
  if (agents.length === 0)
    return (
      <p className="card empty">
        <b>No agents yet.</b> Each agent appears here with its balance as soon as you create it.
      </p>
    );
  return (
    <div className="ledger">
      <AgentList agents={agents} chosen={chosen} onToggle={toggle} />
      <div className="ledger-main">
        <MoneyDays />
        <Pictures chosen={chosen} details={details} />
      </div>
    </div>
  );
}

type PicturesProps = Readonly<{ chosen: readonly string[]; details: ReadonlyMap<string, AgentDetail> }>;

function Pictures({ chosen, details }: PicturesProps) {
  const [range, setRange] = useState<Range>(RANGES[1]);
  // Rounds up to the minute, so that the query changes only once a minute.
  const nowMs = Math.ceil(useNow(10_000) / 60_000) * 60_000;
  const fromMs = nowMs - range.lengthMs;
  const { histories, refused, reading } = useHistories(chosen, fromMs);
  const tiers = useTiers();
  const known = chosen.map((id) => ({
    id,
    name: details.get(id)?.display_name ?? id,
    history: histories.get(id) ?? NO_HISTORY,
  }));
  const series = useMemo(
    () => known.map(({ id, name, history }) => seriesOf({ id, name }, history)),
    [histories, chosen, details],
  ); // eslint-disable-line react-hooks/exhaustive-deps
  const levels = useMemo(
    () =>
      (tiers.data?.entitlements ?? []).map((tier) => ({
        value: Number(tier.min_balance),
        word: tierLabel([tier], tier.name),
      })),
    [tiers.data],
  );
  const short = known.filter(({ history }) => history.entries.length > 0 && !reaches(history, fromMs));
  const flow = flowOf(
    known.map(({ history }) => history),
    fromMs,
  );
  const flows = known.map(({ id, name, history }) => ({ id, name, ...flowOf([history], fromMs) }));
  return (
    <>
      <section className="card plot-card" aria-label="Balances over time">
        <header className="plot-head">
          <h2>Balances</h2>
          <ul className="plot-legend">
            {series.map(({ id, name }, index) => (
              <li key={id} className={`plot-series-${index % 5}`}>
                <PlotKey />
                {name}
              </li>
            ))}
          </ul>
          <Choices
            label="Time shown"
            keys={RANGES.map(({ key }) => key)}
            value={range.key}
            wordOf={(key) => rangeOf(key).word}
            onChange={(key) => setRange(rangeOf(key))}
            small
          />
        </header>
        {refused !== null && <RefusedNotice refused={refused} />}
        <StepPlot
          label="Balances over time. Arrow keys move from change to change."
          series={series}
          levels={levels}
          fromMs={fromMs}
          toMs={nowMs}
          format={amountLabel}
        />
        <p className="hint" role="status">
          {reading ? (
            'Loading the entries…'
          ) : (
            <>
              In this {range.word.toLowerCase()} the agents <Flows {...flow} />.
            </>
          )}
          {short.length > 0 && (
            <>
              {' '}
              {short.map(({ name }) => name).join(' and ')}: too many entries for one plot, so the line begins later.
            </>
          )}
        </p>
        {!reading && flows.length > 1 && (
          <ul className="flows">
            {flows.map(({ id, name, ...sums }) => (
              <li key={id} data-flow={id}>
                {name} <Flows {...sums} />
              </li>
            ))}
          </ul>
        )}
        <PlotTable series={series} fromMs={fromMs} toMs={nowMs} format={amountLabel} />
      </section>
      <EntryTable accounts={known} isRead={chosen.every((id) => histories.has(id))} />
    </>
  );
}

function Flows({ gained, spent, taken }: ReturnType<typeof flowOf>) {
  return (
    <>
      received <Flow sign="+" amount={gained} look="entry-given" />
      {taken > 0 ? ', ' : ' and '}
      spent <Flow sign="−" amount={spent} look="entry-taken" />
      {taken > 0 && (
        <>
          {' '}
          and lost <Flow sign="−" amount={taken} look="entry-taken" /> to penalties and corrections
        </>
      )}
    </>
  );
}

/** A sum with its sign; zero has neither sign nor colour. */
function Flow({ sign, amount, look }: Readonly<{ sign: '+' | '−'; amount: number; look: string }>) {
  return amount === 0 ? (
    <b>{amountLabel(0)}</b>
  ) : (
    <b className={look}>
      {sign}
      {amountLabel(amount)}
    </b>
  );
}

const rangeOf = (key: Range['key']): Range => RANGES.find((range) => range.key === key) ?? RANGES[1];

const amountLabel = (value: number): string => shortMoneyLabel(String(value));

function byBalance(agents: readonly AgentDetail[]): AgentDetail[] {
  return agents.toSorted(
    (left, right) =>
      Number(right.balance ?? 0) - Number(left.balance ?? 0) || left.display_name.localeCompare(right.display_name),
  );
}

const AGENTS_MAX = 100;
const FILTER_FROM = 8;

interface ListProps {
  readonly agents: readonly AgentDetail[];
  readonly chosen: readonly string[];
  readonly onToggle: (id: string) => void;
}

function AgentList({ agents, chosen, onToggle }: ListProps) {
  const showAgent = useShowAgent();
  const tiers = useTiers().data?.entitlements ?? [];
  const [filter, setFilter] = useState('');
  const wanted = filter.trim().toLowerCase();
  const found = agents.filter(
    ({ agent_id: id, display_name: name }) =>
      wanted === '' || id.includes(wanted) || name.toLowerCase().includes(wanted),
  );
  return (
    <section className="card accounts" aria-label="Agents">
      <header className="accounts-head">
        <h2>Agents</h2>
        <p className="hint">
          <Amount of={sumOf(agents.map(({ balance }) => balance ?? '0'))} /> in all
        </p>
      </header>
      {agents.length >= FILTER_FROM && <FilterField label="Find an agent" value={filter} onChange={setFilter} />}
      <ul>
        {found.slice(0, AGENTS_MAX).map((agent) => (
          <li key={agent.agent_id} className="account-row" data-account={agent.agent_id}>
            <label className="check">
              <input
                type="checkbox"
                checked={chosen.includes(agent.agent_id)}
                onChange={() => onToggle(agent.agent_id)}
                aria-label={`Show ${agent.display_name} in the plot`}
              />
              <Avatar id={agent.agent_id} size={28} dimmed={agent.power === 'Asleep'} />
            </label>
            <button
              type="button"
              className="account-open"
              onClick={() => showAgent(agent.agent_id, { tab: 'money' })}
              title={`Open the money of ${agent.display_name}`}
            >
              <b>{agent.display_name}</b>
              <small>
                {tierLabel(tiers, agent.tier)}
                {agent.entitlement.policy === 'Pinned' ? ', pinned' : ''}
              </small>
            </button>
            <span className="account-sum">{agent.balance === null ? 'unknown' : <Amount of={agent.balance} />}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="empty">No agent has this name.</p>}
      {found.length > AGENTS_MAX && <p className="empty">{found.length - AGENTS_MAX} more: use the filter above.</p>}
    </section>
  );
}

/** Maximum number of changes in the table, the newest: a longer table helps no reader. */
const ROWS_MAX = 100;

interface TableProps {
  readonly series: readonly Series[];
  readonly fromMs: number;
  readonly toMs: number;
  format(value: number): string;
}

function PlotTable({ series, fromMs, toMs, format }: TableProps) {
  return (
    <details className="plot-table">
      <summary>Show as a table</summary>
      <div className="scroll-x">
        <table className="times">
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map(({ id, name }) => (
                <th key={id} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {instantsOf(series, fromMs, toMs)
              .slice(-ROWS_MAX)
              .toReversed()
              .map((atMs) => (
                <tr key={atMs}>
                  <th scope="row">{dateTime(Math.floor(atMs / 1000) * 1000)}</th>
                  {series.map(({ id, points }) => {
                    const value = valueAt(points, atMs);
                    return <td key={id}>{value === null ? 'not yet' : format(value)}</td>;
                  })}
                </tr>
              ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

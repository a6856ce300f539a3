import type { AgentDetail } from '@hamlet/contract';
import { type ReactElement, useMemo, useState } from 'react';
import './ledger.css';
import { Choices } from '../../ui/choices.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useNow } from '../../ui/use-now.ts';
import { moneyWords } from '../money/money-words.ts';
import { Page } from '../navigation/page.tsx';
import { useTiers } from '../tiers/use-tiers.ts';
import { useVillage, useVillageState } from '../village-context.ts';
import { AccountList } from './account-list.tsx';
import { EntryTable } from './entry-table.tsx';
import { chosenOf, flowOf, NO_HISTORY, reaches, seriesOf } from './history.ts';
import { PlotKey, StepPlot } from './plot/step-plot.tsx';
import { PlotTable } from './plot/plot-table.tsx';
import { useHistories } from './use-histories.ts';

/** Lines that can still be told apart. */
const CHOSEN_MAX = 5;
const HOUR_MS = 3_600_000;
const RANGES = [
  { key: 'hour', word: 'Hour', lengthMs: HOUR_MS },
  { key: 'day', word: 'Day', lengthMs: 24 * HOUR_MS },
  { key: 'week', word: 'Week', lengthMs: 168 * HOUR_MS },
  { key: 'month', word: 'Month', lengthMs: 720 * HOUR_MS },
] as const;
type Range = (typeof RANGES)[number];

/** Balances over time beside each other, every account, and every entry of those that are chosen. */
export function LedgerPage(): ReactElement {
  return (
    <Page
      title="Ledger"
      intro="Every aiDollar that came or went. Entries are never changed: what was wrong is put right by another."
      needs="ledger:read"
    >
      <Ledger />
    </Page>
  );
}

function Ledger(): ReactElement {
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
        <b>No accounts yet.</b> An agent has one from its first life on.
      </p>
    );
  return (
    <div className="ledger">
      <AccountList agents={agents} chosen={chosen} onToggle={toggle} />
      <div className="ledger-main">
        <Pictures chosen={chosen} details={details} />
      </div>
    </div>
  );
}

function Pictures({
  chosen,
  details,
}: {
  readonly chosen: readonly string[];
  readonly details: ReadonlyMap<string, AgentDetail>;
}): ReactElement {
  const [range, setRange] = useState<Range>(RANGES[1]);
  // To the minute, so that what is asked does not change with every tick.
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
      (tiers.data?.entitlements ?? []).map(({ name, min_balance: least }) => ({ value: Number(least), word: name })),
    [tiers.data],
  );
  const short = known.filter(({ history }) => history.entries.length > 0 && !reaches(history, fromMs));
  const flow = flowOf(
    known.map(({ history }) => history),
    fromMs,
  );
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
          <RangeField range={range} onRange={setRange} />
        </header>
        {refused !== null && <RefusedNotice refused={refused} />}
        <StepPlot
          label="Balances over time; arrow keys read them"
          series={series}
          levels={levels}
          fromMs={fromMs}
          toMs={nowMs}
          format={words}
        />
        <p className="hint" role="status">
          {reading ? (
            'Reading the entries…'
          ) : (
            <>
              In this {range.word.toLowerCase()} <b className="entry-given">+{words(flow.gained)}</b> came and{' '}
              <b className="entry-taken">−{words(flow.spent)}</b> went.
            </>
          )}
          {short.length > 0 && (
            <>
              {' '}
              Of {short.map(({ name }) => name).join(' and ')} there are too many entries for one picture: the line
              begins later.
            </>
          )}
        </p>
        <PlotTable series={series} fromMs={fromMs} toMs={nowMs} format={words} />
      </section>
      <EntryTable accounts={known} />
    </>
  );
}

function rangeOf(key: Range['key']): Range {
  return RANGES.find((range) => range.key === key) ?? RANGES[1];
}

function RangeField({
  range,
  onRange,
}: {
  readonly range: Range;
  readonly onRange: (range: Range) => void;
}): ReactElement {
  return (
    <Choices
      label="How far back"
      keys={RANGES.map(({ key }) => key)}
      chosen={range.key}
      wordOf={(key) => rangeOf(key).word}
      onChoose={(key) => onRange(rangeOf(key))}
      small
    />
  );
}

/** A number of aiDollars, which a picture is made of, in words; at most six places, as the books have. */
function words(value: number): string {
  return moneyWords(String(Number(value.toFixed(6))));
}

function byBalance(agents: readonly AgentDetail[]): AgentDetail[] {
  return agents.toSorted(
    (left, right) =>
      Number(right.balance ?? 0) - Number(left.balance ?? 0) || left.display_name.localeCompare(right.display_name),
  );
}

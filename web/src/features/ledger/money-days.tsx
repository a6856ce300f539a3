import { type DaySums, listMoneyDays, type MoneyDay, MONEY_DAYS_MAX } from '@hamlet/contract';
import { useState } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { Avatar, LinkButton, Unread } from '../../ui/controls.tsx';
import { Choices } from '../../ui/fields.tsx';
import { useAgentName, useShowAgent } from '../village-context.ts';
import { costsLabel, dayLabel, roundedLabel } from './day-labels.ts';
import './money-days.css';

const EVERY_MS = 30_000;
const LENGTHS = { week: { word: 'Week', days: 7 }, month: { word: 'Month', days: MONEY_DAYS_MAX } } as const;
type Length = keyof typeof LENGTHS;

/** Sums of each day of the village, and of each agent in the chosen day: who spent what. */
export function MoneyDays() {
  const [length, setLength] = useState<Length>('week');
  const [chosen, setChosen] = useState<string | null>(null);
  const { data, refused } = useLive(listMoneyDays, { query: { days: LENGTHS[length].days } }, EVERY_MS);
  const day = data?.days.find((each) => each.day === chosen) ?? data?.days[0];
  return (
    <section className="card money-days" aria-label="Sums of each day">
      <header className="plot-head">
        <h2>Spent each day</h2>
        <Choices
          label="Days shown"
          keys={['week', 'month']}
          value={length}
          wordOf={(key) => LENGTHS[key].word}
          onChange={setLength}
          small
        />
      </header>
      {data === null || day === undefined ? (
        <Unread refused={refused} />
      ) : (
        <>
          <Bars days={data.days} chosen={day.day} onChoose={setChosen} />
          <DayTable day={day} isToday={day === data.days[0]} />
          <p className="hint">
            In ai$, rounded. A day begins at midnight in {data.time_zone}.
            {day.total.costs !== null &&
              " “At providers” adds up the requests to models by the providers' prices on the page Models at the time of each request; requests without a known price do not count."}
          </p>
        </>
      )}
    </section>
  );
}

type BarsProps = Readonly<{ days: readonly MoneyDay[]; chosen: string; onChoose: (day: string) => void }>;

function Bars({ days, chosen, onChoose }: BarsProps) {
  const most = Math.max(...days.map(({ total }) => Number(total.spent)), Number.MIN_VALUE);
  return (
    <ol className="day-bars">
      {days.toReversed().map(({ day, total }) => (
        <li key={day}>
          <button
            type="button"
            aria-pressed={day === chosen}
            aria-label={`${dayLabel(day)}: ${roundedLabel(total.spent)} ai$ spent`}
            title={`${dayLabel(day)}: ${roundedLabel(total.spent)} ai$`}
            onClick={() => onChoose(day)}
            data-day={day}
          >
            <span className="day-bar" style={{ height: `${(Number(total.spent) / most) * 100}%` }} />
          </button>
          <small aria-hidden="true">{Number(day.slice(-2))}</small>
        </li>
      ))}
    </ol>
  );
}

function DayTable({ day, isToday }: { readonly day: MoneyDay; readonly isToday: boolean }) {
  const priced = day.total.costs !== null;
  return (
    <div className="scroll-x">
      <table className="times day-table" data-day={day.day}>
        <caption>
          {isToday ? 'Today, ' : ''}
          {dayLabel(day.day)}
        </caption>
        <thead>
          <tr>
            <th scope="col">Agent</th>
            <th scope="col">Spent</th>
            <th scope="col">Received</th>
            <th scope="col">Lost</th>
            {priced && <th scope="col">At providers</th>}
          </tr>
        </thead>
        <tbody>
          {day.agents.map((agent) => (
            <tr key={agent.agent_id} data-agent={agent.agent_id}>
              <th scope="row">
                <AgentLink id={agent.agent_id} />
              </th>
              <SumCells sums={agent} />
            </tr>
          ))}
          {day.agents.length === 0 && (
            <tr>
              <td colSpan={priced ? 5 : 4}>No agent received or spent money on this day.</td>
            </tr>
          )}
        </tbody>
        <tfoot>
          <tr>
            <th scope="row">{day.left_out === 0 ? 'All agents' : `All agents, with ${day.left_out} more`}</th>
            <SumCells sums={day.total} />
          </tr>
        </tfoot>
      </table>
    </div>
  );
}

function SumCells({ sums }: { readonly sums: DaySums }) {
  return (
    <>
      <td>{roundedLabel(sums.spent)}</td>
      <td>{roundedLabel(sums.received)}</td>
      <td>{roundedLabel(sums.lost)}</td>
      {sums.costs !== null && <td>{costsLabel(sums)}</td>}
    </>
  );
}

function AgentLink({ id }: { readonly id: string }) {
  const showAgent = useShowAgent();
  return (
    <>
      <Avatar id={id} size={20} />{' '}
      <LinkButton word={useAgentName(id)} onClick={() => showAgent(id, { tab: 'money' })} />
    </>
  );
}

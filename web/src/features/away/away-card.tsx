import { type AwayGroup, type CallData, getAway, markSeen } from '@hamlet/contract';
import { type MouseEvent, useEffect } from 'react';
import { capital } from '../../client/labels.ts';
import { useAsking, useLive } from '../../client/query/use-live.ts';
import { Button, Icon, Time, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { linkedPlace } from '../attention/linked-place.ts';
import { useAgentName, useVillage, useVillageState } from '../village-context.ts';
import { groupIcon, groupTitle, isBack } from './away-labels.ts';
import { useUnread } from './use-unread.ts';
import './away.css';

/** Well below half an hour, so that a person who looks is never away. */
const LOOK_MS = 5 * 60_000;

/** Notes each look of a signed-in person, and shows on the map what changed if they come back. */
export function AwayCard() {
  const { api } = useAsking();
  const onMap = useVillageState((state) => state.place.view === 'map');
  const { sessions } = useUnread();
  // A read answer leaves the card, and so does a post that its person read on another page.
  const version = `${onMap} ${sessions.size}`;
  const { data, again } = useLive(getAway, {}, { everyMs: LOOK_MS, version });
  const back = data !== null && isBack(data);
  const until = data?.until ?? null;
  const mark = (): ReturnType<typeof api.call<typeof markSeen>> =>
    api.call(markSeen, { body: { things: ['village'], ...(until === null ? {} : { until }) } });
  useEffect(() => {
    // The card keeps the time of the last look until its person closes it.
    if (until !== null && !back) void mark();
  }, [until, back]);
  if (!back || !onMap) return null;
  const close = (): void => void mark().then(({ ok }) => ok && again());
  return <Card away={data} onSeen={close} />;
}

type CardProps = Readonly<{ away: CallData<typeof getAway>; onSeen: () => void }>;

function Card({ away, onSeen }: CardProps) {
  const now = useNow(30_000);
  return (
    <section className="away panel" aria-label="While you were away">
      <header className="panel-head">
        <h2>While you were away</h2>
        <Button icon="check" word="Seen" onClick={onSeen} data-action="seen" />
      </header>
      <p className="hint">Since your last look {timeAgo(away.since ?? away.until, now)}</p>
      <ul>
        {away.groups.map((group) => (
          <Group key={group.kind} group={group} now={now} />
        ))}
      </ul>
    </section>
  );
}

function Group({ group, now }: Readonly<{ group: AwayGroup; now: number }>) {
  const { kind, newest } = group;
  const { select, open } = useVillage();
  const name = useAgentName(newest.agent_id ?? '');
  const go = (event: MouseEvent): void => {
    // With a modifier key the browser opens the link in a new tab.
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { agent, place } = linkedPlace(newest.link);
    select(agent);
    open(place);
  };
  return (
    <li data-away={kind} data-count={group.count}>
      <a href={newest.link} className="away-group" onClick={go}>
        <Icon name={groupIcon(kind)} size={16} />
        <span className="away-text">
          <b>{groupTitle(group)}</b>
          <span>{newest.agent_id === null ? capital(newest.line) : `${name} ${newest.line}`}</span>
        </span>
        <Time at={newest.at} word={timeAgo(newest.at, now)} />
      </a>
    </li>
  );
}

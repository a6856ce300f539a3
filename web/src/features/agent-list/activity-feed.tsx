import { getVillageTimeline, roleMay } from '@hamlet/contract';
import { useMemo } from 'react';
import type { FeedEntry } from '../../client/app-state.ts';
import { useLive } from '../../client/query/use-live.ts';
import { Icon, useNow } from '../../ui/controls.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { VillageMark } from '../scripted/village-mark.tsx';
import { useAgentName, useHintedPace, useRole, useVillage, useVillageState } from '../village-context.ts';
import { mergedFeed, type WorkEntry, workEntries } from './work-entries.ts';

const ICONS: Readonly<Record<FeedEntry['kind'] | WorkEntry['kind'], IconName>> = {
  speech: 'speech',
  walk: 'walking',
  activity: 'star',
  power: 'power',
  item: 'bag',
  run: 'play',
  done: 'check',
  failed: 'alert',
  stopped: 'stop',
  wait: 'shield',
  purchase: 'coin',
  delivery: 'bag',
  judgement: 'coin',
};
const SHOWN = 12;
/** Number of entries to read. More than the list shows: a run that began before the others may have changed last. */
const READ = 24;
const EVERY_MS = 5_000;

/** The last acts of agents: their work, their waits and purchases, and events on the map. */
export function ActivityFeed() {
  const world = useVillageState((state) => state.feed);
  const work = useWork();
  const now = useNow(10_000);
  const empty = roleMay(useRole(), 'runs:read')
    ? 'Nothing yet. The work of agents appears here.'
    : 'Sign in to see the work of agents.';
  const shown = mergedFeed(work, world, SHOWN);
  return (
    <section className="activity-feed" aria-label="Activity">
      <h3>
        Activity <VillageMark word="scripted speech" />
      </h3>
      {shown.length === 0 && <p className="empty">{empty}</p>}
      <ol>
        {shown.map((entry) => (
          <li key={entry.id}>
            <Line entry={entry} now={now} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function useWork(): readonly WorkEntry[] {
  const mayRead = roleMay(useRole(), 'runs:read');
  const input = mayRead ? { query: { limit: READ } } : null;
  const { data } = useLive(getVillageTimeline, input, useHintedPace(EVERY_MS));
  return useMemo(() => workEntries(data?.entries ?? []), [data]);
}

function Line({ entry, now }: Readonly<{ entry: WorkEntry | FeedEntry; now: number }>) {
  const { select, open } = useVillage();
  const { agentId, kind, text, atMs } = entry;
  const name = useAgentName(agentId);
  return (
    <button
      type="button"
      className="activity"
      data-activity={kind}
      onClick={() => ('open' in entry ? open(entry.open) : select(agentId))}
    >
      <span className={`activity-icon activity-${kind}`}>
        <Icon name={ICONS[kind]} size={14} />
      </span>
      <span className="activity-text">
        <b>{name}</b> {text}
      </span>
      <time dateTime={new Date(atMs).toISOString()}>{timeAgo(new Date(atMs).toISOString(), now)}</time>
    </button>
  );
}

import { listDeliverables, listPurchases, listRuns, roleMay } from '@hamlet/contract';
import { useMemo } from 'react';
import type { FeedEntry } from '../../client/app-state.ts';
import { useLive } from '../../client/query/use-live.ts';
import { Icon, useNow } from '../../ui/controls.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { usePending } from '../permissions/use-pending.ts';
import { VillageMark } from '../scripted/village-mark.tsx';
import { useAgentName, useRole, useVillage, useVillageState } from '../village-context.ts';
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
};
const SHOWN = 12;
const RUNS_MS = 5_000;
const PURCHASES_MS = 20_000;
const DELIVERIES_MS = 10_000;

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
  const role = useRole();
  const pending = usePending().data;
  const newest = roleMay(role, 'runs:read') ? { query: { limit: SHOWN } } : null;
  const runs = useLive(listRuns, newest, RUNS_MS).data;
  const delivered = useLive(listDeliverables, newest, DELIVERIES_MS).data;
  const mayTrade = roleMay(role, 'trade:read');
  const bought = useLive(listPurchases, mayTrade ? { query: { limit: SHOWN } } : null, PURCHASES_MS).data;
  return useMemo(
    () =>
      workEntries({
        runs: runs?.runs ?? [],
        permissions: pending?.permissions ?? [],
        purchases: bought?.purchases ?? [],
        deliveries: delivered?.artifacts ?? [],
      }),
    [runs, pending, bought, delivered],
  );
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

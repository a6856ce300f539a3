import type { ReactElement } from 'react';
import type { FeedEntry } from '../../client/app-state.ts';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { clockTime } from '../../ui/time-labels.ts';
import { useVillage, useVillageState } from '../village-context.ts';

const ICONS: Readonly<Record<FeedEntry['kind'], IconName>> = {
  speech: 'speech',
  walk: 'walking',
  activity: 'star',
  power: 'power',
  item: 'bag',
};
const SHOWN = 12;

/** The newest events of the world. */
export function ActivityFeed(): ReactElement {
  const feed = useVillageState((state) => state.feed);
  const { select } = useVillage();
  return (
    <section className="activity-feed" aria-label="Activity">
      <h3>Activity</h3>
      {feed.length === 0 && <p className="empty">Quiet at the moment.</p>}
      <ol>
        {feed.slice(0, SHOWN).map((entry) => (
          <li key={entry.id}>
            <button type="button" className="activity" onClick={() => select(entry.agentId)}>
              <span className={`activity-icon activity-${entry.kind}`}>
                <Icon name={ICONS[entry.kind]} size={14} />
              </span>
              <span className="activity-text">
                <b>{entry.name}</b> {entry.text}
              </span>
              <time>{clockTime(entry.minute)}</time>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

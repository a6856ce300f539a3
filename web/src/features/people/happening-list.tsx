import type { ReactElement } from 'react';
import type { Happening } from '../../client/happenings.ts';
import { Icon } from '../../ui/icon.tsx';
import type { IconName } from '../../ui/icon-paths.ts';
import { clockTime } from '../../ui/time-words.ts';
import { useVillage, useVillageState } from '../village-context.ts';

const ICONS: Readonly<Record<Happening['kind'], IconName>> = {
  speech: 'speech',
  walk: 'walking',
  activity: 'star',
  power: 'power',
  item: 'bag',
};
const SHOWN = 12;

/** What has just happened, newest first. */
export function HappeningList(): ReactElement {
  const happenings = useVillageState((state) => state.happenings);
  const { select } = useVillage();
  return (
    <section className="happenings" aria-label="Happening now">
      <h3>Happening now</h3>
      {happenings.length === 0 && <p className="empty">Quiet at the moment.</p>}
      <ol>
        {happenings.slice(0, SHOWN).map((happening) => (
          <li key={happening.id}>
            <button type="button" className="happening" onClick={() => select(happening.agentId)}>
              <span className={`happening-icon happening-${happening.kind}`}>
                <Icon name={ICONS[happening.kind]} size={14} />
              </span>
              <span className="happening-text">
                <b>{happening.name}</b> {happening.text}
              </span>
              <time>{clockTime(happening.minute)}</time>
            </button>
          </li>
        ))}
      </ol>
    </section>
  );
}

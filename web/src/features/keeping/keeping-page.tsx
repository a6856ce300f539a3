import type { Keeping, KeptThing } from '@hamlet/contract';
import { getKeeping } from '@hamlet/contract';
import './keeping.css';
import { useLive } from '../../client/query/use-live.ts';
import { Unread } from '../../ui/controls.tsx';
import { Page } from '../navigation/page.tsx';
import { ArchiveCard } from './archive-card.tsx';
import { sizeLabel } from '../results/result-labels.ts';
import { deletedLabel, groupsOf, rowsLabel, shareOf, termLabel } from './keeping-labels.ts';

const EVERY_MS = 60_000;

export function KeepingPage() {
  return (
    <Page
      title="Everything this village keeps"
      intro="The content of the database: how long it stays, what deletes it, and how much of the disk it takes. Numbers of rows are estimates."
      needs="audit:read"
    >
      <Things />
    </Page>
  );
}

function Things() {
  const { data, refused } = useLive(getKeeping, {}, EVERY_MS);
  if (data === null) return <Unread refused={refused} />;
  return (
    <>
      <p className="summary">
        The database takes <b>{sizeLabel(data.database_bytes)}</b>. Workspaces and memories of agents are on volumes of
        their own, beside it.
      </p>
      <ArchiveCard archive={data.archive} />
      {groupsOf(data).map(({ word, things }) => (
        <section key={word} className="keeping-group">
          <h2 className="page-section">{word}</h2>
          <ul className="card keeping-list">
            {things.map((thing) => (
              <Thing key={thing.id} thing={thing} of={data} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Thing({ thing, of }: Readonly<{ thing: KeptThing; of: Keeping }>) {
  return (
    <li className="keeping-thing" data-kept={thing.id}>
      <div>
        <h3>{thing.title}</h3>
        <p>{thing.rule}</p>
        <details>
          <summary>{thing.tables.length === 1 ? '1 table' : `${thing.tables.length} tables`}</summary>
          <code>{thing.tables.join(', ')}</code>
        </details>
      </div>
      <p className="keeping-term">
        <b>{termLabel(thing)}</b>
        <small>{deletedLabel(thing)}</small>
      </p>
      <p className="keeping-size">
        <b>{sizeLabel(thing.bytes)}</b>
        <small>{rowsLabel(thing.rows)}</small>
        <span className="keeping-bar" style={{ inlineSize: `${shareOf(thing, of)}%` }} />
      </p>
    </li>
  );
}

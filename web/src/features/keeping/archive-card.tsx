import type { Archive } from '@hamlet/contract';
import { Fact, Notice } from '../../ui/controls.tsx';
import { dateTime } from '../../ui/time-labels.ts';
import { sizeLabel } from '../results/result-labels.ts';
import { archiveSentence, problemSentence } from './archive-labels.ts';

const timeOf = (iso: string | null): string => (iso === null ? 'none yet' : dateTime(Date.parse(iso)));

/** To which moments the village can be restored. */
export function ArchiveCard({ archive }: Readonly<{ archive: Archive | null }>) {
  const problem = archive === null ? null : problemSentence(archive);
  return (
    <section className="keeping-group" data-archive={archive === null ? 'off' : 'on'}>
      <h2 className="page-section">Restore to a second</h2>
      <div className="card keeping-archive">
        <p>{archiveSentence(archive)}</p>
        {problem !== null && (
          <Notice tone="waiting" icon="alert" role="alert">
            {problem}
          </Notice>
        )}
        {archive !== null && (
          <dl className="facts">
            <Fact name="From">{timeOf(archive.earliest)}</Fact>
            <Fact name="To">{timeOf(archive.latest)}</Fact>
            <Fact name="Newest base backup">{timeOf(archive.base_at)}</Fact>
            <Fact name="Size">
              {sizeLabel(archive.bytes)} of {sizeLabel(archive.limit_bytes)}
            </Fact>
          </dl>
        )}
      </div>
    </section>
  );
}

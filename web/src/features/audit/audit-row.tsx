import type { AuditRecord } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { dateTime } from '../../ui/time-words.ts';
import { actorWords } from '../people/actor-words.ts';
import { Proof, VerifyButton } from '../proof/verify-record.tsx';
import { useViewerId } from '../village-context.ts';
import { type AuditNarrowing, detailLines } from './audit-words.ts';

/** One record in a line: when, who, what, to whom; opened, all of its facts. */
export function AuditRow({
  record,
  onNarrow,
}: {
  readonly record: AuditRecord;
  readonly onNarrow: (change: Partial<AuditNarrowing>) => void;
}): ReactElement {
  const viewer = useViewerId();
  const [open, setOpen] = useState(false);
  const [proving, setProving] = useState(false);
  const actor = actorWords(record.actor_id, record.actor_role, viewer);
  return (
    <li className="audit-row" data-record={record.record_id} data-action={record.action}>
      <time dateTime={record.at} title={record.at}>
        {dateTime(Math.floor(Date.parse(record.at) / 1000) * 1000)}
      </time>
      <button
        type="button"
        className="audit-who"
        onClick={() => onNarrow({ actor: record.actor_id })}
        title={`Only what ${actor} did`}
      >
        {actor}
      </button>
      <button type="button" className="audit-open" aria-expanded={open} onClick={() => setOpen(!open)}>
        <code>{record.action}</code>
      </button>
      <button
        type="button"
        className="audit-what"
        onClick={() => onNarrow({ object: record.object })}
        title="Only what was done to this"
      >
        {record.object}
      </button>
      {open && (
        <dl className="audit-facts">
          {detailLines(record).map(({ name, value }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
          <div>
            <dt>record</dt>
            <dd>
              <code>{record.record_id}</code> <VerifyButton open={proving} onOpen={setProving} />
            </dd>
          </div>
        </dl>
      )}
      {open && proving && <Proof shown={{ kind: 'record', record }} />}
    </li>
  );
}

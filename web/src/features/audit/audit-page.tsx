import { type AuditRecord, listAudit } from '@hamlet/contract';
import { type ReactElement, useCallback, useMemo, useState } from 'react';
import './audit.css';
import type { Reply } from '../../client/api.ts';
import type { PageOf } from '../../client/ask/pages-state.ts';
import { usePages } from '../../client/ask/use-pages.ts';
import { MoreButton } from '../../ui/more-button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { dateTime } from '../../ui/time-words.ts';
import { Page } from '../navigation/page.tsx';
import { SearchField } from '../navigation/search-field.tsx';
import { actorWords } from '../people/actor-words.ts';
import { Proof, VerifyButton } from '../proof/verify-record.tsx';
import { useViewerId, useVillage, useVillageState } from '../village-context.ts';
import { addressOf, AREAS, type AuditNarrowing, auditQuery, detailLines, EVERYTHING, narrowingOf, SINCE } from './audit-labels.ts';

const PAGES = { everyMs: 8000, idOf: (record: AuditRecord): string => record.record_id };
const PAGE = 50;

/** Who did what to whom: every act and every movement of money, newest first. */
export function AuditPage(): ReactElement {
  return (
    <Page
      title="Audit"
      intro="Who did what, and when: every act and every movement of money. Records are never changed, and are sealed in the log."
      needs="audit:read"
    >
      <Records />
    </Page>
  );
}

function Records(): ReactElement {
  const { api, open } = useVillage();
  const place = useVillageState((state) => state.place);
  const narrowing = useMemo(() => narrowingOf(place), [place]);
  const question = JSON.stringify(narrowing);
  const query = useMemo(() => auditQuery(narrowing, Date.now()), [question]); // eslint-disable-line react-hooks/exhaustive-deps
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<AuditRecord>>> => {
      const reply = await api.call(listAudit, {
        ...(signal === undefined ? {} : { signal }),
        query: { limit: PAGE, ...query, ...(cursor === null ? {} : { cursor }) },
      });
      return reply.ok ? { ok: true, data: { rows: reply.data.records, next: reply.data.next_cursor } } : reply;
    },
    [api, query],
  );
  const live = usePages(read, { ...PAGES, question });
  const narrow = (change: Partial<AuditNarrowing>): void => open(addressOf(change));
  return (
    <>
      <Filters narrowing={narrowing} onNarrow={narrow} onAll={() => narrow(EVERYTHING)} />
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.rows === null && live.refused === null && (
        <p className="empty" role="status">
          Searching…
        </p>
      )}
      {live.rows?.length === 0 && <p className="card empty">No records match.</p>}
      {live.rows !== null && live.rows.length > 0 && (
        <ol className="card audit-rows">
          {live.rows.map((record) => (
            <AuditRow key={record.record_id} record={record} onNarrow={narrow} />
          ))}
        </ol>
      )}
      <MoreButton more={live.more} word="Older records" />
    </>
  );
}

interface FiltersProps {
  readonly narrowing: AuditNarrowing;
  readonly onNarrow: (change: Partial<AuditNarrowing>) => void;
  readonly onAll: () => void;
}

function Filters({ narrowing, onNarrow, onAll }: FiltersProps): ReactElement {
  const narrowed = JSON.stringify(narrowing) !== JSON.stringify(EVERYTHING);
  return (
    <div className="filters audit-filters" role="search" aria-label="Narrow the audit">
      <SearchField label="Words in a record" />
      <label className="pick">
        Area
        <select
          name="area"
          value={(AREAS as readonly string[]).includes(narrowing.action) ? narrowing.action : ''}
          onChange={(event) => onNarrow({ action: event.target.value })}
        >
          <option value="">Every area</option>
          {AREAS.map((area) => (
            <option key={area} value={area}>
              {area}
            </option>
          ))}
        </select>
      </label>
      <label className="pick">
        Since
        <select
          name="since"
          value={narrowing.since}
          onChange={(event) => onNarrow({ since: SINCE.find(({ key }) => key === event.target.value)?.key ?? 'all' })}
        >
          {SINCE.map(({ key, word }) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </select>
      </label>
      <label className="pick">
        <input
          type="checkbox"
          name="turns"
          checked={narrowing.turns}
          onChange={(event) => onNarrow({ turns: event.target.checked })}
        />
        With the turns of agents
      </label>
      {narrowing.actor !== '' && <Chip word="By" value={narrowing.actor} onEnd={() => onNarrow({ actor: '' })} />}
      {narrowing.object !== '' && <Chip word="To" value={narrowing.object} onEnd={() => onNarrow({ object: '' })} />}
      {narrowing.action.includes('.') && (
        <Chip word="Did" value={narrowing.action} onEnd={() => onNarrow({ action: '' })} />
      )}
      {narrowed && (
        <button type="button" className="link" onClick={onAll}>
          Show all
        </button>
      )}
    </div>
  );
}

function Chip({
  word,
  value,
  onEnd,
}: {
  readonly word: string;
  readonly value: string;
  readonly onEnd: () => void;
}): ReactElement {
  return (
    <span className="chip">
      {word} <b>{value.length > 28 ? `${value.slice(0, 27)}…` : value}</b>
      <button
        type="button"
        className="icon-button icon-button-small"
        onClick={onEnd}
        aria-label={`Not only ${word.toLowerCase()} ${value}`}
      >
        <span aria-hidden="true">×</span>
      </button>
    </span>
  );
}

/** One record in a line: when, who, what, to whom; opened, all of its facts. */
function AuditRow({
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

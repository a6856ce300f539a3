import { type AuditRecord, listAudit } from '@hamlet/contract';
import { useMemo, useState } from 'react';
import './audit.css';
import { shorten } from '@hamlet/core';
import { usePages } from '../../client/query/use-live.ts';
import { LinkButton, PagedList, Time } from '../../ui/controls.tsx';
import { CheckField, FilterChip, SelectField } from '../../ui/fields.tsx';
import { dateTime } from '../../ui/time-labels.ts';
import { Page } from '../navigation/page.tsx';
import { SearchField } from '../navigation/search-field.tsx';
import { Proof, VerifyButton } from '../proof/verify-record.tsx';
import { useActorLabel, useAgentName, useVillage, useVillageState } from '../village-context.ts';
import type { AuditFilters } from './audit-labels.ts';
import {
  addressOf,
  AREAS,
  auditQuery,
  detailLines,
  factOf,
  filtersOf,
  NO_FILTERS,
  objectLabel,
  pageOf,
  SINCE,
} from './audit-labels.ts';
import { wordsOfAct } from './audit-words.ts';
import { LastDrill } from './last-drill.tsx';

const PAGE = 50;

export function AuditPage() {
  return (
    <Page
      title="Audit"
      intro="Every act and every transfer: who did what, and when. Records never change; the sealed log holds them all."
      needs="audit:read"
    >
      <LastDrill />
      <Records />
    </Page>
  );
}

function Records() {
  const { open } = useVillage();
  const place = useVillageState((state) => state.place);
  const filters = useMemo(() => filtersOf(place), [place]);
  const question = JSON.stringify(filters);
  const query = useMemo(() => auditQuery(filters, Date.now()), [question]); // eslint-disable-line react-hooks/exhaustive-deps
  const live = usePages(
    listAudit,
    { query: { limit: PAGE, ...query } },
    { list: 'records', id: 'record_id', everyMs: 8000 },
  );
  const filter = (change: Partial<AuditFilters>): void => open(addressOf(change));
  return (
    <>
      <Filters filters={filters} onFilter={filter} onAll={() => filter(NO_FILTERS)} />
      <PagedList
        pages={live}
        className="card audit-rows"
        empty="No record matches. Choose fewer filters, or show all."
        card
        older="Older records"
      >
        {(record) => <AuditRow key={record.record_id} record={record} onFilter={filter} />}
      </PagedList>
    </>
  );
}

interface FiltersProps {
  readonly filters: AuditFilters;
  readonly onFilter: (change: Partial<AuditFilters>) => void;
  readonly onAll: () => void;
}

function Filters({ filters, onFilter, onAll }: FiltersProps) {
  const filtered = JSON.stringify(filters) !== JSON.stringify(NO_FILTERS);
  return (
    <div className="filters audit-filters" role="search" aria-label="Filter the audit">
      <SearchField label="Words in a record" />
      <SelectField
        className="pick"
        label="Area"
        name="area"
        value={AREAS.find((area) => area === filters.action) ?? ''}
        options={[['', 'All areas'], ...AREAS.map((area) => [area, area] as const)]}
        onChange={(action) => onFilter({ action })}
      />
      <SelectField
        className="pick"
        label="Time"
        name="since"
        value={filters.since}
        options={SINCE.map(({ key, word }) => [key, word])}
        onChange={(since) => onFilter({ since })}
      />
      <CheckField
        className="pick"
        label="Include turns, model calls and their cost"
        name="turns"
        value={filters.turns}
        onChange={(turns) => onFilter({ turns })}
      />
      {filters.actor !== '' && <Chip word="By" value={filters.actor} onEnd={() => onFilter({ actor: '' })} />}
      {filters.object !== '' && <Chip word="To" value={filters.object} onEnd={() => onFilter({ object: '' })} />}
      {filters.action.includes('.') && (
        <Chip word="Act" value={wordsOfAct(filters.action)[0]} onEnd={() => onFilter({ action: '' })} />
      )}
      {filtered && <LinkButton word="Show all" onClick={onAll} />}
    </div>
  );
}

function Chip({ word, value, onEnd }: Readonly<{ word: string; value: string; onEnd: () => void }>) {
  const short = shorten(useActorLabel(value, null), 28);
  const label = `Remove the filter ${word.toLowerCase()} ${value}`;
  return <FilterChip word={word} value={short} label={label} onEnd={onEnd} />;
}

type AuditRowProps = Readonly<{ record: AuditRecord; onFilter: (change: Partial<AuditFilters>) => void }>;

function AuditRow({ record, onFilter }: AuditRowProps) {
  const [open, setOpen] = useState(false);
  const actor = useActorLabel(record.actor_id, record.actor_role);
  const agent = useAgentName(record.object.replace(/^tier /, ''));
  const account = useActorLabel(record.object, null);
  const named = record.object.startsWith('account ') ? account : agent;
  const object = objectLabel({ ...record, object: named });
  const [verb, before = ''] = wordsOfAct(record.action);
  const fact = factOf(record);
  return (
    <li className="audit-row" data-record={record.record_id} data-action={record.action}>
      <Time at={record.at} word={dateTime(Math.floor(Date.parse(record.at) / 1000) * 1000)} />
      <span className="audit-sentence">
        <button
          type="button"
          className="audit-who"
          onClick={() => onFilter({ actor: record.actor_id })}
          title={`Only acts of ${actor}`}
        >
          {actor}
        </button>{' '}
        <button type="button" className="audit-open" aria-expanded={open} onClick={() => setOpen(!open)}>
          {verb}
        </button>{' '}
        {object !== actor && (
          <>
            {before} <ObjectButton id={record.object} name={object} onFilter={onFilter} />
          </>
        )}
      </span>
      <span className="audit-fact">
        <PageLink record={record} /> {fact !== object && fact}
      </span>
      {open && <AuditFacts record={record} />}
    </li>
  );
}

type ObjectProps = Readonly<{ id: string; name: string }> & Pick<AuditRowProps, 'onFilter'>;

/** Opens the panel of an agent, or filters by another object. */
function ObjectButton({ id, name, onFilter }: ObjectProps) {
  const { select } = useVillage();
  const isAgent = useVillageState((state) => state.details.has(id));
  return (
    <button
      type="button"
      className="audit-what"
      onClick={() => (isAgent ? select(id) : onFilter({ object: id }))}
      title={isAgent ? `Open ${name}` : `Only acts on ${name}`}
    >
      {name}
    </button>
  );
}

function PageLink({ record }: Pick<AuditRowProps, 'record'>) {
  const { open } = useVillage();
  const page = pageOf(record);
  if (page === null) return null;
  const word = page.view === 'board' ? 'Open the post' : 'Open the run';
  return <LinkButton word={word} onClick={() => open(page)} data-action="open-object" />;
}

function AuditFacts({ record }: { readonly record: AuditRecord }) {
  const [proving, setProving] = useState(false);
  return (
    <>
      <dl className="audit-facts">
        <div>
          <dt>act</dt>
          <dd>
            <code>{record.action}</code>
          </dd>
        </div>
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
      {proving && <Proof shown={{ kind: 'record', record }} />}
    </>
  );
}

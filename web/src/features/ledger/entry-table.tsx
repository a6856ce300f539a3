import { ENTRY_REASONS, type EntryReason, type LedgerEntry } from '@hamlet/contract';
import { useMemo, useState } from 'react';
import { Button, LinkButton } from '../../ui/controls.tsx';
import { Avatar } from '../../ui/avatar.tsx';
import { SelectField } from '../../ui/fields.tsx';
import { Time } from '../../ui/time.tsx';
import { minuteTime } from '../../ui/time-labels.ts';
import { changeLabel, entryLabel, moneyLabel, REASONS } from '../../client/money-labels.ts';
import { useViewerId, useVillage } from '../village-context.ts';
import { Proof, VerifyButton } from '../proof/verify-record.tsx';
import type { History } from './history.ts';

const ROWS = 40;

interface TableProps {
  readonly accounts: readonly { readonly id: string; readonly name: string; readonly history: History }[];
}

export function EntryTable({ accounts }: TableProps) {
  const [reason, setReason] = useState<EntryReason | ''>('');
  const [rows, setRows] = useState(ROWS);
  const entries = useMemo(
    () =>
      accounts
        .flatMap(({ name, history }) => history.entries.map((entry) => ({ name, entry })))
        .filter(({ entry }) => reason === '' || entry.reason === reason)
        .toSorted((left, right) => right.entry.timestamp.localeCompare(left.entry.timestamp)),
    [accounts, reason],
  );
  return (
    <section className="card entry-card" aria-label="Entries">
      <header className="plot-head">
        <h2>Entries</h2>
        <SelectField<EntryReason | ''>
          className="pick"
          label="Reason"
          name="entry-reason"
          value={reason}
          options={[['', 'All reasons'], ...ENTRY_REASONS.map((known) => [known, REASONS[known]] as const)]}
          onChange={setReason}
        />
      </header>
      {entries.length === 0 && (
        <p className="empty">
          {reason === '' ? 'No entries yet. Rewards, purchases and usage appear here.' : 'No entry has this reason.'}
        </p>
      )}
      <ol className="entry-rows">
        {entries.slice(0, rows).map(({ name, entry }) => (
          <Row key={entry.ledger_entry_id} name={name} entry={entry} />
        ))}
      </ol>
      {entries.length > rows && <Button word="Older entries" onClick={() => setRows(rows + ROWS)} />}
    </section>
  );
}

function Row({ name, entry }: { readonly name: string; readonly entry: LedgerEntry }) {
  const viewer = useViewerId();
  const { open } = useVillage();
  const [proving, setProving] = useState(false);
  return (
    <li className="entry-row" data-entry={entry.ledger_entry_id}>
      <span className="entry-who">
        <Avatar id={entry.agent_id} size={24} />
        {name}
      </span>
      <b className={entry.amount.startsWith('-') ? 'entry-taken' : 'entry-given'}>{changeLabel(entry.amount)}</b>
      <span className="entry-text">
        {entryLabel(entry, viewer)}
        {entry.note !== '' && <small>{entry.note}</small>}
        {entry.related_post_id !== null && (
          <LinkButton
            word="Open the post"
            onClick={() => open({ view: 'board', posts: 'all', post: entry.related_post_id })}
          />
        )}{' '}
        <VerifyButton open={proving} onOpen={setProving} />
      </span>
      <span className="entry-after" title="Balance after this entry">
        {moneyLabel(entry.balance_after)}
      </span>
      <Time at={entry.timestamp} word={minuteTime(entry.timestamp)} />
      {proving && <Proof shown={{ kind: 'entry', entry }} />}
    </li>
  );
}

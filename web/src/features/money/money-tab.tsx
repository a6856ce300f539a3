import {
  type AgentDetail,
  type BalanceAnswer,
  getBalance,
  getLedger,
  type LedgerEntry,
  roleMay,
} from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useLive, usePages } from '../../client/query/use-live.ts';
import { Icon } from '../../ui/controls.tsx';
import { PagedList, Unread } from '../../ui/notices.tsx';
import { Time } from '../../ui/time.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { Proof, VerifyButton } from '../proof/verify-record.tsx';
import { useRole, useTiers, useViewerId, useVillage } from '../village-context.ts';
import { JudgeForm } from './judge-form.tsx';
import { changeLabel, entryLabel, moneyLabel } from '../../client/money-labels.ts';
import { TierLadder } from './tier-ladder.tsx';

const REFRESH_MS = 4000;

export function MoneyTab({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { agents } = useVillage();
  const id = agent.agent_id;
  const balance = useLive(getBalance, { params: { agent_id: id }, query: {} }, REFRESH_MS);
  const tiers = useTiers();
  const steps = tiers.data?.entitlements ?? [];
  const changed = (): void => {
    balance.again();
    void agents.refresh(id);
  };
  if (balance.data === null) return <Unread refused={balance.refused} word="Loading the balance…" />;
  return (
    <>
      <Balance balance={balance.data} />
      <JudgeForm agent={agent} balance={balance.data} steps={steps} onDone={changed} />
      <TierLadder agent={agent} balance={balance.data} tiers={steps} />
      <EntryList id={id} version={balance.data.balance} />
    </>
  );
}

function Balance({ balance }: { readonly balance: BalanceAnswer }): ReactElement {
  const held = balance.held === '0' ? null : balance.held;
  return (
    <div className="balance">
      <p className="balance-sum" data-balance={balance.balance}>
        <Icon name="coin" size={20} />
        {moneyLabel(balance.balance)}
      </p>
      {held !== null && (
        <p className="hint">
          {moneyLabel(held)} is held; the agent can spend {moneyLabel(balance.available)}.
        </p>
      )}
    </div>
  );
}

const PAGE = 20;

function EntryList({ id, version }: { readonly id: string; readonly version: string }): ReactElement | null {
  const may = roleMay(useRole(), 'ledger:read');
  const pages = usePages(getLedger, may ? { params: { agent_id: id }, query: { limit: PAGE } } : null, {
    list: 'entries',
    id: 'ledger_entry_id',
    everyMs: 8000,
    version,
  });
  if (!may) return null;
  return (
    <section className="section" aria-label="Entries">
      <h3 className="section-name">Entries</h3>
      <PagedList
        pages={pages}
        className="entries"
        empty="No entries yet. Rewards, purchases and usage appear here."
        older="Older entries"
      >
        {(entry) => <Entry key={entry.ledger_entry_id} entry={entry} />}
      </PagedList>
    </section>
  );
}

function Entry({ entry }: { readonly entry: LedgerEntry }): ReactElement {
  const viewer = useViewerId();
  const [proving, setProving] = useState(false);
  return (
    <li className="entry" data-entry={entry.ledger_entry_id}>
      <b className={entry.amount.startsWith('-') ? 'entry-taken' : 'entry-given'}>{changeLabel(entry.amount)}</b>
      <span className="entry-text">
        {entryLabel(entry, viewer)}
        {entry.note !== '' && <small>{entry.note}</small>} <VerifyButton open={proving} onOpen={setProving} />
      </span>
      <Time
        at={entry.timestamp}
        title={`${entry.timestamp}; balance after this entry ${moneyLabel(entry.balance_after)}`}
        word={timeAgo(entry.timestamp, Date.now())}
      />
      {proving && <Proof shown={{ kind: 'entry', entry }} />}
    </li>
  );
}

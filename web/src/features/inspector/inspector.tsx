import type { AgentDetail, BalanceAnswer, LedgerEntry } from '@hamlet/contract';
import { getBalance, getLedger, roleMay } from '@hamlet/contract';
import { mindLabel } from '@hamlet/core';
import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Row } from '../../client/app-state.ts';
import { type Tab, TABS } from '../../client/url-state.ts';
import { Avatar, Badge, Button, Icon, IconButton, PagedList, Time, Unread } from '../../ui/controls.tsx';
import { type TabItem, tabPanelId, Tabs } from '../../ui/tabs.tsx';
import '../mind/mind.css';
import { ChatTab } from '../chat/chat-tab.tsx';
import { AgentRuns } from '../runs/agent-runs.tsx';
import { UnreadMark } from '../away/unread-mark.tsx';
import { useUnread } from '../away/use-unread.ts';
import { usePending } from '../permissions/use-pending.ts';
import { VillageMark } from '../scripted/village-mark.tsx';
import { HeldBanner, StandingTab } from '../standing/standing-tab.tsx';
import { heldOf } from '../standing/measure-labels.ts';
import { EntryLabel } from '../actor-name.tsx';
import { useRole, useTiers, useVillage, useVillageState } from '../village-context.ts';
import { DiaryTab } from './diary/diary-tab.tsx';
import { MindTab } from '../memory/mind-tab.tsx';
import { ModelTab } from './model-tab.tsx';
import { NowTab } from './now-tab.tsx';
import { doing, lifeState } from '../agent-list/agent-state.ts';
import { useLive, usePages } from '../../client/query/use-live.ts';
import { timeAgo } from '../../ui/time-labels.ts';
import { Proof, VerifyButton } from '../proof/verify-record.tsx';
import { JudgeForm } from '../money/judge-form.tsx';
import { moneyLabel } from '../../client/labels.ts';
import { Amount, AmountChange } from '../money/amount.tsx';
import { TierLadder } from '../money/tier-ladder.tsx';

const REFRESH_MS = 4000;

function MoneyTab({ agent }: { readonly agent: AgentDetail }) {
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

function Balance({ balance }: { readonly balance: BalanceAnswer }) {
  const held = balance.held === '0' ? null : balance.held;
  return (
    <div className="balance">
      <p className="balance-sum" data-balance={balance.balance}>
        <Icon name="coin" size={20} />
        <Amount of={balance.balance} />
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

function EntryList({ id, version }: { readonly id: string; readonly version: string }) {
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

function Entry({ entry }: { readonly entry: LedgerEntry }) {
  const [proving, setProving] = useState(false);
  return (
    <li className="entry" data-entry={entry.ledger_entry_id}>
      <AmountChange of={entry.amount} />
      <span className="entry-text">
        <EntryLabel entry={entry} />
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

export function Inspector({ id }: { readonly id: string }) {
  const row = useVillageState((state) => state.rows.find((candidate) => candidate.id === id));
  const detail = useVillageState((state) => state.details.get(id));
  const role = useRole();
  const chosen = useVillageState((state) => state.place.tab);
  const tab = chosen ?? (roleMay(role, 'sessions:write') ? 'chat' : 'now');
  const { agents, select } = useVillage();
  useEffect(() => {
    void agents.refresh(id);
  }, [agents, id]);
  const panel = useReturnedFocus();
  return (
    <section
      ref={panel}
      tabIndex={-1}
      className={`inspector panel${tab === 'now' ? '' : ' inspector-tall'}${tab === 'chat' ? ' inspector-chat' : ''}`}
      aria-label={row?.name ?? id}
    >
      <IconButton icon="close" label="Close" className="panel-close" onClick={() => select(null)} title="Close (Esc)" />
      {row === undefined ? (
        <p className="empty">No agent is called “{id}”.</p>
      ) : (
        <Person row={row} detail={detail} tab={tab} />
      )}
    </section>
  );
}

/** Moves the keyboard focus into the panel when it opens, and back when it closes. */
function useReturnedFocus(): RefObject<HTMLElement | null> {
  const panel = useRef<HTMLElement>(null);
  const opener = useRef<HTMLElement | null>(null);
  // Before the effects of the content, which may take the focus itself.
  useLayoutEffect(() => {
    opener.current = document.activeElement instanceof HTMLElement ? document.activeElement : null;
  }, []);
  useEffect(() => {
    const shown = panel.current;
    const isInside = (): boolean => shown?.contains(document.activeElement) === true;
    if (!isInside()) shown?.focus({ preventScroll: true });
    return () => {
      if (document.activeElement === null || document.activeElement === document.body || isInside())
        opener.current?.focus({ preventScroll: true });
    };
  }, []);
  return panel;
}

const WORDS: Readonly<Record<Tab, string>> = {
  chat: 'Chat',
  now: 'Now',
  mind: 'Mind',
  money: 'Money',
  models: 'Models',
  runs: 'Runs',
  standing: 'Restrictions',
  diary: 'Diary',
};
const LABEL = 'About this agent';

function Person({ row, detail, tab }: Readonly<{ row: Row; detail: AgentDetail | undefined; tab: Tab }>) {
  const { open } = useVillage();
  const marks = useTabMarks(row.id, detail);
  const unread = useUnread().agents.get(row.id) ?? 0;
  const items = TABS.map((key): TabItem<Tab> => {
    const count = key === 'chat' ? <UnreadMark texts={unread} /> : null;
    return { key, word: WORDS[key], mark: marks[key], count };
  });
  return (
    <div className="inspector-body">
      <AgentHead row={row} detail={detail} />
      {detail !== undefined && <HeldBanner agent={detail} />}
      {row.speech !== null && tab === 'now' && (
        <blockquote className="says">
          {row.speech} <VillageMark />
        </blockquote>
      )}
      <Tabs label={LABEL} items={items} chosen={tab} onChoose={(key) => open({ tab: key })} />
      <div className="tab-panel" role="tabpanel" id={tabPanelId(LABEL)} aria-label={WORDS[tab]}>
        {detail === undefined ? (
          <p className="empty">Asking Kubernetes about {row.name}…</p>
        ) : (
          <TabContent tab={tab} row={row} detail={detail} />
        )}
      </div>
    </div>
  );
}

/** The things that need a person: requests of conversations and of tasks, and restrictions. */
function useTabMarks(
  agentId: string,
  detail: AgentDetail | undefined,
): Readonly<Partial<Record<Tab, 'bad' | 'waiting' | undefined>>> {
  const waiting = usePending().data?.permissions.filter(({ agent_id: id }) => id === agentId) ?? [];
  return {
    chat: waiting.some(({ session_id: session }) => session !== null) ? 'waiting' : undefined,
    runs: waiting.some(({ session_id: session }) => session === null) ? 'waiting' : undefined,
    standing: detail !== undefined && heldOf(detail.standing).length > 0 ? 'bad' : undefined,
  };
}

function TabContent({ tab, row, detail }: Readonly<{ tab: Tab; row: Row; detail: AgentDetail }>) {
  switch (tab) {
    case 'chat':
      return <ChatTab agent={detail} />;
    case 'now':
      return <NowTab row={row} detail={detail} />;
    case 'mind':
      return <MindTab agent={detail} />;
    case 'money':
      return <MoneyTab agent={detail} />;
    case 'models':
      return <ModelTab agent={detail} />;
    case 'runs':
      return <AgentRuns agent={detail} />;
    case 'standing':
      return <StandingTab agent={detail} />;
    case 'diary':
      return <DiaryTab agent={detail} />;
  }
}

function AgentHead({ row, detail }: Readonly<{ row: Row; detail: AgentDetail | undefined }>) {
  const following = useVillageState((state) => state.following);
  const { follow, goTo, open } = useVillage();
  const state = lifeState(row, detail);
  const mind = detail?.mind ?? null;
  return (
    <header className="agent-head">
      <Avatar id={row.id} size={60} dimmed={row.asleep} />
      <div>
        <h2>{row.name}</h2>
        <p className="agent-state">
          <Badge tone={state.tone}>{state.word}</Badge>{' '}
          {mind !== null && <span className="agent-mind">{mindLabel(mind)}</span>}
        </p>
        <p className="agent-sentence">
          {row.name} {doing(row)}.
        </p>
      </div>
      <div className="agent-tools">
        <Button
          icon="follow"
          word={following ? 'Following' : 'Follow'}
          aria-pressed={following}
          onClick={() => {
            open({ view: 'map' });
            follow(!following);
          }}
          title="Follow (F)"
        />
        <Button
          icon="pin"
          word="Show"
          onClick={() => {
            open({ view: 'map' });
            goTo(row);
          }}
        />
        <span className="spring" />
        <Button
          className="button-stop"
          icon="power"
          word="Stop…"
          onClick={() => open({ tab: 'standing' })}
          title="Freeze, quarantine, ban or kill"
        />
      </div>
    </header>
  );
}

import { type AccountDetail, listAccounts } from '@hamlet/contract';
import { type ReactElement, useCallback, useState } from 'react';
import './accounts.css';
import type { Reply } from '../../client/api.ts';
import type { PageOf } from '../../client/ask/pages-state.ts';
import { usePages } from '../../client/ask/use-pages.ts';
import { Icon } from '../../ui/icon.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { Page } from '../navigation/page.tsx';
import { useVillage } from '../village-context.ts';
import { AccountRow } from './account-row.tsx';
import { CreateForm } from './create-form.tsx';

const PAGES = { everyMs: 8000, idOf: (account: AccountDetail): string => account.account_id };

/** The people who may sign in: who they are, what they may do, where they are signed in, and bans. */
export function AccountsPage(): ReactElement {
  const [writing, setWriting] = useState(false);
  const tools = (
    <button
      type="button"
      className="button button-strong"
      aria-expanded={writing}
      onClick={() => setWriting(!writing)}
      data-action="new-account"
    >
      <Icon name="plus" size={16} />
      New account
    </button>
  );
  return (
    <Page
      title="People"
      intro="Who may sign in, as what, and from where. Visitors need no account."
      needs="accounts:read"
      tools={tools}
    >
      <Accounts writing={writing} onWritten={() => setWriting(false)} />
    </Page>
  );
}

function Accounts({ writing, onWritten }: { readonly writing: boolean; readonly onWritten: () => void }): ReactElement {
  const { api } = useVillage();
  const [opened, setOpened] = useState<string | null>(null);
  const read = useCallback(
    async (cursor: string | null, signal?: AbortSignal): Promise<Reply<PageOf<AccountDetail>>> => {
      const reply = await api.call(listAccounts, {
        ...(signal === undefined ? {} : { signal }),
        query: cursor === null ? {} : { cursor },
      });
      return reply.ok ? { ok: true, data: { rows: reply.data.accounts, next: reply.data.next_cursor } } : reply;
    },
    [api],
  );
  const live = usePages(read, { ...PAGES, question: 'all' });
  return (
    <>
      {writing && <CreateForm onMade={live.again} onClose={onWritten} />}
      {live.refused !== null && <RefusedNotice refused={live.refused} />}
      {live.rows === null && live.refused === null && <p className="empty">Reading…</p>}
      {live.rows !== null && (
        <ul className="card account-list" aria-label="Accounts">
          {live.rows.map((account) => (
            <AccountRow
              key={account.account_id}
              account={account}
              open={opened === account.account_id}
              onOpen={(on) => setOpened(on ? account.account_id : null)}
              onChanged={live.again}
            />
          ))}
        </ul>
      )}
      <MoreButton more={live.more} word="More people" />
    </>
  );
}

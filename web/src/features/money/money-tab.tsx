import { type AgentDetail, type BalanceAnswer, getBalance } from '@hamlet/contract';
import { type ReactElement, useCallback } from 'react';
import { useLive } from '../../client/ask/use-live.ts';
import { Icon } from '../../ui/icon.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useTiers } from '../tiers/use-tiers.ts';
import { useVillage } from '../village-context.ts';
import { EntryList } from './entry-list.tsx';
import { JudgeForm } from './judge-form.tsx';
import { moneyWords } from './money-words.ts';
import { TierLadder } from './tier-ladder.tsx';

const REFRESH_MS = 4000;

/** What an agent has, what that opens, what people gave it or took from it, and the means to do either. */
export function MoneyTab({ agent }: { readonly agent: AgentDetail }): ReactElement {
  const { api, village } = useVillage();
  const id = agent.agent_id;
  const balance = useLive(
    useCallback(
      (signal: AbortSignal) => api.call(getBalance, { signal, params: { agent_id: id }, query: {} }),
      [api, id],
    ),
    REFRESH_MS,
  );
  const tiers = useTiers();
  const steps = tiers.data?.entitlements ?? [];
  const changed = (): void => {
    balance.again();
    void village.refreshAgent(id);
  };
  if (balance.data === null)
    return balance.refused === null ? (
      <p className="empty">Reading the books…</p>
    ) : (
      <RefusedNotice refused={balance.refused} />
    );
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
        {moneyWords(balance.balance)}
      </p>
      {held !== null && (
        <p className="hint">
          {moneyWords(held)} of it is set aside; {moneyWords(balance.available)} can be spent.
        </p>
      )}
    </div>
  );
}

import { getBalance, type Post, type Reply } from '@hamlet/contract';
import { type ReactElement, useCallback } from 'react';
import { useLive } from '../../../client/ask/use-live.ts';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { JudgeForm, type JudgeKind } from '../../money/judge-form.tsx';
import { useTiers } from '../../tiers/use-tiers.ts';
import { useVillage, useVillageState } from '../../village-context.ts';

const REFRESH_MS = 10_000;

/** Reward or penalize the agent that wrote something, for that very text: the entry names it, and the text shows what it came to. */
export function JudgeInPlace({ of, kind }: { readonly of: Post | Reply; readonly kind: JudgeKind }): ReactElement {
  const { api, village } = useVillage();
  const id = of.author_id;
  const agent = useVillageState((state) => state.details.get(id));
  const balance = useLive(
    useCallback(
      (signal: AbortSignal) => api.call(getBalance, { signal, params: { agent_id: id }, query: {} }),
      [api, id],
    ),
    REFRESH_MS,
  );
  const tiers = useTiers();
  if (agent === undefined) return <p className="hint">{of.author_name} is not in the village any more.</p>;
  if (balance.data === null)
    return balance.refused === null ? (
      <p className="empty">Reading the books…</p>
    ) : (
      <RefusedNotice refused={balance.refused} />
    );
  const done = (): void => {
    balance.again();
    void village.refreshAgent(id);
  };
  return (
    <JudgeForm
      agent={agent}
      balance={balance.data}
      steps={tiers.data?.entitlements ?? []}
      onDone={done}
      about={'reply_id' in of ? of.reply_id : of.post_id}
      first={kind}
    />
  );
}

import { getQuote, type QuoteAnswer } from '@hamlet/contract';
import { useCallback, useMemo } from 'react';
import type { Reply } from '../../client/api.ts';
import { type Live, useLive } from '../../client/ask/use-live.ts';
import { useSettled } from '../../client/ask/use-settled.ts';
import { useVillage } from '../village-context.ts';
import type { BuyReading } from './buy-draft.ts';

const REFRESH_MS = 10_000;
/** How long after the last letter a price is asked. */
const TYPING_MS = 250;

/** What a purchase would cost an agent and do to it; nothing while none can be read. The answer to another question is no answer to this one. */
export function useQuote(agentId: string, reading: BuyReading): Live<QuoteAnswer> {
  const { api } = useVillage();
  const wanted = reading.ok && agentId !== '' ? { agent_id: agentId, ...reading.item, seconds: reading.seconds } : null;
  const said = JSON.stringify(wanted);
  // The same question is the same object, however often it is drawn.
  const question = useMemo(() => wanted, [said]); // eslint-disable-line react-hooks/exhaustive-deps
  const settled = useSettled(question, TYPING_MS);
  const read = useCallback(async (): Promise<Reply<QuoteAnswer & { readonly of: unknown }>> => {
    const reply = await api.call(getQuote, { query: settled ?? {} });
    return reply.ok ? { ok: true, data: { ...reply.data, of: settled } } : reply;
  }, [api, settled]);
  const live = useLive(settled === null ? null : read, REFRESH_MS);
  return {
    data: live.data?.of === question ? live.data : null,
    refused: settled === question ? live.refused : null,
    again: live.again,
  };
}

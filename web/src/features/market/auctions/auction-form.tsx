import { formatAiDollars, type GpuLane, openAuction } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { readJsonDraft } from '../../../client/ask/json-draft.ts';
import { useDraft } from '../../../client/ask/use-draft.ts';
import { useSend } from '../../../client/ask/use-send.ts';
import { ActionForm } from '../../../ui/action-form.tsx';
import { useNow } from '../../../ui/use-now.ts';
import { readAmount } from '../../money/money-words.ts';
import { useVillage } from '../../village-context.ts';
import { type AuctionDraft, localField, readAuction } from './auction-words.ts';

const HOUR_MS = 3_600_000;
const NOTE_MAX = 500;

/** Offers a GPU window to whoever bids the most; the window is set aside at once. What is written stays in this tab until it is offered. */
export function AuctionForm({
  lanes,
  onDone,
}: {
  readonly lanes: readonly GpuLane[];
  readonly onDone: (made: string | null) => void;
}): ReactElement {
  const { api } = useVillage();
  const sending = useSend();
  const now = useNow(5000);
  const [empty] = useState<AuctionDraft>(() => ({
    lane: lanes[0]?.lane ?? '',
    startsAt: localField(Date.now() + 2 * HOUR_MS),
    hours: '1',
    closesAt: localField(Date.now() + HOUR_MS),
    reserve: '1',
    note: '',
  }));
  const [kept, keep] = useDraft('auction');
  const draft = readJsonDraft(kept, empty);
  const write = (change: Partial<AuctionDraft>): void => {
    keep(JSON.stringify({ ...draft, ...change }));
    sending.changed();
  };
  const reading = readAuction(draft, now);
  const reserve = readAmount(draft.reserve);
  const send = async (): Promise<void> => {
    if (!reading.ok || reserve === null) return;
    const { ok: _, ...times } = reading;
    const reply = await sending.send((idempotencyKey) =>
      api.call(openAuction, {
        body: { lane: draft.lane, ...times, reserve: formatAiDollars(reserve), note: draft.note.trim() },
        idempotencyKey,
      }),
    );
    if (reply?.ok !== true) return;
    keep('');
    onDone(reply.data.auction_id);
  };
  return (
    <ActionForm
      label="Offer a window"
      sending={sending}
      ready={reading.ok && reserve !== null && reserve > 0n}
      word="Offer it"
      onCancel={() => onDone(null)}
      onSend={() => void send()}
    >
      <div className="field-grid">
        <label>
          GPU
          <select name="lane" value={draft.lane} onChange={(event) => write({ lane: event.target.value })}>
            {lanes.map(({ lane }) => (
              <option key={lane} value={lane}>
                {lane}
              </option>
            ))}
          </select>
        </label>
        <label>
          Window begins
          <input
            name="starts-at"
            type="datetime-local"
            value={draft.startsAt}
            onChange={(event) => write({ startsAt: event.target.value })}
          />
        </label>
        <label>
          Hours
          <input
            name="hours"
            inputMode="numeric"
            value={draft.hours}
            onChange={(event) => write({ hours: event.target.value })}
          />
        </label>
        <label>
          Bidding ends
          <input
            name="closes-at"
            type="datetime-local"
            value={draft.closesAt}
            onChange={(event) => write({ closesAt: event.target.value })}
          />
        </label>
        <label>
          Least bid in aiDollars
          <input
            name="reserve"
            inputMode="decimal"
            value={draft.reserve}
            onChange={(event) => write({ reserve: event.target.value })}
          />
        </label>
        <label>
          Note
          <input
            name="note"
            maxLength={NOTE_MAX}
            value={draft.note}
            onChange={(event) => write({ note: event.target.value })}
          />
        </label>
      </div>
      {!reading.ok && <p className="field-problem">{reading.problem}</p>}
    </ActionForm>
  );
}

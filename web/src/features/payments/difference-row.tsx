import { changeDifference, type Difference, EXPLANATION_MAX_CHARS } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { useSend } from '../../client/ask/use-send.ts';
import { ActionForm } from '../../ui/action-form.tsx';
import { lengthWords } from '../../ui/time-words.ts';
import { actorWords } from '../people/actor-words.ts';
import { useViewerId, useVillage } from '../village-context.ts';
import { sidesOf } from './payment-words.ts';

/** One difference: both sides, who looks after it, how old it is, and the means to take it on or explain it. It stays until the books agree. */
export function DifferenceRow({
  difference,
  onChanged,
}: {
  readonly difference: Difference;
  readonly onChanged: () => void;
}): ReactElement {
  const viewer = useViewerId();
  const [open, setOpen] = useState(false);
  const { ours, theirs } = sidesOf(difference);
  return (
    <li className="difference" data-difference={difference.difference_id} data-overdue={difference.overdue}>
      <p className="credit-line">
        <span>
          ours <b>{ours}</b>
        </span>
        <span>
          theirs <b>{theirs}</b>
        </span>
        {difference.overdue && (
          <span className="badge badge-bad">
            <span className="mark mark-bad" aria-hidden="true" />
            Overdue
          </span>
        )}
      </p>
      <p className="credit-facts">
        <code>{difference.provider_transaction_id}</code> {difference.provider}
        {difference.agent_id !== null && `, ${difference.agent_id}`}; {actorWords(difference.owner, 'admin', viewer)}{' '}
        {difference.owner === 'admins' ? 'look' : 'looks'} after it; {lengthWords(difference.age_s * 1000)} old
      </p>
      {difference.explanation !== null && (
        <p className="credit-facts">
          “{difference.explanation}”
          {difference.explained_by !== null && <>, {actorWords(difference.explained_by, 'admin', viewer)}</>}
        </p>
      )}
      <button type="button" className="link" aria-expanded={open} onClick={() => setOpen(!open)}>
        {difference.explanation === null ? 'Explain it' : 'Explain it anew'}
      </button>
      {open && (
        <Explain
          difference={difference}
          onDone={() => {
            setOpen(false);
            onChanged();
          }}
        />
      )}
    </li>
  );
}

function Explain({
  difference,
  onDone,
}: {
  readonly difference: Difference;
  readonly onDone: () => void;
}): ReactElement {
  const { api } = useVillage();
  const viewer = useViewerId();
  const sending = useSend();
  const [text, setText] = useState('');
  const own = viewer === null ? null : `account ${viewer}`;
  const [take, setTake] = useState(true);
  const send = async (): Promise<void> => {
    const body = {
      ...(text.trim() === '' ? {} : { explanation: text.trim() }),
      ...(take && own !== null ? { owner: own } : {}),
    };
    const reply = await sending.send((idempotencyKey) =>
      api.call(changeDifference, { params: { difference_id: difference.difference_id }, body, idempotencyKey }),
    );
    if (reply?.ok === true) onDone();
  };
  return (
    <ActionForm
      label="Explain"
      sending={sending}
      ready={text.trim() !== '' || (take && difference.owner !== own)}
      word="Save"
      onSend={() => void send()}
    >
      <label>
        What it is
        <textarea
          name="explanation"
          rows={2}
          maxLength={EXPLANATION_MAX_CHARS}
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            sending.changed();
          }}
          placeholder="Refunded by hand on Monday; the bank's list has it tomorrow"
        />
      </label>
      <label className="check">
        <input
          type="checkbox"
          checked={take}
          onChange={(event) => {
            setTake(event.target.checked);
            sending.changed();
          }}
        />
        I look after it
      </label>
    </ActionForm>
  );
}

import {
  type AgentDetail,
  banAgent,
  freezeAgent,
  killAgent,
  liftBan,
  liftFreeze,
  liftKill,
  liftQuarantine,
  liftTokenRevocation,
  type Measure,
  MEASURE_REASON_MAX,
  quarantineAgent,
  revokeAgentToken,
} from '@hamlet/contract';
import { type ReactElement, type ReactNode, useState } from 'react';
import { readJsonDraft } from '../../client/ask/json-draft.ts';
import { useDraft } from '../../client/ask/use-draft.ts';
import type { Refused, Reply } from '../../client/api.ts';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useVillage } from '../village-context.ts';
import { endOf, MEASURE_WORDS, TERMS } from './measure-labels.ts';

const TAKE = {
  quarantine: quarantineAgent,
  freeze: freezeAgent,
  ban: banAgent,
  kill: killAgent,
  revoke_token: revokeAgentToken,
} as const;
const LIFT = {
  quarantine: liftQuarantine,
  freeze: liftFreeze,
  ban: liftBan,
  kill: liftKill,
  revoke_token: liftTokenRevocation,
} as const;

interface FormProps {
  readonly measure: Measure;
  readonly agent: AgentDetail;
  readonly onDone: () => void;
}

const EMPTY_MEASURE = { reason: '', term: 'lifted' };

/** Takes a measure: only with a reason, and after a button that says against whom. What is written stays in this tab until it is taken. */
export function TakeForm({ measure, agent, onDone }: FormProps): ReactElement {
  const { api } = useVillage();
  const [kept, keep] = useDraft(`take-${measure}-${agent.agent_id}`);
  const { reason, term } = readJsonDraft(kept, EMPTY_MEASURE);
  const write = (change: Partial<typeof EMPTY_MEASURE>): void => keep(JSON.stringify({ reason, term, ...change }));
  const send = (): Promise<Reply<unknown>> => {
    const end = endOf(term, Date.now());
    return api.call(TAKE[measure], {
      params: { agent_id: agent.agent_id },
      body: { reason: reason.trim(), ...(end === undefined ? {} : { expires_at: end }) },
    });
  };
  return (
    <ConfirmForm
      send={send}
      onDone={() => {
        keep('');
        onDone();
      }}
      ready={reason.trim() !== ''}
      word={`${MEASURE_WORDS[measure].verb}: ${agent.display_name}`}
      danger
    >
      <label>
        Reason
        <textarea
          name="reason"
          rows={2}
          required
          maxLength={MEASURE_REASON_MAX}
          value={reason}
          onChange={(event) => write({ reason: event.target.value })}
          autoFocus
          placeholder="Why, for everybody who asks later"
        />
      </label>
      <label>
        How long
        <select name="term" value={term} onChange={(event) => write({ term: event.target.value })}>
          {TERMS.map(({ key, word }) => (
            <option key={key} value={key}>
              {word}
            </option>
          ))}
        </select>
      </label>
    </ConfirmForm>
  );
}

/** Lifts a measure; a reason is welcome and not needed. */
export function LiftForm({ measure, agent, onDone }: FormProps): ReactElement {
  const { api } = useVillage();
  const [reason, setReason] = useDraft(`lift-${measure}-${agent.agent_id}`);
  const send = (): Promise<Reply<unknown>> =>
    api.call(LIFT[measure], {
      params: { agent_id: agent.agent_id },
      query: reason.trim() === '' ? {} : { reason: reason.trim() },
    });
  return (
    <ConfirmForm
      send={send}
      onDone={() => {
        setReason('');
        onDone();
      }}
      ready
      word={`${MEASURE_WORDS[measure].lift}: ${agent.display_name}`}
    >
      <label>
        Reason, if there is one to tell
        <input
          name="reason"
          maxLength={MEASURE_REASON_MAX}
          value={reason}
          onChange={(event) => setReason(event.target.value)}
          autoFocus
        />
      </label>
    </ConfirmForm>
  );
}

interface ConfirmProps {
  readonly send: () => Promise<Reply<unknown>>;
  readonly onDone: () => void;
  readonly ready: boolean;
  readonly word: string;
  readonly danger?: boolean;
  readonly children: ReactNode;
}

function ConfirmForm({ send, onDone, ready, word, danger = false, children }: ConfirmProps): ReactElement {
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const submit = async (): Promise<void> => {
    if (!ready || busy) return;
    setBusy(true);
    const reply = await send();
    setBusy(false);
    if (reply.ok) onDone();
    else setRefused(reply.refused);
  };
  return (
    <form
      className="form measure-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {children}
      {refused !== null && <RefusedNotice refused={refused} />}
      <button
        type="submit"
        className={`button ${danger ? 'button-danger' : 'button-strong'}`}
        aria-disabled={!ready || busy}
      >
        {busy ? 'One moment…' : word}
      </button>
    </form>
  );
}

import { MEASURE_REASON_MAX } from '@hamlet/contract';
import type { ReactNode } from 'react';
import { useFormDraft } from '../../client/drafts.ts';
import { type Intent, useIntent } from '../../client/query/use-live.ts';
import { ActionForm, SelectField, TextField } from '../../ui/fields.tsx';
import { endOf, TERMS } from './measure-labels.ts';

/** The reason that the person wrote, trimmed, and the end of the chosen term if the term has one. */
type Grounds = Readonly<{ reason: string; expires_at?: string }>;
const EMPTY = { reason: '', term: 'lifted' };

interface ReasonFormProps {
  /** The name of the draft; the text stays in this tab until it is sent. */
  readonly draft: string;
  readonly label: string;
  readonly word: string;
  /** Sends the act; resolves to null after a refusal. */
  readonly send: (intent: Intent, grounds: Grounds) => Promise<unknown>;
  readonly onDone: () => void;
  readonly optional?: boolean;
  readonly withTerm?: boolean;
  readonly danger?: boolean;
  readonly maxLength?: number;
  readonly children?: ReactNode;
}

export function ReasonForm(props: ReasonFormProps) {
  const { draft, label, word, send, onDone, optional = false, withTerm = false, danger = false } = props;
  const sending = useIntent();
  const { of, forget, ...form } = useFormDraft(draft, EMPTY, sending.changed);
  const { reason, term } = form.draft;
  const submit = async (): Promise<void> => {
    const end = withTerm ? endOf(term, Date.now()) : undefined;
    const grounds = { reason: reason.trim(), ...(end === undefined ? {} : { expires_at: end }) };
    if ((await send(sending, grounds)) === null) return;
    forget();
    onDone();
  };
  return (
    <ActionForm
      label={label}
      sending={sending}
      ready={optional || reason.trim() !== ''}
      word={word}
      danger={danger}
      onSend={() => void submit()}
    >
      {props.children}
      <TextField
        label={optional ? 'Reason (optional)' : 'Reason'}
        name="reason"
        rows={2}
        maxLength={props.maxLength ?? MEASURE_REASON_MAX}
        {...of('reason')}
        placeholder="Why? The audit keeps it."
        autoFocus
      />
      {withTerm && (
        <SelectField label="How long" name="term" {...of('term')} options={TERMS.map((it) => [it.key, it.word])} />
      )}
    </ActionForm>
  );
}

import { type AgentDetail, createRun, RUN_PROMPT_MAX_CHARS, type SafeMode } from '@hamlet/contract';
import { type KeyboardEvent, type ReactElement, useState } from 'react';
import { useDraft, useFormDraft } from '../../client/drafts.ts';
import { useIntent } from '../../client/query/use-intent.ts';
import { Button } from '../../ui/button.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { EMPTY_OFFER, readOffer } from '../offers/offer-draft.ts';
import { OfferFields } from '../offers/offer-fields.tsx';
import { useVillage } from '../village-context.ts';
import { SafeModeField } from './safe-mode-field.tsx';

type PromptFormProps = Readonly<{ agent: AgentDetail; onSent: (runId: string) => void }>;

/** Gives an agent a task in words, with money for its result if the person offers some. Both stay in this tab until they are sent. */
export function PromptForm({ agent, onSent }: PromptFormProps): ReactElement {
  const { api } = useVillage();
  const [prompt, setPrompt] = useDraft(`prompt-${agent.agent_id}`);
  const { busy, refused, send, changed } = useIntent();
  const { draft, of, forget } = useFormDraft(`offer-${agent.agent_id}`, EMPTY_OFFER, changed);
  const [safeMode, setSafeMode] = useState<SafeMode | null>(null);
  const read = readOffer(draft);
  const ready = prompt.trim() !== '' && read.ok && !busy;
  const submit = async (): Promise<void> => {
    if (!ready) return;
    const body = {
      prompt: prompt.trim(),
      ...(read.offer === null ? {} : { offer: read.offer }),
      ...(safeMode === null ? {} : { safe_mode: safeMode }),
    };
    const reply = await send((idempotencyKey) =>
      api.call(createRun, { params: { agent_id: agent.agent_id }, body, idempotencyKey }),
    );
    if (reply?.ok !== true) return;
    setPrompt('');
    setSafeMode(null);
    forget();
    onSent(reply.data.run.run_id);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <form
      className="form prompt-form"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <label>
        Task for {agent.display_name}
        <textarea
          name="prompt"
          rows={3}
          maxLength={RUN_PROMPT_MAX_CHARS}
          value={prompt}
          onChange={(event) => {
            setPrompt(event.target.value);
            changed();
          }}
          onKeyDown={onKey}
          placeholder="Go to the café and say to Bob that the bread is ready."
        />
      </label>
      <SafeModeField
        value={safeMode}
        onChange={(mode) => {
          setSafeMode(mode);
          changed();
        }}
      />
      <OfferFields draft={draft} of={of} />
      {agent.power === 'Asleep' && (
        <p className="hint">{agent.display_name} is asleep: it starts this when it is awake again.</p>
      )}
      {refused !== null && <RefusedNotice refused={refused} />}
      <Button
        look="strong"
        word={busy ? 'One moment…' : 'Send'}
        type="submit"
        aria-disabled={!ready}
        title="Ctrl + Enter"
      />
    </form>
  );
}

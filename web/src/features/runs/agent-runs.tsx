import {
  type AgentDetail,
  createRun,
  getAgentManifests,
  roleMay,
  RUN_PROMPT_MAX_CHARS,
  type SafeMode,
} from '@hamlet/contract';
import { type KeyboardEvent, lazy, useState } from 'react';
import { LazyBoundary, LinkButton, RefusedNotice } from '../../ui/controls.tsx';
import { SignInHint } from '../sign-in/sign-in-hint.tsx';
import { useRole, useVillage } from '../village-context.ts';
import { RunList } from './run-list.tsx';
import { useRuns } from './use-runs.ts';
import { type FormDraft, useDraft, useFormDraft } from '../../client/drafts.ts';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { EMPTY_OFFER, OFFER_TIMES, type OfferDraft, readOffer } from '../offers/offer-labels.ts';
import { Form, Segments, SelectField, SubmitButton } from '../../ui/fields.tsx';
import { AllowanceLine, useAllowance } from '../money/allowance-line.tsx';
import { AmountField } from '../money/amount-field.tsx';
import { readAmount } from '../../client/labels.ts';
import '../offers/offers.css';
import { SafeModeField } from '../safe-mode/safe-mode-field.tsx';

const PAGE = 10;
/** The agent gets or loses a workflow seldom. */
const MANIFESTS_MS = 60_000;
const WorkflowStart = lazy(async () => ({
  default: (await import('../manifests/start/workflow-start.tsx')).WorkflowStart,
}));

export function AgentRuns({ agent }: { readonly agent: AgentDetail }) {
  if (!roleMay(useRole(), 'runs:read')) return <SignInHint text="Runs are for members." />;
  return <Runs agent={agent} />;
}

function Runs({ agent }: { readonly agent: AgentDetail }) {
  const { open } = useVillage();
  const live = useRuns({ agent: agent.agent_id, schedule: null, state: null, page: PAGE });
  return (
    <>
      <NewTask
        agent={agent}
        onSent={(id) => {
          live.again();
          open({ view: 'runs', run: id });
        }}
      />
      <RunList live={live} withAgent={false} empty="No runs yet. The agent's own activity is in its diary." />
      {live.rows !== null && live.rows.length > 0 && (
        <LinkButton
          word="All its runs on a page"
          onClick={() => open({ view: 'runs', who: agent.agent_id, run: null })}
          data-action="all-runs"
        />
      )}
    </>
  );
}

const WAYS = [
  { key: 'words', word: 'In words' },
  { key: 'workflow', word: 'Its workflow' },
] as const;
type NewTaskProps = Readonly<{ agent: AgentDetail; onSent: (runId: string) => void }>;

/** A task in words or, for an agent with manifests, for its workflow. */
function NewTask({ agent, onSent }: NewTaskProps) {
  const { open, select } = useVillage();
  const [way, setWay] = useState<(typeof WAYS)[number]['key']>('words');
  const manifests = useLive(getAgentManifests, { params: { agent_id: agent.agent_id } }, MANIFESTS_MS).data;
  const hasWorkflow = manifests !== null && manifests.config_map_name !== null;
  const edit = (): void => {
    open({ view: 'workflows', who: agent.agent_id });
    select(null);
  };
  return (
    <>
      {hasWorkflow && (
        <div className="form">
          <Segments label="New task" items={WAYS} value={way} onChange={setWay} />
        </div>
      )}
      {hasWorkflow && way === 'workflow' ? (
        <LazyBoundary fallback={<p className="empty">Opening…</p>}>
          <WorkflowStart agent={agent} />
        </LazyBoundary>
      ) : (
        <PromptForm agent={agent} onSent={onSent} />
      )}
      <LinkButton
        word={hasWorkflow ? 'Manifests and graph of its workflow' : 'Give it a workflow'}
        onClick={edit}
        data-action="workflow"
      />
    </>
  );
}

function PromptForm({ agent, onSent }: NewTaskProps) {
  const [prompt, setPrompt] = useDraft(`prompt-${agent.agent_id}`);
  const { busy, refused, call, changed } = useIntent();
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
    const data = await call(createRun, { params: { agent_id: agent.agent_id }, body });
    if (data === null) return;
    setPrompt('');
    setSafeMode(null);
    forget();
    onSent(data.run.run_id);
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      void submit();
    }
  };
  return (
    <Form className="prompt-form" onSend={submit}>
      <label>
        New task for {agent.display_name}
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
          placeholder="What should it do? Describe the result."
        />
      </label>
      <SafeModeField
        agent={agent}
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
      <SubmitButton word="Start the task" busy={busy} aria-disabled={!ready} title="Ctrl + Enter" />
    </Form>
  );
}

function OfferFields({ draft, of }: Pick<FormDraft<OfferDraft>, 'draft' | 'of'>) {
  return (
    <details className="offer-fields" open={draft.amount !== ''}>
      <summary>Offer money for the result</summary>
      <div className="offer-form">
        <AmountField label="Offer in aiDollars" {...of('amount')} />
        <SelectField label="The offer expires after" name="offer-hours" options={OFFER_TIMES} {...of('hours')} />
        <OfferTerms amount={draft.amount} />
      </div>
    </details>
  );
}

function OfferTerms({ amount }: { readonly amount: string }) {
  const allowance = useAllowance();
  return (
    <>
      <p className="hint">
        The money is held now. The agent receives it if you accept the result; you get it back if you refuse, if the run
        fails, or if the offer expires.
      </p>
      <AllowanceLine allowance={allowance.data} asked={readAmount(amount)} />
    </>
  );
}

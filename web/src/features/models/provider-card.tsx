import { deleteModelCredential, type ModelCredential, type VillageModel } from '@hamlet/contract';
import { useState } from 'react';
import { useIntent } from '../../client/query/use-live.ts';
import { Badge, Button, LinkButton, RefusedNotice, Time, useNow, Fact } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { ActorName } from '../actor-name.tsx';
import { useAgentName, useShowAgent } from '../village-context.ts';
import { type ConnectDraft, connectDraftOf } from './connect/connect-draft.ts';
import { kindLabel, providerState, usersLabel } from './model-labels.ts';
import { type ProviderLoad, ServerFigures } from './server-figures.tsx';
import { type SubscriptionDraft, subscriptionDraftOf } from './subscription/subscription-draft.ts';
import { FaultyTest, TestedAbilities } from './stored-test.tsx';
import { TestResult, useTest } from './test-result.tsx';

interface CardProps {
  readonly credential: ModelCredential;
  /** The village's models that it serves. */
  readonly served: readonly VillageModel[];
  readonly load: ProviderLoad;
  readonly onEdit: (draft: ConnectDraft) => void;
  /** Null if the operator allows no sign-in to a subscription. */
  readonly onSignIn: ((again: SubscriptionDraft) => void) | null;
  readonly onPrices: (credential: ModelCredential) => void;
  readonly onChanged: () => void;
}

export function ProviderCard({ credential, served, load, onEdit, onSignIn, onPrices, onChanged }: CardProps) {
  const { name, agent_id: agent, provider } = credential;
  const test = useTest();
  const draft = connectDraftOf(credential);
  const run = async (): Promise<void> => {
    await test.run({ credential: name, ...(agent === null ? {} : { agent_id: agent }) });
    onChanged();
  };
  return (
    <li className="card provider-card" data-provider={name} data-agent={agent ?? undefined}>
      <CardHead credential={credential} served={served} />
      <CardFacts credential={credential} withTest={test.answer === null} />
      <ServerFigures load={load} />
      {test.intent.refused !== null && <RefusedNotice refused={test.intent.refused} />}
      {test.answer !== null && <TestResult answer={test.answer} />}
      <div className="button-row">
        {provider !== null && (
          <Button
            word={test.intent.busy ? 'Asking…' : 'Test'}
            icon="play"
            iconPx={14}
            aria-disabled={test.intent.busy}
            onClick={() => void run()}
            data-action="test"
          />
        )}
        {draft !== null && (
          <Button word="Change…" icon="edit" iconPx={14} onClick={() => onEdit(draft)} data-action="change" />
        )}
        {onSignIn !== null && <SignInAgain credential={credential} onSignIn={onSignIn} />}
        {provider !== null && (
          <Button word="Prices…" icon="coin" iconPx={14} onClick={() => onPrices(credential)} data-action="prices" />
        )}
        <Remove credential={credential} onRemoved={onChanged} />
      </div>
    </li>
  );
}

type SignInProps = Pick<CardProps, 'credential'> & { readonly onSignIn: NonNullable<CardProps['onSignIn']> };

function SignInAgain({ credential, onSignIn }: SignInProps) {
  const again = subscriptionDraftOf(credential);
  return again === null ? null : (
    <Button word="Sign in again…" onClick={() => onSignIn(again)} data-action="sign-in-again" />
  );
}

function CardHead({ credential, served }: Pick<CardProps, 'credential' | 'served'>) {
  const now = useNow(10_000);
  const { name, provider } = credential;
  const state = provider === null ? null : providerState(credential, now, served);
  return (
    <header className="provider-head">
      <h3>{name}</h3>
      <span>{provider === null ? 'A key alone' : kindLabel(provider.kind)}</span>
      {state !== null && (
        <Badge tone={state.tone} title={state.hint}>
          {state.word}
        </Badge>
      )}
    </header>
  );
}

type FactsProps = Pick<CardProps, 'credential'> & { readonly withTest: boolean };

function CardFacts({ credential, withTest }: FactsProps) {
  const { provider, created_at: at, created_by: by, agent_id: agent, last_test: test } = credential;
  const now = useNow(10_000);
  return (
    <dl className="provider-facts">
      {provider !== null && (
        <>
          <Fact name="Models">
            {provider.models.map(({ name, model }) => (
              <span key={name} className="provider-model">
                <b>{name}</b> = <code>{model}</code> <TestedAbilities model={model} tested={credential.tested_models} />
              </span>
            ))}
          </Fact>
          <Fact name="Address">
            <code>{provider.base_url}</code>
          </Fact>
        </>
      )}
      <KeyFact credential={credential} />
      <Fact name="For">{agent === null ? 'the whole village' : <AgentLink id={agent} />}</Fact>
      <Fact name="Used by">
        <Users credential={credential} />
      </Fact>
      <Fact name="Added">
        by <ActorName id={by} />, <Time at={at} word={timeAgo(at, now)} />
      </Fact>
      {withTest && <FaultyTest test={test} />}
    </dl>
  );
}

function KeyFact({ credential }: Pick<CardProps, 'credential'>) {
  const { key_id: sealedBy, fingerprint, provider } = credential;
  return (
    <Fact name={provider?.kind === 'openai-subscription' ? 'Sign-in' : 'Key'}>
      {sealedBy === null ? 'without a key' : 'sealed'}
      {fingerprint !== null && (
        <>
          , fingerprint <code>{fingerprint}</code>
        </>
      )}
    </Fact>
  );
}

function Users({ credential }: Pick<CardProps, 'credential'>) {
  const { agents, total } = credential.used_by;
  return (
    <>
      {usersLabel(total)}
      {agents.map((id) => (
        <span key={id}>
          {' '}
          <AgentLink id={id} />
        </span>
      ))}
      {total > agents.length && ' …'}
    </>
  );
}

function AgentLink({ id }: { readonly id: string }) {
  const showAgent = useShowAgent();
  return <LinkButton word={useAgentName(id)} onClick={() => showAgent(id, { tab: 'models' })} />;
}

function Remove({ credential, onRemoved }: Readonly<{ credential: ModelCredential; onRemoved: () => void }>) {
  const [asked, setAsked] = useState(false);
  const intent = useIntent();
  const { name, agent_id: agent, used_by: users } = credential;
  const remove = async (): Promise<void> => {
    const query = agent === null ? {} : { agent_id: agent };
    const data = await intent.call(deleteModelCredential, { params: { name }, query });
    if (data !== null) onRemoved();
  };
  if (!asked)
    return <Button word="Remove…" icon="trash" iconPx={14} onClick={() => setAsked(true)} data-action="remove" />;
  return (
    <div className="provider-remove" role="group" aria-label={`Remove ${name}`}>
      <p>
        {users.total === 0 ? 'No agent uses it now.' : `It answers for ${usersLabel(users.total)} now.`}{' '}
        {credential.provider?.kind === 'openai-subscription' ? 'Its sign-in' : 'The key'} is deleted.
      </p>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      <div className="button-row">
        <Button
          className="button-danger"
          word={`Remove ${name}`}
          autoFocus
          aria-disabled={intent.busy}
          onClick={() => void remove()}
          data-action="confirm-remove"
        />
        <Button word="Keep it" onClick={() => setAsked(false)} />
      </div>
    </div>
  );
}

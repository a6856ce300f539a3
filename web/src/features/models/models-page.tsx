import type { CallData, ModelCredential, ModelPriceView, VillageModel } from '@hamlet/contract';
import { listModelCredentials, listModelPrices, showModels } from '@hamlet/contract';
import { useState } from 'react';
import { Badge, Button, Notice, RefusedNotice, Unread, useNow } from '../../ui/controls.tsx';
import { Page } from '../navigation/page.tsx';
import { ConfiguredCard } from './configured-card.tsx';
import type { ConnectDraft } from './connect/connect-draft.ts';
import { ConnectForm } from './connect/connect-form.tsx';
import { healthLines, modelState } from './model-labels.ts';
import { PriceForm } from './price-form.tsx';
import { ProviderCard } from './provider-card.tsx';
import type { SubscriptionDraft } from './subscription/subscription-draft.ts';
import { NO_LOAD, useProviderLoad } from './server-figures.tsx';
import { SubscriptionForm } from './subscription/subscription-form.tsx';
import './models.css';
import type { Refused } from '../../client/api.ts';
import { TestResult, useTest } from './test-result.tsx';
import { tierLabel } from '../money/tier-outlook.ts';
import { useAgentNames, useTiers } from '../village-context.ts';
import { useLive } from '../../client/query/use-live.ts';

type OpenForm =
  | { readonly kind: 'connect'; readonly changed: ConnectDraft | null }
  | { readonly kind: 'subscription'; readonly again: SubscriptionDraft | null }
  | { readonly kind: 'prices'; readonly of: ModelCredential };
type FormState = Readonly<{ form: OpenForm | null; onForm: (form: OpenForm | null) => void }>;
type Providers = CallData<typeof listModelCredentials>;

const MODELS_MS = 30_000;
const PROVIDERS_MS = 10_000;

export function ModelsPage() {
  const [form, setForm] = useState<OpenForm | null>(null);
  return (
    <Page
      title="Models"
      intro="The language models of the village: which provider answers, which agents use it, and its prices."
      needs="models:manage"
      tools={
        <Button
          look="strong"
          icon="plus"
          word="Connect a model"
          onClick={() => setForm({ kind: 'connect', changed: null })}
          data-action="connect"
        />
      }
    >
      <Content form={form} onForm={setForm} />
    </Page>
  );
}

function Content({ form, onForm }: FormState) {
  const models = useLive(showModels, {}, MODELS_MS);
  const providers = useLive(listModelCredentials, {}, PROVIDERS_MS);
  const prices = useLive(listModelPrices, {}, MODELS_MS);
  const [connected, setConnected] = useState<ModelCredential | null>(null);
  const again = (): void => {
    for (const each of [models, providers, prices]) each.again();
  };
  const close = (stored: ModelCredential | null): void => {
    onForm(null);
    if (stored === null) return;
    setConnected(stored);
    again();
  };
  if (providers.data === null) return <Unread refused={providers.refused} />;
  const rows = prices.data?.prices ?? [];
  const known = models.data?.models ?? null;
  return (
    <>
      {connected !== null && <Connected credential={connected} />}
      <Notes providers={providers.data} scriptedOnly={models.data?.scripted_only === true} onForm={onForm} />
      <ModelNames models={known} refused={models.refused} />
      <Providers providers={providers.data} models={known ?? []} onForm={onForm} onChanged={again} />
      <PriceTable prices={rows} />
      {form !== null && (
        <Opened form={form} notice={providers.data.subscription.notice} models={known} prices={rows} onClose={close} />
      )}
    </>
  );
}

function Connected({ credential: { name, agent_id: owner } }: { readonly credential: ModelCredential }) {
  const agents = useAgentNames();
  const users =
    owner === null
      ? 'Agents whose tier includes one of its models use it'
      : `Only ${agents.find(({ id }) => id === owner)?.name ?? owner} uses it`;
  return (
    <Notice tone="good" data-notice="connected">
      <b>{name} is stored.</b> {users} from now on.
    </Notice>
  );
}

interface OpenedProps {
  readonly form: OpenForm;
  readonly notice: string;
  readonly models: readonly VillageModel[] | null;
  readonly prices: readonly ModelPriceView[];
  /** Receives the provider that the form stored; null if it stored none. */
  readonly onClose: (stored: ModelCredential | null) => void;
}

function Opened({ form, notice, models, prices, onClose }: OpenedProps) {
  if (form.kind === 'prices')
    return <PriceForm credential={form.of} prices={prices} onClose={(saved) => onClose(saved ? form.of : null)} />;
  const names = (models ?? []).filter(({ tiers }) => tiers.length > 0).map(({ name }) => name);
  if (form.kind === 'subscription')
    return <SubscriptionForm notice={notice} names={names} again={form.again} onClose={onClose} />;
  return <ConnectForm names={names} changed={form.changed} onClose={onClose} />;
}

type NotesProps = Readonly<{ providers: Providers; scriptedOnly: boolean; onForm: FormState['onForm'] }>;

function Notes({ providers, scriptedOnly, onForm }: NotesProps) {
  return (
    <>
      {scriptedOnly && (
        <Notice tone="info" data-notice="scripted-only">
          <b>No language model answers in this village.</b> Agents speak sentences from a list, labelled as scripted.
          Connect a model, and they think with it.
        </Notice>
      )}
      {!providers.enabled && (
        <Notice tone="waiting" data-notice="credentials-off">
          <b>This village cannot store keys.</b> An operator can give it a key to seal them with (docs/SECRETS.md).
          Servers without a key can be connected.
        </Notice>
      )}
      {providers.subscription.enabled && (
        <Notice
          tone="info"
          data-notice="subscription"
          end={
            providers.enabled && (
              <Button
                word="Sign in to a subscription"
                onClick={() => onForm({ kind: 'subscription', again: null })}
                data-action="sign-in"
              />
            )
          }
        >
          <b>The operator allows the sign-in to a subscription.</b> {providers.subscription.notice}
        </Notice>
      )}
    </>
  );
}

type ProvidersProps = Readonly<{
  providers: Providers;
  models: readonly VillageModel[];
  onForm: FormState['onForm'];
  onChanged: () => void;
}>;

function Providers({ providers, models, onForm, onChanged }: ProvidersProps) {
  const { credentials, configured, subscription } = providers;
  const loadOf = useProviderLoad();
  return (
    <section aria-label="Providers">
      <h2 className="page-section">Providers</h2>
      <ul className="providers">
        {credentials.map((credential) => (
          <ProviderCard
            key={`${credential.name} ${credential.agent_id ?? ''}`}
            credential={credential}
            served={credential.agent_id === null ? models.filter(({ provider }) => provider === credential.name) : []}
            load={credential.agent_id === null ? loadOf(credential.name) : NO_LOAD}
            onEdit={(changed) => onForm({ kind: 'connect', changed })}
            onSignIn={subscription.enabled ? (again) => onForm({ kind: 'subscription', again }) : null}
            onPrices={(of) => onForm({ kind: 'prices', of })}
            onChanged={onChanged}
          />
        ))}
        {configured.map((provider) => (
          <ConfiguredCard
            key={provider.name}
            provider={provider}
            load={loadOf(provider.name)}
            model={models.find((model) => model.provider === provider.name && model.available)?.name ?? null}
          />
        ))}
      </ul>
    </section>
  );
}

type NamesProps = Readonly<{ models: readonly VillageModel[] | null; refused: Refused | null }>;

function ModelNames({ models, refused }: NamesProps) {
  return (
    <section className="card model-names" aria-label="Models">
      <h2>Models</h2>
      {models === null && <Unread refused={refused} />}
      {models?.length === 0 && <p className="empty">No tier includes a model, and no provider serves one.</p>}
      <ul>
        {models?.map((model) => (
          <ModelName key={model.name} model={model} />
        ))}
      </ul>
    </section>
  );
}

function TierNames({ tiers }: Pick<VillageModel, 'tiers'>) {
  const known = useTiers().data?.entitlements ?? [];
  const names = tiers.map((tier) => tierLabel(known, tier)).join(', ');
  return <>in {names === '' ? 'no tier' : names}</>;
}

function ModelName({ model }: { readonly model: VillageModel }) {
  const { name, provider, tiers, context_tokens: context } = model;
  const { word, tone } = modelState(model);
  const health = healthLines(model, useNow(10_000));
  const test = useTest();
  return (
    <li className="model-name" data-model={name} data-state={word}>
      <b>{name}</b>
      <Badge tone={tone}>{word}</Badge>
      <span className="model-by">
        {provider !== null && <>by {provider}</>}
        {context !== null && <> · context of {context.toLocaleString('en')} tokens</>}
      </span>
      <span className="model-tiers">
        <TierNames tiers={tiers} />
      </span>
      <Button
        word={test.intent.busy ? 'Asking…' : 'Test'}
        aria-label={`Test ${name}`}
        aria-disabled={test.intent.busy || !model.available}
        onClick={() => {
          if (model.available) void test.run({ model: name });
        }}
      />
      {health.length > 0 && (
        <ul className="model-health">
          {health.map(({ text, bad }) => (
            <li key={text} data-bad={bad}>
              {text}
            </li>
          ))}
        </ul>
      )}
      {test.intent.refused !== null && <RefusedNotice refused={test.intent.refused} />}
      {test.answer !== null && <TestResult answer={test.answer} />}
    </li>
  );
}

function PriceTable({ prices }: { readonly prices: readonly ModelPriceView[] }) {
  return (
    <section className="card price-card" aria-label="Prices">
      <h2>Prices of the providers</h2>
      <p className="hint">
        Prices for a million tokens. They show what answers cost the village; agents pay the price of their tier in
        aiDollars.
      </p>
      {prices.length === 0 ? (
        <p className="empty">No prices yet. Connect a provider and write its prices there.</p>
      ) : (
        <div className="price-scroll" tabIndex={0} role="group" aria-label="Table of prices">
          <table className="times price-table">
            <thead>
              <tr>
                {['Provider', 'Model', 'Prompt', 'Cached prompt', 'Answer', ''].map((word) => (
                  <th key={word} scope="col">
                    {word}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {prices.map((price, index) => (
                <tr key={index}>
                  <td>{price.provider ?? 'any'}</td>
                  <td>
                    <code>{price.model}</code>
                  </td>
                  <td>
                    {price.prompt} {price.currency}
                  </td>
                  <td>{price.cached_prompt ?? 'as prompt'}</td>
                  <td>
                    {price.completion} {price.currency}
                  </td>
                  <td>{price.source === 'stored' ? 'yours' : 'configuration'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

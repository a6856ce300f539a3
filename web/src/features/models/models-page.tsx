import type { CallData, listModelCredentials, ModelCredential, ModelPriceView, VillageModel } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { Unread } from '../../ui/notices/refused-notice.tsx';
import { Page } from '../navigation/page.tsx';
import type { ConnectDraft } from './connect/connect-draft.ts';
import { ConnectForm } from './connect/connect-form.tsx';
import { ModelNames } from './model-names.tsx';
import { usersLabel } from './model-labels.ts';
import { PriceForm } from './price-form.tsx';
import { PriceTable } from './price-table.tsx';
import { ProviderCard } from './provider-card.tsx';
import { kindLabel } from './provider-kinds.ts';
import type { SubscriptionDraft } from './subscription/subscription-draft.ts';
import { SubscriptionForm } from './subscription/subscription-form.tsx';
import { useModels, usePrices, useProviders } from './use-models.ts';
import './models.css';

/** The open form: a provider to connect or to change, a subscription to sign in to, or the prices of a provider. */
type OpenForm =
  | { readonly kind: 'connect'; readonly changed: ConnectDraft | null }
  | { readonly kind: 'subscription'; readonly again: SubscriptionDraft | null }
  | { readonly kind: 'prices'; readonly of: ModelCredential };
type FormState = Readonly<{ form: OpenForm | null; onForm: (form: OpenForm | null) => void }>;
type Providers = CallData<typeof listModelCredentials>;

/** The models of the village, the providers that answer for them, and their prices. Admins connect and remove providers. */
export function ModelsPage(): ReactElement {
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

function Content({ form, onForm }: FormState): ReactElement {
  const models = useModels();
  const providers = useProviders();
  const prices = usePrices();
  const [connected, setConnected] = useState<string | null>(null);
  const again = (): void => {
    for (const each of [models, providers, prices]) each.again();
  };
  const close = (stored: string | null): void => {
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
      {connected !== null && (
        <Notice tone="good" data-notice="connected">
          <b>{connected} is stored.</b> Agents whose tier includes one of its models use it from now on.
        </Notice>
      )}
      <Notes providers={providers.data} scriptedOnly={models.data?.scripted_only === true} onForm={onForm} />
      <ModelNames models={known} refused={models.refused} />
      <Providers providers={providers.data} onForm={onForm} onChanged={again} />
      <PriceTable prices={rows} />
      {form !== null && (
        <Opened form={form} notice={providers.data.subscription.notice} models={known} prices={rows} onClose={close} />
      )}
    </>
  );
}

interface OpenedProps {
  readonly form: OpenForm;
  /** The notice about sign-ins to a subscription. */
  readonly notice: string;
  readonly models: readonly VillageModel[] | null;
  readonly prices: readonly ModelPriceView[];
  /** Receives the name of the provider that the form stored; null if it stored none. */
  readonly onClose: (stored: string | null) => void;
}

function Opened({ form, notice, models, prices, onClose }: OpenedProps): ReactElement {
  if (form.kind === 'prices')
    return <PriceForm credential={form.of} prices={prices} onClose={(saved) => onClose(saved ? form.of.name : null)} />;
  const names = (models ?? []).filter(({ tiers }) => tiers.length > 0).map(({ name }) => name);
  if (form.kind === 'subscription')
    return <SubscriptionForm notice={notice} names={names} again={form.again} onClose={onClose} />;
  return (
    <ConnectForm names={names} changed={form.changed} onClose={(credential) => onClose(credential?.name ?? null)} />
  );
}

type NotesProps = Readonly<{ providers: Providers; scriptedOnly: boolean; onForm: FormState['onForm'] }>;

/** Notices about the village: no language model, keys that it cannot seal, and sign-ins to a subscription. */
function Notes({ providers, scriptedOnly, onForm }: NotesProps): ReactElement {
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

interface ProvidersProps {
  readonly providers: Providers;
  readonly onForm: FormState['onForm'];
  readonly onChanged: () => void;
}

function Providers({ providers, onForm, onChanged }: ProvidersProps): ReactElement {
  const { credentials, configured, subscription } = providers;
  return (
    <section aria-label="Providers">
      <h2 className="page-section">Providers</h2>
      <ul className="providers">
        {credentials.map((credential) => (
          <ProviderCard
            key={`${credential.name} ${credential.agent_id ?? ''}`}
            credential={credential}
            onEdit={(changed) => onForm({ kind: 'connect', changed })}
            onSignIn={subscription.enabled ? (again) => onForm({ kind: 'subscription', again }) : null}
            onPrices={(of) => onForm({ kind: 'prices', of })}
            onChanged={onChanged}
          />
        ))}
        {configured.map((provider) => (
          <Configured key={provider.name} provider={provider} />
        ))}
      </ul>
    </section>
  );
}

function Configured({ provider }: { readonly provider: Providers['configured'][number] }): ReactElement {
  const { name, kind, base_url: address, credential, available, used_by: users } = provider;
  const isScripted = kind === 'scripted';
  return (
    <li className="card provider-card" data-configured={name}>
      <header className="provider-head">
        <h3>{name}</h3>
        <span>{kindLabel(kind)}</span>
        <Badge tone={!available ? 'bad' : isScripted ? 'sleep' : 'good'}>
          {!available ? 'Its key is missing' : isScripted ? 'Sentences from a list' : 'Configured'}
        </Badge>
      </header>
      <dl className="provider-facts">
        {address !== null && (
          <>
            <dt>Address</dt>
            <dd>
              <code>{address}</code>
            </dd>
          </>
        )}
        {credential !== null && (
          <>
            <dt>Key</dt>
            <dd>
              <code>{credential}</code>
            </dd>
          </>
        )}
        <dt>Used by</dt>
        <dd>{usersLabel(users.total)}</dd>
      </dl>
      <p className="hint">It is part of the configuration of the village; an operator changes it.</p>
    </li>
  );
}

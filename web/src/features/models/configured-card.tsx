import type { CallData, listModelCredentials } from '@hamlet/contract';
import { Badge, Button, Fact, RefusedNotice } from '../../ui/controls.tsx';
import { kindLabel, usersLabel } from './model-labels.ts';
import { type ProviderLoad, ServerFigures } from './server-figures.tsx';
import { FaultyTest, TestedAbilities } from './stored-test.tsx';
import { TestResult, useTest } from './test-result.tsx';

interface CardProps {
  readonly provider: CallData<typeof listModelCredentials>['configured'][number];
  readonly load: ProviderLoad;
  /** A name in tiers that it serves, to test it with; null if it serves none. */
  readonly model: string | null;
}

/** A provider of the configuration, which people can test but not change here. */
export function ConfiguredCard({ provider, load, model }: CardProps) {
  const { name, base_url: address, credential, used_by: users, last_test: last, tested_models: tested } = provider;
  return (
    <li className="card provider-card" data-configured={name}>
      <Head provider={provider} />
      <dl className="provider-facts">
        {address !== null && (
          <Fact name="Address">
            <code>{address}</code>
          </Fact>
        )}
        {credential !== null && (
          <Fact name="Key">
            <code>{credential}</code>
          </Fact>
        )}
        {tested.map(({ model: of }) => (
          <Fact key={of} name="Tested">
            <code>{of}</code> <TestedAbilities model={of} tested={tested} />
          </Fact>
        ))}
        <Fact name="Used by">{usersLabel(users.total)}</Fact>
        <FaultyTest test={last} />
      </dl>
      <ServerFigures load={load} />
      {model !== null && provider.kind !== 'scripted' && <TestOf provider={name} model={model} />}
      <p className="hint">It is part of the configuration of the village; an operator changes it.</p>
    </li>
  );
}

function Head({ provider: { name, kind, available } }: Pick<CardProps, 'provider'>) {
  const isScripted = kind === 'scripted';
  return (
    <header className="provider-head">
      <h3>{name}</h3>
      <span>{kindLabel(kind)}</span>
      <Badge tone={!available ? 'bad' : isScripted ? 'sleep' : 'good'}>
        {!available ? 'Its key is missing' : isScripted ? 'Sentences from a list' : 'Configured'}
      </Badge>
    </header>
  );
}

function TestOf({ provider, model }: { readonly provider: string; readonly model: string }) {
  const { intent, answer, run } = useTest();
  return (
    <>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      {answer !== null && <TestResult answer={answer} />}
      <div className="button-row">
        <Button
          word={intent.busy ? 'Asking…' : 'Test'}
          icon="play"
          iconPx={14}
          aria-label={`Test ${provider}`}
          aria-disabled={intent.busy}
          onClick={() => void run({ model })}
          data-action="test"
        />
      </div>
    </>
  );
}

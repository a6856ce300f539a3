import type { VillageModel } from '@hamlet/contract';
import type { ReactElement } from 'react';
import type { Refused } from '../../client/api.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { RefusedNotice, Unread } from '../../ui/notices/refused-notice.tsx';
import { modelState } from './model-labels.ts';
import { TestResult } from './test-result.tsx';
import { useTest } from './use-test.ts';

type NamesProps = Readonly<{ models: readonly VillageModel[] | null; refused: Refused | null }>;

/** The names of models in the village: the provider that answers for each, and the tiers that include it. */
export function ModelNames({ models, refused }: NamesProps): ReactElement {
  return (
    <section className="card model-names" aria-label="Names of models">
      <h2>Names of models</h2>
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

function ModelName({ model }: { readonly model: VillageModel }): ReactElement {
  const { name, provider, tiers, context_tokens: context } = model;
  const { word, tone } = modelState(model);
  const test = useTest();
  return (
    <li className="model-name" data-model={name} data-state={word}>
      <b>{name}</b>
      <Badge tone={tone}>{word}</Badge>
      <span className="model-by">
        {provider !== null && <>by {provider}</>}
        {context !== null && <> · {context.toLocaleString('en')} tokens</>}
      </span>
      <span className="model-tiers">{tiers.length === 0 ? 'in no tier' : tiers.join(', ')}</span>
      <Button
        word={test.intent.busy ? 'Asking…' : 'Test'}
        aria-label={`Test ${name}`}
        aria-disabled={test.intent.busy || !model.available}
        onClick={() => {
          if (model.available) void test.run({ model: name });
        }}
      />
      {test.intent.refused !== null && <RefusedNotice refused={test.intent.refused} />}
      {test.answer !== null && <TestResult answer={test.answer} />}
    </li>
  );
}

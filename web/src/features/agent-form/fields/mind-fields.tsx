import { showModels } from '@hamlet/contract';
import { useLive } from '../../../client/query/use-live.ts';
import { FieldProblem, Segments, SelectField } from '../../../ui/fields.tsx';
import { useTiers } from '../../village-context.ts';
import { textAt } from '../spec/edit-spec.ts';
import { FormPart, OwnerMark, SpecText, useSpecForm } from './spec-form.tsx';

const MODELS_MS = 30_000;

/** The model that thinks for the agent. The village's models are suggestions; other names work once a provider serves them. */
export function ModelFields() {
  const models = useLive(showModels, { query: {} }, MODELS_MS).data?.models ?? [];
  const providers = new Set(models.flatMap(({ provider }) => (provider === null ? [] : [provider])));
  return (
    <FormPart title="Model" hint="Empty: the model of the village.">
      <div className="form-grid">
        <SpecText
          path={['model', 'name']}
          label="Model"
          spellCheck={false}
          suggestions={models.map(({ name }) => name)}
          placeholder="The village's model"
        />
        <SpecText
          path={['model', 'provider']}
          label="Provider"
          spellCheck={false}
          suggestions={[...providers]}
          placeholder="The first that serves it"
        />
      </div>
    </FormPart>
  );
}

const POLICIES = [
  { key: 'ByBalance', word: 'By balance' },
  { key: 'Pinned', word: 'Always the same' },
] as const;
const TIER = ['entitlement'] as const;

/** The tier, which decides cpu, memory, models and price. */
export function TierFields() {
  const { spec, write, problemOf, ownerOf } = useSpecForm();
  const tiers = useTiers().data?.entitlements ?? [];
  const pinned = textAt(spec, [...TIER, 'policy']) === 'Pinned';
  const name = textAt(spec, [...TIER, 'name']);
  const locked = ownerOf(TIER) !== undefined;
  return (
    <FormPart title="Tier" hint="The tier decides cpu, memory, models and the price of an hour.">
      <OwnerMark path={TIER} />
      <fieldset disabled={locked} className="agent-plain">
        <Segments
          label="The tier follows"
          items={POLICIES}
          value={pinned ? 'Pinned' : 'ByBalance'}
          onChange={(policy) => write(TIER, policy === 'Pinned' ? { policy, name: tiers[0]?.name ?? '' } : undefined)}
        />
        {pinned && (
          <SelectField
            label="Tier"
            name="entitlement.name"
            value={name}
            options={[
              ...(tiers.some((tier) => tier.name === name)
                ? []
                : [[name, name === '' ? 'Choose a tier' : name] as const]),
              ...tiers.map((tier) => [tier.name, `${tier.name} · ${tier.price.per_hour} an hour`] as const),
            ]}
            onChange={(chosen) => write([...TIER, 'name'], chosen)}
          />
        )}
        <FieldProblem text={problemOf(TIER)} />
      </fieldset>
    </FormPart>
  );
}

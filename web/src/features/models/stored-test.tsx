import { MODEL_ABILITIES, type ModelCredential } from '@hamlet/contract';
import { Badge, Fact, Time, useNow } from '../../ui/controls.tsx';
import { timeAgo } from '../../ui/time-labels.ts';
import { abilityLabel } from './model-labels.ts';

interface TestedProps {
  /** The provider's name of the model. */
  readonly model: string;
  readonly tested: ModelCredential['tested_models'];
}

/** The abilities that the newest test of a model found. */
export function TestedAbilities({ model, tested }: TestedProps) {
  const found = tested.find((each) => each.model === model);
  if (found === undefined) return null;
  return (
    <span className="provider-abilities">
      {MODEL_ABILITIES.filter((ability) => found[ability] !== null).map((ability) => {
        const { word, tone, means } = abilityLabel(ability, found[ability]);
        return (
          <Badge key={ability} tone={tone} title={means}>
            {word}
          </Badge>
        );
      })}
    </span>
  );
}

/** The newest test of a provider if it failed, or found a fault in the answer. */
export function FaultyTest({ test }: { readonly test: ModelCredential['last_test'] }) {
  const now = useNow(10_000);
  if (test === null || (test.ok && test.message === null)) return null;
  return (
    <Fact name="Last test" className={test.ok ? '' : 'provider-failure'}>
      {test.message ?? test.code} <Time at={test.at} word={timeAgo(test.at, now)} />
    </Fact>
  );
}

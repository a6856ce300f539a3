import type { AgentConfig, Capability } from '@hamlet/contract';
import { runtimeNameOf } from '../runtime/runtime-pool.ts';
import type { Village } from '../village/village.ts';
import { has, lacks } from './capability.ts';

const FIX = 'connect a model on the page Models, or name one in spec.model that the tier allows';

/** Whether the agent has the model that its runtime needs, and whether the gateway serves it now. */
export async function modelCapability(
  village: Pick<Village, 'models'>,
  config: Pick<AgentConfig, 'model' | 'runtime'>,
): Promise<readonly Capability[]> {
  const { model } = config;
  if (model === null || model.scripted) {
    if (runtimeNameOf(config) !== 'engine') return [];
    return [
      lacks(
        'model',
        `the runtime engine needs a language model, and there is none: ${model?.reason ?? 'the tier allows none that is served'}`,
        FIX,
      ),
    ];
  }
  const answer = await village.models();
  if (answer.kind === 'unreachable')
    return [lacks('model', `the gateway did not answer: ${answer.why}`, 'check that the API runs')];
  if (answer.kind !== 'ok') return [];
  return answer.value.some(({ model: served }) => served === model.name)
    ? [has('model', `${model.name}, by ${model.provider}`)]
    : [lacks('model', `the gateway does not serve ${model.name} to this agent now`, FIX)];
}

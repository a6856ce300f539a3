import { type CallInput, testModel } from '@hamlet/contract';
import { useState } from 'react';
import { type Intent, useIntent } from '../../client/query/use-intent.ts';
import { useVillage } from '../village-context.ts';
import type { TestAnswer } from './model-labels.ts';

type TestBody = NonNullable<CallInput<typeof testModel>['body']>;

/** A test of a model: its request, and the last answer. */
export interface ModelTest {
  readonly intent: Intent;
  readonly answer: TestAnswer | null;
  run(body: TestBody): Promise<void>;
  forget(): void;
}

export function useTest(): ModelTest {
  const { api } = useVillage();
  const intent = useIntent();
  const [answer, setAnswer] = useState<TestAnswer | null>(null);
  return {
    intent,
    answer,
    async run(body) {
      setAnswer(null);
      const reply = await intent.send(() => api.call(testModel, { body }), JSON.stringify(body));
      if (reply?.ok === true) setAnswer(reply.data);
    },
    forget() {
      setAnswer(null);
      intent.changed();
    },
  };
}

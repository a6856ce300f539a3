import { useState } from 'react';
import { Badge, Notice } from '../../ui/controls.tsx';
import { abilityLabel, costLabel, type TestAnswer, testLabel } from './model-labels.ts';
import { type CallInput, testModel } from '@hamlet/contract';
import { type Intent, useIntent } from '../../client/query/use-live.ts';

export function TestResult({ answer }: { readonly answer: TestAnswer }) {
  return (
    <Notice tone={answer.ok ? 'good' : 'bad'} data-test={answer.ok ? 'ok' : (answer.code ?? 'failed')}>
      <b>{testLabel(answer)}</b> {costLabel(answer)}
      {answer.ok ? <Words text={quoted(answer.text)} /> : <Words text={answer.message} />}
      {answer.abilities.length > 0 && <Abilities found={answer.abilities} />}
      {answer.fix !== null && <span className="test-fix">{answer.fix}</span>}
    </Notice>
  );
}

function Abilities({ found }: { readonly found: TestAnswer['abilities'] }) {
  return (
    <ul className="test-abilities" aria-label="Abilities">
      {found.map(({ ability, can, note }) => {
        const { word, tone, means } = abilityLabel(ability, can);
        return (
          <li key={ability} data-ability={ability} data-can={String(can)}>
            <Badge tone={tone}>{word}</Badge> {note} {means}
          </li>
        );
      })}
    </ul>
  );
}

function Words({ text }: { readonly text: string | null }) {
  return text === null ? null : <span className="test-words">{text}</span>;
}

const quoted = (text: string | null): string | null =>
  text === null || text.trim() === '' ? null : `“${text.trim()}”`;

type TestBody = NonNullable<CallInput<typeof testModel>['body']>;

interface ModelTest {
  readonly intent: Intent;
  readonly answer: TestAnswer | null;
  run(body: TestBody): Promise<void>;
  forget(): void;
}

export function useTest(): ModelTest {
  const intent = useIntent();
  const [answer, setAnswer] = useState<TestAnswer | null>(null);
  return {
    intent,
    answer,
    async run(body) {
      setAnswer(null);
      const data = await intent.call(testModel, { body }, JSON.stringify(body));
      if (data !== null) setAnswer(data);
    },
    forget() {
      setAnswer(null);
      intent.changed();
    },
  };
}

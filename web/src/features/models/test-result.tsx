import type { ReactElement } from 'react';
import { Notice } from '../../ui/notices/notice.tsx';
import { costLabel, type TestAnswer, testLabel } from './model-labels.ts';

const NO_TOOLS = 'It takes no tools: agents that use it can only write, and say so.';

/** The answer of a tested model, or the class of its failure with the provider's words and the next step. */
export function TestResult({ answer }: { readonly answer: TestAnswer }): ReactElement {
  return (
    <Notice tone={answer.ok ? 'good' : 'bad'} data-test={answer.ok ? 'ok' : (answer.code ?? 'failed')}>
      <b>{testLabel(answer)}</b> {costLabel(answer)}
      {answer.ok ? <Words text={quoted(answer.text)} /> : <Words text={answer.message} />}
      {answer.tools === false && !answer.scripted && <span className="test-fix">{NO_TOOLS}</span>}
      {answer.fix !== null && <span className="test-fix">{answer.fix}</span>}
    </Notice>
  );
}

function Words({ text }: { readonly text: string | null }): ReactElement | null {
  return text === null ? null : <span className="test-words">{text}</span>;
}

function quoted(text: string | null): string | null {
  return text === null || text.trim() === '' ? null : `“${text.trim()}”`;
}

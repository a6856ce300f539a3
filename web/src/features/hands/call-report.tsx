import type { CallReport, HandsCall } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { visibleText } from '../permissions/shown-arguments.ts';
import { DiffView } from './diff-view.tsx';
import { endLabel, hasOutput } from './hands-labels.ts';
import './hands.css';

/** The facts of a call in the hands: the command with its end and both streams, or the change of a file. */
export function CallReportView({ call }: { readonly call: HandsCall }): ReactElement | null {
  const { report } = call;
  if (report === null) return null;
  const { stdout = '', stderr = '', path, diff = '', refused = [] } = report;
  return (
    <div className="call-report">
      <Command call={call} report={report} />
      <Stream word="Refused by the broker" text={refused.join('\n')} />
      <Stream word="Output" text={stdout} />
      <Stream word="Errors" text={stderr} />
      {path !== undefined && diff !== '' && <DiffView diff={diff} path={path} />}
    </div>
  );
}

function Command({ call, report }: Readonly<{ call: HandsCall; report: CallReport }>): ReactElement | null {
  const { command, exit } = report;
  if (command === undefined) return null;
  return (
    <>
      <pre className="command" tabIndex={0} aria-label="Command">
        {visibleText(command)}
      </pre>
      <p className="command-end" data-exit={exit ?? 'none'}>
        {visibleText(endLabel(call))}
      </p>
      {exit !== undefined && !hasOutput(report) && <p className="hint">It wrote nothing.</p>}
    </>
  );
}

function Stream({ word, text }: Readonly<{ word: string; text: string }>): ReactElement | null {
  if (text === '') return null;
  return (
    <>
      <h4>{word}</h4>
      <pre className="call-result" tabIndex={0} aria-label={word}>
        {visibleText(text)}
      </pre>
    </>
  );
}

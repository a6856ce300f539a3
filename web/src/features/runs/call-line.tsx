import type { Permission } from '@hamlet/contract';
import type { ReactElement } from 'react';
import type { CallItem } from '../../client/minds/trace-items.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { lengthLabel } from '../../ui/time-labels.ts';
import { ArgumentList } from '../permissions/argument-list.tsx';
import { PermissionCard } from '../permissions/permission-card.tsx';
import { shortArguments, visibleText } from '../permissions/shown-arguments.ts';
import { useVillage } from '../village-context.ts';
import { CALL_STATES, postOf, toolLabel, witnessLabel } from './call-labels.ts';
import './calls.css';

type CallLineProps = Readonly<{ call: CallItem; onAnswered: (permission: Permission) => void }>;

/** One call of a tool as a folded line; opened, it shows everything. Its permission requests stand below it. */
export function CallLine({ call, onAnswered }: CallLineProps): ReactElement {
  const { word, icon } = toolLabel(call.tool);
  const state = CALL_STATES[call.state];
  return (
    <div className="call" data-call={call.tool} data-state={call.state}>
      <details>
        <summary>
          <Icon name={icon} size={15} />
          <span className="call-word">{word}</span>
          <span className="call-short">{shortArguments(call.argumentsText)}</span>
          <span className="call-state" title={state.word}>
            {call.state === 'running' ? (
              <span className="spinner spinner-small" aria-hidden="true" />
            ) : (
              <span className={`mark mark-${state.tone}`} aria-hidden="true" />
            )}
            <span className={call.state === 'done' || call.state === 'running' ? 'sr-only' : undefined}>
              {state.word}
            </span>
          </span>
        </summary>
        <CallFacts call={call} />
      </details>
      <PostLink call={call} />
      {call.permissions.map((permission) => (
        <PermissionCard key={permission.permission_id} permission={permission} onAnswered={onAnswered} />
      ))}
    </div>
  );
}

function CallFacts({ call }: { readonly call: CallItem }): ReactElement {
  const witness = witnessLabel(call.witnessed);
  const took = call.endedAt === null ? null : Date.parse(call.endedAt) - Date.parse(call.at);
  return (
    <div className="call-facts">
      <p className="call-source">
        <code className="reason">{call.tool}</code>
        <span title={witness.hint}>{witness.word}</span>
        {took !== null && <span>{lengthLabel(took)}</span>}
        {call.outcome !== null && call.outcome !== 'ok' && <code className="reason">{call.outcome}</code>}
      </p>
      {call.argumentsText === null ? (
        <p className="hint">The village no longer keeps the arguments.</p>
      ) : (
        <ArgumentList argumentsText={call.argumentsText} />
      )}
      {call.resultText !== null && (
        <>
          <h4>Result</h4>
          <pre className="call-result" tabIndex={0}>
            {visibleText(call.resultText)}
          </pre>
        </>
      )}
    </div>
  );
}

function PostLink({ call }: { readonly call: CallItem }): ReactElement | null {
  const { open } = useVillage();
  const post = postOf(call);
  if (post === null) return null;
  return <LinkButton className="call-post" word="Open the post" onClick={() => open({ view: 'board', post })} />;
}

import type { CallReport, HandsCall, Permission, ProgramClaim } from '@hamlet/contract';
import { useMemo } from 'react';
import type { CallItem } from '../../client/minds/trace-items.ts';
import { Icon, LinkButton } from '../../ui/controls.tsx';
import { lengthLabel } from '../../ui/time-labels.ts';
import { ArgumentList } from '../permissions/argument-list.tsx';
import { PermissionCard } from '../permissions/permission-card.tsx';
import { useVillage } from '../village-context.ts';
import { readPlan } from '../permissions/todo.ts';
import { ProgramClaimView, Words } from '../mind/program-claim.tsx';
import '../mind/mind.css';
import { TodoItems } from './page/todo-list.tsx';
import { callStateLabel, claimOf, placeLabel, postOf, shortCall, witnessLabel } from '../permissions/call-labels.ts';
import { toolLabel } from '../permissions/tool-labels.ts';
import './calls.css';
import { DiffView } from '../hands/diff-view.tsx';
import { endLabel, hasOutput } from '../hands/hands-labels.ts';
import '../hands/hands.css';
import { visibleText } from '@hamlet/core/visible-text';

type CallLineProps = Readonly<{
  call: CallItem;
  /** The call as the log of the hands has it; absent for other tools and for older calls. */
  logged?: HandsCall | undefined;
  onAnswered: (permission: Permission) => void;
}>;

export function CallLine({ call, logged, onAnswered }: CallLineProps) {
  const { tool, argumentsText } = call;
  const { word, icon } = toolLabel(tool);
  const state = callStateLabel(call, logged?.report?.exit);
  const claim = useMemo(() => claimOf({ tool, argumentsText }), [tool, argumentsText]);
  const isQuiet = call.state === 'running' || state.word === 'Done';
  return (
    <div className="call" data-call={call.tool} data-state={call.state}>
      <details>
        <summary>
          <Icon name={icon} size={15} />
          <span className="call-word">{word}</span>
          <span className="call-short">{shortCall(call)}</span>
          <span className="call-state" title={state.word}>
            {claim !== null && claim.kind !== 'install' && (
              <span className="call-claimed" title="The program says so; the village did not see it">
                claim
              </span>
            )}
            {call.state === 'running' ? (
              <span className="spinner spinner-small" aria-hidden="true" />
            ) : (
              <span className={`mark mark-${state.tone}`} aria-hidden="true" />
            )}
            <span className={isQuiet ? 'sr-only' : undefined}>{state.word}</span>
          </span>
        </summary>
        <CallFacts call={call} logged={logged} claim={claim} />
      </details>
      <PostLink call={call} />
      {call.permissions.map((permission) => (
        <PermissionCard key={permission.permission_id} permission={permission} onAnswered={onAnswered} />
      ))}
    </div>
  );
}

type CallFactsProps = Pick<CallLineProps, 'call' | 'logged'> & Readonly<{ claim: ProgramClaim | null }>;

function CallFacts({ call, logged, claim }: CallFactsProps) {
  const witness = witnessLabel(call.witnessed);
  const place = placeLabel(call.tool);
  const took = call.endedAt === null ? null : Date.parse(call.endedAt) - Date.parse(call.at);
  return (
    <div className="call-facts">
      <p className="call-source">
        <code className="reason">{call.tool}</code>
        <span title={place.hint}>{place.word}</span>
        <span title={witness.hint}>{witness.word}</span>
        {took !== null && <span>{lengthLabel(took)}</span>}
        {call.outcome !== null && call.outcome !== 'ok' && <code className="reason">{call.outcome}</code>}
      </p>
      <CallBody call={call} logged={logged} claim={claim} />
    </div>
  );
}

function CallBody({ call, logged, claim }: CallFactsProps) {
  if (saysAll(logged)) return <CallReportView call={logged} />;
  return claim === null || claim.kind === 'plan' ? <CallTexts call={call} /> : <ProgramClaimView claim={claim} />;
}

/** True if the log has the command or the change, which is more useful than arguments and result. */
function saysAll(logged: HandsCall | undefined): logged is HandsCall {
  const { command, diff = '' } = logged?.report ?? {};
  return command !== undefined || diff !== '';
}

function CallTexts({ call }: Pick<CallLineProps, 'call'>) {
  return (
    <>
      <CallArguments call={call} />
      {call.resultText !== null && (
        <>
          <h4>Result</h4>
          <pre className="call-result" tabIndex={0}>
            {visibleText(call.resultText)}
          </pre>
        </>
      )}
    </>
  );
}

function CallArguments({ call: { tool, argumentsText } }: Pick<CallLineProps, 'call'>) {
  if (argumentsText === null) return <p className="hint">The village no longer keeps the arguments.</p>;
  const plan = readPlan({ tool, argumentsText });
  return plan === null ? <ArgumentList argumentsText={argumentsText} /> : <TodoItems items={plan} />;
}

function PostLink({ call }: { readonly call: CallItem }) {
  const { open } = useVillage();
  const post = postOf(call);
  if (post === null) return null;
  return <LinkButton className="call-post" word="Open the post" onClick={() => open({ view: 'board', post })} />;
}

function CallReportView({ call }: { readonly call: HandsCall }) {
  const { report } = call;
  if (report === null) return null;
  const { stdout = '', stderr = '', path, diff = '', refused = [] } = report;
  return (
    <div className="call-report">
      <Command call={call} report={report} />
      <Words word="Refused by the broker" text={refused.join('\n')} />
      <Words word="Output" text={stdout} />
      <Words word="Errors" text={stderr} />
      {path !== undefined && diff !== '' && <DiffView diff={diff} path={path} />}
    </div>
  );
}

function Command({ call, report }: Readonly<{ call: HandsCall; report: CallReport }>) {
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

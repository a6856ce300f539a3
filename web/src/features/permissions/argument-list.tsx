import { isEgressTool } from '@hamlet/contract';
import { type ShownArgument, shownArguments, shownCall, shownWrite } from './shown-arguments.ts';

/** The arguments of a call, complete and as plain text, without markup. */
export function ArgumentList({ argumentsText }: { readonly argumentsText: string }) {
  const shown = shownArguments(argumentsText);
  if (shown.length === 0) return <p className="hint">Without arguments.</p>;
  return <Arguments shown={shown} />;
}

export function CommandDetails({ command, argumentsText }: Readonly<{ command: string; argumentsText: string }>) {
  return (
    <>
      <p className="write-summary">{command}</p>
      <details className="write-facts">
        <summary>Details of the call</summary>
        <ArgumentList argumentsText={argumentsText} />
      </details>
    </>
  );
}

/** The details of a call that asks a person: what it is about, the content, then the facts that identify it. */
export function CallDetails({ tool, argumentsText }: Readonly<{ tool: string; argumentsText: string }>) {
  const shown = isEgressTool(tool) ? shownWrite(argumentsText) : shownCall(tool, argumentsText);
  if (shown === null) return <ArgumentList argumentsText={argumentsText} />;
  return (
    <>
      <p className={tool === 'post_to_board' ? 'write-title' : 'write-summary'}>{shown.summary}</p>
      {shown.content.length > 0 && <Arguments shown={shown.content} />}
      {shown.facts.length > 0 && (
        <details className="write-facts">
          <summary>Details of the request</summary>
          <Arguments shown={shown.facts} />
        </details>
      )}
    </>
  );
}

function Arguments({ shown }: { readonly shown: readonly ShownArgument[] }) {
  return (
    <dl className="arguments">
      {shown.map(({ name, text, isText }, index) => (
        <div key={`${index} ${name}`}>
          {name !== '' && <dt>{name}</dt>}
          {/* Arguments may be long: the box scrolls, also by keyboard. */}
          <dd className={isText ? 'argument-text' : 'argument-json'} tabIndex={text.length > 400 ? 0 : undefined}>
            {text === '' ? <i>empty</i> : text}
          </dd>
        </div>
      ))}
    </dl>
  );
}

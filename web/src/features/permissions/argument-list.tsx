import type { ReactElement } from 'react';
import { shownArguments } from './shown-arguments.ts';

/** The arguments of a call, complete and as plain text: nothing in them is markup. */
export function ArgumentList({ argumentsText }: { readonly argumentsText: string }): ReactElement {
  const shown = shownArguments(argumentsText);
  if (shown.length === 0) return <p className="hint">Without arguments.</p>;
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

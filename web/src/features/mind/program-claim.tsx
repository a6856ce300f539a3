import type { ProgramClaim } from '@hamlet/contract';
import { readJson } from '@hamlet/core';
import { isJsonObject } from '../../client/json.ts';
import { DiffView } from '../hands/diff-view.tsx';
import { ArgumentList } from '../permissions/argument-list.tsx';
import { claimTitle } from '../permissions/call-labels.ts';
import { shortLine } from '../permissions/shown-arguments.ts';
import { visibleText } from '@hamlet/core/visible-text';

/** The claim of a program about one piece of its work: its words, the places and changes that it names, its input and output. */
export function ProgramClaimView({ claim }: { readonly claim: ProgramClaim }) {
  const { input, output, diffs } = claim;
  const title = claimTitle(claim) ?? '';
  const changed = new Set(diffs.map(({ path }) => path));
  const places = claim.locations.filter(({ path }) => !changed.has(path));
  return (
    <div className="claim">
      {title !== shortLine(title) && <p className="claim-title">{title}</p>}
      {places.length > 0 && (
        <p className="claim-places">
          {places.map(({ path, line }, index) => (
            <span key={index}>{visibleText(line === null ? path : `${path}:${line}`)}</span>
          ))}
        </p>
      )}
      {diffs.map(({ path, diff }, index) => (
        <div key={index}>
          <h4>{visibleText(path)}</h4>
          <DiffView diff={diff} path={path} />
        </div>
      ))}
      <Input text={input} />
      <Words word="Output" text={output} />
    </div>
  );
}

function Input({ text }: { readonly text: string }) {
  return isJsonObject(readJson(text)) ? <ArgumentList argumentsText={text} /> : <Words word="Input" text={text} />;
}

/** A named text in fixed width; nothing if it is empty. */
export function Words({ word, text }: Readonly<{ word: string; text: string }>) {
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

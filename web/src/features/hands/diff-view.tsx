import { type DiffLine, diffLines } from './hands-labels.ts';
import './hands.css';
import { visibleText } from '@hamlet/core/visible-text';

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = { added: '+', removed: '−', same: ' ', hunk: ' ', note: ' ' };
const WORDS: Readonly<Partial<Record<DiffLine['kind'], string>>> = { added: 'added: ', removed: 'removed: ' };

export function DiffView({ diff, path }: Readonly<{ diff: string; path: string }>) {
  const { lines, left } = diffLines(diff);
  return (
    <div className="diff" role="group" tabIndex={0} aria-label={`Change of ${visibleText(path)}`}>
      <div className="diff-lines">
        {lines.map(({ kind, text }, index) => (
          <div key={index} className="diff-line" data-kind={kind}>
            <span className="diff-sign" aria-hidden="true">
              {SIGNS[kind]}
            </span>
            <span className="diff-text">
              {WORDS[kind] !== undefined && <span className="sr-only">{WORDS[kind]}</span>}
              {visibleText(text)}
            </span>
          </div>
        ))}
      </div>
      {left > 0 && <p className="hint">{left.toLocaleString('en')} more lines are not shown.</p>}
    </div>
  );
}

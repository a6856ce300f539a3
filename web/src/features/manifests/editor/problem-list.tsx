import type { ConfigError } from '@hamlet/engine/manifests';
import { Icon } from '../../../ui/controls.tsx';
import { visibleText } from '@hamlet/core/visible-text';
import { problemCount } from '../texts/check-manifests.ts';

type ProblemListProps = Readonly<{
  errors: readonly ConfigError[];
  /** False while the newest text has not been checked. */
  isCurrent: boolean;
  onJump: (error: ConfigError) => void;
}>;

/** All problems of all files; each is a button that moves the cursor to its place. */
export function ProblemList({ errors, isCurrent, onJump }: ProblemListProps) {
  return (
    <section className="problems" aria-label="Problems" data-count={errors.length} data-current={isCurrent}>
      <p className="problems-head" role="status">
        <Icon name={errors.length === 0 ? 'check' : 'alert'} size={16} /> {problemCount(errors)}
      </p>
      {errors.length > 0 && (
        <ol className="problems-list">
          {errors.map((error, index) => (
            <li key={index}>
              <button type="button" className="problem" onClick={() => onJump(error)}>
                <code className="problem-place">
                  {error.file}:{error.line}:{error.column}
                </code>
                <span className="problem-words">
                  {visibleText(error.message)}
                  {error.hint !== null && <small>{visibleText(error.hint)}</small>}
                </span>
              </button>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

import { Button } from '../../ui/controls.tsx';
import { type StartingPoint, STARTING_POINTS } from './starting-points.ts';

/** Workflows to begin with, for an agent without one. */
export function StartingPoints({ onChoose }: { readonly onChoose: (begin: StartingPoint) => void }) {
  return (
    <section aria-label="Starting points">
      <p className="summary">
        This agent has no workflow yet. Begin with one of these; nothing is saved until you save it.
      </p>
      <ul className="starting-points">
        {STARTING_POINTS.map((begin) => (
          <li key={begin.key} className="card starting-point">
            <h2>{begin.title}</h2>
            <p>{begin.text}</p>
            <Button
              word={`Begin with ${begin.title.toLowerCase()}`}
              data-begin={begin.key}
              onClick={() => onChoose(begin)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

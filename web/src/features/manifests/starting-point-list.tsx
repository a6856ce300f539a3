import { Button } from '../../ui/controls.tsx';
import { type StartingPoint, STARTING_POINTS } from './starting-points.ts';

/** Workflows to begin with, for an agent without one. */
export function StartingPoints({ onChoose }: { readonly onChoose: (point: StartingPoint) => void }) {
  return (
    <section aria-label="Starting points">
      <p className="summary">
        This agent has no workflow yet. Begin with one of these; nothing is saved until you save it.
      </p>
      <ul className="starting-points">
        {STARTING_POINTS.map((point) => (
          <li key={point.key} className="card starting-point">
            <h2>{point.title}</h2>
            <p>{point.text}</p>
            <Button
              word={`Begin with ${point.title.toLowerCase()}`}
              data-begin={point.key}
              onClick={() => onChoose(point)}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

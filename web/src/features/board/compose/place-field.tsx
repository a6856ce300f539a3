import { type ReactElement, useEffect } from 'react';
import { Icon } from '../../../ui/icon.tsx';
import { useVillage, useVillageState } from '../../village-context.ts';
import type { DraftPlace } from './compose-draft.ts';

interface PlaceProps {
  readonly place: DraftPlace;
  readonly onPlace: (place: DraftPlace) => void;
}

/** Where a post is pinned: chosen from the landmarks by name, or by a tap on the map. */
export function PlaceField({ place, onPlace }: PlaceProps): ReactElement {
  const { pick } = useVillage();
  const landmarks = useVillageState((state) => state.landmarks);
  const picking = useVillageState((state) => state.picking);
  const tile = picking?.tile ?? null;
  useEffect(() => {
    if (tile !== null) onPlace({ kind: 'tile', ...tile }); /* each tap once */
  }, [tile?.x, tile?.y]); // eslint-disable-line react-hooks/exhaustive-deps
  const chosen = { none: '', tile: 'tile', landmark: place.kind === 'landmark' ? place.id : '' }[place.kind];
  const choose = (value: string): void => {
    pick(null);
    onPlace(value === '' ? { kind: 'none' } : value === 'tile' ? place : { kind: 'landmark', id: value });
  };
  const look = (): void =>
    pick(picking === null ? { tile: place.kind === 'tile' ? { x: place.x, y: place.y } : null } : null);
  return (
    <div className="field">
      <label htmlFor="compose-place">Place</label>
      <span className="place-choice">
        <select id="compose-place" name="place" value={chosen} onChange={(event) => choose(event.target.value)}>
          <option value="">No place</option>
          {place.kind === 'tile' && (
            <option value="tile">
              The tile {place.x}, {place.y}
            </option>
          )}
          {landmarks
            .filter(({ kind }) => kind !== 'waypoint')
            .map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
        </select>
        <button
          type="button"
          className="button"
          aria-pressed={picking !== null}
          onClick={look}
          data-action="pick-place"
        >
          <Icon name="pin" size={16} />
          {picking === null ? 'On the map' : 'Done'}
        </button>
      </span>
      {picking !== null && <PickHint tile={tile} />}
    </div>
  );
}

function PickHint({ tile }: { readonly tile: { readonly x: number; readonly y: number } | null }): ReactElement {
  return (
    <p className="hint" role="status">
      {tile === null
        ? 'Tap the map where it shall hang. Escape leaves it.'
        : `It hangs at ${tile.x}, ${tile.y}. Tap elsewhere, or Done.`}
    </p>
  );
}

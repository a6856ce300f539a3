import { type ReactElement, useState } from 'react';
import type { MapController } from '../../canvas/map-controller.ts';
import { IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { VillageMark } from '../scripted/village-mark.tsx';

const HINT_KEY = 'hamlet-hint-seen';

/** Zoom buttons for devices without a wheel, and one line of help for a first visit. */
export function MapControls({ controller }: { readonly controller: MapController | null }): ReactElement {
  const [hint, setHint] = useState(() => localStorage.getItem(HINT_KEY) === null);
  const dismiss = (): void => {
    localStorage.setItem(HINT_KEY, '1');
    setHint(false);
  };
  return (
    <>
      <div className="map-controls" role="group" aria-label="Map">
        <button
          type="button"
          className="round-button"
          onClick={() => controller?.zoomBy(1.5)}
          aria-label="Zoom in"
          title="Zoom in (+)"
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          className="round-button"
          onClick={() => controller?.zoomBy(1 / 1.5)}
          aria-label="Zoom out"
          title="Zoom out (-)"
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          className="round-button"
          onClick={() => controller?.showWhole()}
          aria-label="Show the whole village"
          title="Whole village (0)"
        >
          <Icon name="layers" />
        </button>
      </div>
      <p className="map-scripted">
        <VillageMark word="scripted speech" />
      </p>
      {hint && (
        <p className="map-hint">
          <span>
            <b>Drag</b> to look around, <b>scroll</b> to zoom, <b>click an agent</b> to see what it does.
          </span>
          <IconButton icon="close" iconPx={14} label="Got it" onClick={dismiss} />
        </p>
      )}
    </>
  );
}

import type { ReactElement } from 'react';
import { ICON_PATHS, type IconName } from './icon-paths.ts';

/** A line icon in the colour of the text; decoration only, so it is hidden from assistive technology. */
export function Icon({ name, size = 18 }: { readonly name: IconName; readonly size?: number }): ReactElement {
  return (
    <svg className="icon" width={size} height={size} viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={ICON_PATHS[name]} />
    </svg>
  );
}

import { type ComponentType, createElement, lazy, useState } from 'react';

/** A part of the page whose code loads at its first use, or earlier by `fetch`. */
export type LazyPart<P extends object> = ComponentType<P> & { readonly fetch: () => Promise<unknown> };

/**
 * Shows a part at once if its code is there. React's own `lazy` always shows the fallback first, and keeps it for 300 ms.
 */
export function lazyPart<P extends object>(load: () => Promise<ComponentType<P>>): LazyPart<P> {
  let loaded: ComponentType<P> | null = null;
  const fetch = async (): Promise<{ readonly default: ComponentType<P> }> => {
    loaded = await load();
    return { default: loaded };
  };
  const Later = lazy(fetch) as ComponentType<P>;
  function Part(props: P) {
    // A part that began as `Later` stays one, because another component would lose its state.
    const [Shown] = useState<ComponentType<P>>(() => loaded ?? Later);
    return createElement(Shown, props);
  }
  return Object.assign(Part, { fetch });
}

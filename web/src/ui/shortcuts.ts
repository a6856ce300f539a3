const KEY = 'hamlet-shortcuts';

/** Whether single keys do things on this device. Escape, and arrows within a list, always do. */
export function shortcutsOn(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

export function saveShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
}

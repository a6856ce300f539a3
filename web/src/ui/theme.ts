/** How bright the panels are; `system` follows the device. */
export type Theme = 'system' | 'light' | 'dark';
const KEY = 'hamlet-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

/** The theme chosen on this device. */
export function savedTheme(): Theme {
  const saved = localStorage.getItem(KEY);
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

/** Shows a theme and remembers it. */
export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  if (theme === 'system') localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, theme);
}

export function nextTheme(theme: Theme): Theme {
  return NEXT[theme];
}

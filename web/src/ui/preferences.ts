import { DEFAULT_BRAND } from '@hamlet/contract';
import { accentColors } from './brand-colors.ts';

/** The brightness of the panels; `system` follows the device. */
type Theme = 'system' | 'light' | 'dark';
const THEME_KEY = 'hamlet-theme';
const NEXT: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' };

export function savedTheme(): Theme {
  const saved = localStorage.getItem(THEME_KEY);
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

export function applyTheme(theme: Theme): void {
  document.documentElement.dataset['theme'] = theme;
  if (theme === 'system') localStorage.removeItem(THEME_KEY);
  else localStorage.setItem(THEME_KEY, theme);
}

/** Gives buttons and links the color of the village in both themes; the default color leaves them to the styles. */
export function applyBrand(color: string): void {
  const { style } = document.documentElement;
  for (const theme of ['light', 'dark'] as const)
    for (const [part, value] of Object.entries(accentColors(color, theme))) {
      if (color === DEFAULT_BRAND.color) style.removeProperty(`--brand-${theme}-${part}`);
      else style.setProperty(`--brand-${theme}-${part}`, value);
    }
}

export const nextTheme = (theme: Theme): Theme => NEXT[theme];

const SHORTCUTS_KEY = 'hamlet-shortcuts';

/** True if one-key shortcuts are on for this device. Escape always works, and so do arrow keys within a list. */
export const shortcutsOn = (): boolean => localStorage.getItem(SHORTCUTS_KEY) !== 'off';

export function saveShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(SHORTCUTS_KEY);
  else localStorage.setItem(SHORTCUTS_KEY, 'off');
}

const CONNECT_KEY = 'hamlet-connect-dismissed';

export const isConnectDismissed = (): boolean => localStorage.getItem(CONNECT_KEY) !== null;

export function dismissConnect(): void {
  localStorage.setItem(CONNECT_KEY, '1');
}

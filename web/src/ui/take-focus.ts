const WRITING = 'input, textarea, select';

/**
 * Moves the keyboard focus to the element, unless a person is typing: a part of the page that arrives late would take
 * their keystrokes.
 */
export function takeFocus(element: HTMLElement | null): void {
  if (document.activeElement === null || !document.activeElement.matches(WRITING))
    element?.focus({ preventScroll: true });
}

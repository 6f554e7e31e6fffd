import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { type ITheme, Terminal } from '@xterm/xterm';
import { openWithoutStyleElements, setStylesOfSpansByObject } from './allowed-styles.ts';

/** The terminal itself: a chunk of its own, as large as the rest of a page. */
export interface ShellTerminal {
  write(data: Uint8Array | string): void;
  focus(): void;
  reset(): void;
  /** Whether what is typed goes anywhere. */
  takesInput(takes: boolean): void;
  screenReader(on: boolean): void;
  find(text: string, direction: 'next' | 'previous'): boolean;
  clearFind(): void;
  selection(): string;
  paste(text: string): void;
  dispose(): void;
}

export interface ShellTerminalOptions {
  box: HTMLElement;
  label: string;
  /** Id of the sentence that says how to leave by keyboard. */
  describedBy: string;
  screenReader: boolean;
  onInput: (text: string) => void;
  onSize: (size: { columns: number; rows: number }) => void;
  onLeave: () => void;
  onFind: () => void;
  /** Several lines at once, which a program would run one by one. */
  onManyLines: (text: string) => void;
}

const MANY_LINES = 5;
const FONT = '"JetBrains Mono", "DejaVu Sans Mono", monospace';
const FONT_PIXELS = 13;
const SCROLLBACK_LINES = 10_000;
/** WCAG 1.4.3: whatever colours a program takes, they can be read in both themes. */
const CONTRAST = 4.5;

setStylesOfSpansByObject();

export async function openTerminal(options: ShellTerminalOptions): Promise<ShellTerminal> {
  const { box, label, describedBy, onInput, onSize, onManyLines } = options;
  // Cells are measured once, so the font has to be there.
  await document.fonts.load(`${FONT_PIXELS}px "JetBrains Mono"`);
  const terminal = new Terminal({
    fontFamily: FONT,
    fontSize: FONT_PIXELS,
    lineHeight: 1.25,
    cursorBlink: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    scrollback: SCROLLBACK_LINES,
    minimumContrastRatio: CONTRAST,
    screenReaderMode: options.screenReader,
    theme: themeOfPage(),
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new WebLinksAddon((_event, address) => window.open(address, '_blank', 'noopener')));
  openWithoutStyleElements(() => terminal.open(box));
  terminal.textarea?.setAttribute('aria-label', label);
  terminal.textarea?.setAttribute('aria-describedby', describedBy);
  terminal.attachCustomKeyEventHandler((event) => handleKey(event, terminal, options));
  terminal.onData(onInput);
  terminal.onResize(({ cols, rows }) => onSize({ columns: cols, rows }));

  const onPaste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    // A program that asked for bracketed paste sees that it is one, and runs nothing by itself.
    if (terminal.modes.bracketedPasteMode || text.split('\n').length <= MANY_LINES) return;
    event.preventDefault();
    event.stopPropagation();
    onManyLines(text);
  };
  box.addEventListener('paste', onPaste, true);
  const sizes = new ResizeObserver(() => fit.fit());
  sizes.observe(box);
  const themes = new MutationObserver(() => {
    terminal.options.theme = themeOfPage();
  });
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
  fit.fit();
  onSize({ columns: terminal.cols, rows: terminal.rows });

  return {
    write: (data) => terminal.write(data),
    focus: () => terminal.focus(),
    reset: () => terminal.reset(),
    takesInput(takes) {
      terminal.options.disableStdin = !takes;
    },
    screenReader(on) {
      terminal.options.screenReaderMode = on;
    },
    find: (text, direction) => (direction === 'next' ? search.findNext(text) : search.findPrevious(text)),
    clearFind: () => terminal.clearSelection(),
    selection: () => terminal.getSelection(),
    paste: (text) => terminal.paste(text),
    dispose() {
      sizes.disconnect();
      themes.disconnect();
      box.removeEventListener('paste', onPaste, true);
      terminal.dispose();
    },
  };
}

/** True passes the key on to the program. */
function handleKey(
  event: KeyboardEvent,
  terminal: Terminal,
  { onLeave, onFind }: Pick<ShellTerminalOptions, 'onLeave' | 'onFind'>,
): boolean {
  // The page's own keys, such as Ctrl+K, mean something to programs.
  if (event.ctrlKey) event.stopPropagation();
  if (!event.ctrlKey || !event.shiftKey) return true;
  const run = { KeyC: copy, KeyF: onFind, KeyX: onLeave, Escape: onLeave }[event.code];
  // The browser pastes by itself, and the terminal hears of it.
  if (event.code === 'KeyV') return false;
  if (!run) return true;
  event.preventDefault();
  if (event.type === 'keydown') run();
  return false;

  function copy(): void {
    const text = terminal.getSelection();
    // Without the right to write there the browser's own copy, by menu, still works.
    if (text !== '') navigator.clipboard.writeText(text).catch(() => undefined);
  }
}

/** The colours of the page's roles, so that a terminal is light in light and dark in dark. */
function themeOfPage(): ITheme {
  const style = getComputedStyle(document.documentElement);
  const role = (name: string) => style.getPropertyValue(`--${name}`).trim();
  const dark = document.documentElement.dataset.theme === 'dark';
  const colours = {
    red: role('bad'),
    green: role('ok'),
    yellow: role('warn'),
    blue: role('info'),
    magenta: role('sleep'),
    cyan: role('accent'),
    black: dark ? role('line-strong') : role('text'),
    white: dark ? role('text') : role('muted'),
  };
  const bright = Object.entries(colours).map(([name, colour]) => [
    `bright${name[0]?.toUpperCase()}${name.slice(1)}`,
    colour,
  ]);
  return {
    ...colours,
    ...(Object.fromEntries(bright) as ITheme),
    brightBlack: role('faint'),
    background: role('panel'),
    foreground: role('text'),
    cursor: role('accent'),
    cursorAccent: role('panel'),
    selectionBackground: `${role('accent')}4d`,
    scrollbarSliderBackground: `${role('faint')}4d`,
    scrollbarSliderHoverBackground: `${role('faint')}80`,
    scrollbarSliderActiveBackground: `${role('faint')}b3`,
  };
}

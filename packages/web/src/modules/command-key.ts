/** The modifier of shortcuts as it is printed on this person's keyboard. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(globalThis.navigator?.userAgent ?? '') ? '⌘' : 'Ctrl ';

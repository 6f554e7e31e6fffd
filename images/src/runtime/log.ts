/** One line each, the level first, so that whoever shows the log can colour and filter it. */
export const log = {
  info: (message: string): void => console.log(`INFO ${oneLine(message)}`),
  warn: (message: string): void => console.warn(`WARN ${oneLine(message)}`),
  error: (message: string): void => console.error(`ERROR ${oneLine(message)}`),
};

/** What comes from outside must not be able to write lines of its own. */
function oneLine(message: string): string {
  return message.replace(/\p{Cc}+/gu, ' ');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/**
 * A key for one submit. Sending the same content again (a second click, a lost answer) keeps the key, so that nothing is made
 * twice; other content is a new wish and gets a new key.
 */
export function idempotencyKeys(newKey: () => string = randomKey): (content: unknown) => string {
  let last: { content: string; key: string } | undefined;
  return (content) => {
    const text = JSON.stringify(content);
    if (last?.content !== text) last = { content: text, key: newKey() };
    return last.key;
  };
}

/** Not `crypto.randomUUID`: that exists only on secure origins. */
function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

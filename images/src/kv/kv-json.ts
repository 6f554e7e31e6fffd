import type { Engine } from './engine.ts';
import { isFailure, type Reply } from './resp.ts';
import type { Value } from './store.ts';

/** Between JSON, whose texts are Unicode, and the store, whose texts are bytes. What is no UTF-8 is shown with its odd places marked. */
export function toBytes(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}

export function fromBytes(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}

export function replyJson(reply: Reply): unknown {
  if (reply === undefined) return null;
  if (typeof reply === 'number') return reply;
  if (typeof reply === 'string') return fromBytes(reply);
  if (Array.isArray(reply)) return reply.map(replyJson);
  return isFailure(reply) ? { error: fromBytes(reply.failure) } : reply.simple;
}

export function valueJson(value: Value): unknown {
  if (value.type === 'string') return fromBytes(value.text);
  if (value.type === 'list') return value.items.map(fromBytes);
  if (value.type === 'set') return [...value.members].map(fromBytes);
  return Object.fromEntries([...value.fields].map(([name, text]) => [fromBytes(name), fromBytes(text)]));
}

/** The commands that make a key what a JSON value says; undefined for what no key can be. */
export function commandsToSet(key: string, value: unknown): string[][] | undefined {
  const name = toBytes(key);
  if (typeof value === 'string' || typeof value === 'number') return [['SET', name, toBytes(String(value))]];
  if (typeof value !== 'object' || value === null) return undefined;
  const words = (Array.isArray(value) ? value : Object.entries(value).flat()).map((word) => toBytes(String(word)));
  if (words.length === 0) return undefined;
  return [
    ['DEL', name],
    [Array.isArray(value) ? 'RPUSH' : 'HSET', name, ...words],
  ];
}

export function keyJson({ store }: Engine, key: string): Record<string, unknown> | undefined {
  const value = store.get(toBytes(key));
  if (!value) return undefined;
  const end = store.expiresAt(toBytes(key));
  const ttl = end === undefined ? null : Math.max(0, Math.ceil((end - store.now()) / 1000));
  return { key, type: value.type, ttl, value: valueJson(value) };
}

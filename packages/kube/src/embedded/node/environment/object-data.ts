import type { KubeObject } from '../../../schema/object.ts';

/** The bytes a ConfigMap or a Secret holds, by key. */
export function decodeData(object: KubeObject): Record<string, Buffer> {
  const decoded: Record<string, Buffer> = {};
  const encoding = object.kind === 'Secret' ? 'base64' : 'utf8';
  for (const [key, value] of Object.entries(mapOf(object.data))) decoded[key] = Buffer.from(value, encoding);
  for (const [key, value] of Object.entries(mapOf(object.binaryData))) decoded[key] = Buffer.from(value, 'base64');
  return decoded;
}

function mapOf(value: unknown): Record<string, string> {
  return typeof value === 'object' && value !== null ? (value as Record<string, string>) : {};
}

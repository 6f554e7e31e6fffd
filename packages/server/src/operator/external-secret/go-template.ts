/**
 * The one thing that our SecretStores use of Go templates: `{{ .remoteRef.key }}`, a path into data. Whatever else
 * External Secrets would understand is refused by name rather than sent out unexpanded.
 */
export type TemplateData = Record<string, Record<string, string>>;

const ACTION = /\{\{-?\s*(.*?)\s*-?\}\}/g;
const PATH = /^\.([A-Za-z_][\w-]*)\.([A-Za-z_][\w-]*)$/;

export function expandTemplate(text: string, data: TemplateData): string {
  return text.replace(ACTION, (_whole, expression: string) => {
    const [, group = '', field = ''] = PATH.exec(expression) ?? [];
    const fields = Object.hasOwn(data, group) ? data[group] : undefined;
    if (fields && Object.hasOwn(fields, field)) return fields[field] ?? '';
    const known = Object.entries(data).flatMap(([name, fields]) => Object.keys(fields).map((key) => `.${name}.${key}`));
    throw new Error(`"{{ ${expression} }}" is not known here; known: ${known.join(', ')}`);
  });
}

/** For the URL: every value as External Secrets writes it there, so that the same URL asks for the same key. */
export function escapeData(data: TemplateData): TemplateData {
  const escapeFields = (fields: Record<string, string>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, queryEscape(value)]));
  return Object.fromEntries(Object.entries(data).map(([name, fields]) => [name, escapeFields(fields)]));
}

/** Go's `url.QueryEscape`: a space is a plus, and nothing but letters, digits and `-_.~` stays. */
function queryEscape(text: string): string {
  return encodeURIComponent(text)
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+');
}

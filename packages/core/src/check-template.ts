import { BerthError, type FieldError } from './errors.ts';
import type { Parameter, ParameterValue } from './parameter.ts';
import { pathParts } from './parse.ts';
import { renderTemplate } from './render.ts';
import { readTemplateLines, type Template } from './template.ts';

/** What is wrong with the text of a template, for whoever writes one: where it is, and in words. */
export interface TemplateProblem {
  /** As in `spec.services[0].image`; empty when it is the text as a whole. */
  path: string;
  message: string;
  line: number;
}

export interface CheckedTemplate {
  /** Absent while the text cannot be read as one. */
  template?: Template;
  problems: TemplateProblem[];
  /** Of a path such as `spec.version`; the first line while nothing can be read. */
  lineOf(path: string): number;
}

/** Reads it, and tries it with its defaults: an expression that leads nowhere shows only then. */
export function checkTemplate(text: string): CheckedTemplate {
  let read: ReturnType<typeof readTemplateLines>;
  try {
    read = readTemplateLines(text, 'The template');
  } catch (error) {
    return { problems: fieldsOf(error).map(withLine), lineOf: () => 1 };
  }
  const { template } = read;
  const lineOf = (path: string) => read.lineOf(pathParts(path));
  const problems = trialProblems(template).map(({ path, message }) => {
    const inSpec = `spec.${path}`;
    return { path: inSpec, message, line: lineOf(inSpec) };
  });
  return { template, problems, lineOf };
}

/** Not what is wrong with the values, which nobody has given yet. */
function trialProblems(template: Template): FieldError[] {
  const parameters = template.spec.parameters ?? [];
  const values = Object.fromEntries(parameters.map((each) => [each.name, exampleOf(each)]));
  try {
    renderTemplate({ template, name: 'example', values, host: 'example.localhost', url: 'http://example.localhost' });
    return [];
  } catch (error) {
    return fieldsOf(error).filter(({ path }) => !path.startsWith('values'));
  }
}

function exampleOf(parameter: Parameter): ParameterValue | undefined {
  switch (parameter.type) {
    case 'text':
      return parameter.default ?? (parameter.required ? 'x'.repeat(Math.max(1, parameter.minLength ?? 1)) : undefined);
    case 'number':
      return parameter.default ?? parameter.min ?? parameter.max ?? (parameter.required ? 1 : undefined);
    case 'choice':
      return parameter.default ?? parameter.choices[0]?.value;
    case 'secret':
      return 'x'.repeat(Math.max(8, parameter.minLength ?? 0));
    case 'boolean':
      return parameter.default;
  }
}

function fieldsOf(error: unknown): FieldError[] {
  if (error instanceof BerthError && error.details.fields) return error.details.fields;
  throw error;
}

/** The reader says the line in words, before or after: they stand in the gutter as a number. */
function withLine({ path, message }: FieldError): TemplateProblem {
  const [, before] = /^line (\d+): /.exec(message) ?? [];
  const [, after] = / \(line (\d+)\)$/.exec(message) ?? [];
  return {
    path,
    message: message.replace(/^line \d+: /, '').replace(/ \(line \d+\)$/, ''),
    line: Number(before ?? after ?? 1),
  };
}

import { z } from 'zod';
import { scheduleProblem } from './cron.ts';
import { invalidInput } from './errors.ts';
import { jobSchema } from './job.ts';
import { nameSchema } from './names.ts';
import { parameterSchema } from './parameter.ts';
import { fieldErrors, pathParts } from './parse.ts';
import { bytesSchema } from './quantity.ts';
import { refuseTwice, serviceSchema, volumeSchema } from './service.ts';
import { TEMPLATE_CATEGORIES } from './template-category.ts';
import { API_VERSION, exposureProblems, pathsSchema, secretUses } from './user-deployment.ts';
import { workloadProblems } from './workloads.ts';
import { MAX_YAML_ERRORS, readYaml, type SchemaShape, type YamlSource } from './yaml.ts';

/** A template: what to ask and what to run. One YAML file, the same on every cluster. */
/** In a template a volume's size may come from a parameter: `${{ parameters.storage }}Gi`. What is rendered is checked again. */
const templateImageSchema = z
  .string()
  .min(1)
  .max(500)
  .refine((text) => /^\S+$/.test(text.replaceAll(/\$\{\{[^{}]*\}\}/g, 'x')), {
    error: 'is not an image reference such as registry/name:tag',
  });
const templateServiceSchema = serviceSchema.safeExtend({
  image: templateImageSchema,
  volumes: z
    .array(
      z.strictObject({
        ...volumeSchema.shape,
        size: z.string().max(200).refine(isSizeOrExpression, { error: 'write a size with its unit: "128Mi" or "1Gi"' }),
      }),
    )
    .max(10)
    .optional(),
});

// So may a job's schedule: `0,${{ parameters.minute }} * * * *`.
const templateJobSchema = jobSchema.safeExtend({
  image: templateImageSchema,
  schedule: z.string().max(200).refine(isScheduleOrExpression, { error: scheduleError }).optional(),
});

const exposureShape = { service: nameSchema, port: z.string().max(63) };

export const templateSpecSchema = z
  .strictObject({
    kind: z
      .literal('deployment')
      .describe('What the template describes. Sessions and tasks come with their own kinds.'),
    version: z
      .string()
      .max(64)
      .regex(/^\d+\.\d+\.\d+$/, { error: 'write a version as 1.2.3' }),
    displayName: z.string().min(1).max(60),
    description: z.string().min(1).max(200),
    category: z.enum(TEMPLATE_CATEGORIES),
    icon: z.string().max(40).optional().describe('Name of a Lucide icon.'),
    readme: z.string().max(20000).optional().describe('Markdown.'),
    startSeconds: z.int().min(1).max(3600).optional().describe('About how long a first start takes.'),
    parameters: z.array(parameterSchema).max(60).optional(),
    services: z.array(templateServiceSchema).min(1).max(20),
    jobs: z.array(templateJobSchema).max(20).optional(),
    exposure: z
      .strictObject({ ...exposureShape, paths: pathsSchema.optional() })
      .optional()
      .describe('What the public address reaches.'),
    extraExposures: z
      .array(
        z.strictObject({
          suffix: nameSchema.max(20).describe('The address is NAME-suffix.domain.'),
          ...exposureShape,
          paths: pathsSchema.optional(),
        }),
      )
      .max(5)
      .optional()
      .describe('More public addresses of the same deployment.'),
  })
  .superRefine((spec, context) => {
    const names = new Set<string>();
    (spec.parameters ?? []).forEach((parameter, index) => {
      if (names.has(parameter.name))
        context.addIssue({
          code: 'custom',
          path: ['parameters', index, 'name'],
          message: `"${parameter.name}" is there twice`,
        });
      names.add(parameter.name);
    });
    for (const { path, message } of workloadProblems(spec)) context.addIssue({ code: 'custom', path, message });
    const secrets = new Set((spec.parameters ?? []).filter((each) => each.type === 'secret').map((each) => each.name));
    for (const { path, key } of secretUses(spec)) {
      if (!secrets.has(key))
        context.addIssue({ code: 'custom', path, message: `there is no secret parameter "${key}"` });
    }
    const exposures = [
      ...(spec.exposure ? [{ at: ['exposure'] as (string | number)[], exposure: spec.exposure }] : []),
      ...(spec.extraExposures ?? []).map((exposure, index) => ({ at: ['extraExposures', index], exposure })),
    ];
    for (const { at, exposure } of exposures) {
      for (const { path, message } of exposureProblems(exposure, spec.services)) {
        context.addIssue({ code: 'custom', path: [...at, ...path], message });
      }
    }
    refuseTwice(spec, context, [['extraExposures', 'suffix']]);
    if (spec.extraExposures?.length && !spec.exposure) {
      context.addIssue({
        code: 'custom',
        path: ['extraExposures'],
        message: 'give `exposure` first: more come beside it',
      });
    }
  });
export type TemplateSpec = z.infer<typeof templateSpecSchema>;

export const templateSchema = z.strictObject({
  apiVersion: z.literal(API_VERSION),
  kind: z.literal('Template'),
  metadata: z.strictObject({ name: nameSchema }),
  spec: templateSpecSchema,
});
export type Template = z.infer<typeof templateSchema>;

const shape = z.toJSONSchema(templateSchema, { io: 'input', unrepresentable: 'any' }) as SchemaShape;

/** Reads a template file. Errors name the field and its line. `file` is what people know it by. */
export function readTemplate(text: string, file: string): Template {
  return readTemplateLines(text, file).template;
}

/** With the line that a path of it stands on, for an editor. */
export function readTemplateLines(text: string, file: string): { template: Template; lineOf: YamlSource['lineOf'] } {
  const source = readYaml(text, shape, file);
  const result = templateSchema.safeParse(source.value);
  if (result.success) return { template: result.data, lineOf: source.lineOf };
  // Finding a line walks through the text: nobody reads more of them at once.
  const fields = fieldErrors(result.error)
    .slice(0, MAX_YAML_ERRORS)
    .map(({ path, message }) => ({
      path,
      message: `${message} (line ${source.lineOf(pathParts(path))})`,
    }));
  throw invalidInput(file, fields);
}

function isSizeOrExpression(text: string): boolean {
  return text.includes('${{') || bytesSchema.safeParse(text).success;
}

function isScheduleOrExpression(text: string): boolean {
  return text.includes('${{') || scheduleProblem(text) === undefined;
}

function scheduleError({ input }: { input?: unknown }): string | undefined {
  return typeof input === 'string' ? scheduleProblem(input) : undefined;
}

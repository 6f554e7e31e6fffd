import { stringify } from 'yaml';
import { toTemplate } from './find-template.ts';
import type { TemplateRow } from './repository.ts';

/** A template as a file that reads back as the same template. */
export function writeTemplate(row: Pick<TemplateRow, 'name' | 'spec'>): string {
  return stringify(toTemplate(row), { lineWidth: 0, version: '1.2' });
}

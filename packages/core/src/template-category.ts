/** On its own so that the contract reaches the browser without the template reader (and its YAML parser). */
export const TEMPLATE_CATEGORIES = ['app', 'database', 'workspace', 'task'] as const;
export type TemplateCategory = (typeof TEMPLATE_CATEGORIES)[number];

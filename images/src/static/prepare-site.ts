import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { escapeHtml } from '../runtime/escape-html.ts';

const STYLE_FILE = 'style.css';

/**
 * Makes the folder that is served out of the one that was given. A page that is a whole document is taken byte for byte; one
 * that is only the content of a page gets a title and the style sheet around it. An empty file counts as none.
 */
export async function prepareSite(from: string, to: string, title: string): Promise<string[]> {
  await rm(to, { recursive: true, force: true });
  await mkdir(to, { recursive: true });
  const names = (await readdir(from, { recursive: true, withFileTypes: true }))
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(from.length + 1));
  const served: string[] = [];
  for (const name of names) {
    const content = await readFile(join(from, name));
    if (content.length === 0) continue;
    await mkdir(join(to, name, '..'), { recursive: true });
    if (name.endsWith('.html') && isFragment(content.toString('utf8'))) {
      const styled = names.includes(STYLE_FILE);
      await writeFile(join(to, name), documentOf(content.toString('utf8'), { title, styled }));
    } else {
      await cp(join(from, name), join(to, name), { dereference: true });
    }
    served.push(name);
  }
  return served.sort();
}

export function isFragment(html: string): boolean {
  return !/^\s*(<!--[\s\S]*?-->\s*)*<(!doctype|html)\b/i.test(html);
}

function documentOf(content: string, { title, styled }: { title: string; styled: boolean }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
${styled ? `<link rel="stylesheet" href="/${STYLE_FILE}">\n` : ''}</head>
<body>
${content}
</body>
</html>
`;
}

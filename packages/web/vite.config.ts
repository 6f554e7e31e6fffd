import { readFileSync } from 'node:fs';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

export default defineConfig({
  // Which release a page is of, so that it can say when there is a newer one.
  define: { __BERTH_VERSION__: JSON.stringify(version) },
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), preloadFonts()],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'es2022',
    // Data URLs are not in the font-src of our CSP.
    assetsInlineLimit: 0,
    // React, router and contract together; icons nobody named are a chunk of their own.
    chunkSizeWarningLimit: 800,
  },
});

/** Text is drawn in its own font at once, so that nothing moves when the font arrives. */
function preloadFonts(): Plugin {
  return {
    name: 'berth-preload-fonts',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        return Object.keys(bundle ?? {})
          .filter((name) => /inter-latin-wght-normal.*\.woff2$/.test(name))
          .map((name) => ({
            tag: 'link',
            attrs: { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${name}` },
            injectTo: 'head' as const,
          }));
      },
    },
  };
}

// Sets what src/modules/appearance.ts keeps: theme and density, before anything is drawn.
(() => {
  const read = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return undefined; // Storage is switched off: the system's theme and the normal density.
    }
  };
  const theme = read('berth.theme');
  const dark = theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
  document.documentElement.dataset.density = read('berth.density') === 'dense' ? 'dense' : 'normal';
})();

// A page and its parts may come from servers of different releases while these are replaced one by one: then a part is missing, and the
// page would stay white. Loads the page again, a few times, a little later each time. What is missing once it stands, the page tells itself.
(() => {
  const KEY = 'berth.loading';
  const MOST = 4;
  const attempts = () => {
    try {
      return Number(sessionStorage.getItem(KEY) ?? 0);
    } catch {
      return MOST; // Storage is switched off, so nothing would end it.
    }
  };
  const onError = ({ target }) => {
    const address =
      target instanceof HTMLScriptElement ? target.src : target instanceof HTMLLinkElement ? target.href : '';
    const done = attempts();
    if (!new URL(address || '/', location.href).pathname.startsWith('/assets/') || done >= MOST) return;
    sessionStorage.setItem(KEY, String(done + 1));
    setTimeout(() => location.reload(), 500 * 2 ** done);
  };
  addEventListener('error', onError, true);
  addEventListener('berth:drawn', () => {
    removeEventListener('error', onError, true);
    try {
      sessionStorage.removeItem(KEY);
    } catch {
      // As above: nothing was kept.
    }
  });
})();

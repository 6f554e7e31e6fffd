import { useEffect, useState } from 'react';
import { formatAge } from '../components/relative-time.tsx';
import { useNow } from '../components/use-now.ts';
import { useLiveStatus } from './live-provider.tsx';

/** A server that makes room for the next one, or a blink of the network, is not worth a word. */
const PATIENCE_MILLISECONDS = 3_000;

/** A thin line on top while nothing comes from the server: what is shown is as old as it says. */
export function ConnectionLine() {
  const status = useLiveStatus();
  const now = useNow();
  const [lost, setLost] = useState(false);
  const connected = status.state === 'connected' || (status.state === 'connecting' && status.lastDataAt === undefined);
  useEffect(() => {
    if (connected) {
      setLost(false);
      return;
    }
    const timer = setTimeout(() => setLost(true), PATIENCE_MILLISECONDS);
    return () => clearTimeout(timer);
  }, [connected]);
  const last = status.lastDataAt;
  return (
    <div role="status" className="sticky top-0 z-30">
      {lost && (
        <p
          data-disconnected
          className="numeric h-6 border-b border-warn/40 bg-warn-soft px-4 text-center text-hint leading-[23px] text-warn"
        >
          Disconnected.{' '}
          {last === undefined
            ? 'Nothing has come yet.'
            : `Last data ${new Date(last).toLocaleTimeString()}${now - last > 60_000 ? `, ${formatAge((now - last) / 1000)} ago` : ''}.`}{' '}
          Trying again.
        </p>
      )}
    </div>
  );
}

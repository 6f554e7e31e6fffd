import type { Deployment } from '@berth/core/deployment';
import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { followTeam, type LiveStatus } from '../api/live.ts';
import { isProblem } from '../api/problem.ts';
import { meQuery } from '../api/queries/account.ts';
import { liveQuery } from '../api/queries/deployment.ts';
import { useFeedback } from '../components/feedback.tsx';

/** Connects a team's event stream to the query cache while it is mounted. */
const StatusContext = createContext<LiveStatus>({ state: 'connecting', since: 0, lastDataAt: undefined });
/** Events are applied together this often: a storm of changes draws once. */
const FLUSH_MILLISECONDS = 40;
/** After so long without a stream the state is fetched, so that a page is never empty for want of one. */
const FALL_BACK_MILLISECONDS = 2_500;

export function useLiveStatus(): LiveStatus {
  return useContext(StatusContext);
}

export function LiveProvider({ userId, teamId, children }: { userId: string; teamId: string; children: ReactNode }) {
  const client = useQueryClient();
  const { announce } = useFeedback();
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting', since: Date.now(), lastDataAt: undefined });

  useEffect(() => {
    const { queryKey } = liveQuery(teamId);
    let waiting: LiveEvent[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    let counts: ReturnType<typeof setTimeout> | undefined;
    const flush = () => {
      const events = waiting;
      waiting = [];
      timer = undefined;
      void client.cancelQueries({ queryKey }, { silent: true });
      client.setQueryData(queryKey, (state: LiveState | undefined) =>
        events.reduce(applyLiveEvent, state ?? { deployments: [], activity: [] }),
      );
    };
    const refreshCounts = () => {
      counts = undefined;
      for (const key of ['usage', 'audit', 'revisions', 'activity']) void client.invalidateQueries({ queryKey: [key] });
    };
    const stop = followTeam({
      userId,
      teamId,
      onStatus: setStatus,
      onEvent: (event) => {
        if (event.type === 'end') {
          if (event.reason !== 'shutting_down') void client.invalidateQueries({ queryKey: meQuery.queryKey });
          return;
        }
        if (event.type === 'resumed') return;
        if (event.type === 'activity') speak(event.activity, announce);
        waiting.push(event);
        timer ??= setTimeout(flush, event.type === 'snapshot' ? 0 : FLUSH_MILLISECONDS);
        if (event.type !== 'snapshot') counts ??= setTimeout(refreshCounts, 500);
      },
      onRefused: (error) => {
        // Signed out or no longer in the team: who we are decides what is shown next.
        if (isProblem(error)) void client.invalidateQueries({ queryKey: meQuery.queryKey });
      },
    });
    return () => {
      clearTimeout(timer);
      clearTimeout(counts);
      stop();
    };
  }, [client, userId, teamId, announce]);

  return <StatusContext value={status}>{children}</StatusContext>;
}

export interface Live {
  deployments: readonly Deployment[];
  activity: LiveState['activity'];
  loaded: boolean;
  error: Error | undefined;
  retry: () => void;
}

const NOTHING: LiveState = { deployments: [], activity: [] };

/** What is known of the team now. */
export function useLive(teamId: string): Live {
  const status = useLiveStatus();
  const [late, setLate] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setLate(true), FALL_BACK_MILLISECONDS);
    return () => clearTimeout(timer);
  }, []);
  const query = useQuery({ ...liveQuery(teamId), enabled: late && status.state !== 'connected' });
  return {
    ...(query.data ?? NOTHING),
    loaded: query.data !== undefined,
    error: query.data === undefined ? (query.error ?? undefined) : undefined,
    retry: () => void query.refetch(),
  };
}

function speak(activity: LiveState['activity'][number], announce: ReturnType<typeof useFeedback>['announce']): void {
  const words = activity.deployment ? `${activity.deployment}: ${activity.message}` : activity.message;
  if (activity.level === 'failure') announce(words, 'assertive');
  else if (activity.level === 'ok') announce(words);
}

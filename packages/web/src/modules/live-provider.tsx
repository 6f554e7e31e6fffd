import type { Deployment } from '@berth/core/deployment';
import { applyLiveEvent, type LiveEvent, type LiveState } from '@berth/core/live';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useEffect, useState } from 'react';
import { type LiveLink, openLiveLink } from '../api/live-link.ts';
import { configQuery, meQuery } from '../api/queries/account.ts';
import { liveQuery } from '../api/queries/deployment.ts';
import type { LiveStatus } from '../api/topic-lines.ts';
import { topicOf } from '../api/topic-of.ts';
import { useFeedback } from '../components/feedback.tsx';

/** Connects a tab to everything live while it is mounted, and a team's events to the query cache. */
const StatusContext = createContext<LiveStatus>({ state: 'connecting', since: 0, lastDataAt: undefined });
const LinkContext = createContext<LiveLink | undefined>(undefined);
/** Events are applied together this often: a storm of changes draws once. */
const FLUSH_MILLISECONDS = 40;
/** After so long without a stream the state is fetched, so that a page is never empty for want of one. */
const FALL_BACK_MILLISECONDS = 2_500;
/** Whoever comes back may have come to a newer server. Asked later, and not by all in one moment. */
const ASK_RELEASE_MILLISECONDS = 25_000;
/** How long it may take to learn who is signed in. */
const SIGNED_IN_AGAIN_MILLISECONDS = 2_000;

export function useLiveStatus(): LiveStatus {
  return useContext(StatusContext);
}

/** For further topics over the same connection; nothing until there is one. */
export function useLiveLink(): LiveLink | undefined {
  return useContext(LinkContext);
}

export function LiveProvider({ userId, teamId, children }: { userId: string; teamId: string; children: ReactNode }) {
  const client = useQueryClient();
  const [status, setStatus] = useState<LiveStatus>({ state: 'connecting', since: Date.now(), lastDataAt: undefined });
  const [link, setLink] = useState<LiveLink>();
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt is the reason to open it anew
  useEffect(() => {
    let again: ReturnType<typeof setTimeout> | undefined;
    const opened = openLiveLink(userId);
    setLink(opened);
    opened.onStatus(setStatus);
    opened.onSignedOut(() => {
      // Who we are decides what is shown next; if that is still the same, a person came and went in another tab.
      void client.invalidateQueries({ queryKey: meQuery.queryKey });
      again ??= setTimeout(() => setAttempt((before) => before + 1), SIGNED_IN_AGAIN_MILLISECONDS);
    });
    return () => {
      clearTimeout(again);
      opened.close();
    };
  }, [client, userId, attempt]);
  useTeamEvents(link, teamId);
  useRelease(status);

  return (
    <LinkContext value={link}>
      <StatusContext value={status}>{children}</StatusContext>
    </LinkContext>
  );
}

/** A new connection is a reason to look which release answers now. */
function useRelease({ state, since }: LiveStatus): void {
  const client = useQueryClient();
  // biome-ignore lint/correctness/useExhaustiveDependencies: each connection is one reason
  useEffect(() => {
    if (state !== 'connected') return;
    const ask = () => void client.invalidateQueries({ queryKey: configQuery.queryKey });
    const first = setTimeout(ask, ASK_RELEASE_MILLISECONDS * Math.random());
    const second = setTimeout(ask, ASK_RELEASE_MILLISECONDS * (1 + Math.random()));
    return () => {
      clearTimeout(first);
      clearTimeout(second);
    };
  }, [client, state, since]);
}

/** Puts what happens in a team where everybody looks: into the query cache. */
function useTeamEvents(link: LiveLink | undefined, teamId: string): void {
  const client = useQueryClient();
  const { announce } = useFeedback();
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
    const askWhoWeAre = () => void client.invalidateQueries({ queryKey: meQuery.queryKey });
    const take = (event: LiveEvent) => {
      if (event.type === 'end') return askWhoWeAre();
      if (event.type === 'resumed') return;
      if (event.type === 'activity') speak(event.activity, announce);
      waiting.push(event);
      timer ??= setTimeout(flush, event.type === 'snapshot' ? 0 : FLUSH_MILLISECONDS);
      if (event.type !== 'snapshot') counts ??= setTimeout(refreshCounts, 500);
    };
    const stop = link?.follow(topicOf('streamEvents', { query: { team: teamId } }), {
      onEvents: (events) => {
        for (const event of events) take(event as LiveEvent);
      },
      // No longer in the team: who we are decides what is shown next.
      onRefused: askWhoWeAre,
    });
    return () => {
      clearTimeout(timer);
      clearTimeout(counts);
      stop?.();
    };
  }, [client, link, teamId, announce]);
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

import { type RefObject, type UIEvent, useCallback, useLayoutEffect, useRef, useState } from 'react';

/** Closer to the end than this counts as being at the end. */
const END_PIXELS = 24;

export interface FollowEnd {
  following: boolean;
  setFollowing: (following: boolean) => void;
  onScroll: (event: UIEvent<HTMLElement>) => void;
  /** Somebody took the wheel, a finger or a key: what scrolls now is theirs. */
  onHand: () => void;
}

/** Stays at the end of a box while more is added, until somebody scrolls up; goes on when they come back to the end. */
export function useFollowEnd(box: RefObject<HTMLElement | null>, start: boolean, added: unknown): FollowEnd {
  const [following, setFollowing] = useState(start);
  const hand = useRef(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was added is the reason to scroll
  useLayoutEffect(() => {
    if (following && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [following, added, box]);
  const onScroll = useCallback((event: UIEvent<HTMLElement>) => {
    const { scrollHeight, scrollTop, clientHeight } = event.currentTarget;
    const atEnd = scrollHeight - scrollTop - clientHeight < END_PIXELS;
    if (atEnd) setFollowing(true);
    else if (Date.now() - hand.current < 500) setFollowing(false);
  }, []);
  const onHand = useCallback(() => {
    hand.current = Date.now();
  }, []);
  return { following, setFollowing, onScroll, onHand };
}

/** What a colour means. Never the only carrier of it: a word always stands beside. */
export type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'sleep' | 'neutral';

export const TONE_TEXT: Record<Tone, string> = {
  ok: 'text-ok',
  warn: 'text-warn',
  bad: 'text-bad',
  info: 'text-info',
  sleep: 'text-sleep',
  neutral: 'text-muted',
};
export const TONE_GROUND: Record<Tone, string> = {
  ok: 'bg-ok',
  warn: 'bg-warn',
  bad: 'bg-bad',
  info: 'bg-info',
  sleep: 'bg-sleep',
  neutral: 'bg-line-strong',
};
export const TONE_BANNER: Record<Tone, string> = {
  ok: 'bg-ok-soft border-ok/40',
  warn: 'bg-warn-soft border-warn/50',
  bad: 'bg-bad-soft border-bad/50',
  info: 'bg-info-soft border-info/40',
  sleep: 'bg-sleep-soft border-sleep/40',
  neutral: 'bg-sunken border-line',
};

import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import { aMe, aUsage, usageUnder } from '../testing/fixtures.ts';
import { UsagePageView } from './UsagePageView.tsx';

type Props = Parameters<typeof UsagePageView>[0];

function draw(more: Partial<Props>): string {
  const { organizations, teams } = aMe();
  const [organization] = organizations;
  const [team] = teams;
  if (!team) throw new Error('the fixture has no team');
  const rest = { usage: aUsage(), error: undefined, retry: () => undefined, onPlan: undefined, planPending: false };
  return renderToStaticMarkup(<UsagePageView team={team} organization={organization} {...rest} {...more} />);
}
const count = (text: string, part: string) => text.split(part).length - 1;

describe('the usage page', () => {
  it('says who sets the plan to whoever may not', () => {
    const page = draw({});
    expect(page).toContain('An administrator of the platform sets the plan');
    expect(page).not.toContain('<select');
  });

  it('lets an administrator of the platform choose one, starting from what holds', () => {
    const page = draw({ onPlan: async () => undefined });
    expect(page).not.toContain('An administrator of the platform sets');
    expect(page).toContain('<option value="business" selected="">Business</option>');
    expect(page).toMatch(/aria-disabled="true"[^>]*>Change the plan/);
  });

  it('draws a meter for each limit, and none where there is no limit', () => {
    expect(count(draw({}), 'role="meter"')).toBe(4);
    expect(count(draw({ usage: usageUnder('enterprise', aUsage()) }), 'role="meter"')).toBe(0);
    expect(count(draw({ usage: usageUnder('free', aUsage()) }), 'bg-bad')).toBe(4);
  });
});

import type { Usage } from '@berth/core/deployment';
import { PLAN_NAMES, PLANS, type PlanName } from '@berth/core/plans';
import { formatBytes, quantity } from '@berth/core/quantity';
import type { Organization, Team } from '@berth/core/tenant';
import { Meter } from '../components/meter.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Panel, Tag } from '../components/panel.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { PlanForm } from '../modules/plan-form.tsx';
import { planName, usageLines } from '../modules/usage.ts';

const WHAT_COUNTS = {
  deployments: 'All of the organization, stopped ones too.',
  cpu: 'What the services of this team ask for, whether they use it or not.',
  memory: 'What the services of this team ask for.',
  storage: 'Sizes of the volumes of this team, also of stopped deployments.',
};

export function UsagePageView(props: {
  team: Team;
  organization: Organization | undefined;
  usage: Usage | undefined;
  error: Error | undefined;
  retry: () => void;
  /** Absent for whoever may not choose a plan. */
  onPlan: ((plan: PlanName) => Promise<unknown>) | undefined;
  planPending: boolean;
}) {
  const { team, organization, usage, error, retry, onPlan, planPending } = props;
  return (
    <>
      <PageHeader title="Usage and plan" place={team.name} />
      {error && !usage && <ErrorPanel what="The use of the plan" error={error} retry={retry} />}
      {!(error && !usage) && (
        <div className="grid gap-3.5">
          <Panel title="Use" aside={usage && <span>Plan {planName(usage.plan)}</span>}>
            {!usage && <SkeletonRows rows={4} label="Loading the use of the plan" />}
            {usage && (
              <ul>
                {usageLines(usage).map((line) => (
                  <li
                    key={line.key}
                    className="grid items-center gap-x-6 gap-y-1.5 border-b border-line px-3.5 py-3 last:border-0 wide:grid-cols-[minmax(0,1fr)_170px_minmax(0,280px)]"
                  >
                    <div>
                      <p className="font-medium">{line.label}</p>
                      <p className="text-hint text-muted">{WHAT_COUNTS[line.key]}</p>
                    </div>
                    <p className="numeric wide:text-right">
                      <span className="font-semibold">{line.usedWords}</span>{' '}
                      <span className="text-muted">{line.ofWords}</span>
                    </p>
                    <Meter label={`${line.label} used`} used={line.used} allowed={line.allowed} />
                  </li>
                ))}
              </ul>
            )}
          </Panel>
          <Panel title="Plans" aside={!onPlan && 'An administrator of the platform sets the plan of an organization.'}>
            <PlansTable current={usage?.plan ?? organization?.plan} />
            {onPlan && organization && <PlanForm organization={organization} pending={planPending} onPlan={onPlan} />}
          </Panel>
        </div>
      )}
    </>
  );
}

function PlansTable({ current }: { current: string | undefined }) {
  const bytes = (text: string | undefined) => (text === undefined ? 'no limit' : formatBytes(quantity(text)));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section aria-label="Table of plans" tabIndex={0} className="overflow-x-auto -outline-offset-2">
      {/* A small grid of figures: it scrolls sideways on a phone instead of becoming two lines. */}
      <table className="w-full min-w-[560px] border-collapse">
        <caption className="sr-only">What each plan allows</caption>
        <thead>
          <tr className="border-b border-line text-hint text-faint">
            {['Plan', 'Deployments', 'Members a team', 'CPU a team', 'Memory a team', 'Storage a team'].map(
              (head, index) => (
                <th
                  key={head}
                  scope="col"
                  className={`px-3.5 py-2 font-medium whitespace-nowrap ${index === 0 ? 'text-left' : 'text-right'}`}
                >
                  {head}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {PLAN_NAMES.map((name) => {
            const plan = PLANS[name];
            return (
              <tr key={name} className="numeric row-height border-b border-line text-right last:border-0">
                <th scope="row" className="px-3.5 text-left font-medium whitespace-nowrap">
                  {plan.displayName} {name === current && <Tag className="ml-1">yours</Tag>}
                </th>
                <td className="px-3.5">{plan.deployments ?? 'no limit'}</td>
                <td className="px-3.5">{plan.members ?? 'no limit'}</td>
                <td className="px-3.5">{plan.cpu === undefined ? 'no limit' : `${plan.cpu} cores`}</td>
                <td className="px-3.5">{bytes(plan.memory)}</td>
                <td className="px-3.5">{bytes(plan.storage)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

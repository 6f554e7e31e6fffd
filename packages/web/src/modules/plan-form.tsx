import { PLAN_NAMES, PLANS, type PlanName } from '@berth/core/plans';
import type { Organization } from '@berth/core/tenant';
import { type FormEvent, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Select } from '../components/field.tsx';

/** For administrators of the platform: choosing changes nothing until it is confirmed. */
export function PlanForm(props: {
  organization: Organization;
  pending: boolean;
  onPlan: (plan: PlanName) => Promise<unknown>;
}) {
  const { organization, pending, onPlan } = props;
  const [chosen, setChosen] = useState<PlanName>();
  const plan = chosen ?? organization.plan;
  const changed = plan !== organization.plan;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (changed && !pending) void onPlan(plan).then(() => setChosen((now) => (now === plan ? undefined : now)));
  };
  return (
    <form onSubmit={submit} className="flex flex-wrap items-center gap-2 border-t border-line px-3.5 py-2.5">
      <label htmlFor="plan" className="font-medium wrap-anywhere">
        Plan of {organization.name}
      </label>
      <Select
        id="plan"
        aria-describedby="plan-help"
        value={plan}
        onChange={(event) => setChosen(event.target.value as PlanName)}
        className="h-[30px] w-36 pointer-coarse:h-9"
      >
        {PLAN_NAMES.map((name) => (
          <option key={name} value={name}>
            {PLANS[name].displayName}
          </option>
        ))}
      </Select>
      {/* It stays reachable when there is nothing to change, so that the focus has a place after a change. */}
      <Button type="submit" pending={pending} aria-disabled={!changed}>
        Change the plan
      </Button>
      <p id="plan-help" className="text-hint text-muted text-pretty wide:ml-auto">
        A smaller plan takes nothing away; it refuses what would be new.
      </p>
    </form>
  );
}

import type { RouteOutput } from '@berth/core/api';
import type { TemplateDetail } from '@berth/core/routes/template-routes';
import type { Team } from '@berth/core/tenant';
import { useMemo, useRef, useState } from 'react';
import { useForm, useWatch } from 'react-hook-form';
import { Link } from 'react-router';
import { isProblem, messageOf } from '../api/problem.ts';
import { Banner } from '../components/banner.tsx';
import { Button, ButtonLink } from '../components/button.tsx';
import { Markdown } from '../components/markdown.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { type DeployForm, type DeployFormRules, deployFormResolver, listErrors } from '../modules/deploy-form.ts';
import { DeployIdentityFields, DeployPlaceFields } from '../modules/deploy-identity-fields.tsx';
import { DeploySummary } from '../modules/deploy-summary.tsx';
import { ErrorList } from '../modules/error-list.tsx';
import { freeName } from '../modules/free-name.ts';
import { Advanced, ParameterFields } from '../modules/parameter-fields.tsx';
import { rawFromValues } from '../modules/parameter-values.ts';
import { paths } from '../modules/paths.ts';
import { TemplateIcon } from '../modules/template-icon.tsx';
import { takenOf, useDeploy, useDeployPreview } from '../modules/use-deploy.ts';

export interface DeployPageViewProps {
  team: Team;
  template: TemplateDetail;
  config: RouteOutput<'getConfig'>;
  takenNames: ReadonlySet<string>;
  mayDeploy: boolean;
}

export function DeployPageView({ team, template, config, takenNames, mayDeploy }: DeployPageViewProps) {
  const rules = useMemo<DeployFormRules>(
    () => ({ parameters: template.parameters, domain: config.domain, takenNames, editing: false }),
    [template, config, takenNames],
  );
  const target = useMemo(
    () => ({ teamId: team.id, template: template.name, version: template.version }),
    [team, template],
  );
  const latestRules = useRef(rules);
  latestRules.current = rules;
  const form = useForm<DeployForm>({
    resolver: useMemo(() => deployFormResolver(() => latestRules.current), []),
    mode: 'onTouched',
    shouldFocusError: false,
    defaultValues: {
      name: freeName(template.name, takenNames),
      displayName: '',
      host: '',
      values: rawFromValues(template.parameters),
    },
  });
  const [attempt, setAttempt] = useState(0);
  const { deploy, failure, clearFailure } = useDeploy(form, rules, target);
  const summary = useDeployPreview(form, rules, target);
  const { errors, isSubmitting } = form.formState;
  const host = useWatch({ control: form.control, name: 'host' });
  const taken = failure?.taken ?? takenOf(summary.problem);
  const takenAt = taken?.field === 'host' && host.trim() !== '' ? 'host' : 'name';
  const problems = [
    ...listErrors(errors, template.parameters),
    ...(taken ? [{ path: takenAt, message: taken.message }] : []),
  ];
  const usual = template.parameters.filter((each) => !each.advanced);
  const advanced = template.parameters.filter((each) => each.advanced);
  const wrongInside =
    errors.host !== undefined ||
    (taken !== undefined && takenAt === 'host') ||
    errors.displayName !== undefined ||
    advanced.some((each) => errors.values?.[each.name]);
  const submit = form.handleSubmit(deploy);
  return (
    <>
      <PageHeader
        title={`Deploy ${template.displayName}`}
        place={team.name}
        before={
          <Link to={paths.catalogue(team.id)} className="text-muted hover:text-text">
            Catalogue /
          </Link>
        }
      />
      <div className="grid items-start gap-x-8 gap-y-6 wide:grid-cols-[minmax(0,560px)_minmax(0,1fr)]">
        <form
          noValidate
          aria-label={`Deploy ${template.displayName}`}
          onSubmit={(event) => {
            setAttempt(attempt + 1);
            void submit(event);
          }}
          className="flex flex-col gap-4"
        >
          <div className="flex items-center gap-3 text-muted">
            <TemplateIcon name={template.displayName} icon={template.icon} />
            <p className="text-pretty">
              {template.description.replace(/\.$/, '')}.{' '}
              <span className="numeric whitespace-nowrap text-faint">Version {template.version}</span>
            </p>
          </div>
          {!mayDeploy && (
            <Banner tone="warn" title="You may look, but not deploy in this team">
              An admin of the team or of its organization can make you a developer.
            </Banner>
          )}
          {attempt > 0 && <ErrorList problems={problems} attempt={attempt} />}
          {failure && !failure.taken && (
            <Banner
              takesFocus
              tone="bad"
              title={messageOf(failure.problem)}
              action={
                isProblem(failure.problem, 'limit_reached') && (
                  <ButtonLink look="link" to={paths.usage(team.id)}>
                    See plan
                  </ButtonLink>
                )
              }
            >
              {failureHelp(failure.problem)}
            </Banner>
          )}
          <DeployIdentityFields
            form={form}
            takenNames={takenNames}
            address={template.exposed ? config.appUrl : undefined}
            taken={taken}
            onTaken={clearFailure}
          />
          <ParameterFields parameters={usual} form={form} />
          <Advanced wrong={Boolean(wrongInside)}>
            <ParameterFields parameters={advanced} form={form} />
            <DeployPlaceFields
              form={form}
              domain={template.exposed ? config.domain : undefined}
              taken={taken}
              onTaken={clearFailure}
            />
          </Advanced>
          <div className="flex gap-2 pt-1">
            <Button look="primary" type="submit" pending={isSubmitting} disabled={!mayDeploy}>
              Deploy
            </Button>
            <ButtonLink look="ghost" to={paths.catalogue(team.id)}>
              Cancel
            </ButtonLink>
          </div>
        </form>
        <div className="min-w-0 max-w-[420px] wide:sticky wide:top-5">
          <DeploySummary {...summary} />
          {template.readme && (
            <section aria-label="About this template" className="mt-4 px-3.5">
              <Markdown text={template.readme} />
            </section>
          )}
        </div>
      </div>
    </>
  );
}

function failureHelp(problem: unknown): string {
  if (isProblem(problem, 'limit_reached'))
    return 'Delete a deployment, or ask an administrator of the platform for a larger plan.';
  if (isProblem(problem, 'unavailable'))
    return 'Nothing is lost: the form stays as it is. Deploy again; it will not be made twice.';
  if (isProblem(problem, 'forbidden')) return `${problem.problem.right?.grantedBy ?? 'An admin'} can grant that.`;
  return 'Nothing was made.';
}

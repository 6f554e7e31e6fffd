import type { TemplateDetail } from '@berth/core/routes/template-routes';
import type { Team } from '@berth/core/tenant';
import { lazy, Suspense } from 'react';
import { Link } from 'react-router';
import { ButtonLink } from '../components/button.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { Select } from '../components/field.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { SkeletonRows } from '../components/skeleton.tsx';
import { paths } from '../modules/paths.ts';
import { TemplateDiff } from '../modules/template-diff.tsx';

const TemplateCode = lazy(async () => ({ default: (await import('../modules/template-code.tsx')).TemplateCode }));

export function TemplateVersionsPageView(props: {
  team: Team;
  template: TemplateDetail;
  version: string;
  /** The version to compare with; empty shows one alone. */
  against: string;
  source: string | undefined;
  compared: string | undefined;
  onVersion: (version: string) => void;
  onAgainst: (version: string) => void;
}) {
  const { team, template, version, against, source, compared, onVersion, onAgainst } = props;
  const { name, versions } = template;
  const loading = source === undefined || (against !== '' && compared === undefined);
  return (
    <>
      <PageHeader
        title={`Versions of ${name}`}
        place={team.name}
        before={
          <>
            <Link to={paths.catalogue(team.id)} className="text-muted hover:text-text">
              Catalogue /
            </Link>
            <Link to={paths.template(team.id, name)} className="text-muted hover:text-text">
              {name} /
            </Link>
          </>
        }
        actions={<ButtonLink to={paths.deploy(team.id, name)}>Deploy {template.version}</ButtonLink>}
      />
      <section aria-label={`${name} ${version}`} className="overflow-hidden rounded-panel border border-line bg-panel">
        <div className="flex flex-wrap items-center gap-2 border-b border-line px-2.5 py-2">
          <Select
            aria-label="Version"
            value={version}
            onChange={(event) => onVersion(event.target.value)}
            className="h-[30px] w-36"
          >
            {versions.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Select>
          <Select
            aria-label="Compare with"
            value={against}
            onChange={(event) => onAgainst(event.target.value)}
            className="h-[30px] w-52"
          >
            <option value="">not compared</option>
            {versions
              .filter((each) => each !== version)
              .map((each) => (
                <option key={each} value={each}>
                  compared with {each}
                </option>
              ))}
          </Select>
          {source !== undefined && (
            <span className="ml-auto">
              <CopyButton text={source} label="Copy the text" />
            </span>
          )}
        </div>
        {loading && <SkeletonRows rows={8} label="Loading the text" />}
        {!loading && against !== '' && <TemplateDiff before={compared ?? ''} after={source} />}
        {!loading && against === '' && (
          <div className="h-[max(320px,calc(100dvh-220px))]">
            <Suspense fallback={<SkeletonRows rows={8} label="Loading the text" />}>
              <TemplateCode
                key={version}
                text={source}
                problems={NO_PROBLEMS}
                readOnly
                label={`${name} ${version} as YAML`}
              />
            </Suspense>
          </div>
        )}
      </section>
    </>
  );
}

const NO_PROBLEMS = [] as const;

import type { TemplateSummary } from '@berth/core/routes/template-routes';
import { TEMPLATE_CATEGORIES, type TemplateCategory } from '@berth/core/template-category';
import type { Team } from '@berth/core/tenant';
import { Button, ButtonLink } from '../components/button.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { FilterInput } from '../components/filter-input.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { Tabs } from '../components/tabs.tsx';
import { ErrorPanel } from '../modules/error-panel.tsx';
import { paths } from '../modules/paths.ts';
import { TemplateCard } from '../modules/template-card.tsx';

const CATEGORY_WORDS: Record<TemplateCategory, string> = {
  app: 'Apps',
  database: 'Databases',
  workspace: 'Workspaces',
  task: 'Tasks',
};
const GRID = 'grid gap-3.5 phone:grid-cols-2 huge:grid-cols-3';

export function CataloguePageView(props: {
  team: Team;
  /** Write templates of the team's own. */
  mayWrite: boolean;
  templates: readonly TemplateSummary[] | undefined;
  error: Error | undefined;
  retry: () => void;
  category: string;
  query: string;
  onQuery: (query: string) => void;
}) {
  const { team, mayWrite, templates, error, retry, category, query, onQuery } = props;
  const here = paths.catalogue(team.id);
  const used = TEMPLATE_CATEGORIES.filter((each) => templates?.some((template) => template.category === each));
  const needle = query.trim().toLowerCase();
  const shown = templates?.filter(
    (template) =>
      (category === '' || template.category === category) &&
      `${template.displayName} ${template.name} ${template.description}`.toLowerCase().includes(needle),
  );
  const own = shown?.filter(({ owner }) => owner === 'team');
  const shipped = shown?.filter(({ owner }) => owner === 'berth');
  const address = (next: string) => {
    const search = new URLSearchParams({ ...(next && { category: next }), ...(query && { q: query }) }).toString();
    return search ? `${here}?${search}` : here;
  };
  return (
    <>
      <PageHeader
        title="Catalogue"
        place={team.name}
        actions={
          <>
            <FilterInput label="Filter templates" value={query} onChange={onQuery} />
            {mayWrite && <ButtonLink to={paths.newTemplate(team.id)}>New template</ButtonLink>}
          </>
        }
      />
      <Tabs
        label="Categories"
        tabs={[
          { to: address(''), label: 'All', current: category === '' },
          ...used.map((each) => ({ to: address(each), label: CATEGORY_WORDS[each], current: category === each })),
        ]}
      />
      {error && <ErrorPanel what="The catalogue" error={error} retry={retry} />}
      {!templates && !error && (
        <div role="status" aria-label="Loading the catalogue" className={GRID}>
          {['a', 'b', 'c'].map((key) => (
            <Skeleton key={key} className="h-[124px] rounded-panel!" />
          ))}
        </div>
      )}
      {own && own.length > 0 && (
        <section aria-labelledby="own-templates" className="mb-6">
          <h2 id="own-templates" className="mb-2.5 font-semibold">
            Your team's templates
          </h2>
          <div className={GRID}>
            {own.map((template) => (
              <TemplateCard
                key={template.name}
                template={template}
                teamId={team.id}
                level={3}
                edit={mayWrite ? 'Edit' : 'Read'}
              />
            ))}
          </div>
        </section>
      )}
      {shipped && shipped.length > 0 && (
        <section aria-labelledby="shipped-templates">
          <h2 id="shipped-templates" className={own?.length ? 'mb-2.5 font-semibold' : 'sr-only'}>
            Shipped with Berth
          </h2>
          <div className={GRID}>
            {shipped.map((template) => (
              <TemplateCard key={template.name} template={template} teamId={team.id} level={3} />
            ))}
          </div>
        </section>
      )}
      {shown?.length === 0 && (
        <EmptyState
          title={templates?.length === 0 ? 'The catalogue is empty' : 'No template fits'}
          action={query !== '' && <Button onClick={() => onQuery('')}>Clear the filter</Button>}
        >
          {templates?.length === 0
            ? 'Templates are YAML files in the folder that Berth was started with.'
            : `Nothing in ${category ? CATEGORY_WORDS[category as TemplateCategory] : 'the catalogue'} matches “${query}”.`}
        </EmptyState>
      )}
    </>
  );
}

import type { TemplateSummary } from '@berth/core/routes/template-routes';
import { Link } from 'react-router';
import { paths } from './paths.ts';
import { TemplateIcon } from './template-icon.tsx';

export function TemplateCard(props: {
  template: TemplateSummary;
  teamId: string;
  level: 2 | 3;
  /** The word for the way to where it is written. */
  edit?: string;
}) {
  const { template, teamId, level, edit } = props;
  const Heading = `h${level}` as const;
  const services = `${template.services} ${template.services === 1 ? 'service' : 'services'}`;
  const start = template.startSeconds === undefined ? '' : ` · about ${seconds(template.startSeconds)}`;
  return (
    <article className="relative flex flex-col gap-2 rounded-panel border border-line bg-panel p-3.5 transition-colors duration-100 hover:border-line-strong">
      <div className="flex items-center gap-2.5">
        <TemplateIcon name={template.displayName} icon={template.icon} />
        <Heading className="min-w-0 font-semibold">
          <Link
            to={paths.deploy(teamId, template.name)}
            className="after:absolute after:inset-0 after:rounded-panel focus-visible:outline-none focus-visible:after:outline-2 focus-visible:after:outline-offset-2 focus-visible:after:outline-accent"
          >
            {template.displayName}
          </Link>
        </Heading>
        {edit && (
          <Link
            to={paths.template(teamId, template.name)}
            aria-label={`${edit} ${template.displayName}`}
            className="relative z-10 ml-auto rounded-small px-1 text-muted underline-offset-2 hover:text-text hover:underline"
          >
            {edit}
          </Link>
        )}
      </div>
      <p className="text-muted text-pretty">{template.description}</p>
      <p className="mt-auto flex justify-between pt-1 text-faint">
        <span>{services + start}</span>
        <span className="numeric">{template.version}</span>
      </p>
    </article>
  );
}

function seconds(count: number): string {
  return count < 90 ? `${count} s` : `${Math.round(count / 60)} min`;
}
